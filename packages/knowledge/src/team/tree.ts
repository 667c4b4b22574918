/** How trees and files of commits are read, and how commits are made. Nothing is checked out. */
import { Buffer } from 'node:buffer';
import { createHash } from 'node:crypto';
import { assetPath, parseAssetPath } from '../assets/names.ts';
import type { AssetKey } from '../assets/asset.ts';
import { KnowledgeError } from '../errors.ts';
import type { Git } from './git.ts';
import type { Author } from './repository.ts';

/** A file of a tree. */
export interface TreeFile {
  readonly path: string;
  /** `100644`, `100755`; `120000` for a symbolic link, `160000` for a submodule. */
  readonly mode: string;
  readonly oid: string;
  readonly bytes: number;
}

/** The files of a tree by their paths. */
export type Tree = ReadonlyMap<string, TreeFile>;

const EMPTY_TREE: Tree = new Map();

const knownTrees = new WeakMap<Git, Map<string, Tree>>();

/** Reads the paths of a commit; `undefined` is a commit without files. A synchronization reads each commit once. */
export async function readTree(git: Git, commit: string | undefined): Promise<Tree> {
  if (commit === undefined) return EMPTY_TREE;
  const known = knownTrees.get(git) ?? new Map<string, Tree>();
  knownTrees.set(git, known);
  const tree = known.get(commit) ?? (await listTree(git, commit));
  known.set(commit, tree);
  return tree;
}

async function listTree(git: Git, commit: string): Promise<Tree> {
  const { stdout } = await git.run(['ls-tree', '-r', '-z', '-l', '--full-tree', commit]);
  const tree = new Map<string, TreeFile>();
  for (const line of stdout.toString().split('\0')) {
    const tab = line.indexOf('\t');
    if (tab === -1) continue;
    const [mode = '', , oid = '', bytes = ''] = line.slice(0, tab).split(/ +/u);
    const path = line.slice(tab + 1);
    tree.set(path, { path, mode, oid, bytes: bytes === '-' ? 0 : Number(bytes) });
  }
  return tree;
}

/** Files whose bytes are in memory at once. */
const MAX_BATCH_BYTES: number = 32 * 1024 * 1024;

/** Reads the contents of files by their object ids, and calls `use` with each. */
export async function readBlobs(
  git: Git,
  files: Iterable<TreeFile>,
  use: (oid: string, content: Buffer) => void,
): Promise<void> {
  let batch: string[] = [];
  let bytes = 0;
  const read = async (): Promise<void> => {
    if (batch.length === 0) return;
    const { stdout } = await git.run(['cat-file', '--batch'], { input: `${batch.join('\n')}\n` });
    let at = 0;
    for (const oid of batch) {
      const end = stdout.indexOf(10, at);
      const [, type, size] = stdout.toString('latin1', at, end).split(' ');
      if (type !== 'blob') throw new KnowledgeError('GIT_FAILED', [`git cannot read the object ${oid}`, FSCK]);
      const start = end + 1;
      use(oid, stdout.subarray(start, start + Number(size)));
      at = start + Number(size) + 1;
    }
    batch = [];
    bytes = 0;
  };
  const seen = new Set<string>();
  for (const file of files) {
    if (seen.has(file.oid)) continue;
    seen.add(file.oid);
    batch.push(file.oid);
    bytes += file.bytes;
    if (bytes >= MAX_BATCH_BYTES) await read();
  }
  await read();
}

const FSCK = 'The clone is damaged: delete its directory, then repeat the command; it is made again.';

/** Returns the object id that git gives a file. `like` is an object id of the repository. */
export function oidOf(content: string, like: string): string {
  const bytes = Buffer.from(content);
  return createHash(like.length === 64 ? 'sha256' : 'sha1')
    .update(`blob ${bytes.byteLength}\0`)
    .update(bytes)
    .digest('hex');
}

/** Returns the key of the asset that a path of the team store may have. The path may be in Unicode's decomposed form. */
export function keyOfPath(path: string): AssetKey | undefined {
  return parseAssetPath(path.normalize('NFC'));
}

/** A change of a commit's tree: the new content, or its removal. */
export interface TreeChange {
  readonly path: string;
  readonly text: string | null;
}

export interface CommitFacts {
  /** Absent for the first commit. */
  readonly parent: string | undefined;
  readonly message: string;
  readonly author: Author;
  readonly timeMs: number;
}

/** The reference of a commit that is being made and pushed. */
const PUSHING_REF = 'refs/cairn/pushing';

/** Writes the changes of a tree as a commit, in one process. @returns its id. */
export async function makeCommit(
  git: Git,
  changes: readonly TreeChange[],
  { parent, message, author, timeMs }: CommitFacts,
): Promise<string> {
  const text = Buffer.from(message);
  const parts: Buffer[] = [
    // Without it, the commit would be added to the last one under this reference.
    Buffer.from(`reset ${PUSHING_REF}\ncommit ${PUSHING_REF}\nmark :1\n`),
    Buffer.from(`committer ${author.name} <${author.email}> ${Math.floor(timeMs / 1000)} +0000\n`),
    Buffer.from(`data ${text.byteLength}\n`),
    text,
    Buffer.from(parent === undefined ? '\n' : `\nfrom ${parent}\n`),
  ];
  for (const { path, text: content } of changes) {
    if (content === null) parts.push(Buffer.from(`D ${path}\n`));
  }
  for (const { path, text: content } of changes) {
    if (content === null) continue;
    const bytes = Buffer.from(content);
    parts.push(Buffer.from(`M 100644 inline ${path}\ndata ${bytes.byteLength}\n`), bytes, Buffer.from('\n'));
  }
  parts.push(Buffer.from('get-mark :1\ndone\n'));
  const input = Buffer.concat(parts);
  const { stdout } = await git.run(['fast-import', '--quiet', '--force', '--done', '--date-format=raw'], { input });
  return stdout.toString().trim();
}

/** Returns the path at which an asset is written: the one that it has in the tree, or its own. */
export function pathFor(key: AssetKey, known: TreeFile | undefined): string {
  const own = assetPath(key);
  return known?.path.normalize('NFC') === own ? known.path : own;
}
