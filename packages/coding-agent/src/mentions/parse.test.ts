import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { findMentions, formatMention, mentionAt, parseMentions, type MentionTarget } from './parse.ts';

/** The mentions of a text as they would be written. */
function mentionsOf(text: string, existing: readonly string[] = []): string[] {
  return parseMentions(text, (path) => existing.includes(path)).map(({ path, lines }) =>
    lines ? `${path} ${lines.first}-${lines.last}` : path,
  );
}

describe('what is a mention', () => {
  const cases: readonly (readonly [why: string, text: string, mentions: readonly string[]])[] = [
    ['a path at the start', '@src/main.ts', ['src/main.ts']],
    ['a path after a space', 'see @src/main.ts now', ['src/main.ts']],
    ['a bare name', 'see @Makefile', ['Makefile']],
    ['a directory', 'in @src/tools/ there', ['src/tools/']],
    ['two on a line', '@a.ts @b.ts', ['a.ts', 'b.ts']],
    ['two with a comma between', '@a.ts,@b.ts;@c.ts', ['a.ts', 'b.ts', 'c.ts']],
    ['after a bracket', '(@a.ts) [@b.ts] {@c.ts}', ['a.ts', 'b.ts', 'c.ts']],
    ['in a Markdown link', '[main](@src/main.ts)', ['src/main.ts']],
    ['on a new line', 'see\n@a.ts\r\n@b.ts', ['a.ts', 'b.ts']],
    ['one line', '@a.ts:10', ['a.ts 10-10']],
    ['lines', '@a.ts:10-40', ['a.ts 10-40']],
    ['lines at the end of a sentence', 'Read @a.ts:10-40.', ['a.ts 10-40']],
    ['lines backwards are part of the name', '@a.ts:40-10', ['a.ts:40-10']],
    ['line 0 is part of the name', '@a.ts:0', ['a.ts:0']],
    ['quoted', '@"my file.ts" is', ['my file.ts']],
    ['quoted with lines', '@"my file.ts":3-4, is', ['my file.ts 3-4']],
    ['quoted with quotes', '@"a \\"b\\" \\\\c"', ['a "b" \\c']],
    ['quoted with code points', '@"a\\u0060b\\u000ac"', ['a`b\nc']],
    ['other backslashes stay', '@"C:\\dir\\file"', ['C:\\dir\\file']],
    ['quoted without an end', '@"my file', []],
    ['quoted and empty', '@""', []],
    ['quoted over two lines', '@"my\nfile"', []],
    ['brackets in a path', 'see @app/[id]/(group)/page.tsx.', ['app/[id]/(group)/page.tsx']],
    ['braces in a path', '@{{name}}.ts', ['{{name}}.ts']],
    ['a leading dash', '@-x', ['-x']],
    ['a colon in a path', '@a:b.ts', ['a:b.ts']],
    ['a scope inside a path', '@node_modules/@types/node/index.d.ts', ['node_modules/@types/node/index.d.ts']],
    ['above the root', '@../x.ts', ['../x.ts']],
    [
      'not only ASCII',
      '@docs/日本語.md @caf\u00e9.md @cafe\u0301.md',
      ['docs/日本語.md', 'caf\u00e9.md', 'cafe\u0301.md'],
    ],
    ['after Chinese punctuation', '看：@src/a.ts。', ['src/a.ts']],
    ['bold', '**@a.ts** and *@b.ts*', ['a.ts', 'b.ts']],
    ['a pattern is not cut to a directory', '@src/**', ['src/**']],
    ['only punctuation', '@ @. @.. @) @@', []],
    ['an e-mail address', 'mail me@example.com', []],
    ['an npm scope', 'npm i @types/node', []],
    ['an npm package with a version', '@vitest/ui@1.2.3', []],
    ['x@v7', 'use checkout@v7', []],
    ['@ after a slash', 'https://x.org/@user', []],
  ];
  test.each(cases)('%s', (_, text, mentions) => {
    expect(mentionsOf(text)).toEqual(mentions);
  });
});

describe('trailing punctuation is dropped', () => {
  test.each(['.', ',', ';', ':', '!', '?', '...', '?!', ').', ']', '}', '"', "'", '”', '»', '。', '）', '>', '|'])(
    '%s',
    (punctuation) => {
      expect(mentionsOf(`see @a.ts${punctuation} x`)).toEqual(['a.ts']);
      expect(mentionsOf(`@a.ts${punctuation}`)).toEqual(['a.ts']);
    },
  );
});

