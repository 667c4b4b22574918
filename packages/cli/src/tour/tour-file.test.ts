import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { createTourFile } from './tour-file.ts';

function temporaryDirectory(): string {
  const root = mkdtempSync(join(tmpdir(), 'cairn-tour-file-'));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  return root;
}

test('creates one file and removes it, twice without harm', () => {
  const root = temporaryDirectory();
  const file = createTourFile(root);
  expect(readdirSync(root)).toEqual([file.name]);
  expect(readFileSync(join(root, file.name), 'utf8')).toContain('cairn tour');
  file.remove();
  file.remove();
  expect(readdirSync(root)).toEqual([]);
});

test('every file has a name of its own', () => {
  const root = temporaryDirectory();
  const names = Array.from({ length: 5 }, () => createTourFile(root).name);
  expect(new Set(names).size).toBe(5);
});

test('a read-only directory throws and leaves nothing', () => {
  const root = temporaryDirectory();
  const missing = join(root, 'missing');
  expect(() => createTourFile(missing)).toThrow('ENOENT');
  expect(existsSync(missing)).toBe(false);
});
