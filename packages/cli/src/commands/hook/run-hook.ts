import {
  HostError,
  sessionHosts,
  type EntryEditor,
  type EntryTarget,
  type SessionHost,
  type HostContext,
} from '@cairn/hosts';
import { createKnowledge, skills, type Skill } from '@cairn/knowledge';
import { SKILL_NAMES } from '@cairn/knowledge/internal';
import { LANGUAGES, type Language } from '@cairn/tool/kernel';
import { ExitCode } from '../../terminal/exit.ts';
import type { CommandContext } from '../../terminal/command-context.ts';
import type { PreviewedFile } from '../mcp/config-file.ts';
import type { Launch } from '../mcp/launch.ts';
import { carryOut, editorOf, type CarryOutOptions, type PlannedChange, type Step } from '../mcp/show-change.ts';
import { shellLine } from './shell-line.ts';
import { UsageError } from '../../terminal/errors.ts';
import { hostContext, withAbsoluteStateDir, type EntryFlags } from '../mcp/entry-options.ts';

export interface HookRequest {
  readonly host: SessionHost;
  readonly context: HostContext;
  readonly flags: EntryFlags;
}

const SECTION = 'cairn-knowledge';

/** Returns the words that the command line of a host's hook ends with. They also identify the hook. */
function hookWords({ id }: SessionHost): readonly string[] {
  return ['hook', 'session-start', '--host', id];
}

/** Returns the host with an id. @throws {UsageError} when it is unknown, or has no configuration for the scope. */
function sessionHost(id: string, { scope }: EntryFlags): SessionHost {
  const wanted = id === 'claude-code' ? 'claude' : id;
  const host = sessionHosts.find((one) => one.id === wanted);
  if (!host) {
    const known = sessionHosts.map((one) => one.id).join(', ');
    throw new UsageError(`unknown host "${id}"`, `use one of ${known}; agents-md is for every other host`);
  }
  if (host.scopes.includes(scope)) return host;
  throw new UsageError(`${host.title} belongs to a project`, `leave out --scope ${scope}`);
}

export async function hookRequest(id: string, given: EntryFlags, session: CommandContext): Promise<HookRequest> {
  const host = sessionHost(id, given);
  return { host, context: await hostContext(given.root, session), flags: withAbsoluteStateDir(given, session) };
}

export function entryTarget({ host, context, flags: { scope } }: HookRequest): EntryTarget<string> {
  const name = host.delivery === 'hook' ? hookWords(host).join(' ') : SECTION;
  return { host, kind: host.entry, scope, context, name, isOwn: () => true };
}

function skillTarget({ host, context, flags: { scope } }: HookRequest, name: string): EntryTarget<string> {
  return { host, kind: host.skills, scope, context, name, isOwn: (text) => isOwnSkill(name, text) };
}

