import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { MemoryError } from '../errors.ts';
import { limitsOf } from '../records/limits.ts';
import type { StoredFact } from './fact.ts';
import { factTable } from './fact-table.ts';
import { compareMarkdown, formatMarkdown, parseMarkdown } from './markdown.ts';
import type { MarkdownChanges } from './markdown.ts';

const table = factTable('project', '/repo');

function compare(edited: string, original: string): MarkdownChanges {
  return compareMarkdown({ edited, original }, { table, limits: limitsOf(), allowSecret: undefined });
}

const factOf = (id: string, text: string, more: Partial<StoredFact> = {}): StoredFact => {
  return { id, text, createdAt: 1_703_123_456_789, shared: true, tags: [], ...more };
};

const facts = [
  factOf('fact_a', 'the port is 80', { tags: ['net', 'server'], pinned: true }),
  factOf('fact_b', 'two lines\n\n## not a heading', { stream: 'desktop', source: 'README.md' }),
];
const original = formatMarkdown(table, facts);

/** Returns the message of a refusal. */
function refusalOf(edited: string): string {
  try {
    compare(edited, original);
  } catch (error) {
    if (MemoryError.isInstance(error)) return `${error.code}: ${error.message}`;
    throw error;
  }
  throw new Error('the Markdown was not refused');
}

