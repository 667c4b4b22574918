import { ASSET_TYPES, parseLine } from '@cairn/knowledge';
import { formatLine } from '@cairn/knowledge/internal';
import type { IndexLine } from '@cairn/knowledge/internal';
import * as fc from 'fast-check';
import { spawnSync } from 'node:child_process';
import { expect, test } from 'vitest';

/** Any text that is not empty. Half of the characters are those that lines must escape. */
const text = fc
  .string({
    unit: fc.oneof(
      fc.constantFrom('|', '\n', ',', '%', '\r', '\t', '7', 'C', '<!--', '-->', '中', ' ', '\u{202e}', '\u{1f600}'),
      fc.string({ unit: 'binary', minLength: 1, maxLength: 1 }),
    ),
    minLength: 1,
    maxLength: 12,
  })
  .filter((one) => !one.includes('\0'));

const assets: fc.Arbitrary<IndexLine> = fc.record({
  name: text,
  type: fc.constantFrom(...ASSET_TYPES),
  productLine: text,
  title: text,
  tags: fc.array(text, { maxLength: 4 }),
  isPromoted: fc.boolean(),
});

test('every line parses back to its asset', () => {
  fc.assert(
    fc.property(assets, (asset) => {
      const line = formatLine(asset);
      expect(line).not.toMatch(/[\n\r\u{85}\u{2028}\u{2029}]/u);
      expect(parseLine(line)).toEqual(asset);
    }),
    { numRuns: 2000 },
  );
});

/** Prints the fields of each line, decoded, as their length in bytes, a colon, and the bytes. */
const PROGRAM = String.raw`
function decode(text,   out, at, high, low) {
  out = ""
  while ((at = index(text, "%")) > 0) {
    high = index("0123456789ABCDEF", substr(text, at + 1, 1)) - 1
    low = index("0123456789ABCDEF", substr(text, at + 2, 1)) - 1
    out = out substr(text, 1, at - 1) sprintf("%c", high * 16 + low)
    text = substr(text, at + 3)
  }
  return out text
}
function show(text) { printf "%d:%s", length(text), text }
/<!-- INDEX_START -->/ { inside = 1; next }
/<!-- INDEX_END -->/ { inside = 0 }
inside {
  count = split($0, fields, "|")
  if (count != 6) { exit 1 }
  for (i = 1; i <= 4; i++) show(decode(fields[i]))
  count = fields[5] == "" ? 0 : split(fields[5], tags, ",")
  show(count "")
  for (i = 1; i <= count; i++) show(decode(tags[i]))
  show(fields[6])
}`;

/** Reads the output of the program. */
function readShown(output: Buffer): string[] {
  const shown: string[] = [];
  for (let at = 0; at < output.length;) {
    const colon = output.indexOf(':', at);
    const end = colon + 1 + Number(output.toString('latin1', at, colon));
    shown.push(output.toString('utf8', colon + 1, end));
    at = end;
  }
  return shown;
}

test('awk reads the same assets from the index', () => {
  const all = fc.sample(assets, { numRuns: 500, seed: 7 });
  const input = ['# x|y', '<!-- INDEX_START -->', ...all.map(formatLine), '<!-- INDEX_END -->', 'a|b|c|d|e|f', ''].join(
    '\n',
  );
  const { status, stdout, stderr } = spawnSync('awk', [PROGRAM], { input, env: { ...process.env, LC_ALL: 'C' } });
  expect({ status, stderr: String(stderr) }).toEqual({ status: 0, stderr: '' });
  const expected = all.flatMap(({ name, type, productLine, title, tags, isPromoted }) => {
    return [name, type, productLine, title, String(tags.length), ...tags, isPromoted ? '1' : '0'];
  });
  expect(readShown(stdout)).toEqual(expected);
});
