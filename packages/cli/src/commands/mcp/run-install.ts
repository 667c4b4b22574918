import type { FileDiff } from '@cairn/coding-agent';
import type { EntryAction, EntryTarget, ServerCommand } from '@cairn/hosts';
import { writeAnswer, type AnswerFlags } from '../../terminal/answer.ts';
import { ExitCode } from '../../terminal/exit.ts';
import type { Session } from '../../terminal/session.ts';
import { shellQuote } from '../../terminal/shell-quote.ts';
import type { Launch } from './launch.ts';
import { confirm, diffOf, editorOf, showDiff, type PlannedChange } from './show-change.ts';

/** The entry to install or undo. */
export interface InstallRequest {
  readonly target: EntryTarget<ServerCommand>;
  readonly dryRun: boolean;
  readonly yes: boolean;
  readonly flags: AnswerFlags;
  /** For the change of the configuration; see `createWorkspace`. */
  readonly stateDirectory: string | undefined;
}

/** The entry to install, and its value. */
interface Installation extends InstallRequest {
  readonly launch: Launch;
  /** The options after `cairn mcp`. */
  readonly options: readonly string[];
}

const verbs: Readonly<Record<EntryAction, readonly [past: string, preposition: string]>> = {
  add: ['added', 'to'],
  keep: ['kept', 'in'],
  replace: ['replaced', 'in'],
  restore: ['restored', 'in'],
  remove: ['removed', 'from'],
  forget: ['removed', 'from'],
  leave: ['left', 'in'],
};

/** The end of a run. */
interface Outcome {
  readonly change: PlannedChange;
  readonly changed: boolean;
  readonly diff: FileDiff | undefined;
  readonly notices: readonly string[];
  /** Further fields of the JSON document. */
  readonly more?: Readonly<Record<string, unknown>> | undefined;
}

async function report(session: Session, request: InstallRequest, outcome: Outcome): Promise<void> {
  const { change, changed, diff, notices, more = {} } = outcome;
  const { host, scope, name } = request.target;
  const { action, to: entry, file } = change;
  const facts = { host: host.id, scope, path: file.path, name, action, changed, dryRun: request.dryRun, entry, diff };
  await writeAnswer(session, request.flags, { lines: [], document: { ...facts, ...more }, notices: () => notices });
}

/** Shows a change, asks, and makes it. */
async function carryOut(
  session: Session,
  request: InstallRequest,
  { change, notices, more }: Pick<Outcome, 'change' | 'notices' | 'more'>,
): Promise<number> {
  const { flags, dryRun, target } = request;
  const { path } = change.file;
  const diff = await diffOf(change);
  if (flags.json !== true) await showDiff(change, diff, { flags, session });
  const changed = !dryRun && (await confirm([path], request.yes, session));
  if (!changed && !dryRun) {
    await report(session, request, { change, changed, diff, more, notices: ['nothing was changed'] });
    return ExitCode.None;
  }
  if (changed) await change.apply();
  const [past, preposition] = verbs[change.action];
  const what = `${past} ${target.name} ${preposition} ${path} (${target.host.title})`;
  const first = dryRun ? `would have ${what}` : `${past.charAt(0).toUpperCase()}${what.slice(1)}`;
  await report(session, request, { change, changed, diff, more, notices: [first, ...notices] });
  return ExitCode.Hit;
}

function undoHint({ host, scope, name }: EntryTarget<ServerCommand>): string {
  const options = [scope === 'user' ? ' --scope user' : '', name === 'cairn' ? '' : ` --name ${name}`];
  return `to undo: cairn mcp install ${host.id}${options.join('')} --undo`;
}

/** Adds a server to the configuration of a host, after showing the change and asking. */
export async function runInstall(installation: Installation, session: Session): Promise<number> {
  const { target, launch, options } = installation;
  const { host, kind, scope, context, name } = target;
  const server = { command: launch.command, args: [...launch.args, 'mcp', ...options] };
  const change = await editorOf(context, installation.stateDirectory, session).planInstall(target, server);
  const nextStep = kind.nextStep(scope);
  const more = { launch: { ...server, why: launch.why }, next: nextStep };
  if (change.text === undefined) {
    const notices = [`${name} is already installed in ${change.file.path} (${host.title}); nothing was changed`];
    await report(session, installation, { change, changed: false, diff: undefined, notices, more });
    return ExitCode.Hit;
  }
  const words = [server.command, ...server.args].map(shellQuote).join(' ');
  const namesThisMachine = launch.isLocal || options.includes(context.project);
  const notices = [
    `the host starts it with ${words} (${launch.why})`,
    ...(scope === 'project' && namesThisMachine
      ? ['the entry contains paths of this machine; do not share the file']
      : []),
    `next: ${nextStep}`,
    ...(installation.dryRun ? [] : [undoHint(target)]),
  ];
  return carryOut(session, installation, { change, notices, more });
}

/** Undoes an installation, after showing the change and asking. */
export async function runUndo(request: InstallRequest, session: Session): Promise<number> {
  const { target, dryRun, stateDirectory } = request;
  const change = await editorOf(target.context, stateDirectory, session).planUndo(target);
  if (change.text === undefined) {
    if (!dryRun) await change.apply();
    const notices = [`${target.name} is not in ${change.file.path}; nothing was changed`];
    await report(session, request, { change, changed: false, diff: undefined, notices });
    return ExitCode.Hit;
  }
  return carryOut(session, request, { change, notices: [] });
}
