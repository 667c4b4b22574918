import { isMissing } from '@cairn/tool/kernel';
import { ToolError } from '@cairn/tool';
import { encodingFor } from '../edit/encoding.ts';
import { compare, recordOf, type FileRecord } from '../files/ledger.ts';
import { withFile, type FileOperations } from '../files/operations.ts';
import type { ResolvedPath } from '../files/resolve.ts';
import { joinSeen, MAX_RANGES, unseenOf } from '../files/seen.ts';
import { hashOfStart } from '../files/content-hash.ts';
import type { CommitScope } from './scope.ts';
import { MAX_BYTES_IN_MEMORY, takeFileSnapshot, type FileSnapshot } from './snapshot.ts';
import { formatRanges, lineRangesOf, showParts } from './unseen.ts';

export async function isFresh(operations: FileOperations, path: string, record: FileRecord): Promise<boolean> {
  return withFile(operations, path, 'read', async (file) => {
    if ((await file.stat()).size !== record.size) return false;
    return (await hashOfStart(file, record.length)) === record.hash;
  });
}

/**
 * Rejects to delete or move a file, or the files below a directory, that changed since they were read.
 *
 * @throws {ToolError} `STALE`.
 */
export async function guardTree(workspace: CommitScope, target: ResolvedPath, verb: string): Promise<void> {
  const { operations, ledger, staleGuard } = workspace;
  if (staleGuard === 'off' || target.stat?.kind === 'symlink') return;
  for (const path of ledger.below(target.real)) {
    const record = ledger.get(path);
    if (!record || (await isFreshOrGone(operations, path, record))) continue;
    const shown = path === target.real ? target : await workspace.resolve(path);
    if (shown.stat?.kind === 'file' && shown.stat.size <= MAX_BYTES_IN_MEMORY) {
      guard(workspace, shown, await takeFileSnapshot(workspace, shown), { verb, mustBeRead: false });
    }
    const summary = `${shown.display} changed since it was read, so ${target.display} was not ${verb}`;
    throw new ToolError('STALE', [summary, 'Read it again, then repeat the call.'], { path: shown.display });
  }
}

async function isFreshOrGone(operations: FileOperations, path: string, record: FileRecord): Promise<boolean> {
  try {
    return await isFresh(operations, path, record);
  } catch (error) {
    if (isMissing(error)) return true;
    throw error;
  }
}

/**
 * Rejects to change a file whose content the caller has not seen: one that changed since, or one that would be overwritten and
 * was not shown in full. The error shows what is missing, as much as fits; that counts as shown, so a caller that repeats the
 * call comes to the end.
 *
 * @throws {ToolError} `STALE`, `NOT_READ`.
 */
export function guard(
  { ledger, staleGuard }: CommitScope,
  target: ResolvedPath,
  { bytes, hash }: FileSnapshot,
  { verb, mustBeRead }: { readonly verb: string; readonly mustBeRead: boolean },
): void {
  if (staleGuard === 'off') return;
  const record = ledger.get(target.real);
  const known = compare(record, bytes, hash);
  const seen = known === 'fresh' ? (record?.seen ?? []) : [];
  const unseen = unseenOf(seen, bytes.length);
  if (known !== 'stale' && (!mustBeRead || unseen.length === 0)) return;
  const encoding = record?.encoding;
  const document = { bytes, encoding: encodingFor(bytes, encoding) };
  const shown = showParts(document, unseen, target.display);
  const after = joinSeen(seen, shown.seen);
  ledger.record(target.real, recordOf(bytes, { seen: after, encoding, hash }));
  const facts = { path: target.path, context: shown.context };
  const missing = mustBeRead ? lineRangesOf(document, unseenOf(after, bytes.length)) : [];
  const rest = `Read the rest, ${formatRanges(missing)}, then call again.`;
  const hint = missing.length === 0 ? undefined : `The first lines of it are below and count as read. ${rest}`;
  if (known === 'stale') {
    const summary = `${target.display} changed since it was read, so it was not ${verb}`;
    const now = 'Its current content is below: check your change against it, then call again.';
    throw new ToolError('STALE', [summary, hint ?? now], facts);
  }
  const read =
    seen.length === 0
      ? 'exists and was never read'
      : `was read only in part, without ${formatRanges(lineRangesOf(document, unseen))}`;
  const dropped = ledger.hasDropped() || seen.length === MAX_RANGES ? ', or too much was read since' : '';
  const summary = `${target.display} ${read}${dropped}, so it was not ${verb}`;
  const now = `${seen.length === 0 ? 'Its content is' : 'They are'} below: call again to replace it.`;
  throw new ToolError('NOT_READ', [summary, hint ?? now], facts);
}
