import { errnoOf } from '@cairn/tool/internal';
import { dirname } from 'node:path';
import type { FileOperations } from '../../files/operations.ts';
import type { Change, ChangeKind, ChangeTools, Replacement } from '../change.ts';
import { expects, find, markOf, type Expectation, type Mark } from '../mark.ts';
import { linkTo, rescue, syncQuietly } from '../place.ts';
import { isThere, removeFile } from '../temporary.ts';
import { copyTree } from '../tree.ts';

/**
 * Exchanges new content with the old one, whose attributes another program may have changed since the new content got them. Returns
 * undefined where names cannot be exchanged, and false when the path holds something else by now.
 */
async function exchangeContent(
  operations: FileOperations,
  { path, temporary }: Replacement,
): Promise<boolean | undefined> {
  try {
    const { outcome } = await operations.replace(temporary, path, true);
    return outcome === 'unsupported' ? undefined : outcome === 'exchanged';
  } catch (error) {
    // It became a link.
    if (errnoOf(error) === 'ELOOP') return false;
    throw error;
  }
}

/** Exchanges two names: in one step where the file system can, otherwise by way of `spare`. Returns false when `expected` rejects. */
async function swap(
  { operations }: ChangeTools,
  change: Replacement & { readonly isSource?: boolean },
  expected?: Expectation,
): Promise<boolean> {
  const { path, temporary, spare } = change;
  if (expected && !change.isSource) {
    const isDone = await exchangeContent(operations, change);
    if (isDone !== undefined) return isDone;
  } else if (await operations.exchange(temporary, path)) {
    return true;
  }
  if (expected && !(await expected(path))) return false;
  if (!(await linkTo(operations, path, spare))) await copyTree(operations, path, spare);
  await operations.rename(temporary, path);
  await operations.rename(spare, temporary);
  return true;
}

/** Completes an exchange by way of `spare` that was interrupted. */
async function settleSpare(operations: FileOperations, { temporary, spare }: Replacement): Promise<void> {
  if (!(await isThere(operations, spare))) return;
  if (await isThere(operations, temporary)) await removeFile(operations, spare);
  else await operations.rename(spare, temporary);
}

const MAX_SWAPS = 16;

/**
 * Gives a path back the content of another program, which an exchange moved to the temporary path. If that program saves again
 * meanwhile, its last content stays at the path, and the one before is rescued. At the end `put` is at the temporary path again.
 */
async function giveBack(tools: ChangeTools, change: Replacement, put: Mark): Promise<void> {
  const { operations } = tools;
  const marks = async (): Promise<Mark> => markOf(operations, change.temporary);
  // A file of the user that was moved here has no hash.
  const isEqual = (left: Mark, right: Mark): boolean =>
    left.inode === right.inode && (right.hash === undefined || left.hash === right.hash);
  let [last, next] = [put, await marks()];
  for (let swaps = 0; swaps < MAX_SWAPS; swaps++) {
    await swap(tools, change);
    const out = await marks();
    if (isEqual(out, put)) return;
    if (isEqual(out, last)) break;
    [last, next] = [next, out];
  }
  await rescue(tools, change.path, change.temporary);
}

export const replace: ChangeKind<Change & { readonly kind: 'replace' }> = {
  async apply(tools, change, expected) {
    const { operations } = tools;
    const { path, temporary, after } = change;
    if (!(await swap(tools, change, expected))) return false;
    const syncing = syncQuietly(operations, dirname(path), dirname(temporary));
    const [isExpected] = await Promise.all([expected(temporary), syncing]);
    if (!isExpected) await giveBack(tools, change, after);
    return isExpected;
  },
  async inspect(tools, change) {
    const { operations } = tools;
    const { path, temporary, before, after } = change;
    await settleSpare(operations, change);
    const out = await find(operations, temporary, { before, after }, true);
    const at = await find(operations, path, { before, after });
    if (out === 'before') return 'applied';
    if (out === 'after') return at === 'before' ? 'unapplied' : 'conflict';
    // Nothing is left to finish with, or the commit was over.
    if (out === 'missing') return at === 'before' ? 'conflict' : 'applied';
    if (at === 'after') await giveBack(tools, change, after);
    else if (!change.isSource) await rescue(tools, path, temporary);
    return 'conflict';
  },
  async revert(tools, change, progress) {
    const { operations } = tools;
    const { path, temporary, before, after } = change;
    if (progress !== 'applied') return true;
    // Without its old content it cannot be undone.
    if ((await find(operations, path, { after })) !== 'after' || !(await isThere(operations, temporary))) return false;
    await swap(tools, change);
    if (!(await expects(operations, after)(temporary))) await giveBack(tools, change, before);
    await syncQuietly(operations, dirname(path), dirname(temporary));
    return true;
  },
  async clean(operations, { isSource, temporary, before }, isApplied) {
    // The path of the user holds the replaced file now, unless another program saved there since.
    if (isSource && !(isApplied && (await expects(operations, before)(temporary)))) return;
    await removeFile(operations, temporary);
  },
};
