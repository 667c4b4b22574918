import { ToolError } from '@cairn/tool';
import type { TextDocument } from '../edit/document.ts';
import { encodingFor, isBinary } from '../edit/encoding.ts';
import { hashOf } from '../files/content-hash.ts';
import { openResolved } from '../files/open-resolved.ts';
import { chunksOf, withFile, type FileOperations, type FileStat } from '../files/operations.ts';
import type { ResolvedPath } from '../files/resolve.ts';
import type { CommitScope } from './scope.ts';

export interface FileSnapshot {
  readonly bytes: Buffer;
  readonly stat: FileStat;
  readonly hash: string;
}

/** Larger files are rejected where a tool needs the whole content. */
export const MAX_BYTES_IN_MEMORY: number = 256 * 1024 * 1024;

/**
 * Reads and hashes a whole file. A caller may release `bytes` to the pool after success; after a failure, an operation may still
 * be using them.
 *
 * @throws {ToolError} `TOO_LARGE`, `STALE`, and what `requireFile` throws.
 */
export function takeFileSnapshot(workspace: CommitScope, target: ResolvedPath): Promise<FileSnapshot> {
  const { operations, buffers } = workspace;
  return openResolved(operations, target, 'read', async (file, stat) => {
    if (stat.size > MAX_BYTES_IN_MEMORY) {
      const summary = `${target.display} has ${stat.size} bytes, more than the limit of ${MAX_BYTES_IN_MEMORY} for changes`;
      const hint = 'Change it with a program that streams, such as sed.';
      throw new ToolError('TOO_LARGE', [summary, hint], { path: target.display });
    }
    const memory = buffers.take(stat.size);
    const filled = await file.read(memory, 0);
    const bytes = filled === memory.length ? memory : memory.subarray(0, filled);
    return { bytes, stat, hash: hashOf(bytes) };
  });
}

/**
 * Returns the text of a file that is about to be changed, in the encoding it was last read with.
 *
 * @throws {ToolError} `BINARY`.
 */
export function documentOf(workspace: CommitScope, target: ResolvedPath, { bytes }: FileSnapshot): TextDocument {
  const encoding = encodingFor(bytes, workspace.ledger.get(target.real)?.encoding);
  if (!isBinary(bytes, encoding)) return { bytes, encoding };
  const summary = `${target.display} is not a text file: it contains NUL bytes`;
  throw new ToolError('BINARY', [summary, 'Only text files can be edited.'], { path: target.display });
}

/** A buffer of this size does not make V8 collect garbage. */
const CHUNK_BYTES = 256 * 1024;

/** Returns whether a file still has these bytes. */
export async function holds(operations: FileOperations, path: string, bytes: Buffer): Promise<boolean> {
  // A link in the place of the file is not followed.
  const { kind, size } = await operations.lstat(path);
  if (kind !== 'file' || size !== bytes.length) return false;
  return withFile(operations, path, 'read', async (file) => {
    let at = 0;
    for await (const chunk of chunksOf(file, bytes.length, CHUNK_BYTES)) {
      if (!chunk.equals(bytes.subarray(at, at + chunk.length))) return false;
      at += chunk.length;
    }
    return at === bytes.length;
  });
}