describe('the Markdown of facts', () => {
  test('has a section for each fact', () => {
    expect(original.slice(original.indexOf('-->'))).toBe(`-->

## fact_a
tags: net, server
pinned: yes
date: 2023-12-21

the port is 80

## fact_b
stream: desktop
source: README.md
date: 2023-12-21

two lines

\\## not a heading
`);
  });

  const line = fc.oneof(
    fc.constantFrom(
      '',
      '## new',
      '## fact_a',
      '\\## x',
      '##',
      '#',
      '<!--',
      '-->',
      'tags: a',
      '---',
      '```',
      '## ',
      '\t##',
    ),
    fc.string({ unit: 'grapheme', maxLength: 12 }),
    fc.string({ unit: fc.constantFrom('#', '\\', ' ', '\r', '\u2028', 'a', '：'), maxLength: 6 }),
  );
  const texts = fc
    .array(fc.array(line, { minLength: 1, maxLength: 6 }), { minLength: 1, maxLength: 4 })
    .map((all) => all.map((lines) => lines.join('\n').trim()).filter((text) => text !== ''));

  test('is read back as it was written, whatever the texts are', () => {
    fc.assert(
      fc.property(texts, fc.boolean(), (all, isPinned) => {
        const stored = all.map((text, index) =>
          factOf(`fact_${index}`, text, { pinned: isPinned, tags: ['a', 'b c'] }),
        );
        const markdown = formatMarkdown(table, stored);
        const { sections, problems } = parseMarkdown(markdown, table);
        expect(problems).toEqual([]);
        expect(sections.map(({ id, text, tags, isPinned: pinned }) => ({ id, text, tags, isPinned: pinned }))).toEqual(
          stored.map(({ id, text, tags }) => ({ id, text: text.replaceAll(/\r+\n/gu, '\n'), tags, isPinned })),
        );
        // An editor may write other line ends and a byte order mark.
        const windows = `\ufeff${markdown.replaceAll(/\r?\n/gu, '\r\n')}`;
        expect(compare(windows, markdown)).toEqual({ updated: [], removed: [], added: [], unchanged: all.length });
      }),
    );
  });

  test('no field of a foreign fact begins another section', () => {
    const forged = factOf('fact_x\n\n## fact_y', 'a', { tags: ['b\n\n## new\n\nc'], source: 'd\r\n## e' });
    expect(formatMarkdown(table, [forged]).match(/^## /gmu)).toHaveLength(1);
  });

  test('no line is ignored: each is a part of a section, or known, or refused', () => {
    fc.assert(
      fc.property(fc.array(line, { maxLength: 12 }), (lines) => {
        const { sections, problems } = parseMarkdown(lines.join('\n'), table);
        const refused = new Set(problems.map(({ lineNumber }) => lineNumber));
        const kept = sections.map(
          ({ id, text, tags, isPinned }) => `${id ?? 'new'} ${text} ${tags.join(' ')} ${isPinned}`,
        );
        let isComment = false;
        for (const [index, text] of lines.join('\n').split(/\r?\n/u).entries()) {
          const isBefore = sections.every(({ lineNumber }) => lineNumber > index + 1);
          if (isBefore && (isComment || text.startsWith('<!--'))) {
            isComment = !text.trimEnd().endsWith('-->');
            continue;
          }
          const visible = text.replace(/^\\(?=\\*(?:##(?:\s|$)|# Facts of the project \/repo$))/u, '').trim();
          const words = visible.replace(/^##\s*|^tags:\s*/u, '');
          if (words === '' || refused.has(index + 1) || (isBefore && text === '# Facts of the project /repo')) continue;
          expect(kept.some((one) => one.includes(words))).toBe(true);
        }
      }),
    );
  });

  test.each([
    [
      'text before the first section',
      (text: string) => text.replace('## fact_a', 'hello\n\n## fact_a'),
      /line \d+ is before/u,
    ],
    ['another title', (text: string) => text.replace('/repo', '/other'), /line 1 is before/u],
    ['an unknown id', (text: string) => text.replace('## fact_a', '## fact_c'), /unknown id "fact_c"/u],
    ['an id twice', (text: string) => `${text}\n## fact_a\n\nx\n`, /repeats the id of line/u],
    ['a heading without an id', (text: string) => `${text}\n##\n\nx\n`, /heading without an id/u],
    ['an unknown field', (text: string) => text.replace('\npinned:', '\npined:'), /is not a field/u],
    ['a text without an empty line before it', (text: string) => `${text}\n## new\nx\n`, /leave an empty line/u],
    ['a field twice', (text: string) => text.replace('\npinned:', '\ntags: x\npinned:'), /repeats the field tags/u],
    ['another pin', (text: string) => text.replace('\npinned: yes', '\npinned: maybe'), /yes or no/u],
    ['another stream', (text: string) => text.replace('stream: desktop', 'stream: chat'), /changed stream/u],
    ['a new fact with a source', (text: string) => `${text}\n## new\nsource: me\n\nx\n`, /changed stream, source/u],
    ['a section without a text', (text: string) => text.replace('the port is 80', ''), /is empty/u],
    ['a new text twice', (text: string) => `${text}\n## new\n\nX.\n\n## new\n\nx\n`, /same text as line/u],
    ['a text that a section has', (text: string) => `${text}\n## new\n\nThe port is 80!\n`, /same text as line/u],
    ['a section above the title', (text: string) => `## new\n\nx\n\n${text}`, /line 5 is the title/u],
    ['a secret', (text: string) => `${text}\n## new\n\nkey ${'AKIA'}IOSFODNN7ABCDEFG\n`, /contains a secret/u],
    ['a long tag', (text: string) => text.replace('net, server', 'x'.repeat(101)), /more than 100/u],
    ['a comment that does not end', (text: string) => text.replace('-->', ''), /before|comment/u],
    ['an empty file', () => ' \n', /is empty/u],
  ] as const)('%s is refused with its line', (_, edit, message) => {
    const refusal = refusalOf(edit(original));
    expect(refusal).toMatch(message);
    expect(refusal).toMatch(/^INVALID_INPUT: .*Nothing was changed/u);
  });

  test('all refused lines are in one message, at most ten of them', () => {
    const message = refusalOf(`${original}${'\n## x\n'.repeat(12)}`);
    expect(message.match(/line \d+/gu)?.length).toBeGreaterThan(9);
    expect(message).toMatch(/\d+ more lines/u);
  });

  test('the differences are updates, removals and new sections', () => {
    const edited = original
      .replace('the port is 80', 'the port is 90')
      .replace(/## fact_b[^]*/u, '## new\ntags: x\npinned: no\n\nfirst\n\n  second  \n\n\n');
    const { updated, removed, added, unchanged } = compare(edited, original);
    expect(updated.map(({ before, after }) => [before.text, after.text, after.tags])).toEqual([
      ['the port is 80', 'the port is 90', ['net', 'server']],
    ]);
    expect(removed.map(({ id }) => id)).toEqual(['fact_b']);
    expect(added.map(({ id, text, tags, isPinned }) => [id, text, tags, isPinned])).toEqual([
      [undefined, 'first\n\n  second', ['x'], false],
    ]);
    expect(unchanged).toBe(0);
  });
});
