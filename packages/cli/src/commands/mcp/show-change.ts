import type { FileDiff } from '@cairn/coding-agent';
import type { EntryAction, EntryChange, EntryEditor, HostContext } from '@cairn/hosts';
import { createEntryEditor } from '@cairn/hosts';
import { userDirectories } from '@cairn/tool/paths';
import { writeAnswer } from '../../terminal/answer.ts';
import { askPerson, askYesNo } from '../../terminal/ask.ts';
import { diffLines, diffStyle } from '../../terminal/diff-lines.ts';
import { CommandError, factsOf } from '../../terminal/errors.ts';
import { ExitCode } from '../../terminal/exit.ts';
import { writeLines } from '../../terminal/output.ts';
import type { CommandContext } from '../../terminal/command-context.ts';
import type { EntryFlags } from './entry-options.ts';
import { diffOfRemoval, openConfig, type PreviewedFile } from './config-file.ts';

export type PlannedChange = EntryChange<PreviewedFile>;

/** Creates the editor of a user's configurations. `stateDir` is for the journal of a change; see `createWorkspace`. */
export function editorOf(
  context: HostContext,
  { stateDir: stateDirectory }: Pick<EntryFlags, 'stateDir'>,
  session: CommandContext,
): EntryEditor<PreviewedFile> {
  return createEntryEditor({
    open: (path) => openConfig(path, { signal: session.signal, stateDirectory }),
    stateDirectory: userDirectories(context).state,
  });
}

function diffOf({ file, text }: PlannedChange): Promise<FileDiff> | FileDiff {
  return typeof text === 'string' ? file.preview(text) : diffOfRemoval(file.text ?? '');
}

async function showDiff(
  { file, text }: PlannedChange,
  diff: FileDiff,
  { flags, context: session }: { readonly flags: EntryFlags; readonly context: CommandContext },
): Promise<void> {
  // As in the output of git: without the slash at the start.
  const name = file.path.replace(/^\//u, '');
  const shown = { from: file.text === undefined ? undefined : name, to: text === null ? undefined : name, diff };
  await writeLines(session.out, diffLines(shown, diffStyle(session, flags.color)), session.signal);
}

/** Asks whether files may be written. Without a terminal nothing is, unless `yes` is given. */
async function confirm(
  [path, ...others]: readonly [path: string, ...others: string[]],
  yes: boolean,
  session: CommandContext,
): Promise<boolean> {
  if (yes) return true;
  const isOne = others.length === 0;
  const rejected = (reason: string, fix: string): CommandError => {
    const message = `${isOne ? `${path} was` : `${path} and others were`} not changed: ${reason}`;
    return new CommandError({ code: 'CONFIRMATION_NEEDED', message, fix, path, changed: false });
  };
  if (session.out.failure) throw rejected('the change could not be shown', 'show it with --dry-run, then add --yes');
  const question = isOne ? `Write this to ${path}?` : `Write these ${others.length + 1} files?`;
  const answer = await askPerson(session, async (prompter) => (await askYesNo(prompter, question)) ?? false);
  if (answer !== undefined) return answer;
  throw rejected('there is no terminal to ask on', `check the ${isOne ? 'change' : 'changes'}, then add --yes`);
}

export interface Step {
  readonly change: PlannedChange;
  /** The name of the entry in the JSON document. */
  readonly name: string;
  readonly subject: string;
  /** Printed in parentheses after the path. */
  readonly remark?: string;
}

interface Outcome {
  readonly changed: boolean;
  readonly diffs: ReadonlyMap<Step, FileDiff>;
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

function sentence({ change, subject, remark }: Step, isDryRun: boolean): string {
  const [past, preposition] = verbs[change.action];
  const place = remark === undefined ? change.file.path : `${change.file.path} (${remark})`;
  const what = `${past} ${subject} ${preposition} ${place}`;
  return isDryRun ? `would have ${what}` : `${past.charAt(0).toUpperCase()}${what.slice(1)}`;
}

/** Makes the changes, one file after the other. Each has an undo note, so that a second run completes or undoes them. */
async function applySteps(steps: readonly Step[]): Promise<void> {
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

export interface CarryOutOptions {
  readonly flags: EntryFlags;
  readonly context: CommandContext;
  readonly notices: readonly string[];
  /** The notices when no file changes, and the exit status, which is 0 by default. */
  readonly unchanged: { readonly notices: readonly string[]; readonly status?: number };
  /** Returns the JSON document of the end of a run. */
  readonly document: (outcome: Outcome) => object;
}

/** Shows the changes of files, asks, and makes them. A step without a change may have something to forget. @returns the exit status */
export async function carryOut(
  steps: readonly Step[],
  { flags, context: session, notices, unchanged, document }: CarryOutOptions,
): Promise<number> {
  const { dryRun: isDryRun = false, yes = false, json = false } = flags;
  const changing = steps.filter(({ change }) => change.text !== undefined);
  const diffs = new Map<Step, FileDiff>();
  const report = (changed: boolean, shown: readonly string[]): Promise<void> =>
    writeAnswer(session, flags, { lines: [], document: document({ changed, diffs }), notices: () => shown });
  if (changing.length === 0) {
    // Only the note of an installation is left.
    if (!isDryRun) await applySteps(steps);
    await report(false, unchanged.notices);
    return unchanged.status ?? ExitCode.Hit;
  }
  for (const step of changing) {
    const diff = await diffOf(step.change);
    diffs.set(step, diff);
    if (!json) await showDiff(step.change, diff, { flags, context: session });
  }
  const [path = '', ...others] = changing.map(({ change }) => change.file.path);
  const changed = !isDryRun && (await confirm([path, ...others], yes, session));
  if (!changed && !isDryRun) {
    await report(changed, ['nothing was changed']);
    return ExitCode.None;
  }
  if (changed) await applySteps(steps);
  await report(changed, [...changing.map((step) => sentence(step, isDryRun)), ...notices]);
  return ExitCode.Hit;
}
