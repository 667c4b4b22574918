import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { RetrievalError } from './errors.ts';
import { createTermIndex, deserializeTermIndex } from './term-index.ts';
import type { RankDocument, TermIndex } from './term-index.ts';

function indexOf(documents: readonly RankDocument[]): TermIndex {
  const index = createTermIndex();
  for (const document of documents) index.add(document);
  return index;
}

const texts = fc
  .array(fc.constantFrom('redis', 'cache', 'readFile', '表格', '缓存', 'the', '🎉', '한국'), { maxLength: 8 })
  .map((words) => words.join(' '));
const documentsOf = (ids: readonly string[]): fc.Arbitrary<RankDocument[]> =>
  fc.uniqueArray(fc.record({ id: fc.constantFrom(...ids), text: texts, timeMs: fc.nat(3) }), {
    selector: ({ id }) => id,
  });

describe('a serialized index', () => {
  test('ranks the same after it was read again, and states its sequence', () => {
    const property = fc.property(
      documentsOf(['a', 'b', 'c', 'd', 'é"\n']),
      texts,
      fc.nat(),
      (documents, query, sequence) => {
        const index = indexOf(documents);
        const read = deserializeTermIndex(index.serialize(sequence));
        expect(read.sequence).toBe(sequence);
        expect(read.index.size).toBe(documents.length);
        expect(read.index.rank(query, 10)).toEqual(index.rank(query, 10));
      },
    );
    fc.assert(property);
  });

  test('can be changed after it was read', () => {
    const { index } = deserializeTermIndex(indexOf([{ id: 'a', text: 'redis', timeMs: 1 }]).serialize(1));
    index.add({ id: 'b', text: 'redis cache', timeMs: 2 });
    expect(index.remove('a')).toBe(true);
    expect(index.rank('redis', 10)).toEqual(indexOf([{ id: 'b', text: 'redis cache', timeMs: 2 }]).rank('redis', 10));
  });

  test('does not contain the terms of removed documents', () => {
    const index = indexOf([
      { id: 'a', text: 'secret', timeMs: 1 },
      { id: 'b', text: 'public', timeMs: 2 },
    ]);
    index.remove('a');
    expect(index.serialize(2)).not.toContain('secret');
  });

  test.each([-1, 1.5, Number.NaN, 2 ** 53])('refuses the sequence %s', (sequence) => {
    expect(() => createTermIndex().serialize(sequence)).toThrow(/invalid sequence/);
  });
});

describe('merging indexes', () => {
  test('ranks like one index of all documents; a merged document replaces the one with the same id', () => {
    const ids = ['a', 'b', 'c', 'd'];
    const property = fc.property(documentsOf(ids), documentsOf(ids), texts, (documents, others, query) => {
      const index = indexOf(documents);
      index.merge(deserializeTermIndex(indexOf(others).serialize(0)).index);
      expect([...index.ids()].toSorted()).toEqual(
        [...new Set([...documents, ...others].map(({ id }) => id))].toSorted(),
      );
      expect(index.rank(query, 10)).toEqual(indexOf([...documents, ...others]).rank(query, 10));
    });
    fc.assert(property);
  });

  test('with itself changes nothing', () => {
    const index = indexOf([{ id: 'a', text: 'redis', timeMs: 1 }]);
    index.merge(index);
    expect(index.rank('redis', 5)).toHaveLength(1);
  });

  test('refuses an index of another origin', () => {
    const foreign: TermIndex = { ...createTermIndex(), size: 0 };
    expect(() => createTermIndex().merge(foreign)).toThrow(RetrievalError);
  });
});

const good = indexOf([
  { id: 'a', text: 'redis cache', timeMs: 1 },
  { id: 'b', text: '表格 redis', timeMs: 2 },
]).serialize(7);
const [header = '', body = ''] = good.split('\n');

/** The same body with another header. */
function withHeader(fields: Readonly<Record<string, unknown>>): string {
  return `${JSON.stringify({ ...(JSON.parse(header) as object), ...fields })}\n${body}`;
}

/** FNV-1a over UTF-16 code units, as the format states it. */
function checksumOf(text: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  return hash >>> 0;
}

/** Other columns with a right checksum. */
function withColumns(fields: Readonly<Record<string, unknown>>): string {
  const changed = JSON.stringify({ ...(JSON.parse(body) as object), ...fields });
  const head = { ...(JSON.parse(header) as object), checksum: checksumOf(`7 ${changed}`) };
  return `${JSON.stringify(head)}\n${changed}`;
}

function codeOf(text: string): unknown {
  try {
    deserializeTermIndex(text);
    return 'accepted';
  } catch (error) {
    return RetrievalError.isInstance(error) ? error.code : error;
  }
}

test.each([
  ['an empty text', '', 'CORRUPT_INDEX'],
  ['another JSON', '{}\n{}', 'CORRUPT_INDEX'],
  ['null', 'null\nnull', 'CORRUPT_INDEX'],
  ['a header only', header, 'CORRUPT_INDEX'],
  ['a cut body', good.slice(0, -1), 'CORRUPT_INDEX'],
  ['another sequence', withHeader({ sequence: 8 }), 'CORRUPT_INDEX'],
  ['a sequence that is not a number', withHeader({ sequence: '7' }), 'CORRUPT_INDEX'],
  ['another format', withHeader({ format: 'other' }), 'CORRUPT_INDEX'],
  ['a newer format', withHeader({ version: 2 }), 'UNSUPPORTED_INDEX'],
  ['other rules for terms', withHeader({ terms: 0 }), 'UNSUPPORTED_INDEX'],
  ['another Unicode', withHeader({ unicode: '1.1' }), 'UNSUPPORTED_INDEX'],
  ['a missing column', withColumns({ postings: undefined }), 'CORRUPT_INDEX'],
  ['columns of different lengths', withColumns({ times: [1] }), 'CORRUPT_INDEX'],
  ['a repeated id', withColumns({ ids: ['a', 'a'] }), 'CORRUPT_INDEX'],
  ['an id that is not a text', withColumns({ ids: ['a', 2] }), 'CORRUPT_INDEX'],
  ['a time that is not a number', withColumns({ times: [1, null] }), 'CORRUPT_INDEX'],
  ['a slot out of range', withColumns({ terms: ['x'], postings: [[2, 1]] }), 'CORRUPT_INDEX'],
  ['a slot twice', withColumns({ terms: ['x'], postings: [[0, 1, 0, 1]] }), 'CORRUPT_INDEX'],
  ['half a posting', withColumns({ terms: ['x'], postings: [[0]] }), 'CORRUPT_INDEX'],
  ['missing terms', withColumns({ terms: [], postings: [] }), 'CORRUPT_INDEX'],
  ['the index as it was written', withColumns({}), 'accepted'],
])('reading %s', (reason, text, code) => {
  expect(codeOf(text), reason).toBe(code);
});

test('any changed character is noticed', () => {
  const property = fc.property(fc.nat(good.length - 1), fc.constantFrom('0', '9', 'x', '"', ','), (at, character) => {
    fc.pre(good[at] !== character);
    expect(codeOf(`${good.slice(0, at)}${character}${good.slice(at + 1)}`)).toMatch(/^(CORRUPT|UNSUPPORTED)_INDEX$/);
  });
  fc.assert(property);
});
