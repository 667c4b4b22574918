import fc from 'fast-check';
import { expect, test } from 'vitest';
import { escapeName } from './escape.ts';

const bytes = (...numbers: readonly number[]): Uint8Array => Uint8Array.from(numbers);

test.each<readonly [reason: string, name: string, shown: string]>([
  ['an ordinary name', 'index.test.ts', 'index.test.ts'],
  ['spaces inside', 'a b  c', 'a b  c'],
  ['other scripts', '漢字 é Ω', '漢字 é Ω'],
  ['an emoji with joiners', '👩‍💻.md', '👩‍💻.md'],
  ['a line feed', 'a\nb', String.raw`a\u{A}b`],
  ['a carriage return', 'a\rb', String.raw`a\u{D}b`],
  ['an escape sequence of a terminal', '\u001b[2J', String.raw`\u{1B}[2J`],
  ['a C1 control', 'a\u0085b', String.raw`a\u{85}b`],
  ['a line separator', 'a\u2028b', String.raw`a\u{2028}b`],
  ['a paragraph separator', 'a\u2029b', String.raw`a\u{2029}b`],
  ['right-to-left override', '\u202egnp.exe', String.raw`\u{202E}gnp.exe`],
  ['a directional isolate', 'a\u2066b', String.raw`a\u{2066}b`],
  ['an Arabic letter mark', 'a\u061cb', String.raw`a\u{61C}b`],
  ['a zero-width space', 'a\u200bb', String.raw`a\u{200B}b`],
  ['a tag character', 'a\u{e0041}b', String.raw`a\u{E0041}b`],
  ['a lone surrogate', 'a\ud800b', String.raw`a\u{D800}b`],
  ['a backslash', String.raw`a\b`, String.raw`a\\b`],
  ['an escape in the name itself', String.raw`\u{A}`, String.raw`\\u{A}`],
  ['a space at the start', ' a', String.raw`\u{20}a`],
  ['a space at the end', 'a ', String.raw`a\u{20}`],
  ['a no-break space at the start', '\u00a0a', String.raw`\u{A0}a`],
  ['a space alone', ' ', String.raw`\u{20}`],
  ['the begin of a count', '… 5 more', String.raw`\u{2026} 5 more`],
  ['an ellipsis inside', 'a…', 'a…'],
  ['the begin of the notice', '... (truncated)', String.raw`\u{2E}.. (truncated)`],
  ['three dots', '...', '...'],
  ['the arrow of a link', 'a -> b', String.raw`a -\u{3E} b`],
  ['two arrows', 'a -> b -> c', String.raw`a -\u{3E} b -\u{3E} c`],
  ['an arrow without spaces', 'a->b', 'a->b'],
  ['backticks', '```', '```'],
  ['a real replacement character', 'a\ufffd', 'a\ufffd'],
])('%s', (_reason, name, shown) => {
  expect(escapeName(name)).toBe(shown);
});

test.each<readonly [reason: string, shown: string, raw: Uint8Array]>([
  ['a byte that is not UTF-8', String.raw`f\xFF.txt`, bytes(0x66, 0xff, 0x2e, 0x74, 0x78, 0x74)],
  ['a sequence that ends early', String.raw`a\xC3`, bytes(0x61, 0xc3)],
  ['an encoded surrogate', String.raw`\xED\xA0\x80`, bytes(0xed, 0xa0, 0x80)],
  ['an overlong slash', String.raw`\xC0\xAF`, bytes(0xc0, 0xaf)],
  ['an invalid byte among others', String.raw`é\u{A}\xFF漢`, bytes(0xc3, 0xa9, 0x0a, 0xff, 0xe6, 0xbc, 0xa2)],
])('%s', (_reason, shown, raw) => {
  expect(escapeName(Buffer.from(raw).toString('utf8'), raw)).toBe(shown);
});

/** The bytes of the name that was escaped. */
function unescape(text: string): Buffer {
  const parts = [...text.matchAll(/\\\\|\\u\{([0-9A-F]+)\}|\\x([0-9A-F]{2})|[^\\]+/gu)];
  return Buffer.concat(
    parts.map(([part = '', code, byte]) => {
      if (byte !== undefined) return Buffer.from([Number.parseInt(byte, 16)]);
      if (code !== undefined) return Buffer.from(String.fromCodePoint(Number.parseInt(code, 16)));
      return Buffer.from(part === '\\\\' ? '\\' : part);
    }),
  );
}

test('what is written is one line and can be read back to the same bytes', () => {
  fc.assert(
    fc.property(fc.uint8Array({ minLength: 1, maxLength: 12 }), (raw) => {
      const name = Buffer.from(raw).toString('utf8');
      const isValid = Buffer.from(name).equals(raw);
      const shown = escapeName(name, isValid ? undefined : raw);
      expect(shown).not.toMatch(/[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}\p{Cs}]/u);
      expect(unescape(shown).equals(raw)).toBe(true);
    }),
    { numRuns: 2000 },
  );
});
