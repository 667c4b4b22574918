import { spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, realpathSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { removeTree } from './remove-tree.ts';

export { removeTree };

/** A symbol, so that a directory may hold a file of any name. */
const kind: unique symbol = Symbol('kind');

/** Something that is neither a plain file nor a directory, or a file with more than a content. */
export type SpecialNode =
  | {
      readonly [kind]: 'file';
      readonly content: string | Uint8Array;
      readonly mode?: number;
      readonly mtimeMs?: number;
    }
  | { readonly [kind]: 'symlink'; readonly target: string }
  | { readonly [kind]: 'fifo' };

/** A string or bytes is a file, an object of names is a directory. */
type TreeNode = string | Uint8Array | SpecialNode | Tree;

export interface Tree {
  readonly [name: string]: TreeNode;
}

/** A file with a mode or a modification time. */
export function file(
  content: string | Uint8Array,
  options: { readonly mode?: number; readonly mtimeMs?: number } = {},
): SpecialNode {
  return { [kind]: 'file', content, ...options };
}

/** A symbolic link. The target is written as it is and need not exist. */
export function symlink(target: string): SpecialNode {
  return { [kind]: 'symlink', target };
}

/** A named pipe, which blocks whoever opens it to read. */
export function fifo(): SpecialNode {
  return { [kind]: 'fifo' };
}

/**
 * A name of these bytes, for names that are not valid UTF-8. It is in the tree as a string and is written byte by
 * byte: `{ [bytesName(0x66, 0xff)]: 'content' }`.
 */
export function bytesName(...bytes: readonly number[]): string {
  return bytesMark + Buffer.from(bytes).toString('latin1');
}

/** A private-use character: no other name in a test starts with it. */
const bytesMark = '\uE000';

function encodeName(name: string): Buffer {
  return name.startsWith(bytesMark) ? Buffer.from(name.slice(bytesMark.length), 'latin1') : Buffer.from(name);
}

function joinBytes(directory: Buffer, name: string): Buffer {
  return Buffer.concat([directory, Buffer.from('/'), encodeName(name)]);
}

function isSpecial(node: SpecialNode | Tree): node is SpecialNode {
  return kind in node;
}

function makeFifo(path: Buffer): void {
  // A child's arguments are text, so a name of other bytes is spelled out for printf.
  const escaped = [...path].map((byte) => `\\${byte.toString(8).padStart(3, '0')}`).join('');
  const { status, stderr } = spawnSync('sh', ['-c', `mkfifo -- "$(printf '${escaped}')"`], { encoding: 'utf8' });
  if (status !== 0) throw new Error(`mkfifo failed: ${stderr}`);
}

function writeSpecial(path: Buffer, node: SpecialNode): void {
  if (node[kind] === 'symlink') {
    symlinkSync(node.target, path);
  } else if (node[kind] === 'fifo') {
    makeFifo(path);
  } else {
    writeFileSync(path, node.content);
    if (node.mtimeMs !== undefined) utimesSync(path, node.mtimeMs / 1000, node.mtimeMs / 1000);
    if (node.mode !== undefined) chmodSync(path, node.mode);
  }
}

function writeInto(directory: Buffer, tree: Tree): void {
  mkdirSync(directory, { recursive: true });
  for (const [name, node] of Object.entries(tree)) {
    if (name.includes('/')) {
      // A path as a name makes its directories: `'src/deep/a.ts': ''`.
      const slash = name.indexOf('/');
      const rest = name.slice(slash + 1);
      writeInto(joinBytes(directory, name.slice(0, slash)), rest === '' ? {} : { [rest]: node });
      continue;
    }
    const path = joinBytes(directory, name);
    if (typeof node === 'string' || node instanceof Uint8Array) writeFileSync(path, node);
    else if (isSpecial(node)) writeSpecial(path, node);
    else writeInto(path, node);
  }
}

/** Writes a tree below a directory, which is made when it does not exist. */
export function writeTree(root: string, tree: Tree): void {
  writeInto(Buffer.from(root), tree);
}

/** A new temporary directory, by its canonical path, that the caller removes. */
export function newDirectory(): string {
  return realpathSync(mkdtempSync(join(tmpdir(), 'cairn-test-')));
}

/** A temporary directory, by its canonical path, that is removed when the test is over. */
export function temporaryDirectory(): string {
  const root = newDirectory();
  onTestFinished(() => removeTree(root));
  return root;
}

/** Writes a tree into a temporary directory and returns its path. */
export function createTree(tree: Tree): string {
  const root = temporaryDirectory();
  writeTree(root, tree);
  return root;
}
