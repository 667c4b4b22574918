import { ToolError } from '@cairn/tool';
import type { Step } from '../commit/commit.ts';
import { deleteStep } from '../commit/delete-step.ts';
import { guard, guardTree } from '../commit/guard.ts';
import type { LockedTarget } from '../commit/locked-targets.ts';
import { renameStep } from '../commit/rename-step.ts';
import type { CommitScope } from '../commit/scope.ts';
import { documentOf, takeFileSnapshot } from '../commit/snapshot.ts';
import { sizeOf, writeStep } from '../commit/write-step.ts';
import { diffOfSplices, diffOfTexts, type FileDiff } from '../edit/diff.ts';
import { encodeText, encodingFor } from '../edit/encoding.ts';
import type { Tier } from '../edit/find-text.ts';
import { hashOf } from '../files/content-hash.ts';
import { requireExisting } from '../files/near-names.ts';
import { requireFile } from '../files/open-resolved.ts';
import { seenAfter } from '../files/seen.ts';
import { applyHunks } from './apply-hunks.ts';
import type { FilePatch } from './file-patch.ts';
import { pathsOf } from './parse.ts';

/** The change of one file, checked and ready to be committed. */
export interface PlannedFile {
  readonly path: string;
  readonly kind: FilePatch['kind'];
  readonly to?: string | undefined;
  readonly steps: readonly Step[];
  /** The content hash; absent for a deleted file. */
  readonly hash?: string | undefined;
  readonly diff: FileDiff;
  /** The differences that were ignored to find each hunk. */
  readonly tiers: readonly Tier[];
}

const noDiff: FileDiff = { hunks: [], addedLines: 0, removedLines: 0, cut: false };

function requireNothing(target: LockedTarget, verb: string): void {
  if (!target.stat) return;
  const path = target.display;
  const hint = 'Update it, or delete it first.';
  throw new ToolError('EXISTS', [`${path} already exists, so the patch cannot ${verb} it`, hint], { path });
}

type PatchOf<Kind extends FilePatch['kind']> = FilePatch & { readonly kind: Kind };

function planAdd(workspace: CommitScope, patch: PatchOf<'add'>, target: LockedTarget): PlannedFile {
  requireNothing(target, 'add');
  const bytes = encodeText(encodingFor(new Uint8Array()), patch.content, target.display);
  const content = { target, parts: [bytes], before: undefined, permissions: patch.permissions };
  const steps = [writeStep(workspace, content)];
  const diff = diffOfTexts('', patch.content);
  return { path: target.path, kind: 'add', steps, hash: hashOf(bytes), diff, tiers: [] };
}

async function planDelete(
  workspace: CommitScope,
  patch: PatchOf<'delete'>,
  target: LockedTarget,
): Promise<PlannedFile> {
  const stat = await requireExisting(workspace, target);
  // A patch that shows the lines of a file does not mean a link to it.
  if (stat.kind !== 'symlink' || patch.hunks) requireFile(target);
  await guardTree(workspace, target, 'deleted');
  let diff = noDiff;
  if (patch.hunks) {
    const document = documentOf(workspace, target, await takeFileSnapshot(workspace, target));
    const applied = applyHunks(document, patch.hunks, target.display);
    if (sizeOf(applied.parts) > document.encoding.mark.length) {
      const summary = `${target.display} has more lines than the patch deletes`;
      throw new ToolError('NO_MATCH', [summary, 'Read the file, or delete it with delete.'], { path: target.display });
    }
    diff = diffOfSplices(document, applied.splices);
  }
  return { path: target.path, kind: 'delete', steps: [deleteStep(workspace, target, true)], diff, tiers: [] };
}

async function planUpdate(
  workspace: CommitScope,
  { hunks }: PatchOf<'update'>,
  target: LockedTarget,
  to: LockedTarget | undefined,
): Promise<PlannedFile> {
  await requireExisting(workspace, target);
  if (to) requireNothing(to, 'move a file onto');
  const before = await takeFileSnapshot(workspace, target);
  guard(workspace, target, before, { verb: 'changed', mustBeRead: false });
  const about = { path: target.path, kind: 'update', to: to?.path } as const;
  if (hunks.length === 0 && to) {
    const steps = [renameStep(workspace, { from: target, to })];
    return { ...about, steps, hash: before.hash, diff: noDiff, tiers: [] };
  }
  const document = documentOf(workspace, target, before);
  const { parts, splices, edits } = applyHunks(document, hunks, target.display);
  if (splices.every(({ start, end, bytes }) => before.bytes.subarray(start, end).equals(bytes))) {
    const summary = `The patch changes nothing in ${target.display}`;
    const hint = 'It may have been applied already: read the file.';
    throw new ToolError('NO_CHANGE', [summary, hint], { path: target.display });
  }
  const record = workspace.ledger.get(target.real);
  const content = { parts, before, seen: seenAfter(record?.seen ?? [], splices), encoding: record?.encoding };
  const steps = [writeStep(workspace, to ? { ...content, target: to, from: target } : { ...content, target })];
  const tiers = edits.map(({ tier }) => tier);
  return { ...about, steps, hash: hashOf(...parts), diff: diffOfSplices(document, splices), tiers };
}

/**
 * Checks a whole patch against the current files and returns the steps that commit it.
 *
 * @param targets the targets of `pathsOf` of each patch, in order.
 * @throws {ToolError} for the first file that the patch does not fit; nothing has changed by then.
 */
export async function planPatch(
  workspace: CommitScope,
  patches: readonly FilePatch[],
  targets: readonly LockedTarget[],
): Promise<PlannedFile[]> {
  const planned: PlannedFile[] = [];
  let next = 0;
  for (const patch of patches) {
    const own = targets.slice(next, next + pathsOf(patch).length);
    next += own.length;
    const [target, to] = own;
    if (!target) throw new Error('every path of a patch has a target');
    if (patch.kind === 'add') planned.push(planAdd(workspace, patch, target));
    else if (patch.kind === 'delete') planned.push(await planDelete(workspace, patch, target));
    else planned.push(await planUpdate(workspace, patch, target, to));
  }
  return planned;
}
