import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { ASSET_TYPES, MAX_ASSET_BYTES } from './asset.ts';
import { KnowledgeError } from '../errors.ts';
import type { FieldChanges } from './fields.ts';
import { contentHash, decodeAsset, editAsset, formatAsset, parseAsset } from './markdown.ts';

const head = 'name: redis\ntype: pitfall\ntitle: Redis';

/** Returns a file with these lines of front matter. */
function file(lines: string, body: string = 'Body.\n'): string {
  return `---\n${lines}\n---\n\n${body}`;
}

/** Returns the code of the rejection of a text. */
function outcomeOf(text: string): string {
  try {
    parseAsset(text);
    return 'an asset';
  } catch (error) {
    return KnowledgeError.isInstance(error) ? error.code : String(error);
  }
}

const line = fc
  .string({ unit: 'grapheme', minLength: 1, maxLength: 40 })
  .map((text) =>
    text
      .normalize('NFC')
      .replaceAll(/[\p{Cc}\p{Cs}\u2028\u2029,]/gu, '')
      .trim(),
  )
  .filter((text) => text !== '');
const names = fc.stringMatching(/^[a-zé汉][\w-]{0,20}$/u);
const drafts: fc.Arbitrary<FieldChanges & { readonly tags: string[]; readonly paths: string[] }> = fc.record({
  name: names,
  productLine: fc.array(names, { minLength: 1, maxLength: 3 }).map((parts) => parts.join('/')),
  type: fc.constantFrom(...ASSET_TYPES),
  title: line,
  tags: fc.uniqueArray(line, { maxLength: 4 }),
  paths: fc.uniqueArray(line, { maxLength: 2 }),
  verifiedMs: fc.constantFrom(undefined, Date.UTC(2026, 0, 28)),
  supersededBy: fc.constantFrom(undefined, 'general/other'),
});

