import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { runToEnd, scoreParts } from './score.ts';
import type { Part } from './score.ts';
import { blockOf, mergeSegments, readBlock, readColumns, termsOfBlock, writeSegment } from './segment.ts';
import type { SegmentColumns, SegmentRows } from './segment.ts';
import { SegmentBuilder } from './segment-builder.ts';
import type { SequencedDocument } from './segment-builder.ts';
import { termsOf, visitTermsInSlices } from './terms.ts';

function build(documents: readonly SequencedDocument[]): SegmentBuilder {
  const builder = new SegmentBuilder();
  for (const document of documents) runToEnd(builder.add(document));
  return builder;
}

/** A segment as a part of a collection, read from its rows. */
function partOf(name: string, rows: SegmentRows): Part & { readonly columns: SegmentColumns } {
  const columns = readColumns(name, rows.columns);
  return {
    ...columns,
    columns,
    postingsOf: (term) => {
      const block = blockOf(columns, term);
      return block < 0 ? undefined : readBlock({ name, block, terms: [term] }, rows.blocks[block] ?? '').get(term);
    },
  };
}

const words = ['redis', 'cache', 'cached', 'readFile', '表格', '的', '𠮷野', '🎉', '2026-01-31', 'Ünïcode', 'x'];
const documentsArbitrary = fc
  .array(
    fc.tuple(
      fc.option(
        fc.array(fc.constantFrom(...words), { maxLength: 40 }).map((all) => all.join(' ')),
        { freq: 9 },
      ),
      fc.integer({ min: 1, max: 5_000_000 }),
      fc.integer({ min: 0, max: 8_640_000_000_000_000 }),
    ),
    { maxLength: 20 },
  )
  .map((all) => {
    let sequence = 0;
    return all.map(([text, step, timeMs]): SequencedDocument => {
      sequence += step;
      return { sequence, text: text ?? undefined, timeMs };
    });
  });

/** The scores of a collection for a query of all words. */
function scoresOf(parts: readonly Part[]): [part: number, slot: number, score: number][] {
  const terms = [...new Set(termsOf(words.join(' ')))].map((term) => ({ term, weight: 1 }));
  const scores = runToEnd(scoreParts(parts, terms, (one, other) => one.part - other.part || one.slot - other.slot));
  return scores.best(100).map(({ part, slot, score }) => [part, slot, score]);
}

describe('a segment', () => {
  test('has the columns and the postings of its documents', () => {
    fc.assert(
      fc.property(documentsArbitrary, (documents) => {
        const builder = build(documents);
        const rows = runToEnd(writeSegment('name', builder));
        const part = partOf('name', rows);
        expect([...part.columns.sequences]).toEqual(builder.sequences);
        expect([...part.columns.times]).toEqual(builder.times);
        expect([...part.columns.lengths]).toEqual(builder.lengths);
        expect([part.documents, part.totalLength]).toEqual([builder.documents, builder.totalLength]);
        const terms = rows.blocks.flatMap((row, block) => termsOfBlock({ name: 'name', block }, row));
        expect(terms).toEqual([...builder.postings.keys()].toSorted((one, other) => (one < other ? -1 : 1)));
        for (const [term, postings] of builder.postings)
          expect(Array.from(part.postingsOf(term) ?? [])).toEqual(postings);
        expect(scoresOf([part])).toEqual(scoresOf([builder]));
      }),
    );
  });

  test('is found in its blocks, however many it has', () => {
    const builder = build(
      Array.from({ length: 3000 }, (_, index) => ({
        sequence: index + 1,
        text: `word${index} common 表${String.fromCodePoint(0x4e00 + index)}`,
        timeMs: index,
      })),
    );
    const rows = runToEnd(writeSegment('name', builder));
    expect(rows.blocks.length).toBeGreaterThan(5);
    const part = partOf('name', rows);
    for (const term of ['word0', 'word2999', 'common', '一', '表']) {
      expect(Array.from(part.postingsOf(term) ?? []), term).toEqual(builder.postings.get(term));
    }
    expect(part.postingsOf('aaa')).toBeUndefined();
    expect(part.postingsOf('zebra')).toBeUndefined();
  });

  test('merged from several is that of all their documents, without those that are dropped', () => {
    fc.assert(
      fc.property(
        documentsArbitrary,
        fc.array(fc.nat(20), { maxLength: 3 }),
        fc.func(fc.boolean()),
        (documents, cuts, isDropped) => {
          const ends = [...cuts, documents.length].toSorted((one, other) => one - other);
          const inputs = ends.map((end, index) => {
            const own = documents.slice(ends[index - 1] ?? 0, end);
            const name = `input${index}`;
            const rows = runToEnd(writeSegment(name, build(own)));
            const columns = readColumns(name, rows.columns);
            return {
              name,
              columns,
              blocks: rows.blocks,
              isDropped: (slot: number) => isDropped(columns.sequences[slot]),
            };
          });
          const kept = build(documents.filter(({ sequence }) => !isDropped(sequence)));
          const merged = runToEnd(mergeSegments('name', inputs));
          expect(merged).toEqual(runToEnd(writeSegment('name', kept)));
        },
      ),
    );
  });

  const builder = build([{ sequence: 1, text: 'redis cache', timeMs: 1 }]);
  const rows = runToEnd(writeSegment('name', builder));
  const block = rows.blocks[0] ?? '';
  const damaged = { code: 'CORRUPT_INDEX' };

  test.each([
    ['cut', block.slice(0, -4)],
    ['empty', ''],
    ['not of the format', 'some text'],
    ['changed', `${block.slice(0, 12)}AAAA${block.slice(16)}`],
    ['the row of columns', rows.columns],
  ])('is refused when a block is %s', (reason, row) => {
    const read = (): unknown => readBlock({ name: 'name', block: 0, terms: ['redi'] }, row);
    expect(read, reason).toThrow(expect.objectContaining(damaged));
  });

  test('is refused under another name or number, and when its columns are damaged', () => {
    const place = { name: 'name', block: 0, terms: ['redi'] };
    expect(readBlock(place, block).size).toBe(1);
    expect(() => readBlock({ ...place, name: 'other' }, block)).toThrow(expect.objectContaining(damaged));
    expect(() => readBlock({ ...place, block: 1 }, block)).toThrow(expect.objectContaining(damaged));
    expect(() => readColumns('other', rows.columns)).toThrow(expect.objectContaining(damaged));
    expect(() => readColumns('name', rows.columns.slice(0, -4))).toThrow(expect.objectContaining(damaged));
  });
});

test('a long text has the same terms in slices', () => {
  const piece = fc.constantFrom(
    'word',
    'read_file',
    'a.b-c',
    '表格内容',
    '한국',
    '🎉',
    ' ',
    ', ',
    '。',
    '\u0301',
    '\u200b',
  );
  fc.assert(
    fc.property(fc.array(piece, { minLength: 40, maxLength: 60, size: 'max' }), (pieces) => {
      const text = pieces.join('').repeat(400);
      const terms: string[] = [];
      let slices = 0;
      for (const units of visitTermsInSlices(text, (term) => terms.push(term))) slices += units > 0 ? 1 : 0;
      expect(terms).toEqual(termsOf(text));
      expect(slices).toBeGreaterThan(/[ ,。]/u.test(text) ? 1 : 0);
    }),
    { numRuns: 20 },
  );
});