/** Returns whether a string is the content of our skill, in either language and with whichever command line. */
function isOwnSkill(name: string, text: unknown): boolean {
  if (typeof text !== 'string') return false;
  const lines = text.replaceAll('\r\n', '\n');
  const command = /^(.+) hook phase/mu.exec(lines)?.[1] ?? /`([^`]+) knowledge team push`/u.exec(lines)?.[1];
  const own = LANGUAGES.flatMap((language): readonly Skill[] => skills({ language, command }));
  return own.some((skill) => skill.name === name && skill.text === lines);
}

type Editor = EntryEditor<PreviewedFile>;

function stepOf({ kind, name }: EntryTarget<string>, change: PlannedChange): Step {
  if (kind.format === 'file') return { change, name, subject: `the skill ${name}` };
  return { change, name, subject: kind.format === 'section' ? 'the section' : 'the hook' };
}

/** Returns the maker of the JSON document of a run. `more` are further fields. */
function documentOf(
  steps: readonly Step[],
  { host, flags: { scope, dryRun = false } }: HookRequest,
  more: object = {},
): CarryOutOptions['document'] {
  return ({ changed, diffs }) => {
    const files = steps.map((step) => {
      const { change, name } = step;
      return { path: change.file.path, name, action: change.action, diff: diffs.get(step) };
    });
    return { host: host.id, scope, changed, dryRun, files, ...more };
  };
}

export interface HookInstallation extends HookRequest {
  readonly launch: Launch;
  readonly language: Language;
  readonly onlyMatching: boolean;
}

/** Returns the text of the section: what a session of another host sees at its start, without a limit. */
async function sectionText(
  { context, language, onlyMatching }: HookInstallation,
  command: string,
  session: CommandContext,
): Promise<string> {
  const knowledge = createKnowledge({ env: session.env, language, command });
  try {
    return await knowledge.payload({ project: context.project, onlyMatching, signal: session.signal });
  } finally {
    await knowledge.close();
  }
}

export async function runInstall(installation: HookInstallation, session: CommandContext): Promise<number> {
  const { host, context, flags, launch, language, onlyMatching } = installation;
  const editor = editorOf(context, flags, session);
  const program = [launch.command, ...launch.args];
  const words = [
    ...program,
    ...hookWords(host),
    ...(language === 'en' ? [] : ['--language', language]),
    ...(onlyMatching ? ['--only-matching'] : []),
  ];
  const line = shellLine(words, context.platform);
  const command = shellLine(program, context.platform);
  const value = host.delivery === 'hook' ? line : await sectionText(installation, command, session);
  const wanted = [
    ...skills({ language, command }).map(({ name, text }) => ({ target: skillTarget(installation, name), text })),
    { target: entryTarget(installation), text: value },
  ];
  const steps: Step[] = [];
  for (const { target, text } of wanted) steps.push(stepOf(target, await editor.planInstall(target, text)));
  const next = host.entry.nextStep(flags.scope);
  const more = { next, ...(host.delivery === 'hook' && { launch: { command: line, why: launch.why } }) };
  const undo = `to undo: cairn hook remove ${host.id}${flags.scope === 'user' ? ' --scope user' : ''}`;
  const notices = [
    ...(host.delivery === 'hook' ? [`the host runs ${line} (${launch.why})`] : []),
    ...(flags.scope === 'project' && launch.isLocal
      ? ['the files contain paths of this machine; do not share them']
      : []),
    `next: ${next}`,
    ...(flags.dryRun === true ? [] : [undo]),
  ];
  const unchanged = { notices: [`${host.title} has the current hook and skills already; nothing was changed`] };
  const document = documentOf(steps, installation, more);
  return carryOut(steps, { flags, context: session, notices, unchanged, document });
}

async function planUndo(editor: Editor, target: EntryTarget<string>): Promise<Step | undefined> {
  try {
    return stepOf(target, await editor.planUndo(target));
  } catch (error) {
    if (HostError.isInstance(error) && error.code === 'NOTHING_TO_UNDO') return undefined;
    throw error;
  }
}

/** Returns another host that is installed and reads the same skills. */
async function sharingHost(editor: Editor, request: HookRequest): Promise<SessionHost | undefined> {
  const { host, flags } = request;
  const others = sessionHosts.filter((one) => one.skills === host.skills && one.id !== host.id);
  for (const other of others.filter(({ scopes }) => scopes.includes(flags.scope))) {
    if (await editor.find(entryTarget({ ...request, host: other }))) return other;
  }
  return undefined;
}

export async function runRemove(request: HookRequest, session: CommandContext): Promise<number> {
  const { host, context, flags } = request;
  const editor = editorOf(context, flags, session);
  const sharing = await sharingHost(editor, request);
  const targets = [entryTarget(request), ...(sharing ? [] : SKILL_NAMES.map((name) => skillTarget(request, name)))];
  const planned: (Step | undefined)[] = [];
  for (const target of targets) planned.push(await planUndo(editor, target));
  const steps = planned.filter((step) => step !== undefined);
  const notices = [
    ...steps
      .filter(({ change }) => change.action === 'leave')
      .map(({ change }) => `${change.file.path} was changed after the installation, so it stays`),
    ...(sharing ? [`the skills stay, because ${sharing.title} uses them too`] : []),
  ];
  const [path = ''] = host.entry.files(flags.scope, context, '');
  const nothing = `nothing of Cairn is installed for ${host.title} in ${path}; nothing was changed`;
  const unchanged = { notices: [...notices, nothing], status: ExitCode.None };
  return carryOut(steps, { flags, context: session, notices, unchanged, document: documentOf(steps, request) });
}
