import type { EntryEditor, EntryTarget, SessionHost } from '@cairn/hosts';
import { HostError, sessionHosts } from '@cairn/hosts';
import { createKnowledge, skills } from '@cairn/knowledge';
import { SKILL_NAMES } from '@cairn/knowledge/internal';
import type { Language } from '@cairn/tool/kernel';
import { ExitCode } from '../../terminal/exit.ts';
import type { Session } from '../../terminal/session.ts';
import type { PreviewedFile } from '../mcp/config-file.ts';
import type { Launch } from '../mcp/launch.ts';
import { carryOut, editorOf, type CarryOutOptions, type PlannedChange, type Step } from '../mcp/show-change.ts';
import { entryTarget, hookWords, skillTarget, type HookRequest } from './request.ts';
import { shellLine } from './shell-line.ts';

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
  session: Session,
): Promise<string> {
  const knowledge = createKnowledge({ env: session.env, language, command });
  try {
    return await knowledge.payload({ project: context.project, onlyMatching, signal: session.signal });
  } finally {
    await knowledge.close();
  }
}

export async function runInstall(installation: HookInstallation, session: Session): Promise<number> {
  const { host, context, flags, launch, language, onlyMatching, stateDirectory } = installation;
  const editor = editorOf(context, stateDirectory, session);
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
  return carryOut(steps, { flags, session, notices, unchanged, document });
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

export async function runRemove(request: HookRequest, session: Session): Promise<number> {
  const { host, context, flags, stateDirectory } = request;
  const editor = editorOf(context, stateDirectory, session);
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
  return carryOut(steps, { flags, session, notices, unchanged, document: documentOf(steps, request) });
}
