import type { FileDiff } from '../edit/diff.ts';
import { hashOf, tagOf } from '../files/content-hash.ts';
import { commit } from './commit.ts';
import type { ChangeContext } from './scope.ts';
import { sizeOf, WriteStep, type NewContent } from './write-step.ts';

export interface ChangedFile {
  readonly path: string;
  /** Bytes. */
  readonly size: number;
  readonly tag: string;
  readonly diff: FileDiff;
  /** Nothing was written. */
  readonly dryRun: boolean;
}

/** Puts content into a file. A dry run only returns what would change. */
export async function changeFile(context: ChangeContext, content: NewContent, diff: FileDiff): Promise<ChangedFile> {
  const { workspace, dryRun } = context;
  const { target, parts } = content;
  await commit([new WriteStep(workspace, content)], context);
  const written = dryRun ? undefined : workspace.ledger.get(target.real);
  return { path: target.path, size: sizeOf(parts), tag: tagOf(written?.hash ?? hashOf(...parts)), diff, dryRun };
}
