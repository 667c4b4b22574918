import { createCodingTools } from '@cairn/coding-agent';
import { textOf } from '@cairn/tool';
import { glob, grep } from '@cairn/natives';
import { expect, test, vi } from 'vitest';
import { createBench } from './support.ts';

vi.mock('@cairn/natives', { spy: true });

const nothing = { matches: [], totalMatches: 0, complete: false } as const;
const skipped = { oversized: 2, binary: 0, unreadable: 1 };

test.each([
  ['timeout', 'the time limit'],
  ['budget', 'more'],
] as const)('an empty glob that ended by %s does not say that nothing matches', async (stopReason, says) => {
  const { tools } = createBench({});
  vi.mocked(glob).mockResolvedValueOnce({ ...nothing, matches: [], stopReason });
  const text = textOf(await tools.glob.execute({ pattern: '*.ts' }));
  expect(text).toMatch(/^\[nothing found so far for \*\.ts: /u);
  expect(text).toContain(says);
  expect(text).not.toContain('no match');
});

test('an empty grep after a timeout reports the timeout and the skipped files', async () => {
  const { tools } = createBench({});
  const result = { ...nothing, matches: [], filesWithMatches: 0, filesSearched: 9, engine: 'regex', skipped } as const;
  vi.mocked(grep).mockResolvedValueOnce({ ...result, matches: [], stopReason: 'timeout', unreadablePaths: ['a/b'] });
  const text = textOf(await tools.grep.execute({ pattern: 'x' }));
  expect(text).toMatch(/^\[nothing found so far: the time limit was reached/u);
  expect(text).toContain(
    '[2 files not searched to the end: 2 too large]\n[1 file or directory could not be read: a/b]',
  );
  expect(text).not.toContain('no match');
});

test('what was found before the time limit is called incomplete', async () => {
  const { tools } = createBench({});
  const found = {
    ...nothing,
    matches: [{ path: 'a.ts', fileType: 1 }],
    totalMatches: 1,
    stopReason: 'timeout',
  } as const;
  vi.mocked(glob).mockResolvedValueOnce({ ...found, matches: [...found.matches] });
  expect(textOf(await tools.glob.execute({ pattern: '*.ts' }))).toBe(
    '[at least 1 match of *.ts, newest first; incomplete: the time limit was reached]\na.ts',
  );
});

test('a grep whose result became too large names the call that continues', async () => {
  const { tools } = createBench({});
  const matches = [{ path: 'a', lineNumber: 7, line: 'x' }];
  const result = { matches, totalMatches: 4, filesWithMatches: 1, filesSearched: 1, engine: 'regex', skipped } as const;
  vi.mocked(grep).mockResolvedValueOnce({ ...result, matches, complete: false, stopReason: 'budget' });
  expect(textOf(await tools.grep.execute({ pattern: 'x', skip: 3 }))).toMatch(
    /^\[at least 4 matches in 1 file; incomplete: the size limit of one search was reached\]\na\n7: x\n\[continue with skip=4\]/u,
  );
});

test('grep searches with the index of contents, and after an empty result, too; a search of ignored files does not', async () => {
  const { root } = createBench({ a: 'x\n' });
  const { grep: search } = createCodingTools({ root, watch: true });
  vi.mocked(grep).mockClear();
  await search.execute({ pattern: 'y' });
  await search.execute({ pattern: 'y', ignored: true });
  expect(vi.mocked(grep).mock.calls.map(([{ cache, watch, gitignore }]) => ({ cache, watch, gitignore }))).toEqual([
    { cache: true, watch: true, gitignore: true },
    // What an empty search left out. Its other files are in the index.
    { cache: true, watch: true, gitignore: false },
    { cache: undefined, watch: undefined, gitignore: false },
  ]);
});
