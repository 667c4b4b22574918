/** File contents by name. */
export type Contents = Readonly<Record<string, Uint8Array>>;

/** Where readers hand over: 64 KiB is ripgrep's buffer, 256 KiB what is read of a file at once. */
const boundaries: readonly number[] = [65_536, 262_144, 524_288];

function latin1(text: string): Buffer {
  return Buffer.from(text, 'latin1');
}

/** Few long lines rather than many short ones: every line is compared, once per pattern. */
function numberedLines(count: number, end = '\n', padding = 0): string {
  const rest = `${'.'.repeat(padding)}${end}`;
  return Array.from({ length: count }, (_, index) => `needle ${index + 1}${rest}`).join('');
}

/** Long lines up to a length, the last one as long as it must be. */
function filler(length: number): string {
  const line = `${'.'.repeat(2047)}\n`;
  const whole = line.repeat(Math.max(0, Math.floor(length / line.length) - 1));
  const rest = length - whole.length;
  return rest === 0 ? whole : `${whole}${','.repeat(rest - 1)}\n`;
}

/** Contents that have made searchers disagree. Nearly every line has the word `needle`. */
export function oddFiles(): Contents {
  const texts: Readonly<Record<string, string>> = {
    'plain.txt': 'one needle\ntwo\n\nfour Needle x\n  needle\t\nthe end\n',
    'empty.txt': '',
    'newline-only.txt': '\n',
    'newlines-only.txt': '\n\n\n',
    'no-final-newline.txt': 'first\nlast needle',
    'one-letter.txt': 'x',
    'crlf.txt': 'one needle\r\n\r\ntwo x\r\nneedle\r\nend',
    'crlf-no-final-newline.txt': 'needle\r\nneedle\r',
    'cr-only.txt': 'needle\rneedle\rx',
    'cr-cr-lf.txt': 'needle\r\r\nx\r\r\n',
    'mixed-ends.txt': 'needle\nneedle\r\nneedle\n\rneedle\r\n\n',
    'blanks.txt': ' \n\t\n  x  \n\u00A0\n\u3000needle\n\u0085\n',
    'line-separators.txt': 'needle\u2028needle\u2029needle\u0085needle\vneedle\fneedle\n',
    'letters.txt': 'Éa éA ß ẞ ſ K k ı İ\nΑλφα ΩΣς\nЖж\n漢字 needle\n😀 needle 😀\ncafe\u0301\n',
    'case.txt': 'NEEDLE\nNeedle\nneedle\nneedLe\n',
    'repeats.txt': 'aaa\naab\nabab\nb\nba\n\naXb\na\tb\n',
    'marks.txt': 'a.b\na+b\n(needle)\n[needle]\n{needle}\n$needle^\n\\needle\n|\n',
    'numbers.txt': '1\n22\n333\n4444 needle 55555\n',
    'many-lines.txt': numberedLines(300),
    'many-crlf-lines.txt': numberedLines(300, '\r\n'),
    'bom.txt': `\uFEFF${mixed}`,
    'bom-only.txt': '\uFEFF',
    'bom-twice.txt': '\uFEFF\uFEFFneedle\n',
    'bom-inside.txt': 'x\n\uFEFFneedle\n',
    'bom-and-nul.bin': '\uFEFFneedle\nneedle\0\n',
    'nul-only.bin': '\0',
    'nul-first.bin': `\0${numberedLines(5)}`,
    'nul-near-the-start.bin': `${numberedLines(5)}x\0y needle\n${numberedLines(5)}`,
    'nul-at-a-line-start.bin': `${numberedLines(3)}\0\n${numberedLines(3)}`,
    'nul-last.bin': `${numberedLines(3)}\0`,
    'nul-without-newline.bin': 'needle\0needle',
  };
  const entries = Object.entries(texts).map(([name, text]) => [name, Buffer.from(text)] as const);
  return {
    ...Object.fromEntries(entries),
    'invalid.txt': latin1(
      'needle \xFF\n\xFF\xFE\xFD x\n\xC3\nneedle\xE2\x82\n\xF0\x9F\x98 needle\n\xC0\xAFneedle\n\xED\xA0\x80\n',
    ),
    'invalid-at-the-end.txt': latin1('needle\nneedle \xE2\x82'),
    'latin1.txt': latin1('caf\xE9 needle\nna\xEFve\n'),
    'part-of-a-bom.txt': latin1('\xEF\xBBneedle\n'),
    'utf16-le.txt': littleEndian(mixed),
    'utf16-be.txt': bigEndian(mixed),
    'utf16-le-bom-only.txt': littleEndian(''),
    'utf16-be-bom-only.txt': bigEndian(''),
    'utf16-le-odd-length.txt': Buffer.concat([littleEndian(mixed), latin1('x')]),
    'utf16-le-half-pairs.txt': littleEndian('needle \uD83D\nneedle \uDE00\n'),
    'utf16-le-nul.txt': littleEndian('needle\nx\0needle\nneedle\n'),
    'utf16-le-without-bom.txt': littleEndian(mixed).subarray(2),
    'utf16-be-without-bom.txt': bigEndian(mixed).subarray(2),
  };
}

