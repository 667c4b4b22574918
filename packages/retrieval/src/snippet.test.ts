import { estimateTokens } from '@cairn/tool/prompt';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { snippetOf } from './snippet.ts';

const filler = (words: number): string => Array.from({ length: words }, (_, index) => `filler${index % 7}x`).join(' ');
const middle = `${filler(200)} the gateway listens on port 8080 ${filler(200)}`;

test('a text that fits is returned whole', () => {
  expect(snippetOf('a short text', 'gateway', { maxCharacters: 80 })).toEqual({ text: 'a short text', omitted: 0 });
});

test('shows the words found, whole words, and how much it leaves out', () => {
  const { text, omitted } = snippetOf(middle, 'which port has the gateway', { maxCharacters: 200 });
  const [, before = '', shown = '', after = ''] =
    /^\[(\d+) characters\] … (.*) … \[(\d+) characters\]$/u.exec(text) ?? [];
  expect(shown).toContain('the gateway listens on port 8080');
  expect(Number(before) + Number(after)).toBe(omitted);
  expect(Number(before) + shown.length + Number(after)).toBe(middle.length);
  expect(middle.slice(Number(before))).toMatch(/^filler\dx /u);
  expect(shown).toMatch(/filler\dx$/u);
});

test('a text without the words is cut at its end', () => {
  const { text } = snippetOf(middle, 'zebra', { maxCharacters: 100 });
  expect(text).toMatch(/^filler0x filler1x .* … \[\d+ characters\]$/u);
});

test('words far apart are shown in parts', () => {
  const text = `${filler(100)} alpha ${filler(300)} beta ${filler(300)} gamma ${filler(100)}`;
  const snippet = snippetOf(text, 'alpha beta gamma', { maxCharacters: 500 });
  expect(snippet.text).toMatch(/alpha.* … \[\d+ characters\] … .*beta.* … \[\d+ characters\] … .*gamma/su);
});

test('a part shows a word that no other part shows', () => {
  const text = `alpha beta ${filler(90)} alpha ${filler(90)} beta ${filler(90)} alpha ${filler(90)} gamma ${filler(90)}`;
  expect(snippetOf(text, 'alpha beta gamma', { maxCharacters: 400 }).text).toContain('gamma');
});

test('a pictograph of several code points stays whole', () => {
  const family = '👨‍👩‍👧';
  const { text } = snippetOf(`${family.repeat(100)}gateway${family.repeat(100)}`, 'gateway', { maxCharacters: 150 });
  expect(text).toMatch(/^\[\d+ characters\] … (?:👨‍👩‍👧)+gateway(?:👨‍👩‍👧)+ … \[\d+ characters\]$/u);
});

test('words close to each other are shown in one part', () => {
  const text = `alpha ${filler(300)} alpha beta ${filler(300)} beta`;
  const snippet = snippetOf(text, 'alpha beta', { maxCharacters: 300 });
  expect(snippet.text).toContain('alpha beta');
  expect(snippet.text.match(/…/gu)).toHaveLength(2);
});

test('finds other forms of a word, parts of identifiers and Chinese words', () => {
  const found = (word: string, query: string): void =>
    expect(snippetOf(`${filler(90)} ${word} ${filler(90)}`, query, { maxCharacters: 160 }).text, word).toContain(word);
  found('configured', 'configure');
  found('readFileSync', 'file');
  found('ＡＰＩ', 'api');
  found('café', 'cafe');
  found('我们的网关监听端口', '端口是多少');
});

test('a long run of Chinese is cut round the words found', () => {
  const text = `${'山水风云'.repeat(500)}网关端口${'春夏秋冬'.repeat(500)}`;
  const { text: shown } = snippetOf(text, '网关的端口', { maxCharacters: 120 });
  expect(shown).toMatch(/^\[\d+ characters\] … [山水风云]+网关端口[春夏秋冬]+ … \[\d+ characters\]$/u);
});

test('takes the terms that a search matched', () => {
  expect(snippetOf(middle, ['gateway'], { maxCharacters: 120 }).text).toContain('gateway');
});

test('ends at ends of lines where one is near', () => {
  const lines = Array.from({ length: 100 }, (_, index) => `line ${index} of the file`);
  const { text } = snippetOf(lines.join('\n'), '50', { maxCharacters: 300 });
  const shown = text.replace(/^\[\d+ characters\] … /u, '').replace(/ … \[\d+ characters\]$/u, '');
  for (const line of shown.split('\n')) expect(lines).toContain(line);
});

test('keeps a budget of tokens, also for Chinese', () => {
  const text = `${'中文字符很多。'.repeat(300)}网关端口 8080${'还有很多文字。'.repeat(300)}`;
  const { text: shown } = snippetOf(text, '网关端口', { maxTokens: 100 });
  expect(estimateTokens(shown)).toBeLessThanOrEqual(100);
  expect(estimateTokens(shown)).toBeGreaterThan(70);
  expect(shown).toContain('网关端口');
});

test('counts tokens with the given tokenizer', () => {
  const { text } = snippetOf(middle, 'gateway', { maxTokens: 60, countTokens: (shown) => shown.length });
  expect(text.length).toBeLessThanOrEqual(60);
});

test('no text is cut within a character, exceeds its limit, or miscounts what it leaves out', () => {
  const piece = fc.constantFrom(
    'word ',
    'gateway',
    ' ',
    '\n',
    '端口',
    '，',
    '👨‍👩‍👧',
    '🇨🇳',
    'e\u0301',
    '𠮷',
    'x',
    'a_b.c-',
  );
  const segmenter = new Intl.Segmenter('und', { granularity: 'grapheme' });
  fc.assert(
    fc.property(
      fc.array(piece, { minLength: 1, maxLength: 200 }),
      fc.integer({ min: 80, max: 300 }),
      (pieces, limit) => {
        const text = pieces.join('');
        const { text: shown, omitted } = snippetOf(text, 'gateway 端口', { maxCharacters: limit });
        expect(shown.length).toBeLessThanOrEqual(limit);
        const parts = shown.split(/(?: … )?\[\d+ characters?\](?: … )?/u).filter((part) => part !== '');
        expect(parts.join('').length + omitted).toBe(text.length);
        const starts = new Set(Array.from(segmenter.segment(text), ({ index }) => index).concat(text.length));
        let from = 0;
        for (const part of parts) {
          let at = text.indexOf(part, from);
          while (at >= 0 && !(starts.has(at) && starts.has(at + part.length))) at = text.indexOf(part, at + 1);
          expect(at).toBeGreaterThanOrEqual(from);
          from = at + part.length;
        }
      },
    ),
  );
});

test.each([
  ['one word', 'a'],
  ['words', 'gateway '],
  ['identifiers', 'gateway_port.'],
  ['Chinese', '网关端口'],
  ['accents', 'e\u0301'],
  ['separators', '— '],
  ['joined pictographs', '👨‍'],
])('a text of 1 MiB of %s takes linear time', (_, part) => {
  const text = part.repeat((1 << 20) / part.length);
  expect(snippetOf(text, 'gateway port 网关端口', { maxCharacters: 2000 }).text.length).toBeLessThanOrEqual(2000);
});

test.each([
  ['maxCharacters', 79],
  ['maxCharacters', 100.5],
  ['maxTokens', 0],
  ['maxTokens', Number.NaN],
])('refuses %s of %s', (option, value) => {
  expect(() => snippetOf('text', 'query', { [option]: value })).toThrow(
    expect.objectContaining({ code: 'INVALID_OPTION', option }),
  );
});
