import { execFile } from 'node:child_process';
import { linkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, it } from 'vitest';
import { createTree, newDirectory, removeTree } from '../support/tree.ts';

const child = join(import.meta.dirname, 'budget-child.ts');
const budget = 256 * 1024 ** 2;

interface Answer {
  readonly matches: number;
  readonly totalMatches: number;
  readonly submatches: number;
  readonly contextLines: number;
  readonly complete: boolean;
  readonly stopReason?: string;
  /** What the answer takes. */
  readonly bytes: number;
}

/** The answer of a process with a heap of 512 MB. Rejects when the process does not end well. */
async function ask(call: string, options: object): Promise<Answer> {
  const args = ['--max-old-space-size=512', '--expose-gc', child, call, JSON.stringify(options)];
  const { stdout } = await promisify(execFile)(process.execPath, args);
  return JSON.parse(stdout) as Answer;
}

describe('N70: a result of ten times its budget', () => {
  let root = '';
  beforeAll(() => {
    root = newDirectory();
    const write = (name: string, content: string): void => writeFileSync(join(root, name), content);
    write('lines', 'x\n'.repeat(14_000_000));
    write('places', `${'x'.repeat(100)}\n`.repeat(560_000));
    write('context', `y\n${'-\n'.repeat(14_000_000)}y\n`);
    write('text', `y${'漢'.repeat(333)}\n`.repeat(32_000));
    write('line', `y${'漢'.repeat(17_000_000)}\n`);
    // One text under many names: as much to search, and little to write.
    for (const [name, links] of Object.entries({ line: 28, text: 45 })) {
      for (let index = 0; index < links; index++) linkSync(join(root, name), join(root, `many-${name}-${index}`));
    }
    return () => removeTree(root);
  });

  it.each([
    ['matched lines', { pattern: 'x' }, 'lines', 1_000_000],
    ['empty matches', { pattern: '^' }, 'lines', 1_000_000],
    ['matches of several lines', { pattern: 'x\\nx', multiline: true }, 'lines', 1_000_000],
    ['places in lines', { pattern: '.' }, 'places', 40_000],
    ['empty places in lines', { pattern: 'y*' }, 'places', 40_000],
    ['places in lines, over lines', { pattern: '.', multiline: true }, 'places', 40_000],
    ['places in lines, with PCRE2', { pattern: '.(?=)' }, 'places', 40_000],
    ['places in lines, with CRLF', { pattern: '.', crlf: true }, 'places', 40_000],
    ['lines before a match', { pattern: 'y', contextBefore: 1e9 }, 'context', 1],
    ['lines after a match', { pattern: 'y', contextAfter: 1e9 }, 'context', 1],
    ['lines between matches', { pattern: 'y|-', context: 3 }, 'context', 1_000_000],
    ['text', { pattern: 'y', glob: 'many-text-*' }, '', 100_000],
    ['text over lines', { pattern: 'y', glob: 'many-text-*', multiline: true }, '', 100_000],
    ['text in context', { pattern: 'absent|y', glob: 'many-text-*', context: 2 }, '', 100_000],
    ['long lines', { pattern: 'y', glob: 'many-line-*' }, '', 1],
    ['long lines, over lines', { pattern: 'y', glob: 'many-line-*', multiline: true }, '', 1],
  ] as const)('grep answers what fits and `budget`: %s', async (_reason, options, name, least) => {
    const answer = await ask('grep', { ...options, path: join(root, name) });
    expect(answer).toMatchObject({ complete: false, stopReason: 'budget', totalMatches: answer.matches });
    expect(answer.matches).toBeGreaterThanOrEqual(least);
    expect(answer.bytes).toBeLessThanOrEqual(budget);
  });

  it.each(['count', 'filesWithMatches'])('grep completes where only numbers come back: %s', async (mode) => {
    const answer = await ask('grep', { pattern: '.', path: root, glob: '{lines,places,context}', mode });
    expect(answer).toMatchObject({ complete: true, matches: 3 });
  });

  it('grep reaches the last matches by their offset', async () => {
    const answer = await ask('grep', { pattern: 'x', path: join(root, 'lines'), offset: 13_999_990 });
    expect(answer).toMatchObject({ complete: true, matches: 10, totalMatches: 14_000_000 });
  });
});

describe('N70: the objects of a result take no more than its budget counts for them', () => {
  it.each([
    ['glob', { pattern: '**' }, (answer: Answer) => answer.matches * 80],
    ['glob', { pattern: '**', sortByMtime: true }, (answer: Answer) => answer.matches * 184],
    ['fuzzyFind', { query: '', maxResults: 1e6 }, (answer: Answer) => answer.matches * 120],
    [
      'fuzzyFind',
      { query: 'file', maxResults: 1e6, includePositions: true },
      (answer: Answer) => answer.matches * (120 + 96 + 4 * 8),
    ],
    ['grep', { pattern: 'x' }, (answer: Answer) => answer.matches * 160 + answer.submatches * 56],
    ['grep', { pattern: '.' }, (answer: Answer) => answer.matches * 160 + answer.submatches * 56],
    [
      'grep',
      { pattern: 'x', context: 1 },
      (answer: Answer) => answer.matches * 160 + answer.submatches * 56 + answer.contextLines * 144,
    ],
    ['grep', { pattern: 'x', mode: 'count' }, (answer: Answer) => answer.matches * 300],
    ['grep', { pattern: 'x', mode: 'filesWithMatches' }, (answer: Answer) => answer.matches * 300],
  ] as const)('%s %o', async (call, options, counted) => {
    const contents = 'x\n-\n-\nx\n-\n';
    const names = Array.from({ length: 20_000 }, (_, index) => [`file ${index}`, contents] as const);
    const path = createTree(Object.fromEntries(names));
    const answer = await ask(call, { ...options, path });
    expect(answer.complete).toBe(true);
    expect(answer.matches).toBeGreaterThanOrEqual(20_000);
    // The paths, and what any call takes.
    const files = (call === 'grep' ? 20_000 * 88 : 0) + 250_000;
    const text = answer.matches * `file 12345${contents}`.length;
    expect(answer.bytes).toBeLessThanOrEqual(counted(answer) + text + files);
  });
});
