import { isMissing, ToolError } from '@cairn/tool';
import { truncate } from '@cairn/tool/prompt';
import { createHash } from 'node:crypto';
import { encodingFor, isBinary } from '../edit/encoding.ts';
import { compare, recordOf } from '../files/ledger.ts';
import type { FileRecord } from '../files/ledger.ts';
import { withFile } from '../files/operations.ts';
import type { FileOperations } from '../files/operations.ts';
import type { ResolvedPath } from '../files/resolve.ts';
import type { CommitScope } from './scope.ts';
import { MAX_BYTES_IN_MEMORY, takeFileSnapshot } from './snapshot.ts';
import type { FileSnapshot } from './snapshot.ts';

/** How much of a file a refusal shows. */
const CONTEXT_LIMITS = { maxLines: 60, maxBytes: 6 * 1024, maxColumns: 500 };

/** Returns the current content from a line, and records the file as read. */
function freshContext(
  workspace: CommitScope,
  target: ResolvedPath,
  { bytes, hash }: FileSnapshot,
  fromLine: number,
): string {
  const encoding = encodingFor(bytes, workspace.ledger.get(target.real)?.encoding);
  workspace.ledger.record(target.real, recordOf(bytes, workspace.ledger.get(target.real)?.encoding, hash?.value));
  if (isBinary(bytes, encoding)) return `${target.display} is now a binary file of ${bytes.length} bytes.`;
  const lines = encoding.decode(bytes.subarray(encoding.mark.length)).split(/\r?\n/u);
  if (lines.at(-1) === '') lines.pop();
  const first = Math.max(0, fromLine - 1);
  const { lines: shown } = truncate(lines.slice(first), CONTEXT_LIMITS);
  const range = `lines ${first + 1}-${first + shown.length} of ${lines.length}`;
  return `${target.display} as it is now (${range}):\n${shown.join('\n')}`;
}

const CHUNK_BYTES = 1024 * 1024;

/** Whether a file is still what is recorded of it; read in chunks, however large it is. */
async function isFresh(operations: FileOperations, path: string, record: FileRecord): Promise<boolean> {
  return withFile(operations, path, 'read', async (file) => {
    if ((await file.stat()).size !== record.size) return false;
    const hash = createHash('sha1');
    const chunk = Buffer.allocUnsafe(Math.max(1, Math.min(CHUNK_BYTES, record.length)));
    for (let at = 0; at < record.length;) {
      const filled = await file.read(chunk.subarray(0, Math.min(chunk.length, record.length - at)), at);
      if (filled === 0) return false;
      hash.update(chunk.subarray(0, filled));
      at += filled;
    }
    return hash.digest('hex') === record.hash;
  });
}

/**
 * Refuses to delete or move a file, or the files below a directory, that changed since they were read.
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

/** Returns true also for a file that is gone: nothing can be lost. */
async function isFreshOrGone(operations: FileOperations, path: string, record: FileRecord): Promise<boolean> {
  try {
    return await isFresh(operations, path, record);
  } catch (error) {
    if (isMissing(error)) return true;
    throw error;
  }
}

/** What a call is about to do to a file. */
export interface Intent {
  /** Completes "not …": `overwritten`, `edited`, … */
  readonly verb: string;
  /** Refuse a file that was not read. */
  readonly mustBeRead: boolean;
  /** The line of the change, for the context. */
  readonly lineNumber?: number | undefined;
}

/**
 * Refuses to change a file whose content the caller has not seen. The refusal shows the content, which then counts as read.
 *
 * @throws {ToolError} `STALE`, `NOT_READ`.
 */
export function guard(workspace: CommitScope, target: ResolvedPath, snapshot: FileSnapshot, intent: Intent): void {
  if (workspace.staleGuard === 'off') return;
  const known = compare(workspace.ledger.get(target.real), snapshot.bytes, snapshot.hash?.value);
  if (known === 'fresh' || (known === 'unknown' && !intent.mustBeRead)) return;
  const path = target.display;
  const context = freshContext(workspace, target, snapshot, intent.lineNumber ?? 1);
  if (known === 'unknown') {
    const summary = `${path} exists and was never read, so it was not ${intent.verb}`;
    throw new ToolError('NOT_READ', [summary, 'Its content is below: call again to replace it.'], { path, context });
  }
  const summary = `${path} changed since it was read, so it was not ${intent.verb}`;
  throw new ToolError(
    'STALE',
    [summary, 'Its current content is below: check your change against it, then call again.'],
    {
      path,
      context,
    },
  );
}
