import { stat } from 'node:fs/promises';
import type { FileDiff } from '@cairn/coding-agent';
import { askYesNo } from '../ask.ts';
import { diffLines } from '../diff-lines.ts';
import { ExitCode } from '../exit.ts';
import type { Host, HostContext, Scope } from '../hosts/host.ts';
import { writeNotices } from '../notices.ts';
import { createPaint, usesColor, writeLines, type ColorMode } from '../output.ts';
import type { Session } from '../session.ts';
import { escapeLine, shellQuote } from '../text.ts';
import { ConfigError } from './config-error.ts';
import { diffOfRemoval, openConfig, type ConfigFile } from './config-file.ts';
import type { ConfigFormat } from './config-format.ts';
import { jsonFormat } from './json-format.ts';
import type { Launch } from './launch.ts';
import { noteOf, planInstall, planUndo, type Plan } from './plan.ts';
import { tomlFormat } from './toml-format.ts';
import { createUndoNotes, stateDirectory, type UndoNote, type UndoNotes } from './undo-notes.ts';

/** Which entry of which host is meant, and how to speak of it. */
export interface InstallRequest {
  readonly host: Host;
  readonly scope: Scope;
  readonly context: HostContext;
  readonly name: string;
  readonly json: boolean;
  readonly dryRun: boolean;
  readonly yes: boolean;
  readonly color: ColorMode;
}

/** What is to be installed. */
interface Installation extends InstallRequest {
  readonly launch: Launch;
  /** What follows `cairn mcp`. */
  readonly options: readonly string[];
}

const formats: Readonly<Record<Host['format'], ConfigFormat>> = { json: jsonFormat, toml: tomlFormat };

/** What was done, or would be. */
const verbs: Readonly<
  Record<Exclude<Plan['action'], 'keep' | 'forget'>, readonly [past: string, preposition: string]>
> = {
  add: ['added', 'to'],
  replace: ['replaced', 'in'],
  restore: ['restored', 'in'],
  remove: ['removed', 'from'],
};

async function exists(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  );
}

async function firstExisting(paths: readonly string[]): Promise<string> {
  for (const path of paths) if (await exists(path)) return path;
  return paths[0] ?? '';
}

/** Says of a text whose it is. */
function aboutFile<T>(path: string, run: () => T): T {
  try {
    return run();
  } catch (error) {
    if (!(error instanceof ConfigError) || error.path !== undefined) throw error;
    const message = `${path} was left alone: ${error.message}`;
    throw new ConfigError(error.code, message, { path, place: error.place, cause: error });
  }
}

function previewOf(file: ConfigFile, { text }: Plan): Promise<FileDiff> | FileDiff {
  return typeof text === 'string' ? file.preview(text) : diffOfRemoval(file.text ?? '');
}

