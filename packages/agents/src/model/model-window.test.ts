import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { ModelWindow, WindowStore } from './model-window.ts';

let directory = '';
let file = '';

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'cairn-windows-'));
  file = join(directory, 'cairn', 'model-windows.json');
});

afterEach(() => {
  vi.useRealTimers();
  rmSync(directory, { recursive: true });
});

function windowOf(
  model: string,
  ask?: () => Promise<number | undefined>,
  path: string | undefined = file,
): ModelWindow {
  return new ModelWindow({ model, store: new WindowStore(path), ask });
}

describe('the window of a model', () => {
  test('is 128,000 tokens when nothing is known', async () => {
    expect(await windowOf('one').tokens()).toBe(128_000);
  });

  test('is what its server states, which is asked once', async () => {
    const ask = vi.fn<() => Promise<number>>(async () => 262_144);
    const window = windowOf('one', ask);
    await Promise.all([window.ask(), window.ask()]);
    expect(await window.tokens()).toBe(262_144);
    expect(ask).toHaveBeenCalledTimes(1);
  });

  test.each([undefined, 0, -1, 7, 1.5, Number.NaN, Number.POSITIVE_INFINITY])('ignores a stated %s', async (stated) => {
    const window = windowOf('one', async () => stated);
    await window.ask();
    expect(await window.tokens()).toBe(128_000);
  });

  test('stays what it was when the server fails', async () => {
    const window = windowOf('one', () => Promise.reject(new Error('down')));
    await window.ask();
    expect(await window.tokens()).toBe(128_000);
  });

  test('is learned for one model, in other processes too, and readable by the user alone', async () => {
    await windowOf('one').learn(8000);
    expect(await windowOf('one').tokens()).toBe(8000);
    expect(await windowOf('two').tokens()).toBe(128_000);
    expect(statSync(file).mode & 0o777).toBe(0o600);
  });

  test('is the smaller one of what is stated and learned', async () => {
    const window = windowOf('one', async () => 4096);
    await window.learn(8000);
    await window.ask();
    expect(await windowOf('one').tokens()).toBe(4096);
  });

  test('is learned again after a week', async () => {
    await windowOf('one').learn(8000);
    vi.useFakeTimers({ now: Date.now() + 7 * 24 * 60 * 60 * 1000 + 1, toFake: ['Date'] });
    expect(await windowOf('one').tokens()).toBe(128_000);
  });

  test('without a file is known to the same agents only', async () => {
    const store = new WindowStore(undefined);
    await new ModelWindow({ model: 'one', store }).learn(8000);
    expect(await new ModelWindow({ model: 'one', store }).tokens()).toBe(8000);
  });

  test.each([
    ['no JSON', 'not json'],
    ['a half file', '{"models":{"one":{"learned":80'],
    ['another form', '{"models":[1,2]}'],
    ['a number as text', '{"models":{"one":{"learned":"8000","learnedAt":1}}}'],
    ['a limit of nothing', '{"models":{"one":{"learned":0,"learnedAt":1}}}'],
    ['a time in the future', `{"models":{"one":{"learned":8000,"learnedAt":${Date.now() * 2}}}}`],
    ['names of the language', '{"models":{"__proto__":{"learned":8000},"constructor":1,"one":null}}'],
  ])('is unknown when the file has %s, and the next limit replaces it', async (_, content) => {
    mkdirSync(join(directory, 'cairn'));
    writeFileSync(file, content);
    expect(await windowOf('one').tokens()).toBe(128_000);
    await windowOf('one').learn(9000);
    expect(await windowOf('one').tokens()).toBe(9000);
    expect(JSON.parse(readFileSync(file, 'utf8'))).toMatchObject({ models: { one: { learned: 9000 } } });
  });

  test('is kept in the process when the file cannot be written', async () => {
    const window = windowOf('one', undefined, join(directory, 'a\0b'));
    await window.learn(8000);
    expect(await window.tokens()).toBe(8000);
  });

  test('is kept of a bounded number of models', async () => {
    mkdirSync(join(directory, 'cairn'));
    const models = Object.fromEntries(Array.from({ length: 500 }, (_, id) => [`m${id}`, { stated: 4096 }]));
    writeFileSync(file, JSON.stringify({ models }));
    await windowOf('one').learn(8000);
    const kept = Object.keys((JSON.parse(readFileSync(file, 'utf8')) as { models: object }).models);
    expect(kept).toHaveLength(200);
    expect(kept.at(-1)).toBe('one');
  });
});
