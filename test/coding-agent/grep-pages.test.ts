import type { CodingTools } from '@cairn/coding-agent';
import { textOf } from '@cairn/tool';
import fc from 'fast-check';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { ripgrepLinesAndContext } from '../support/ripgrep-lines.ts';
import type { FoundLine } from '../support/ripgrep-lines.ts';
import { bytesName } from '../support/tree.ts';
import type { Tree } from '../support/tree.ts';
import { createBench, details } from './support.ts';

type Input = Parameters<CodingTools['grep']['execute']>[0];

/** More than the sum of all pages of a small tree. */
const MAX_CALLS = 2000;

/** The calls that an answer names: `continue with skip=20`, `continue with path=a skip=20`. */
function nextCalls(input: Input, text: string): Input[] {
  return [...text.matchAll(/^\[.*continue with (?:path=(?<path>.+) )?skip=(?<skip>\d+)\]$/gmu)].map(({ groups }) => ({
    ...input,
    ...(groups?.['path'] !== undefined && { path: groups['path'] }),
    skip: Number(groups?.['skip']),
  }));
}

/** The texts of all answers to a search and to the calls that they name, each call once. */
async function readAll(tools: CodingTools, input: Input): Promise<string[]> {
  const texts: string[] = [];
  const calls = [input];
  const keyOf = ({ path, skip }: Input): string => `${path} ${skip}`;
  const seen = new Set([keyOf(input)]);
  for (let at = 0; at < calls.length; at++) {
    expect(at).toBeLessThan(MAX_CALLS);
    const answer = await tools.grep.execute(calls[at] ?? input);
    details(answer);
    const text = textOf(answer);
    texts.push(text);
    for (const next of nextCalls(calls[at] ?? input, text)) {
      const key = keyOf(next);
      if (!seen.has(key)) calls.push(next);
      seen.add(key);
    }
  }
  return texts;
}

/** The lines of answers in content mode, as `path:number:text`, or `path-number-text` for context. */
function linesIn(texts: readonly string[]): { readonly found: string[]; readonly context: string[] } {
  const [found, context]: [string[], string[]] = [[], []];
  for (const text of texts) {
    let path = '';
    for (const line of text.split('\n').slice(1)) {
      const [, number, sign, content] = /^(\d+)([:-]) ([^]*)$/u.exec(line) ?? [];
      if (number === undefined) path = /^\[.* .*\]$|^--$|^$/u.test(line) ? path : line;
      else if (sign === ':') found.push(`${path}:${number}:${content}`);
      else context.push(`${path}-${number}-${content}`);
    }
  }
  return { found, context };
}

function namesIn(texts: readonly string[]): string[] {
  return texts.flatMap((text) => text.split('\n').slice(1)).filter((line) => !/^\[.* .*\]$/u.test(line));
}

const lines = fc.array(fc.constantFrom('x', 'xx', 'y', 'a x b', ''), { minLength: 1, maxLength: 8 });
/** Often with more than the 20 matches of a file that a search of several files shows. */
const content = fc
  .tuple(lines, fc.nat(20), fc.constantFrom('\n', '\r\n'), fc.constantFrom('', '\n'))
  .map(([some, times, end, last]) => Array.from({ length: times }, () => some.join(end)).join(end) + last);
const name = fc.constantFrom('a', 'b.ts', 'c d', 'e.md', '[f]');
const directory = fc.dictionary(name, content, { maxKeys: 4 });
const tree: fc.Arbitrary<Tree> = fc
  .record({ files: directory, below: directory, deeper: directory })
  .map(({ files, below, deeper }) => ({ ...files, sub: { ...below, sub: deeper } }));
const search = fc.record(
  {
    pattern: fc.constantFrom('x', 'y', '^a', 'x$', '^', '^$', '[^y]$', String.raw`\s$`, 'z'),
    limit: fc.integer({ min: 1, max: 130 }),
    context: fc.integer({ min: 0, max: 3 }),
    glob: fc.constantFrom('*.ts', 'sub/**'),
    path: fc.constantFrom('.', 'sub'),
  },
  { requiredKeys: ['pattern', 'limit'] },
);

