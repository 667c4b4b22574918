import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { quoted } from '../paths/quote.ts';
import { retry } from './retry.ts';
import { isObject, isStrings } from './values.ts';
import { TEMPORARY_NAME, writeAtomically } from './write-atomically.ts';

test.each([
  ['an object', {}, true],
  ['an object without a prototype', Object.create(null), true],
  ['null', null, false],
  ['an array', [], false],
  ['a function', () => undefined, false],
])('isObject of %s', (_reason, value, expected) => {
  expect(isObject(value)).toBe(expected);
});

test.each([
  ['no strings', [], true],
  ['strings', ['a', ''], true],
  ['a number among strings', ['a', 1], false],
  ['a string', 'a', false],
])('isStrings of %s', (_reason, value, expected) => {
  expect(isStrings(value)).toBe(expected);
});

test.each([
  ['a short string', 'a "b"', String.raw`"a \"b\""`],
  ['a line break and a character that turns text round', 'a\n\u202eb', String.raw`"a\n\u202eb"`],
  ['a long string', 'x'.repeat(61), `"${'x'.repeat(60)}…"`],
  ['a number', 5, '"5"'],
])('quoted shows %s', (_reason, value, expected) => {
  expect(quoted(value)).toBe(expected);
});

describe('retry', () => {
  test('repeats until an attempt returns a value, and counts the attempts', async () => {
    const counts: number[] = [];
    const attempt = async (count: number): Promise<string | undefined> => {
      counts.push(count);
      return count === 2 ? 'done' : undefined;
    };
    expect(await retry(attempt, { attempts: 5, maxWaitMs: 1 })).toBe('done');
    expect(counts).toEqual([0, 1, 2]);
  });

  test('returns undefined after the last attempt', async () => {
    let count = 0;
    expect(await retry(async () => void count++, { attempts: 3 })).toBeUndefined();
    expect(count).toBe(3);
  });

  test('throws the reason of a signal instead of another attempt', async () => {
    const controller = new AbortController();
    const reason = new Error('stopped');
    let count = 0;
    const attempt = async (): Promise<undefined> => {
      count++;
      controller.abort(reason);
    };
    await expect(retry(attempt, { attempts: 3, maxWaitMs: 1000, signal: controller.signal })).rejects.toBe(reason);
    expect(count).toBe(1);
  });
});

describe('writeAtomically', () => {
  async function makeDirectory(): Promise<string> {
    const directory = await mkdtemp(join(tmpdir(), 'cairn-kernel-'));
    onTestFinished(() => rm(directory, { recursive: true }));
    return directory;
  }

  test('replaces a file, creates its directory, and lets only the user read it', async () => {
    const path = join(await makeDirectory(), 'new', 'file');
    await writeAtomically(path, 'first');
    await writeAtomically(path, Buffer.from('second'));
    expect(await readFile(path, 'utf8')).toBe('second');
    expect(await readdir(join(path, '..'))).toEqual(['file']);
    expect((await stat(path)).mode & 0o077).toBe(process.platform === 'win32' ? 0o066 : 0);
  });

  test('leaves no temporary file after a failure', async () => {
    const directory = await makeDirectory();
    await writeFile(join(directory, 'note'), 'old');
    await expect(writeAtomically(join(directory, 'note', 'file'), 'new')).rejects.toThrow(/ENOTDIR|EEXIST/u);
    await expect(writeAtomically(directory, 'new')).rejects.toThrow(/EISDIR|ENOTEMPTY|EPERM/u);
    expect((await readdir(join(directory, '..'))).filter((name) => TEMPORARY_NAME.test(name))).toEqual([]);
    expect(await readFile(join(directory, 'note'), 'utf8')).toBe('old');
  });

  test('the names of temporary files are recognised', () => {
    expect(TEMPORARY_NAME.exec('index.md.0123456789ab.tmp')?.groups?.['name']).toBe('index.md');
    expect(TEMPORARY_NAME.test('index.md.tmp')).toBe(false);
  });
});
