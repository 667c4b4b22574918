import type { FileDiff } from '../edit/diff.ts';
import { tagOf } from '../files/ledger.ts';
import { commit } from './commit.ts';
import type { ChangeContext } from './scope.ts';
import { hashOfSuccessor } from './snapshot.ts';
import { sizeOf, writeStep } from './write-step.ts';
import type { NewContent } from './write-step.ts';

/** The result of a change to a file. */
export interface ChangedFile {
  readonly path: string;
  /** Bytes. */
  readonly size: number;
  /** The content tag. */
  readonly tag: string;
  readonly diff: FileDiff;
  /** Nothing was written. */
  readonly dryRun: boolean;
}

/** Puts content into a file. A dry run only returns what would change. */
export async function changeFile(
  context: ChangeContext,
  content: NewContent,
  makeDiff: () => FileDiff,
): Promise<ChangedFile> {
  const { workspace, dryRun } = context;
  const { target, parts } = content;
  let made: FileDiff | undefined;
  const diffOnce = (): FileDiff => (made ??= makeDiff());
  const meanwhile = (): void => {
    content.meanwhile?.();
    diffOnce();
  };
  await commit([writeStep(workspace, { ...content, meanwhile })], context);
  const diff = diffOnce();
  const written = dryRun ? undefined : workspace.ledger.get(target.real);
  const hash = written?.hash ?? hashOfSuccessor(parts, content.before);
  return { path: target.path, size: sizeOf(parts), tag: tagOf(hash), diff, dryRun };
}
