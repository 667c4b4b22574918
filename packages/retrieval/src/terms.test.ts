import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { termsOf } from './terms.ts';

type Row = readonly [reason: string, text: string, expected: readonly string[]];

const rows: readonly Row[] = [
  ['words are in lower case', 'Hello World', ['hello', 'world']],
  ['words are stemmed', 'retries retrying connections', ['retri', 'retri', 'connect']],
  ['camel case is split and also kept whole', 'readFile', ['read', 'file', 'readfil']],
  ['snake case gives the same terms', 'read_file', ['read', 'file', 'readfil']],
  ['kebab case gives the same terms', 'read-file', ['read', 'file', 'readfil']],
  ['a constant', 'MAX__SIZE', ['max', 'size', 'maxsiz']],
  ['a dotted name', 'fs.read', ['fs', 'read', 'fsread']],
  ['an abbreviation ends before a word', 'HTTPServer', ['http', 'server', 'httpserver']],
  ['digits are words of their own', 'sha256', ['sha', '256', 'sha256']],
  ['a name with and without a joiner is the same', 'utf-8', ['utf', '8', 'utf8']],
  ['a version differs from the number with its digits', '3.14', ['3', '14', '3.14']],
  ['a date too', '2024-01-15', ['2024', '01', '15', '2024-01-15']],
  ['joiners at the start and end do not count', '__init__ -x. ...', ['init', 'x']],
  ['two dots or dashes do not join', 'one..two--three', ['one', 'two', 'three']],
  ['a full stop ends a sentence', 'the end. Next', ['the', 'end', 'next']],
  ['the apostrophe separates', "don't", ['don', 't']],
  ['a path', 'src/a_b.ts', ['src', 'a', 'b', 'ts', 'abt']],
  ['a URL', 'https://example.com/x?q=1', ['https', 'exampl', 'com', 'examplecom', 'x', 'q', '1']],
  ['Latin letters lose their accents', 'Café Ångström naïve', ['cafe', 'angstrom', 'naiv']],
  ['a combining accent is the same', 'Cafe\u0301', ['cafe']],
  ['a sharp s', 'Straße', ['strass']],
  ['other alphabets keep their marks', 'Ёлка й', ['ёлка', 'й']],
  ['Greek', 'Λόγος', ['λόγος']],
  ['full width becomes half width', 'Ｒｅｄｉｓ　１２', ['redi', '12']],
  ['ligatures are split', 'ﬁle', ['file']],
  ['Chinese: characters and pairs', '表格内容', ['表', '表格', '格', '格内', '内', '内容', '容']],
  ['a lone character', '3行', ['3', '行']],
  ['adjacent scripts', '3x3表格', ['3', 'x', '3', '3x3', '表', '表格', '格']],
  ['Latin within Chinese', '使用Redis缓存', ['使', '使用', '用', 'redi', '缓', '缓存', '存']],
  ['punctuation separates Chinese', '表，格', ['表', '格']],
  ['Hiragana and Katakana with its long vowel', 'データ', ['デ', 'デー', 'ー', 'ータ', 'タ']],
  ['half-width Katakana', 'ﾃﾞｰﾀ', ['デ', 'デー', 'ー', 'ータ', 'タ']],
  ['Hangul', '한국어', ['한', '한국', '국', '국어', '어']],
  ['Thai', 'ไทย', ['ไ', 'ไท', 'ท', 'ทย', 'ย']],
  ['digits of a script without spaces', 'ไ๑๒', ['ไ', '๑๒']],
  ['a mark within a run', '表\u0301格', ['表', '表格', '格']],
  ['Han beyond the first plane', '𠮷野', ['𠮷', '𠮷野', '野']],
  ['Han that Unicode has not assigned yet', '\u{3FFF0}', ['\u{3FFF0}']],
  ['a variation selector is ignored', '葛\u{E0100}城', ['葛', '葛城', '城']],
  ['a zero-width space and a soft hyphen are ignored', 'co\u00ADope\u200Brate', ['cooper']],
  ['pictographs', 'ship it 🎉❤️', ['ship', 'it', '🎉', '❤']],
  ['a lone surrogate separates', 'a\uD800b\uDC00c', ['a', 'b', 'c']],
  ['a mark without a letter has no term', '\u0301 \uFE0F', []],
  ['an empty text', '', []],
  ['punctuation only', '?!… -- "" * ()', []],
  ['names of objects', '__proto__ constructor', ['proto', 'constructor']],
  ['a very long word becomes its beginning', 'x'.repeat(500), ['x'.repeat(64)]],
  ['the cut does not split a surrogate pair', `x${'𐐨'.repeat(32)}`, [`x${'𐐨'.repeat(31)}`]],
  ['64 units are a word', `${'x'.repeat(63)}Z`, ['x'.repeat(63), 'z', `${'x'.repeat(63)}z`]],
];

describe('the terms of a text', () => {
  test.each(rows)('%s', (reason, text, expected) => {
    expect(termsOf(text), reason).toEqual(expected);
  });

  test('are found for any text, and are never empty or upper case', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 200 }), (text) => {
        for (const term of termsOf(text)) {
          expect(term).not.toBe('');
          expect(term).not.toMatch(/[A-Z\s]/);
        }
      }),
    );
  });

  test('are found for any UTF-16 units', () => {
    const units = fc.array(fc.integer({ min: 0, max: 0xff_ff }), { maxLength: 200 });
    fc.assert(fc.property(units, (codes) => void termsOf(String.fromCharCode(...codes))));
  });

  test('do not depend on texts that were read before', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), fc.string({ unit: 'grapheme' }), (text, other) => {
        const before = termsOf(text);
        termsOf(other);
        expect(termsOf(text)).toEqual(before);
      }),
    );
  });

  test('of two texts with a space between them are the terms of both', () => {
    const texts = fc.string({ unit: 'grapheme', maxLength: 50 });
    fc.assert(
      fc.property(texts, texts, (left, right) => {
        // A mark at the start would combine with the space.
        fc.pre(!/^\p{M}/u.test(right));
        expect(termsOf(`${left} ${right}`)).toEqual([...termsOf(left), ...termsOf(right)]);
      }),
    );
  });

  const MIB = 1024 * 1024;
  const SOME = 200_000;
  const hostile: readonly (readonly [reason: string, text: string, count: number])[] = [
    ['a word of 10 MiB', 'a'.repeat(10 * MIB), 1],
    ['capitals', 'A'.repeat(4 * MIB), 1],
    ['endless camel case', 'aB'.repeat(MIB), 1],
    ['an endless dotted name', 'a.'.repeat(SOME), SOME],
    ['underscores', `a${'_'.repeat(MIB)}b`, 3],
    ['underscores at the end', `a${'_'.repeat(MIB)}`, 1],
    ['Chinese without a break', '中'.repeat(SOME), 2 * SOME - 1],
    ['marks of falling order, which sort in quadratic time', `a${'\u0315\u0300'.repeat(MIB)}`, 1],
    ['invisible characters', '\u200D'.repeat(4 * MIB), 0],
    ['surrogates without halves', '\uD800'.repeat(MIB), 0],
    ['base64', Buffer.alloc(MIB, 'Cairn').toString('base64'), 1],
  ];
  test.each(hostile)('take linear time: %s', (reason, text, count) => {
    expect(termsOf(text).length, reason).toBe(count);
  });
});