describe('a file', () => {
  test('has all fields', () => {
    const text = file(
      `${head}\nproduct_line: exchange/core\ntags: [a, b]\nsuperseded_by: exchange/core/other\nverified_at: 2026-01-28\npaths:\n  - src/**/*.ts`,
    );
    const { fields, id, body } = parseAsset(text);
    expect(id).toBe('exchange/core/redis');
    expect(body).toBe('Body.\n');
    expect(fields).toEqual({
      name: 'redis',
      productLine: 'exchange/core',
      type: 'pitfall',
      title: 'Redis',
      tags: ['a', 'b'],
      status: 'superseded',
      supersededBy: 'exchange/core/other',
      verifiedMs: Date.UTC(2026, 0, 28),
      paths: ['src/**/*.ts'],
    });
  });

  test('takes missing names from its place, and its place must agree', () => {
    const key = { name: 'redis', productLine: 'a/b' };
    expect(parseAsset(file('type: adr\ntitle: T'), { key }).id).toBe('a/b/redis');
    expect(() => parseAsset(file('name: other\ntype: adr\ntitle: T'), { key, path: 'a/b/redis.md' })).toThrow(
      expect.objectContaining({ code: 'INVALID_ASSET', line: 2, path: 'a/b/redis.md' }),
    );
    expect(() => parseAsset(file('type: adr\nproduct_line: c\ntitle: T'), { key })).toThrow(
      expect.objectContaining({ code: 'INVALID_ASSET', line: 3 }),
    );
    expect(parseAsset(file(head)).id).toBe('general/redis');
  });

  test.each([
    ['no front matter', '# Redis', 1],
    ['an open front matter', '---\nname: x\n', 1],
    ['YAML that does not parse', file('name: redis\ntitle: a: b\ntype: adr'), 3],
    ['a key twice', file(`${head}\ntitle: again`), 5],
    ['a list', file('- a\n- b'), 2],
    ['a scalar', file('redis'), 2],
    ['an unknown type', file('name: redis\ntitle: T\ntype: recipe'), 4],
    ['a missing type', file('name: redis\ntitle: T'), 1],
    ['a missing title', file('name: redis\ntype: adr'), 1],
    ['an empty title', file('name: redis\ntype: adr\ntitle: ""'), 4],
    ['a title of two lines', file('name: redis\ntype: adr\ntitle: "a\\nb"'), 4],
    ['a list as title', file('name: redis\ntype: adr\ntitle: [a]'), 4],
    ['a hostile name', file('type: adr\ntitle: T\nname: ../../x'), 4],
    ['a command as name', file('type: adr\ntitle: T\nname: $(rm)'), 4],
    ['a hostile product line', file(`${head}\nproduct_line: .git/hooks`), 5],
    ['an unknown status', file(`${head}\nstatus: gone`), 5],
    ['a day that does not exist', file(`${head}\nverified_at: 2026-02-31`), 5],
    ['a time in words', file(`${head}\nverified_at: yesterday`), 5],
    ['a mapping as tag', file(`${head}\ntags: [{a: b}]`), 5],
    ['33 tags', file(`${head}\ntags: [${Array.from({ length: 33 }, (_, index) => `t${index}`).join(', ')}]`), 5],
    ['an unknown alias', file(`${head}\ntags: *other`), 5],
    [
      'aliases that expand without end',
      file(
        `${head}\na: &a [x,x,x,x,x,x,x,x,x]\nb: &b [*a,*a,*a,*a,*a,*a,*a,*a,*a]\nc: &c [*b,*b,*b,*b,*b,*b,*b,*b,*b]\nd: [*c,*c,*c,*c,*c,*c,*c,*c,*c]`,
      ),
      8,
    ],
    ['a zero byte', file(head, 'a\nb\0'), 8],
    ['half of a character', file(head, '\ud800'), 7],
  ])('with %s is rejected with its line', (_, text, lineNumber) => {
    expect(() => parseAsset(text, { path: 'a.md' })).toThrow(
      expect.objectContaining({ code: 'INVALID_ASSET', line: lineNumber, path: 'a.md' }),
    );
  });

  test('with front matter that nests without end is rejected', () => {
    expect(() => parseAsset(file(`${head}\na: ${'['.repeat(20_000)}`))).toThrow(
      expect.objectContaining({ code: 'INVALID_ASSET' }),
    );
  });

  test('that is too large is rejected before it is read', () => {
    const text = file(head, 'x'.repeat(5 * 1024 * 1024));
    const refused = expect.objectContaining({ code: 'TOO_LARGE' });
    expect(() => parseAsset(text)).toThrow(refused);
    expect(() => decodeAsset(Buffer.from(text))).toThrow(refused);
    expect(() => parseAsset(file(head, '汉'.repeat(MAX_ASSET_BYTES / 2)))).toThrow(refused);
  });

  test('that is not UTF-8 is rejected, and a byte order mark is kept', () => {
    expect(() => decodeAsset(Buffer.from([0x2d, 0xff, 0xfe]), { path: 'x.md' })).toThrow(
      expect.objectContaining({ code: 'INVALID_ASSET', path: 'x.md' }),
    );
    const text = `\ufeff${file(head)}`;
    expect(decodeAsset(Buffer.from(text))).toBe(text);
    expect(parseAsset(text).fields.name).toBe('redis');
  });

  test('reads tags and paths of one text, numbers, and names in any Unicode form', () => {
    const { fields } = parseAsset(file('name: e\u0301\ntype: adr\ntitle: 2026\ntags: a, b,a\npaths: src/*'));
    expect(fields).toMatchObject({ name: 'é', title: '2026', tags: ['a', 'b'], paths: ['src/*'] });
  });

  test('keeps numbers as they are written', () => {
    const { fields } = parseAsset(
      file('name: 1.10\ntype: adr\ntitle: 0x1F\ntags: [1.0, true, 2026-01-28]\nproduct_line: 1e3'),
    );
    expect(fields).toMatchObject({
      name: '1.10',
      title: '0x1F',
      tags: ['1.0', 'true', '2026-01-28'],
      productLine: '1e3',
    });
  });

  test('of any fields reads as these fields', () => {
    fc.assert(
      fc.property(drafts, fc.string({ unit: 'grapheme' }), (draft, body) => {
        const parsed = parseAsset(formatAsset(draft, `x${body.replaceAll('\0', '')}`));
        const { status, ...fields } = parsed.fields;
        expect(status).toBe(draft.supersededBy === undefined ? 'active' : 'superseded');
        expect({ verifiedMs: undefined, supersededBy: undefined, ...fields }).toEqual(draft);
      }),
    );
  });
});

