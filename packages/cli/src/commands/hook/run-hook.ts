import type { FileDiff } from '@cairn/coding-agent';
import type { EntryAction, EntryEditor, EntryTarget, SessionHost } from '@cairn/hosts';
import { HostError, sessionHosts } from '@cairn/hosts';
import { createKnowledge, skills } from '@cairn/knowledge';
import { SKILL_NAMES } from '@cairn/knowledge/internal';
import type { Language } from '@cairn/tool/kernel';
import { writeAnswer } from '../../terminal/answer.ts';
import { CommandError, factsOf } from '../../terminal/errors.ts';
import { ExitCode } from '../../terminal/exit.ts';
import type { Session } from '../../terminal/session.ts';
import type { PreviewedFile } from '../mcp/config-file.ts';
import type { Launch } from '../mcp/launch.ts';
import { confirm, diffOf, editorOf, showDiff, type PlannedChange } from '../mcp/show-change.ts';
import { shellLine } from './shell-line.ts';
import { entryTarget, hookWords, skillTarget, type HookRequest } from './request.ts';

/** A planned change of one file. */
interface Step {
  readonly target: EntryTarget<string>;
  readonly change: PlannedChange;
}

type Editor = EntryEditor<PreviewedFile>;

/** The end of a run. */
interface Outcome {
  readonly steps: readonly Step[];
  readonly changed: boolean;
  readonly diffs: ReadonlyMap<Step, FileDiff>;
  readonly notices: readonly string[];
  /** Further fields of the JSON document. */
  readonly more: Readonly<Record<string, unknown>>;
}

/** What a step changed, in words: the hook, the section, or a skill. */
function subjectOf({ target: { kind, name } }: Step): string {
  if (kind.format === 'file') return `the skill ${name}`;
  return kind.format === 'section' ? 'the section' : 'the hook';
}

const verbs: Readonly<Partial<Record<EntryAction, readonly [past: string, preposition: string]>>> = {
  add: ['added', 'to'],
  replace: ['replaced', 'in'],
  restore: ['restored', 'in'],
  remove: ['removed', 'from'],
};

function sentence(step: Step, { isDryRun }: { readonly isDryRun: boolean }): string[] {
  const { action, file, text } = step.change;
  const [past = '', preposition = ''] = verbs[action] ?? [];
  if (text === undefined || past === '') return [];
  const what = `${past} ${subjectOf(step)} ${preposition} ${file.path}`;
  return [isDryRun ? `would have ${what}` : `${past.charAt(0).toUpperCase()}${what.slice(1)}`];
}

async function report(session: Session, { host, flags }: HookRequest, outcome: Outcome): Promise<void> {
  const { steps, changed, diffs, notices, more } = outcome;
  const files = steps.map((step) => ({
    path: step.change.file.path,
    name: step.target.name,
    action: step.change.action,
    diff: diffs.get(step),
  }));
  const { scope, dryRun = false } = flags;
  const document = { host: host.id, scope, changed, dryRun, files, ...more };
  await writeAnswer(session, flags, { lines: [], document, notices: () => notices });
}

/** Makes the changes, one file after the other. Each has an undo note, so that a second run completes or undoes them. */
async function apply(steps: readonly Step[]): Promise<void> {
  const done: string[] = [];
  for (const { change } of steps) {
    try {
      await change.apply();
      if (change.text !== undefined) done.push(change.file.path);
    } catch (error) {
      if (done.length === 0) throw error;
      const facts = factsOf(error);
      const message = `${facts.message}; before that, ${done.join(', ')} was written`;
      throw new CommandError({ ...facts, message, changed: true }, { cause: error });
    }
  }
}

/** Shows the changes, asks, and makes them. */
async function carryOut(
  session: Session,
  request: HookRequest,
  { steps, notices, more }: Pick<Outcome, 'steps' | 'notices' | 'more'>,
): Promise<number> {
  const { flags } = request;
  const isDryRun = flags.dryRun === true;
  const changing = steps.filter(({ change }) => change.text !== undefined);
  const diffs = new Map<Step, FileDiff>();
  for (const step of changing) {
    const diff = await diffOf(step.change);
    diffs.set(step, diff);
    if (flags.json !== true) await showDiff(step.change, diff, { flags, session });
  }
  const [path = '', ...others] = changing.map(({ change }) => change.file.path);
  const changed = !isDryRun && (await confirm([path, ...others], flags.yes === true, session));
  if (!changed && !isDryRun) {
    await report(session, request, { steps, changed, diffs, more, notices: ['nothing was changed'] });
    return ExitCode.None;
  }
  if (changed) await apply(steps);
  const done = changing.flatMap((step) => sentence(step, { isDryRun }));
  await report(session, request, { steps, changed, diffs, more, notices: [...done, ...notices] });
  return ExitCode.Hit;
}

/** A request to install. */
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

/** Adds the hook of a host, or the section of `AGENTS.md`, and the skills, after showing the changes and asking. */
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
  const steps: Step[] = [];
  for (const { name, text } of skills({ language, command })) {
    const target = skillTarget(installation, name);
    steps.push({ target, change: await editor.planInstall(target, text) });
  }
  const target = entryTarget(installation);
  steps.push({ target, change: await editor.planInstall(target, value) });
  const next = host.entry.nextStep(flags.scope);
  const more = { next, ...(host.delivery === 'hook' && { launch: { command: line, why: launch.why } }) };
  if (steps.every(({ change }) => change.text === undefined)) {
    const notices = [`${host.title} has the current hook and skills already; nothing was changed`];
    await report(session, installation, { steps, changed: false, diffs: new Map(), more, notices });
    return ExitCode.Hit;
  }
  const undo = `to undo: cairn hook remove ${host.id}${flags.scope === 'user' ? ' --scope user' : ''}`;
  const notices = [
    ...(host.delivery === 'hook' ? [`the host runs ${line} (${launch.why})`] : []),
    ...(flags.scope === 'project' && launch.isLocal
      ? ['the files contain paths of this machine; do not share them']
      : []),
    `next: ${next}`,
    ...(flags.dryRun === true ? [] : [undo]),
  ];
  return carryOut(session, installation, { steps, notices, more });
}

/** Plans the undo of an entry; `undefined` when there is nothing to undo. */
async function planUndo(editor: Editor, target: EntryTarget<string>): Promise<Step | undefined> {
  try {
    return { target, change: await editor.planUndo(target) };
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

/** Removes what {@link runInstall} added, after showing the changes and asking. */
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
  if (steps.some(({ change }) => change.text !== undefined)) {
    return carryOut(session, request, { steps, notices, more: {} });
  }
  if (flags.dryRun !== true) await apply(steps);
  const [path = ''] = host.entry.files(flags.scope, context, '');
  const nothing = `nothing of Cairn is installed for ${host.title} in ${path}; nothing was changed`;
  await report(session, request, { steps, changed: false, diffs: new Map(), more: {}, notices: [...notices, nothing] });
  return ExitCode.None;
}
