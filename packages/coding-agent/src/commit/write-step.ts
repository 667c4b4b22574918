import { ToolError } from '@cairn/tool';
import type { FileDiff } from '../edit/diff.ts';
import { hashOf, tagOf } from '../files/content-hash.ts';
import { withFile, type FileOperations } from '../files/operations.ts';
import type { ResolvedPath } from '../files/resolve.ts';
import { wholeOf, type SeenRanges } from '../files/seen.ts';
import { deviceOf, expects, inodeOf, type Expectation, type Mark } from './mark.ts';
import type { PathChange } from './changes.ts';
import { changedMeanwhile, commit, type PreparedChange, type Step } from './commit.ts';
import { guard } from './guard.ts';
import type { LockedTarget } from './locked-targets.ts';
import type { ChangeContext, CommitScope } from './scope.ts';
import { holds, takeFileSnapshot, type FileSnapshot } from './snapshot.ts';
import { attributesLost } from './tree.ts';

export interface NewContent {
  readonly target: LockedTarget;
  /** The content, in consecutive parts. */
  readonly parts: readonly Buffer[];
  readonly before: FileSnapshot | undefined;
  /** The file that moves to `target` with this content. Then `before` is what it holds. */
  readonly from?: LockedTarget | undefined;
  /** The permissions of a new file. Default: those that the system gives. */
  readonly permissions?: number | undefined;
  /** What the author of the change has seen of it. Default: all. */
  readonly seen?: SeenRanges | undefined;
  readonly encoding?: string | undefined;
}

const WRITE_BITS = 0o222;
const PERMISSION_BITS_OF_TEMPORARY = 0o600;

/** Checks that the file itself is writable: for a rename onto it, the system checks only the directory. */
async function requireWritable(operations: FileOperations, target: ResolvedPath, before: FileSnapshot): Promise<void> {
  const { display: path } = target;
  if ((before.stat.mode & WRITE_BITS) === 0) {
    const summary = `${path} is read-only (mode ${before.stat.mode.toString(8)})`;
    const hint = 'Ask the user whether it may be changed; chmod u+w makes it writable.';
    throw new ToolError('READ_ONLY', [summary, hint], { path });
  }
  await withFile(operations, target.real, 'update', async () => undefined);
}

export function sizeOf(parts: readonly Uint8Array[]): number {
  return parts.reduce((sum, part) => sum + part.length, 0);
}

type Written = Mark & { readonly hash: string };

/**
 * Writes a temporary file, with the attributes of `model` when the content replaces that. Returns the reason why one of them cannot be
 * kept as `lost`.
 */
async function writeTemporary(
  operations: FileOperations,
  { path, parts, model }: { readonly path: string; readonly parts: readonly Buffer[]; readonly model?: string },
  { before, permissions }: NewContent,
): Promise<{ readonly written: Written; readonly lost: string | undefined }> {
  const file = await operations.open(path, 'create', before ? PERMISSION_BITS_OF_TEMPORARY : 0o666);
  try {
    let at = 0;
    for (const part of parts) {
      await file.write(part, at);
      at += part.length;
    }
    // After the content: a write takes set-user-id bits and capabilities away.
    const lost = before && model !== undefined ? await operations.copyAttributes(model, path) : undefined;
    if (!before && permissions !== undefined) await file.setMode(permissions);
    const inode = inodeOf(await file.stat());
    await file.sync();
    return { written: { inode, hash: hashOf(...parts) }, lost };
  } finally {
    await file.close();
  }
}