describe('doubtful text is a mention when the path exists', () => {
  const cases: readonly (readonly [why: string, text: string, existing: string])[] = [
    ['an npm scope', 'npm i @types/node', 'types/node'],
    ['an e-mail address', 'mail me@example.com', 'example.com'],
    ['x@v7', 'use checkout@v7', 'v7'],
    ['a name with an @', 'use @checkout@v7', 'checkout@v7'],
    ['a script that needs no spaces', '見て@src/a.ts', 'src/a.ts'],
  ];
  test.each(cases)('%s', async (_, text, existing) => {
    expect(mentionsOf(text)).toEqual([]);
    expect(mentionsOf(text, [existing])).toEqual([existing]);
    const found = await findMentions(text, async (path) => path === existing);
    expect(found.map(({ path }) => path)).toEqual([existing]);
  });

  test('the longest name comes first', () => {
    expect(mentionsOf('@a/b@v7', ['a/b@v7', 'v7'])).toEqual(['a/b@v7']);
  });
});

describe('code mentions nothing', () => {
  const cases: readonly (readonly [why: string, text: string, mentions: readonly string[]])[] = [
    ['inline', 'a `@b.ts` @c.ts', ['c.ts']],
    ['inline with two backticks', '``a ` @b.ts`` @c.ts', ['c.ts']],
    ['inline over a line end', '`a\n@b.ts` @c.ts', ['c.ts']],
    ['a single backtick opens no code', 'it`s @b.ts', ['b.ts']],
    ['backticks of two paragraphs', 'a ` b\n\n@b.ts ` c', ['b.ts']],
    ['runs of other lengths', '` `` @b.ts', ['b.ts']],
    ['a fence', '```ts\n@b.ts\n```\n@c.ts', ['c.ts']],
    ['a fence with CRLF', '```\r\n@b.ts\r\n```\r\n@c.ts', ['c.ts']],
    ['a fence of tildes', '~~~\n```\n@b.ts\n~~~\n@c.ts', ['c.ts']],
    ['a longer fence', '````\n```\n@b.ts\n````\n@c.ts', ['c.ts']],
    ['an open fence', '@a.ts\n```\n@b.ts', ['a.ts']],
    ['an indented fence', '- x\n    ```\n    @b.ts\n    ```\n@c.ts', ['c.ts']],
    ['a fence in a list', '- ```\n  @b.ts\n  ```\n@c.ts', ['c.ts']],
    ['a fence in a numbered list', '10. x\n11) ~~~\n    @b.ts\n    ~~~\n@c.ts', ['c.ts']],
    ['a fence in a quoted list', '> * ```ts\n>   @b.ts\n>   ```\n@c.ts', ['c.ts']],
    ['a quoted fence', '> ```\n> @b.ts\n> ```\n@c.ts', ['c.ts']],
    ['three backticks in a line are inline', '```@b.ts``` @c.ts', ['c.ts']],
    ['a backtick in a fence opens nothing', '```\n`\n```\n@b.ts `', ['b.ts']],
  ];
  test.each(cases)('%s', (_, text, mentions) => {
    expect(mentionsOf(text)).toEqual(mentions);
  });
});

test('offsets are those of the text', () => {
  const text = '😀 see @"a b":2, and @c.ts!';
  expect(parseMentions(text).map(({ start, end }) => text.slice(start, end))).toEqual(['@"a b":2', '@c.ts']);
});

describe('the mention that is being typed', () => {
  const cases: readonly (readonly [why: string, text: string, query: string | undefined])[] = [
    ['just begun', 'see @', ''],
    ['bare', 'see @src/ma', 'src/ma'],
    ['at the start', '@a', 'a'],
    ['on a new line', 'x\n@a', 'a'],
    ['with an @ in it', '@node_modules/@ty', 'node_modules/@ty'],
    ['in open quotes', 'see @"my fi', 'my fi'],
    ['in open quotes, escaped', '@"a \\"b', 'a "b'],
    ['quotes that are closed', '@"my file"', undefined],
    ['done, by a space', '@a ', undefined],
    ['an e-mail address', 'me@example', undefined],
    ['none', 'see', undefined],
    ['nothing', '', undefined],
    ['an earlier line', '@a\nb', undefined],
    ['in an open fence', '```\n@a', undefined],
    ['after a fence', '```\n```\n@a', 'a'],
  ];
  test.each(cases)('%s', (_, text, query) => {
    expect(mentionAt(text)?.query).toBe(query);
    expect(mentionAt(`${text} and @more`, text.length)?.query).toBe(query);
  });

  test('says where it starts', () => {
    expect(mentionAt('see @src', 7)).toEqual({ query: 'sr', start: 4 });
  });
});

