import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { formatDocument, formatTime, MAX_DOCUMENT_BYTES } from './document.ts';
import type { DocumentContent } from './document.ts';
import { exampleHead } from './heads.examples.ts';
import { formatLine, parseLine } from './lines.ts';

/** The assets of the source, and one title with signs that lines escape. */
const lines = [
  exampleHead({
    name: 'matching-engine-latency',
    type: 'pitfall',
    productLine: 'exchange/core',
    title: '撮合引擎延迟优化避坑',
    tags: ['performance', 'optimization', 'matching'],
    isPromoted: true,
  }),
  exampleHead({ name: 'typescript-generics', type: 'pattern', title: 'TypeScript: T | U, 100%', tags: ['typescript'] }),
].map(formatLine);

const content: Omit<DocumentContent, 'language'> = {
  lines,
  counts: { total: 127, promoted: 82, inactive: 3, skills: 4 },
  lastUpdatedMs: Date.UTC(2026, 0, 28, 13, 45, 0, 789),
};

function golden(language: string): string {
  return readFileSync(
    new URL(`../../../../test/knowledge/goldens/agents-index.${language}.txt`, import.meta.url),
    'utf8',
  );
}

test.each(['en', 'zh'] as const)('AGENTS-INDEX.md has its text (%s)', (language) => {
  expect(formatDocument({ ...content, language }).text).toBe(golden(language));
});

test('an index that lists all assets states nothing at its end', () => {
  const counts = { total: 2, promoted: 1, inactive: 0, skills: 0 };
  const { text, omitted, warnings } = formatDocument({ ...content, counts, language: 'en' });
  expect(omitted).toEqual({ inactive: 0, skills: 0, otherLines: 0, more: 0 });
  expect(text).not.toContain('Not Listed');
  expect(warnings).toEqual([]);
});

test('an index without assets has no time', () => {
  const counts = { total: 0, promoted: 0, inactive: 0, skills: 0 };
  const { text } = formatDocument({ lines: [], counts, lastUpdatedMs: undefined, language: 'en' });
  expect(text).toContain('Last updated: never\nTotal assets: 0 (L1: 0, L2: 0)\n');
  expect(text).toContain('<!-- INDEX_START -->\n<!-- INDEX_END -->\n');
});

test('an index above 20 KB loses tags from the last line up, as few as needed, and states how many', () => {
  const long = Array.from({ length: 200 }, (_, number) =>
    formatLine(exampleHead({ name: `asset-${number}`, title: 'x'.repeat(40), tags: [`t${number}`, 'y'.repeat(20)] })),
  );
  for (const language of ['en', 'zh'] as const) {
    const { text, warnings, listed } = formatDocument({ ...content, lines: long, language });
    expect(warnings).toEqual([]);
    expect(listed).toBe(200);
    const shown = text.split('\n').filter((line) => line.startsWith('asset-'));
    expect(shown.map((line) => line.replace(/[^|]*\|\d$/u, ''))).toEqual(
      long.map((line) => line.replace(/[^|]*\|\d$/u, '')),
    );
    const bare = shown.filter((line) => parseLine(line)?.tags.length === 0);
    expect(bare.length).toBeGreaterThan(0);
    expect(shown.slice(-bare.length)).toEqual(bare);
    expect(text).toContain(language === 'en' ? `the last ${bare.length} lines are left out` : `最后 ${bare.length} 行`);
    const bytes = Buffer.byteLength(text);
    expect(bytes).toBeLessThanOrEqual(MAX_DOCUMENT_BYTES);
    // The tags of one more line would not fit.
    expect(bytes).toBeGreaterThan(MAX_DOCUMENT_BYTES - 40);
  }
});

test('an index above 20 KB without tags has a warning with its size', () => {
  const long = Array.from({ length: 200 }, (_, number) =>
    formatLine(exampleHead({ name: `asset-${number}`, title: 'x'.repeat(100) })),
  );
  const { text, warnings } = formatDocument({ ...content, lines: long, language: 'en' });
  expect(warnings).toEqual([
    {
      code: 'LARGE_INDEX',
      message: expect.stringContaining(`has ${Buffer.byteLength(text)} bytes without tags, more than 20480;`),
    },
  ]);
});

test('times are written to the second', () => {
  expect(formatTime(Date.UTC(2026, 0, 28, 13, 45, 0, 789))).toBe('2026-01-28T13:45:00Z');
});