async function prepareWrite(
  operations: FileOperations,
  content: NewContent,
): Promise<{ readonly changes: readonly PreparedChange[]; readonly hash: string }> {
  const { target, before, from, parts } = content;
  const { real: path, temporary, spare, missing: directories } = target;
  const model = (from ?? target).real;
  const { written: after, lost } = await writeTemporary(operations, { path: temporary, parts, model }, content);
  const { hash } = after;
  const create: PreparedChange = {
    change: { kind: 'create', path, temporary, directories, after },
    expected: async () => true,
  };
  if (!before) return { changes: [create], hash };
  const old = { inode: inodeOf(before.stat), hash: before.hash };
  const expected: Expectation = (at) => holds(operations, at, before.bytes);
  const isAcross = from !== undefined && deviceOf(await operations.lstat(temporary)) !== deviceOf(before.stat);
  if (isAcross && lost !== undefined) throw attributesLost(from.real, from.display, lost);
  const mustKeepInode = !isAcross && (before.stat.links > 1 || lost !== undefined);
  if (!mustKeepInode && !from) {
    const change = { kind: 'replace', path, temporary, spare, before: old, after } as const;
    return { changes: [{ change, expected }], hash };
  }
  if (!mustKeepInode && from) {
    const change = { kind: 'delete', path: from.real, temporary: from.temporary, before: old } as const;
    return { changes: [create, { change, expected: expects(operations, old) }], hash };
  }
  await writeTemporary(operations, { path: spare, parts: [before.bytes] }, content);
  const over = { kind: 'overwrite', path, temporary, spare, before: old, after } as const;
  const move = from && ({ kind: 'move', path: from.real, to: path, directories, before: old } as const);
  return { changes: [...(move ? [{ change: move, expected }] : []), { change: over, expected }], hash };
}

/** Returns the error that shows the content of another program, unless the caller never saw what it replaces. */
async function conflictOf(workspace: CommitScope, { target, from, before }: NewContent): Promise<ToolError> {
  const generic = changedMeanwhile(target.display);
  try {
    const now = await workspace.resolve((from ?? target).absolute);
    const snapshot = await takeFileSnapshot(workspace, now);
    if (before) guard(workspace, now, snapshot, { verb: 'changed', mustBeRead: false });
    return generic;
  } catch (error) {
    return ToolError.isInstance(error) && error.context !== undefined ? error : generic;
  }
}

/**
 * Makes the step that puts content into a file: written next to it, synced, and exchanged with it, so that the file is old or new at
 * every moment, and what another program saved meanwhile is noticed. A file with several names, or with attributes that cannot be
 * kept, is overwritten in place.
 */
export function writeStep(workspace: CommitScope, content: NewContent): Step {
  const { operations, ledger } = workspace;
  const { target, before, from, parts, encoding } = content;
  let hash = '';
  return {
    path: target.display,
    targets: from ? [from, target] : [target],
    undeleted: from && 'was written to its new path, but could not be deleted at its old one',
    check: async () => {
      if (before && !from) await requireWritable(operations, target, before);
    },
    prepare: async () => {
      const prepared = await prepareWrite(operations, content);
      hash = prepared.hash;
      return prepared.changes;
    },
    conflict: () => conflictOf(workspace, content),
    finish: () => {
      const size = sizeOf(parts);
      if (from) ledger.forget(from.real);
      ledger.record(target.real, { hash, length: size, size, seen: content.seen ?? wholeOf(size), encoding });
    },
    changes: () => {
      const directories = target.missing.map((path): PathChange => ({ kind: 'create-directory', path }));
      const isNew = before === undefined || from !== undefined;
      const deleted: PathChange[] = from ? [{ kind: 'delete', path: from.real }] : [];
      return [...directories, { kind: 'write', path: target.real, isNew }, ...deleted];
    },
  };
}

export interface ChangedFile {
  readonly path: string;
  /** Bytes. */
  readonly size: number;
  readonly tag: string;
  readonly diff: FileDiff;
  readonly dryRun: boolean;
}

export async function changeFile(context: ChangeContext, content: NewContent, diff: FileDiff): Promise<ChangedFile> {
  const { workspace, dryRun } = context;
  const { target, parts } = content;
  await commit([writeStep(workspace, content)], context);
  const written = dryRun ? undefined : workspace.ledger.get(target.real);
  return { path: target.path, size: sizeOf(parts), tag: tagOf(written?.hash ?? hashOf(...parts)), diff, dryRun };
}
