import fc from 'fast-check';
import { expect, test } from 'vitest';
import { LineReader, type OversizedLine } from './line-reader.ts';

function readAll(chunks: readonly Buffer[], maxBytes: number): { lines: string[]; oversized: OversizedLine[] } {
  const [lines, oversized]: [string[], OversizedLine[]] = [[], []];
  const reader = new LineReader({
    maxBytes,
    onLine: (line) => lines.push(line.toString('latin1')),
    onOversized: (line) => oversized.push(line),
  });
  for (const chunk of chunks) reader.push(chunk);
  reader.end();
  return { lines, oversized };
}

test('lines do not depend on how their bytes arrive in chunks', () => {
  const line = fc.stringMatching(/^[a-z]{0,40}$/u);
  fc.assert(
    fc.property(
      fc.array(line),
      fc.array(fc.integer({ min: 1, max: 9 })),
      fc.integer({ min: 0, max: 30 }),
      (lines, cuts, max) => {
        const bytes = Buffer.from(lines.map((one) => `${one}\n`).join(''));
        const chunks: Buffer[] = [];
        for (let start = 0, turn = 0; start < bytes.length; turn++) {
          const end = start + (cuts[turn % cuts.length] ?? bytes.length);
          chunks.push(bytes.subarray(start, end));
          start = end;
        }
        const read = readAll(chunks, max);
        expect(read.lines).toEqual(lines.filter((one) => one !== '' && one.length <= max));
        expect(read.oversized.map(({ bytes: length }) => length)).toEqual(
          lines.filter((one) => one.length > max).map((one) => one.length),
        );
      },
    ),
  );
});

test('only both ends of a line that is too long are kept', () => {
  const long = `begin${'x'.repeat(100_000)}end`;
  const bytes = Buffer.from(`${long}\nshort\n`);
  for (const size of [1, 7, 1000, bytes.length]) {
    const chunks = Array.from({ length: Math.ceil(bytes.length / size) }, (_, index) =>
      bytes.subarray(index * size, (index + 1) * size),
    );
    const { lines, oversized } = readAll(chunks, 300);
    expect(lines, `chunks of ${size}`).toEqual(['short']);
    expect(oversized, `chunks of ${size}`).toEqual([
      { bytes: long.length, head: long.slice(0, 256), tail: long.slice(-256) },
    ]);
  }
});

test('a last line without a line feed is a line', () => {
  expect(readAll([Buffer.from('one\ntwo')], 10).lines).toEqual(['one', 'two']);
});