test('a mention is written bare where that is clear', () => {
  const cases: readonly (readonly [target: MentionTarget, text: string])[] = [
    [{ path: 'src/main.ts' }, '@src/main.ts'],
    [{ path: 'src/main.ts', lines: { first: 3, last: 3 } }, '@src/main.ts:3'],
    [{ path: 'src/main.ts', lines: { first: 3, last: 9 } }, '@src/main.ts:3-9'],
    [{ path: 'app/[id]/page.tsx' }, '@app/[id]/page.tsx'],
    [{ path: '-x' }, '@-x'],
    [{ path: 'a b' }, '@"a b"'],
    [{ path: 'a b', lines: { first: 1, last: 2 } }, '@"a b":1-2'],
    [{ path: 'a:1' }, '@"a:1"'],
    [{ path: 'a.' }, '@"a."'],
    [{ path: 'types/node' }, '@"types/node"'],
    [{ path: 'a"b\\c`d\n' }, '@"a\\"b\\\\c\\u0060d\\u000a"'],
  ];
  for (const [target, text] of cases) expect(formatMention(target)).toBe(text);
});

const lines = fc
  .tuple(fc.integer({ min: 1, max: 999_999_999 }), fc.nat(1000))
  .map(([first, more]) => ({ first, last: Math.min(first + more, 999_999_999) }));
const anyPath = fc
  .oneof(
    fc.string({ unit: 'binary', minLength: 1, maxLength: 40 }),
    fc.string({ unit: fc.constantFrom(...'ab/.:-@"\\`\'()[]{} ,;~*\n\t0159é\u0301'), minLength: 1, maxLength: 20 }),
  )
  // A lone surrogate is in no file name.
  .filter((path) => !/\p{Surrogate}/u.test(path));
const anyTarget = fc.record({ path: anyPath, lines: fc.option(lines, { nil: undefined }) });

test('parse, format and parse again is stable, for any path and lines', () => {
  fc.assert(
    fc.property(anyTarget, ({ path, lines: at }) => {
      const target = { path, ...(at && { lines: at }) };
      const written = formatMention(target);
      const around = `see ${written}, please (${written}).`;
      expect(parseMentions(written)).toEqual([{ ...target, start: 0, end: written.length }]);
      expect(parseMentions(around).map(({ start, end, ...read }) => read)).toEqual([target, target]);
    }),
    { numRuns: 2000 },
  );
});

test('whatever is parsed can be written and parsed again', () => {
  const anyText = fc.string({ unit: fc.constantFrom(...'@@@ab/.:-1"\\`()[] ,\n~'), maxLength: 60 });
  fc.assert(
    fc.property(anyText, (text) => {
      for (const { start, end, ...target } of parseMentions(text, () => true)) {
        expect(end).toBeGreaterThan(start);
        expect(text[start]).toBe('@');
        const written = formatMention(target);
        expect(parseMentions(written)).toEqual([{ ...target, start: 0, end: written.length }]);
      }
    }),
    { numRuns: 2000 },
  );
});

test('brackets and stars around a path are dropped to where they were opened', () => {
  const cases: readonly (readonly [text: string, path: string])[] = [
    ['@a(b))))', 'a(b)'],
    ['@(a)[b])].', '(a)[b]'],
    ['@a.**).', 'a'],
    ['@a****', 'a****'],
    ['@a/*)', 'a/*'],
    ['@a/***', 'a/***'],
    ['@a）。」', 'a'],
  ];
  for (const [text, path] of cases) expect(mentionsOf(text)).toEqual([path]);
});

test('many words before much punctuation do not take long', () => {
  for (const tail of [')', '!', ')]', '.**']) {
    const text = '@a'.repeat(1000) + tail.repeat(2000 / tail.length);
    expect(parseMentions(text, () => true)).toHaveLength(1);
  }
});

test('long hostile texts do not take long', () => {
  for (const text of ['@', '`', '@a', '@"', ')', '`` `', '@a)', '```\n'].map((piece) => piece.repeat(20_000))) {
    expect(Array.isArray(parseMentions(text))).toBe(true);
    expect(Array.isArray(parseMentions(`@a${text}`))).toBe(true);
  }
});