/** What ripgrep finds, in the form of {@link linesIn}. */
function oracle(
  root: string,
  { pattern, context = 0, glob, path = '.' }: Input,
): { readonly found: string[]; readonly context: string[] } {
  // A glob with a slash starts at the searched directory.
  const globs = glob === undefined ? [] : [`--glob=${glob.includes('/') ? '/' : ''}${glob}`];
  const both = ripgrepLinesAndContext(join(root, path), pattern, [
    '--hidden',
    '--crlf',
    `--context=${context}`,
    ...globs,
  ]);
  const prefix = path === '.' ? '' : `${path}/`;
  const named = (list: readonly FoundLine[] | undefined, sign: string): string[] =>
    (list ?? []).map(
      (one) =>
        `${prefix}${one.path.replace(/^\.\//u, '')}${sign}${one.lineNumber}${sign}${one.line.replace(/\r$/u, '')}`,
    );
  return { found: named(both?.lines, ':'), context: named(both?.context, '-') };
}

describe('the pages of a search', () => {
  test('have together what one search without limits finds: every line once', async () => {
    await fc.assert(
      fc.asyncProperty(tree, search, async (files, input) => {
        const { tools, root } = createBench(files);
        const expected = oracle(root, input);
        const { found, context } = linesIn(await readAll(tools, input));
        expect(found.toSorted()).toEqual(expected.found.toSorted());
        // A line between two pages may be context of both, or a match of the other.
        const shown = new Set([...found, ...context.map((line) => line.replace(/-(\d+)-/u, ':$1:'))]);
        const wanted = [...expected.found, ...expected.context.map((line) => line.replace(/-(\d+)-/u, ':$1:'))];
        expect([...shown].toSorted()).toEqual([...new Set(wanted)].toSorted());
      }),
      { numRuns: 100 },
    );
  });

  test.each(['files', 'count'] as const)('in the mode %s have every file once, with all that it has', async (mode) => {
    await fc.assert(
      fc.asyncProperty(tree, search, async (files, { context: _, ...input }) => {
        const { tools, root } = createBench(files);
        const counts = new Map<string, number>();
        for (const line of oracle(root, input).found) {
          const path = line.replace(/:\d+:.*$/u, '');
          counts.set(path, (counts.get(path) ?? 0) + 1);
        }
        const wanted = [...counts].map(([path, lines]) => (mode === 'files' ? path : `${path}: ${lines}`));
        expect(namesIn(await readAll(tools, { ...input, mode })).toSorted()).toEqual(wanted.toSorted());
      }),
      { numRuns: 60 },
    );
  });

  test('of one file begin at any match, and end only where no match follows', async () => {
    const skip = fc.integer({ min: 0, max: 70 });
    await fc.assert(
      fc.asyncProperty(content, search, skip, async (text, { pattern, limit }, from) => {
        const { tools, root } = createBench({ a: text });
        const all = oracle(root, { pattern }).found;
        const answer = textOf(await tools.grep.execute({ pattern, limit, path: 'a', skip: from }));
        const shown = linesIn([answer]).found;
        expect(shown).toEqual(all.slice(from, from + Math.min(limit, 100)));
        expect(answer.includes('continue with')).toBe(from + shown.length < all.length && shown.length > 0);
        expect(/^\[no more matches: there are (?<total>\d+)\]$/u.exec(answer)?.groups?.['total']).toBe(
          all.length > 0 && from >= all.length ? String(all.length) : undefined,
        );
      }),
      { numRuns: 60 },
    );
  });

  test.skipIf(process.platform !== 'linux').each([
    [50, true],
    [20, false],
  ])('name a file that no search can name, with %i matches', async (lines, isCut) => {
    const notice = '[1 name is not valid UTF-8: U+FFFD replaces the invalid bytes, and no tool can open these names]';
    const tree = { [bytesName(0x61, 0xff, 0x2c, 0x7b)]: 'x\n'.repeat(lines), aaa: 'x\n'.repeat(50) };
    const { tools } = createBench(tree);
    const text = textOf(await tools.grep.execute({ pattern: 'x' }));
    expect(text.endsWith(`\n${notice}`)).toBe(true);
    expect(text.includes('\n[a\ufffd,{ has more than the 20 matches shown of each file; its name is not')).toBe(isCut);
    expect(textOf(await tools.glob.execute({ pattern: 'a*' }))).toContain(notice);
  });

  test('name each file that has more than is shown of it, and say after the last page how to find these', async () => {
    const { tools } = createBench({ 'many a': 'x\n'.repeat(50), exact: 'x\n'.repeat(20), one: 'x\n' });
    const whole = await tools.grep.execute({ pattern: 'x' });
    expect(details(whole).cutFiles).toEqual(['many a']);
    expect(textOf(whole)).toContain(
      '\n[many a has more than the 20 matches shown of each file; continue with path=many a skip=20]',
    );
    expect(textOf(await tools.grep.execute({ pattern: 'x', skip: 41 }))).toBe(
      '[no more matches: 41 are shown, at most 20 of each file; 1 file has more: mode=count skip=0 counts them]',
    );
    expect(textOf(await tools.grep.execute({ pattern: 'x', mode: 'count', skip: 3 }))).toBe(
      '[no more files: there are 3]',
    );
    expect(textOf(await tools.grep.execute({ pattern: 'x', mode: 'files', skip: 9 }))).toBe(
      '[no more files: there are 3]',
    );
    expect(textOf(await tools.grep.execute({ pattern: 'x', skip: Number.MAX_SAFE_INTEGER }))).toMatch(/^\[no more/u);
    expect(textOf(await tools.glob.execute({ pattern: '*', skip: Number.MAX_SAFE_INTEGER }))).toBe(
      '[no more matches of *: there are 3]',
    );
    expect(textOf(await tools.ls.execute({ skip: Number.MAX_SAFE_INTEGER }))).toBe('[.: no more entries: there are 3]');
  });
});

describe('files with CRLF line ends', () => {
  const tree = { dos: 'foo\r\nbar\r\n', unix: 'foo\nbaz\n' };
  const search = async (input: Omit<Input, 'path'>): Promise<string> =>
    textOf(await createBench(tree).tools.grep.execute(input));

  test('$ matches before the line end in every mode', async () => {
    expect(await search({ pattern: 'foo$' })).toBe('[2 matches in 2 files]\ndos\n1: foo\n\nunix\n1: foo');
    expect(await search({ pattern: '^foo$', mode: 'files' })).toBe('[2 files]\ndos\nunix');
    expect(await search({ pattern: '(?=f)foo$', mode: 'count' })).toBe('[2 matches in 2 files]\ndos: 1\nunix: 1');
  });

  test.each([
    ['an escape', { pattern: String.raw`foo\r` }],
    ['a code point', { pattern: String.raw`foo\x0d$` }],
    ['a text', { pattern: 'foo\r', literal: true }],
  ])('the carriage return itself is found where the pattern has it: %s', async (_, input) => {
    expect(await search(input)).toBe('[1 match in 1 file]\ndos\n1: foo');
  });

  test('a pattern that is rejected is rejected without words about CRLF', async () => {
    const answer = await createBench(tree).tools.grep.execute({ pattern: String.raw`foo\nbar` });
    expect(answer.isError).toBe(true);
    expect(textOf(answer)).not.toMatch(/crlf/iu);
  });

  test.each([
    ['an escape', { pattern: String.raw`foo\nbar` }, String.raw`write \r?\n for \n`],
    ['a line feed', { pattern: 'foo\nbar' }, String.raw`write \r?\n for \n`],
    ['next to a set', { pattern: String.raw`[^\n]oo\nbar` }, String.raw`write \r?\n for \n`],
    ['a text', { pattern: 'foo\nbar', literal: true }, 'write a CRLF for each line feed'],
  ])('a line feed over lines that finds nothing there says what to write: %s', async (_, input, hint) => {
    expect(await search({ ...input, multiline: true })).toBe(
      `[no match]\n[2 lines in files with CRLF line ends would match: ${hint}]`,
    );
    const written = input.pattern.replace(/(?<!\^)(?:\n|\\n)(?=b)/u, 'literal' in input ? '\r\n' : String.raw`\r?\n`);
    expect(await search({ ...input, pattern: written, multiline: true })).toBe(
      '[2 matches in 1 file]\ndos\n1: foo\n2: bar',
    );
  });

  test('there is no hint where no line would match either', async () => {
    expect(await search({ pattern: String.raw`foo\nbaz`, multiline: true })).toContain('\nunix\n');
    expect(await search({ pattern: String.raw`foo\nqux`, multiline: true })).toBe('[no match]');
  });
});
