import { chmodSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { fuzzyFind, glob, grep } from '@cairn/natives';
import { describe, expect, test } from 'vitest';
import { runNode } from '../support/run-node.ts';
import { bytesName, createTree, newDirectory, symlink } from '../support/tree.ts';

describe('our own temporary files', () => {
  const own = '.cairn-0123456789abcdef.tmp';
  const others = ['.cairn-notes.tmp', '.cairn-0123456789ABCDEF.tmp', `${own}.txt`, `a${own}`];

  test('are invisible to every search, and files of users with similar names are not', async () => {
    const names = [own, ...others];
    const path = createTree(
      Object.fromEntries(
        names.flatMap((name) => [
          [name, 'x'],
          [`d/${name}`, 'x'],
        ]),
      ),
    );
    const expected = others.flatMap((name) => [name, `d/${name}`]).toSorted();
    for (const cache of [false, true]) {
      for (const gitignore of [false, true]) {
        const options = { path, cache, gitignore, hidden: true };
        const globbed = await glob({ ...options, pattern: '*cairn*' });
        expect(globbed.matches.map((match) => match.path).toSorted()).toEqual(expected);
        const literal = await glob({ ...options, pattern: own });
        expect(literal.matches).toEqual([]);
        const found = await fuzzyFind({ ...options, query: 'cairn0123' });
        expect(found.matches.map((match) => match.path)).not.toContain(own);
        const lines = await grep({ ...options, pattern: 'x' });
        expect(lines.matches.map((match) => match.path).toSorted()).toEqual(expected);
      }
    }
  });
});

describe('a tree that cannot be read to its end', () => {
  test('is searched as deep as the system allows, and says by path where that was', () => {
    const path = newDirectory();
    const code = `
      const { mkdirSync, rmSync, statSync, writeFileSync } = await import('node:fs');
      const path = ${JSON.stringify(path)};
      process.chdir(path);
      writeFileSync('top', 'x');
      for (let level = 0; level < 3000; level++) {
        mkdirSync('d');
        try { process.chdir('d'); } catch { break; }
      }
      writeFileSync('bottom', 'x');
      process.chdir(path);
      const found = await glob({ path, pattern: '**' });
      const fuzzy = await fuzzyFind({ path, query: 'dddd/dd/top', includePositions: true });
      const words = await fuzzyFind({ path, query: 'd b d t', includePositions: true });
      const typos = await fuzzyFind({ path, query: 'ddddxddddd' });
      const lines = await grep({ path, pattern: 'x' });
      const [unread = ''] = found.unreadablePaths ?? [];
      const again = await glob({ path, pattern: '**', cache: true });
      const cached = await glob({ path, pattern: '**', cache: true });
      report({
        deepest: found.matches.at(-2).path.length === unread.length,
        isDirectory: found.matches.some((match) => match.path === unread && match.fileType === FileType.Dir),
        isTooLong: path.length + 1 + unread.length >= 4096,
        onlyLevels: /^d(?:\\/d)*$/u.test(unread),
        counts: [found, fuzzy, words, typos, again, cached, { ...lines, ...lines.skipped }].map(({ unreadable, unreadablePaths }) => [unreadable, unreadablePaths.length]),
        same: cached.matches.length === found.matches.length,
        lines: lines.matches.map((match) => match.path),
      });`;
    expect(runNode(code)).toEqual({
      deepest: true,
      isDirectory: true,
      isTooLong: true,
      onlyLevels: true,
      counts: Array.from({ length: 7 }, () => [1, 1]),
      same: true,
      lines: ['top'],
    });
  });

  test.skipIf(process.getuid?.() === 0)('names the directories without permission', async () => {
    const path = createTree({ 'a/x': '', 'b/c/x': '', d: '' });
    chmodSync(join(path, 'b/c'), 0);
    try {
      const { matches, complete, unreadable, unreadablePaths } = await glob({ path, pattern: '**' });
      expect(matches.map((match) => match.path)).toEqual(['a', 'a/x', 'b', 'b/c', 'd']);
      expect({ complete, unreadable, unreadablePaths }).toEqual({
        complete: true,
        unreadable: 1,
        unreadablePaths: ['b/c'],
      });
      const lines = await grep({ path, pattern: 'x' });
      expect([lines.skipped.unreadable, lines.unreadablePaths]).toEqual([1, ['b/c']]);
    } finally {
      chmodSync(join(path, 'b/c'), 0o700);
    }
  });

  test('with links in a circle and names that are not valid UTF-8 is read once', async () => {
    const path = createTree({
      a: { up: symlink('..'), self: symlink('.'), [bytesName(0x66, 0xff)]: '' },
      b: symlink('a'),
      loop: symlink('loop'),
    });
    mkdirSync(join(path, 'a/e'));
    const { matches, complete, unreadable } = await fuzzyFind({ path, query: '' });
    expect(matches.map((match) => match.path).toSorted()).toEqual([
      'a/',
      'a/e/',
      'a/f\ufffd',
      'a/self/',
      'a/up/',
      'b/',
      'loop',
    ]);
    expect({ complete, unreadable }).toEqual({ complete: true, unreadable: undefined });
  });
});
