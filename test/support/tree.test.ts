import { chmodSync, existsSync, lstatSync, readdirSync, readFileSync, readlinkSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { bytesName, createTree, fifo, file, removeTree, symlink } from './tree.ts';

test('writes files, directories, links and modes', () => {
  const root = createTree({
    'a.txt': 'text',
    'b.bin': new Uint8Array([0, 255]),
    'deep/er/c.txt': 'c',
    empty: {},
    'old.txt': file('old', { mtimeMs: 1_000_000_000_000, mode: 0o600 }),
    broken: symlink('nowhere'),
  });
  expect(readFileSync(join(root, 'a.txt'), 'utf8')).toBe('text');
  expect([...readFileSync(join(root, 'b.bin'))]).toEqual([0, 255]);
  expect(readFileSync(join(root, 'deep/er/c.txt'), 'utf8')).toBe('c');
  expect(readdirSync(join(root, 'empty'))).toEqual([]);
  expect(statSync(join(root, 'old.txt')).mtimeMs).toBe(1_000_000_000_000);
  expect(statSync(join(root, 'old.txt')).mode & 0o777).toBe(0o600);
  expect(readlinkSync(join(root, 'broken'))).toBe('nowhere');
});

test.skipIf(process.platform !== 'linux')('writes names that are not valid UTF-8, and pipes', () => {
  const root = createTree({ [bytesName(0x66, 0xff)]: 'x', [bytesName(0x70, 0xfe)]: fifo(), 'new\nline': fifo() });
  const names = readdirSync(Buffer.from(root), { encoding: 'buffer' }).map((name) => name.toString('latin1'));
  expect(names.toSorted()).toEqual(['f\u00FF', 'new\nline', 'p\u00FE']);
  expect(lstatSync(Buffer.from(`${root}/p\u00FE`, 'latin1')).isFIFO()).toBe(true);
});

test('removes a tree whose directories are locked', () => {
  const root = createTree({ 'locked/a.txt': 'a', 'b/c/d.txt': 'd' });
  chmodSync(join(root, 'locked'), 0);
  removeTree(root);
  expect(existsSync(root)).toBe(false);
});