async function showDiff(file: ConfigFile, plan: Plan, diff: FileDiff, { session, color }: Shown): Promise<void> {
  const { isTerminal } = session.out;
  const paint = createPaint(usesColor(color, isTerminal, session.env));
  const escape = isTerminal ? escapeLine : (text: string) => text;
  // As git names files: below the root, which is that of the file system here.
  const name = file.path.replace(/^\//u, '');
  const shown = { from: file.text === undefined ? undefined : name, to: plan.text === null ? undefined : name, diff };
  await writeLines(session.out, diffLines(shown, { paint, escape }), session.signal);
}

interface Shown {
  readonly session: Session;
  readonly color: ColorMode;
}

async function confirm(file: ConfigFile, { yes }: InstallRequest, session: Session): Promise<boolean> {
  if (yes) return true;
  const terminal = session.input.isTerminal && session.err.isTerminal ? session.openTerminal() : undefined;
  if (!terminal) {
    const message = `${file.path} was left alone: there is no terminal to ask on; look at the change and add --yes`;
    throw new ConfigError('CONFIRMATION_NEEDED', message, { path: file.path });
  }
  const forget = session.onAbruptEnd(() => terminal.close(''));
  try {
    return await askYesNo(terminal, `Write this to ${file.path}?`, session.signal);
  } finally {
    forget();
    terminal.close('');
  }
}

/** What a run ends with. */
interface Outcome {
  readonly request: InstallRequest;
  readonly path: string;
  readonly plan: Plan;
  readonly changed: boolean;
  readonly diff: FileDiff | undefined;
  readonly says: readonly string[];
  readonly more?: Readonly<Record<string, unknown>>;
}

async function report(session: Session, outcome: Outcome): Promise<void> {
  const { request, path, plan, changed, diff, says, more = {} } = outcome;
  const { host, scope, name, dryRun } = request;
  if (!request.json) {
    await writeNotices(session, request.color, says);
    return;
  }
  const { action, to: entry } = plan;
  const answer = { host: host.id, scope, path, name, action, changed, dryRun, entry, diff, ...more };
  await writeLines(session.out, [JSON.stringify(answer)], session.signal);
}

async function reportError(session: Session, error: unknown, { json }: InstallRequest): Promise<number> {
  if (!json || !(error instanceof ConfigError)) throw error;
  const { code: reason, message, path, place } = error;
  const answer = { error: { reason, message, changed: false, path, ...place } };
  await writeLines(session.out, [JSON.stringify(answer)], session.signal);
  return ExitCode.Error;
}

/** Shows a plan, asks, and carries it out. */
async function carryOut(
  session: Session,
  { request, file, plan }: { readonly request: InstallRequest; readonly file: ConfigFile; readonly plan: Plan },
  {
    apply,
    says,
    more,
  }: { readonly apply: () => Promise<void>; readonly says: readonly string[]; readonly more?: object },
): Promise<number> {
  const { json, dryRun, name, host, color } = request;
  const diff = await previewOf(file, plan);
  if (!json) await showDiff(file, plan, diff, { session, color });
  const changed = !dryRun && (await confirm(file, request, session));
  const outcome = { request, path: file.path, plan, changed, diff, ...(more && { more: { ...more } }) };
  if (!changed && !dryRun) {
    await report(session, { ...outcome, says: ['nothing was changed'] });
    return ExitCode.None;
  }
  if (changed) await apply();
  const [past, preposition] = verbs[plan.action === 'keep' || plan.action === 'forget' ? 'add' : plan.action];
  const what = `${past} ${name} ${preposition} ${file.path} (${host.title})`;
  const first = dryRun ? `would have ${what}` : `${past.charAt(0).toUpperCase()}${what.slice(1)}`;
  await report(session, { ...outcome, says: [first, ...says] });
  return ExitCode.Hit;
}

/** Where the notes of this user are, and what one is about. */
function notesOf({ context, name }: InstallRequest): { notes: UndoNotes; subject: (path: string) => string[] } {
  return { notes: createUndoNotes(stateDirectory(context)), subject: (path) => [path, name] };
}

function undoHint({ host, scope, name }: InstallRequest): string {
  const options = [scope === 'user' ? ' --scope user' : '', name === 'cairn' ? '' : ` --name ${name}`];
  return `'cairn mcp install ${host.id}${options.join('')} --undo' takes it back`;
}

async function install(installation: Installation, session: Session): Promise<number> {
  const { host, scope, context, name, launch, options } = installation;
  const format = formats[host.format];
  const path = await firstExisting(host.files(scope, context));
  const file = await openConfig(path, session.signal);
  const server = { command: launch.command, args: [...launch.args, 'mcp', ...options] };
  const plan = aboutFile(path, () =>
    planInstall(format, host, { text: file.text ?? '', name, entry: (config) => host.entry(server, config) }),
  );
  const words = [server.command, ...server.args].map(shellQuote).join(' ');
  const more = { launch: { ...server, why: launch.why }, next: host.next(scope) };
  if (typeof plan.text !== 'string') {
    const says = [`${name} is installed already in ${path} (${host.title}); nothing was changed`];
    await report(session, { request: installation, path, plan, changed: false, diff: undefined, says, more });
    return ExitCode.Hit;
  }
  const { text } = plan;
  const namesThisMachine = launch.isLocal || options.includes(context.project);
  const says = [
    `it is started with ${words} (${launch.why})`,
    ...(scope === 'project' && namesThisMachine
      ? ['the entry names paths of this machine: do not share the file']
      : []),
    `next: ${host.next(scope)}`,
    ...(installation.dryRun ? [] : [undoHint(installation)]),
  ];
  const apply = async (): Promise<void> => {
    const { notes, subject } = notesOf(installation);
    const earlier = await notes.get(subject(path));
    const known = { path, before: file.text, directories: file.missingDirectories, format, earlier };
    // First: a change that was made can always be taken back, wherever this is killed.
    await notes.set(subject(path), noteOf(plan, known));
    await file.write(text);
  };
  return carryOut(session, { request: installation, file, plan }, { apply, says, more });
}

async function findNote(
  request: InstallRequest,
  notes: UndoNotes,
  subject: (path: string) => string[],
): Promise<UndoNote> {
  const paths = request.host.files(request.scope, request.context);
  for (const path of paths) {
    const note = await notes.get(subject(path));
    if (note) return note;
  }
  const message = `there is nothing to undo: no ${request.name} of ${request.host.title} was installed from here in ${paths.join(' or ')}, or it was taken back already`;
  throw new ConfigError('NOTHING_TO_UNDO', message, { path: paths[0] });
}

async function undo(request: InstallRequest, session: Session): Promise<number> {
  const { notes, subject } = notesOf(request);
  const note = await findNote(request, notes, subject);
  const { path, directories } = note;
  const file = await openConfig(path, session.signal);
  const plan = aboutFile(path, () => planUndo(formats[request.host.format], note, file.text));
  if (plan.text === undefined) {
    if (!request.dryRun) await notes.delete(subject(path));
    const says = [`${request.name} is gone from ${path} already; nothing was changed`];
    await report(session, { request, path, plan, changed: false, diff: undefined, says });
    return ExitCode.Hit;
  }
  const { text } = plan;
  const apply = async (): Promise<void> => {
    await (text === null ? file.remove(directories) : file.write(text));
    await notes.delete(subject(path));
  };
  return carryOut(session, { request, file, plan }, { apply, says: [] });
}

/**
 * Puts a server into the configuration of a host, after showing and asking.
 *
 * @throws {ConfigError} unless it is to be printed as JSON; nothing was changed then.
 */
export async function runInstall(installation: Installation, session: Session): Promise<number> {
  return install(installation, session).catch((error: unknown) => reportError(session, error, installation));
}

/**
 * Takes an installation back.
 *
 * @throws {ConfigError} `NOTHING_TO_UNDO` and others, unless it is to be printed as JSON.
 */
export async function runUndo(request: InstallRequest, session: Session): Promise<number> {
  return undo(request, session).catch((error: unknown) => reportError(session, error, request));
}
