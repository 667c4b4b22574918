import fc from 'fast-check';

/** A file as a recipe, so that a counterexample can be read and made smaller. */
export interface FuzzFile {
  readonly encoding: Encoding;
  /** The number of bytes of filler before the text; the bytes after the end of a buffer decide what a reader sees next. */
  readonly before: number;
  /** One line for the filler, or many. */
  readonly isOneLine: boolean;
  readonly text: string;
  readonly after: number;
}

type Encoding = keyof typeof encoders;

const encoders = {
  'utf-8': (text: string): Buffer => Buffer.from(text),
  'utf-8 with BOM': (text: string): Buffer => Buffer.from(`\uFEFF${text}`),
  'utf-16le with BOM': (text: string): Buffer => Buffer.from(`\uFEFF${text}`, 'utf16le'),
  'utf-16be with BOM': (text: string): Buffer => Buffer.from(`\uFEFF${text}`, 'utf16le').swap16(),
  'utf-16le with BOM, cut': (text: string): Buffer => Buffer.from(`\uFEFF${text}`, 'utf16le').subarray(0, -1),
  latin1: (text: string): Buffer => Buffer.from(text, 'latin1'),
  'utf-8, cut': (text: string): Buffer => Buffer.from(text).subarray(0, -1),
} as const;

const lineLength = 4096;

function filler(bytes: number, isOneLine: boolean): string {
  if (isOneLine) return '.'.repeat(bytes);
  const line = `${'.'.repeat(lineLength - 1)}\n`;
  const rest = bytes % lineLength;
  return line.repeat(Math.floor(bytes / lineLength)) + (rest === 0 ? '' : `${'.'.repeat(rest - 1)}\n`);
}

export function toBytes({ encoding, before, isOneLine, text, after }: FuzzFile): Uint8Array {
  return encoders[encoding](filler(before, isOneLine) + text + filler(after, isOneLine));
}

export function isLarge({ before }: FuzzFile): boolean {
  return before > 0;
}

export function hasNul({ text }: FuzzFile): boolean {
  return text.includes('\0');
}

/** The parts of texts. */
const textPieces: readonly string[] = [
  ['a', 'b', 'ab', 'A', 'B', ' ', '  ', '\t', '.', '-', '_', '1', '20', 'x', 'k', 's', 'foo', 'Foo bar', 'foo(a)'],
  ['{a}', '[b]', '$a', '\\', '|', '"', 'é', 'É', 'ß', 'ſ', 'K', 'σς', '漢', '字', '😀', 'e\u0301', '\u00A0', '\u0085'],
  ['\u2028', '\uFEFF', '\uFFFD', '\v', '\f', '\r', '\n', '\n', '\n', '\n', '\r\n', '\r\n', '\n\n', 'a\n', 'b\r\n'],
].flat();

/** Nearly every pattern asks for some of these. */
const commonPieces: readonly string[] = [
  'a',
  'b',
  'a',
  'b',
  'ab',
  'A',
  'x',
  ' ',
  ' ',
  '1',
  '.',
  'foo',
  'é',
  '\n',
  '\n',
];

const piece = fc.oneof(fc.constantFrom(...commonPieces), fc.constantFrom(...textPieces));
const smallText = fc.oneof(
  { weight: 4, arbitrary: fc.array(piece, { maxLength: 80, size: 'max' }).map((pieces) => pieces.join('')) },
  { weight: 1, arbitrary: fc.array(piece, { maxLength: 6 }).map((pieces) => pieces.join('')) },
);
const plainText = fc
  .array(fc.constantFrom('a', 'b', 'ab ', 'foo', ' ', '1', 'é', '😀', '\n', '\n', '\r\n'), { maxLength: 20 })
  .map((pieces) => pieces.join(''));
const repeatedText = fc.tuple(smallText, fc.integer({ min: 2, max: 20 })).map(([text, times]) => text.repeat(times));

const encoding = fc.oneof(
  { weight: 8, arbitrary: fc.constant<Encoding>('utf-8') },
  { weight: 5, arbitrary: fc.constantFrom(...(Object.keys(encoders) as Encoding[])) },
);

/** NULs as text: at the front, in the middle, at the end. */
const textWithNul = fc
  .tuple(smallText, fc.constantFrom('\0', '\0\0', '\n\0\n', '\0\n'), smallText)
  .map((parts) => parts.join(''));

const smallFile: fc.Arbitrary<FuzzFile> = fc.record({
  encoding,
  before: fc.constant(0),
  isOneLine: fc.constant(false),
  text: fc.oneof({ weight: 6, arbitrary: smallText }, { weight: 1, arbitrary: repeatedText }, textWithNul),
  after: fc.constant(0),
});

/** Where one reader or another hands over. */
const boundaries: readonly number[] = [65_536, 131_072, 196_608, 262_144, 327_680];

const nearBoundary = fc
  .tuple(fc.constantFrom(...boundaries), fc.integer({ min: -24, max: 6 }))
  .map(([boundary, shift]) => boundary + shift);

const largeFile: fc.Arbitrary<FuzzFile> = fc.record({
  encoding: fc.constantFrom<Encoding>('utf-8', 'utf-8', 'utf-8', 'utf-8 with BOM', 'utf-16le with BOM'),
  before: nearBoundary,
  isOneLine: fc.oneof({ weight: 4, arbitrary: fc.constant(false) }, fc.constant(true)),
  text: plainText,
  after: fc.oneof(fc.constant(0), fc.constantFrom(100, 4095, 65_536, 200_000)),
});

/** A NUL far behind the beginning, in a file of short lines. */
const lateNulFile: fc.Arbitrary<FuzzFile> = fc.record({
  encoding: fc.constantFrom<Encoding>('utf-8', 'utf-8', 'utf-8 with BOM'),
  before: fc.oneof(nearBoundary, fc.integer({ min: 60_000, max: 300_000 })),
  isOneLine: fc.constant(false),
  text: fc.tuple(plainText, plainText).map((parts) => parts.join('\0')),
  after: fc.constantFrom(0, 100, 4095, 65_536, 200_000),
});

/**
 * The files of a tree. ripgrep's buffer grows with the lines it has seen, and where a NUL ends its search depends on the
 * buffer: so a file with a NUL is not next to one with long lines, and one with a late NUL is alone.
 */
export const fuzzFiles: fc.Arbitrary<FuzzFile[]> = fc.oneof(
  { weight: 12, arbitrary: fc.array(smallFile, { minLength: 1, maxLength: 16, size: 'max' }) },
  { weight: 3, arbitrary: fc.array(largeFile, { minLength: 1, maxLength: 3 }) },
  { weight: 1, arbitrary: fc.tuple(lateNulFile) },
);