describe('any text', () => {
  const parts = fc.constantFrom(
    '---',
    '\n',
    '\r\n',
    'name: a',
    'title: ',
    'type: adr',
    '"',
    '[',
    '*',
    '&a ',
    ': ',
    '\ufeff',
    '\0',
    '- ',
    '#',
    '{',
    '|',
    '>',
  );

  test('is an asset, or is rejected as invalid', () => {
    fc.assert(
      fc.property(fc.array(fc.oneof(parts, fc.string()), { maxLength: 40 }), (texts) => {
        const outcome = outcomeOf(`---\n${texts.join('')}`);
        expect(['an asset', 'INVALID_ASSET']).toContain(outcome);
      }),
      { numRuns: 500 },
    );
  });

  test.each([
    ['spaces', `---\n${head}\n---${' '.repeat(900_000)}x`],
    ['lines of whitespace', `---\n${head}\n---\n${' \n'.repeat(450_000)}`],
    ['fences', `---\n${head}\n${'--- x\n'.repeat(100_000)}`],
    ['keys', `---\n${Array.from({ length: 4000 }, (_, index) => `k${index}:`).join('\n')}\n---\n`],
    ['aliases', `---\na: &a [x]\nb: [${'*a,'.repeat(9000)}]\n---\n`],
  ])('of a megabyte of %s is read or rejected in bounded time', (_, text) => {
    expect(['an asset', 'INVALID_ASSET']).toContain(outcomeOf(text));
  });
});

describe('an edit', () => {
  test('leaves the rest of the file as it is', () => {
    const text =
      '\ufeff---\r\n# who owns it\r\nowner: me # keep\r\nname: redis\r\ntype: adr\r\ntitle: "T"\r\n---\r\n\r\nBody \r\n---\r\n';
    expect(editAsset(text, {})).toBe(text);
    expect(editAsset(text, { fields: { type: 'adr', title: 'T' } })).toBe(text);
    expect(editAsset(text, { fields: { type: 'pitfall', tags: ['a', 'b'] } })).toBe(
      '\ufeff---\r\n# who owns it\r\nowner: me # keep\r\nname: redis\r\ntype: pitfall\r\ntitle: "T"\r\ntags: [a, b]\r\n---\r\n\r\nBody \r\n---\r\n',
    );
    expect(editAsset(text, { body: 'New' })).toBe(
      '\ufeff---\r\n# who owns it\r\nowner: me # keep\r\nname: redis\r\ntype: adr\r\ntitle: "T"\r\n---\r\n\r\nNew',
    );
  });

  test('keeps the comments next to the values that it changes', () => {
    const text = file(
      'name: a # its name\ntype: adr\ntitle: T # one line\ntags: [x] # short\npaths:\n  - a # one\n# last',
    );
    const edited = editAsset(text, { fields: { name: 'b', title: 'U', tags: ['y', 'z'], paths: ['b'] } });
    for (const line of ['name: b # its name', 'title: U # one line', 'tags: [y, z] # short', '# last']) {
      expect(edited.split('\n')).toContain(line);
    }
    expect(parseAsset(edited).fields).toMatchObject({ name: 'b', title: 'U', tags: ['y', 'z'], paths: ['b'] });
  });

  test('is rejected when an alias refers to the changed value', () => {
    const text = file('name: a\ntype: adr\ntitle: &t T\nother: *t');
    expect(() => editAsset(text, { fields: { title: 'U' } })).toThrow(
      expect.objectContaining({ code: 'INVALID_ASSET' }),
    );
    expect(parseAsset(editAsset(text, { fields: { tags: ['x'] } })).fields.title).toBe('T');
  });

  test('removes fields that are set to nothing', () => {
    const text = file(`${head}\ntags: [a]\nstatus: deprecated\nverified_at: 2026-01-28`);
    expect(editAsset(text, { fields: { tags: [], status: 'active', verifiedMs: null } })).toBe(file(head));
  });

  test('of a file that ends with its front matter adds a body', () => {
    expect(editAsset(`---\n${head}\n---`, { body: 'x' })).toBe(`---\n${head}\n---\nx`);
  });

  test('of any field changes this field only', () => {
    fc.assert(
      fc.property(drafts, drafts, fc.string({ unit: 'grapheme' }), (before, after, rest) => {
        const body = `x${rest.replaceAll('\0', '')}\n`;
        const text = formatAsset(before, body).replace('---\n', '---\nowner: me # keep\n');
        const edited = editAsset(text, { fields: { title: after.title } });
        const { fields, body: editedBody } = parseAsset(edited);
        expect(fields).toEqual({ ...parseAsset(text).fields, title: after.title });
        expect(editedBody).toBe(parseAsset(text).body);
        expect(edited).toContain('owner: me # keep\n');
      }),
    );
  });
});

test('bodies that differ in spaces and line ends only have the same content', () => {
  expect(contentHash('a  b\r\n\r\nc\n')).toBe(contentHash('a b\nc'));
  expect(contentHash('ab')).not.toBe(contentHash('a b'));
});
