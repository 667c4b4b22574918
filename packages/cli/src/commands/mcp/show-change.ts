import type { FileDiff } from '@cairn/coding-agent';
import type { EntryChange, EntryEditor, HostContext } from '@cairn/hosts';
import { createEntryEditor } from '@cairn/hosts';
import { userDirectories } from '@cairn/tool/paths';
import type { AnswerFlags } from '../../terminal/answer.ts';
import { askPerson, askYesNo } from '../../terminal/ask.ts';
import { diffLines } from '../../terminal/diff-lines.ts';
import { CommandError } from '../../terminal/errors.ts';
import { createPaint, usesColor, writeLines } from '../../terminal/output.ts';
import type { Session } from '../../terminal/session.ts';
import { lineEscape } from '../../terminal/text.ts';
import { diffOfRemoval, openConfig, type PreviewedFile } from './config-file.ts';

/** A planned change of a configuration. */
export type PlannedChange = EntryChange<PreviewedFile>;

/** Creates the editor of a user's configurations. `stateDirectory` is for the journal of a change; see `createWorkspace`. */
export function editorOf(
  context: HostContext,
  stateDirectory: string | undefined,
  session: Session,
): EntryEditor<PreviewedFile> {
  return createEntryEditor({
    open: (path) => openConfig(path, { signal: session.signal, stateDirectory }),
    stateDirectory: userDirectories(context).state,
  });
}

export function diffOf({ file, text }: PlannedChange): Promise<FileDiff> | FileDiff {
  return typeof text === 'string' ? file.preview(text) : diffOfRemoval(file.text ?? '');
}

export async function showDiff(
  { file, text }: PlannedChange,
  diff: FileDiff,
  { flags, session }: { readonly flags: AnswerFlags; readonly session: Session },
): Promise<void> {
  const { out, env, signal } = session;
  const style = { paint: createPaint(usesColor(flags.color, out.isTerminal, env)), escape: lineEscape(out) };
  // As in the output of git: without the slash at the start.
  const name = file.path.replace(/^\//u, '');
  const shown = { from: file.text === undefined ? undefined : name, to: text === null ? undefined : name, diff };
  await writeLines(out, diffLines(shown, style), signal);
}

/** Asks whether files may be written. Without a terminal nothing is, unless `yes` is given. */
export async function confirm(
  [path, ...others]: readonly [path: string, ...others: string[]],
  yes: boolean,
  session: Session,
): Promise<boolean> {
  if (yes) return true;
  if (session.out.failure) {
    throw new CommandError({
      code: 'CONFIRMATION_NEEDED',
      message: `${others.length === 0 ? `${path} was` : `${path} and others were`} not changed: the change could not be shown`,
      fix: 'show it with --dry-run, then add --yes',
      path,
      changed: false,
    });
  }
  const question = others.length === 0 ? `Write this to ${path}?` : `Write these ${others.length + 1} files?`;
  const answer = await askPerson(session, (prompter) => askYesNo(prompter, question));
  if (answer !== undefined) return answer;
  const [what, change] = others.length === 0 ? [`${path} was`, 'change'] : [`${path} and others were`, 'changes'];
  throw new CommandError({
    code: 'CONFIRMATION_NEEDED',
    message: `${what} not changed: there is no terminal to ask on`,
    fix: `check the ${change}, then add --yes`,
    path,
    changed: false,
  });
}