const mixed = 'needle é\r\nfirst 漢字\n\n😀 needle 😀\nlast needle';

function littleEndian(text: string): Buffer {
  return Buffer.from(`\uFEFF${text}`, 'utf16le');
}

function bigEndian(text: string): Buffer {
  return littleEndian(text).swap16();
}

/** Contents that are longer than any buffer, with lines that lie across the places where one ends. */
export function longFiles(): Contents {
  const dots = '.'.repeat(1_048_576);
  const text = `needle 😀 é${'.'.repeat(300)}\n`.repeat(1_000);
  const files: Record<string, Uint8Array> = {
    'bom.txt': Buffer.from(`\uFEFF${text}`),
    'utf16-le.txt': littleEndian(text),
    'utf16-be.txt': bigEndian(text),
    'utf16-le-shifted.txt': littleEndian(`x${text}`),
    'huge-line.txt': latin1(`${dots}needle`),
    'huge-line-first.txt': latin1(`needle${dots}\nneedle\n`),
    'huge-line-between.txt': latin1(`needle\n${dots.slice(0, 500_000)} needle ${dots.slice(500_000)}\nneedle\n`),
    'huge-line-without.txt': latin1(`${dots}\n`),
    'huge-line-of-letters.txt': Buffer.from(`${'é'.repeat(524_288)}needle\n漢needle\n`),
    'lines.txt': latin1(numberedLines(2_000, '\n', 400)),
    'crlf-lines.txt': latin1(numberedLines(2_000, '\r\n', 400)),
  };
  for (const boundary of boundaries) {
    for (const shift of [-6, -3, -1, 0]) {
      const name = `at-${boundary}${shift < 0 ? '-minus-' : '-plus-'}${Math.abs(shift)}`;
      files[`${name}.txt`] = latin1(`${filler(boundary + shift)}needle\r\nneedle x\nlast needle`);
    }
    files[`at-${boundary}-letter.txt`] = Buffer.from(`${filler(boundary - 2)}😀needle\n${filler(1000)}`);
    files[`at-${boundary}-end.txt`] = latin1(filler(boundary));
    files[`at-${boundary}-open-end.txt`] = latin1(filler(boundary).slice(0, -1));
    files[`at-${boundary}-long-line.txt`] = latin1(`needle ${'.'.repeat(boundary - 10)}needle\n\nneedle`);
  }
  return files;
}

/** Text with a NUL after more of it than fits into a buffer. */
export function lateNulFiles(): Contents {
  const text = numberedLines(1_200, '\n', 500);
  const words = 'needle '.repeat(15_000);
  const places = [
    65_535, 65_536, 65_539, 70_000, 131_072, 200_000, 262_143, 262_144, 262_147, 270_000, 330_000, 400_000,
  ];
  const entries = places.map((place) => {
    return [`nul-at-${place}.bin`, latin1(`${text.slice(0, place)}\0${text.slice(place + 1)}`)] as const;
  });
  return {
    ...Object.fromEntries(entries),
    'nul-after-a-long-line.bin': latin1(`needle\n${words}\nneedle\n\0\nneedle\n`),
    'nul-in-a-long-line.bin': latin1(`needle\n${words}\0${words}\nneedle\n`),
    'nul-far-after-a-long-line.bin': latin1(`needle\n${words}\n${text.slice(0, 200_000)}\0\nneedle\n`),
    'nul-after-a-bom.bin': Buffer.from(`\uFEFF${text.slice(0, 200_000)}\0${text}`),
  };
}
