import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { glossaryPaths } from '../store-path.ts';
import { glossaryFiles, readGlossaryFile, type GlossaryFileProblem } from './glossary-files.ts';

function newPath(): string {
  const directory = mkdtempSync(join(tmpdir(), 'cairn-glossary-'));
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
  return join(directory, 'glossary.txt');
}

/** The words of each group of a reader, and the problems that it reported so far. */
function reader(...paths: string[]) {
  const reported: GlossaryFileProblem[][] = [];
  const read = glossaryFiles({ paths, onProblems: (problems) => reported.push([...problems]) });
  const words = async (): Promise<string[]> =>
    (await read()).map((group) => group.words.map(({ text }) => text).join(', '));
  return { read, words, reported };
}

describe('the groups of files', () => {
  test('all files are read, and a missing one has none', async () => {
    const [one, two] = [newPath(), newPath()];
    writeFileSync(one, 'ledger, 账本\n');
    writeFileSync(two, 'booking, 记账\n');
    const { words, reported } = reader(one, newPath(), two, join(one, 'below-a-file'));
    expect(await words()).toEqual(['ledger, 账本', 'booking, 记账']);
    expect(reported).toEqual([]);
  });

  test('a file is read again when it changed, and the array is the same until then', async () => {
    const path = newPath();
    const { read, words } = reader(path);
    expect(await words()).toEqual([]);
    writeFileSync(path, 'ledger, 账本\n');
    const before = await read();
    expect(await words()).toEqual(['ledger, 账本']);
    expect(await read()).toBe(before);
    writeFileSync(path, 'ledger, 账簿\n');
    expect(await words()).toEqual(['ledger, 账簿']);
    rmSync(path);
    expect(await words()).toEqual([]);
  });

  test('problems are reported once, and the good lines are used', async () => {
    const path = newPath();
    writeFileSync(path, '# mine\nalone\nledger, 账本\nthe, one\n');
    const { words, reported } = reader(path);
    expect(await words()).toEqual(['ledger, 账本']);
    expect(await words()).toEqual(['ledger, 账本']);
    expect(reported).toEqual([
      [
        { path, lineNumber: 2, lines: 1, message: expect.stringContaining('no two words') },
        { path, lineNumber: 4, lines: 1, message: expect.stringContaining('"the" is in every text') },
      ],
    ]);
  });

  test('concurrent calls report the problems once', async () => {
    const path = newPath();
    writeFileSync(path, 'alone\n');
    const { words, reported } = reader(path);
    await Promise.all([words(), words(), words()]);
    expect(reported).toHaveLength(1);
  });
});

describe('a file that cannot be read has a problem and no groups', () => {
  test.each<[reason: string, make: (path: string) => void, message: string]>([
    ['a directory', (path) => mkdirSync(path), 'not a file'],
    ['a pipe without a writer', (path) => execFileSync('sh', ['-c', 'mkfifo "$0"', path]), 'not a file'],
    ['a device', (path) => symlinkSync('/dev/zero', path), 'not a file'],
    ['a link to itself', (path) => symlinkSync(path, path), 'ELOOP'],
    [
      'a very large file',
      (path) => {
        writeFileSync(path, 'a1, b1\n');
        truncateSync(path, 9 * 1024 * 1024);
      },
      'it has 9437184 bytes, more than 8388608',
    ],
  ])('%s', async (_, make, message) => {
    const path = newPath();
    make(path);
    const { groups, problems } = await readGlossaryFile(path);
    expect(groups).toEqual([]);
    expect(problems).toEqual([{ path, message: expect.stringContaining(message) }]);
  });

  test.skipIf(process.getuid?.() === 0)('a file without permission', async () => {
    const path = newPath();
    writeFileSync(path, 'a1, b1\n');
    chmodSync(path, 0);
    expect((await readGlossaryFile(path)).problems).toEqual([{ path, message: expect.stringContaining('EACCES') }]);
  });
});

test('lines of another encoding are left out', async () => {
  const path = newPath();
  writeFileSync(path, Buffer.concat([Buffer.from('ledger, 账本\ncaf'), Buffer.of(0xe9), Buffer.from(', shop\n')]));
  const { groups, problems } = await readGlossaryFile(path);
  expect(groups).toHaveLength(1);
  expect(problems).toEqual([{ path, lineNumber: 2, lines: 1, message: expect.stringContaining('not UTF-8') }]);
});

test('the files are in the directories of settings and of knowledge', () => {
  const context = { env: {}, home: '/home/a', platform: 'linux' } as const;
  expect(glossaryPaths(context)).toEqual({
    user: '/home/a/.config/cairn/glossary.txt',
    team: '/home/a/.local/share/cairn/knowledge/glossary.txt',
  });
  const moved = { XDG_CONFIG_HOME: '/c', CAIRN_KNOWLEDGE_DIR: '/k' };
  expect(glossaryPaths({ ...context, env: moved })).toEqual({ user: '/c/cairn/glossary.txt', team: '/k/glossary.txt' });
});
