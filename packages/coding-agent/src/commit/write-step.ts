import { ToolError } from '@cairn/tool';
import type { FileDiff } from '../edit/diff.ts';
import { hashOf, tagOf } from '../files/content-hash.ts';
import { withFile, type FileOperations, type OpenFile } from '../files/operations.ts';
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

async function writeParts(file: OpenFile, parts: readonly Uint8Array[]): Promise<void> {
  let at = 0;
  for (const part of parts) {
    await file.write(part, at);
    at += part.length;
  }
}

/**
 * Puts content into a file: written next to it, synced, and exchanged with it, so that the file is old or new at
 * every moment, and what another program saved meanwhile is noticed. A file with several names, or with attributes that cannot be
 * kept, is overwritten in place.
 */
export class WriteStep implements Step {
  readonly path: string;
  readonly targets: readonly LockedTarget[];
  readonly undeleted: string | undefined;
  readonly #workspace: CommitScope;
  readonly #operations: FileOperations;
  readonly #content: NewContent;
  #hash = '';

  constructor(workspace: CommitScope, content: NewContent) {
    this.#workspace = workspace;
    this.#operations = workspace.operations;
    this.#content = content;
    this.path = content.target.display;
    this.undeleted = content.from && 'was written to its new path, but could not be deleted at its old one';
    this.targets = content.from ? [content.from, content.target] : [content.target];
  }

  async check(): Promise<void> {
    const { target, before, from } = this.#content;
    if (before && !from) await requireWritable(this.#operations, target, before);
  }

  async prepare(): Promise<readonly PreparedChange[]> {
    const { target, before, from, parts } = this.#content;
    const { real: path, temporary, spare, missing: directories } = target;
    const { lost, ...after } = await this.#write(temporary, parts, (from ?? target).real);
    this.#hash = after.hash;
    const create: PreparedChange = {
      change: { kind: 'create', path, temporary, directories, after },
      expected: async () => true,
    };
    if (!before) return [create];
    const old = { inode: inodeOf(before.stat), hash: before.hash };
    const expected: Expectation = (at) => holds(this.#operations, at, before.bytes);
    const isAcross = from !== undefined && deviceOf(await this.#operations.lstat(temporary)) !== deviceOf(before.stat);
    if (isAcross && lost !== undefined) throw attributesLost(from.real, from.display, lost);
    const mustKeepInode = !isAcross && (before.stat.links > 1 || lost !== undefined);
    if (!mustKeepInode && !from) {
      return [{ change: { kind: 'replace', path, temporary, spare, before: old, after }, expected }];
    }
    if (!mustKeepInode && from) {
      const departure = { kind: 'delete', path: from.real, temporary: from.temporary, before: old } as const;
      return [create, { change: departure, expected: expects(this.#operations, old) }];
    }
    await this.#write(spare, [before.bytes]);
    const over = { kind: 'overwrite', path, temporary, spare, before: old, after } as const;
    const move = from && ({ kind: 'move', path: from.real, to: path, directories, before: old } as const);
    return [...(move ? [{ change: move, expected }] : []), { change: over, expected }];
  }

  async conflict(): Promise<ToolError> {
    const { target, from, before } = this.#content;
    const generic = changedMeanwhile(this.path);
    try {
      const now = await this.#workspace.resolve((from ?? target).absolute);
      const snapshot = await takeFileSnapshot(this.#workspace, now);
      // Shows the content, unless the caller never saw what it replaces.
      if (before) guard(this.#workspace, now, snapshot, { verb: 'changed', mustBeRead: false });
      return generic;
    } catch (error) {
      return ToolError.isInstance(error) && error.context !== undefined ? error : generic;
    }
  }

  finish(): void {
    const { target, from, parts, encoding } = this.#content;
    const size = sizeOf(parts);
    const { seen = wholeOf(size) } = this.#content;
    if (from) this.#workspace.ledger.forget(from.real);
    this.#workspace.ledger.record(target.real, { hash: this.#hash, length: size, size, seen, encoding });
  }

  changes(): readonly PathChange[] {
    const { target, from, before } = this.#content;
    const isNew = before === undefined || from !== undefined;
    const directories = target.missing.map((path): PathChange => ({ kind: 'create-directory', path }));
    const deleted: PathChange[] = from ? [{ kind: 'delete', path: from.real }] : [];
    return [...directories, { kind: 'write', path: target.real, isNew }, ...deleted];
  }

  /**
   * Writes a temporary file, with the attributes of `model` when the content replaces that. `lost` tells why one cannot be kept.
   */
  async #write(
    path: string,
    parts: readonly Buffer[],
    model?: string,
  ): Promise<Mark & { readonly hash: string; readonly lost?: string | undefined }> {
    const { before, permissions } = this.#content;
    const file = await this.#operations.open(path, 'create', before ? PERMISSION_BITS_OF_TEMPORARY : 0o666);
    try {
      await writeParts(file, parts);
      // After the content: a write takes set-user-id bits and capabilities away.
      const lost = before && model !== undefined ? await this.#operations.copyAttributes(model, path) : undefined;
      if (!before && permissions !== undefined) await file.setMode(permissions);
      const inode = inodeOf(await file.stat());
      await file.sync();
      return { inode, hash: hashOf(...parts), lost };
    } finally {
      await file.close();
    }
  }
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
  await commit([new WriteStep(workspace, content)], context);
  const written = dryRun ? undefined : workspace.ledger.get(target.real);
  return { path: target.path, size: sizeOf(parts), tag: tagOf(written?.hash ?? hashOf(...parts)), diff, dryRun };
}
