import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { ThoughtFilter } from './thoughts.ts';

/** Returns the text and the thoughts of an answer that arrives in pieces. */
function separate(pieces: readonly string[]): readonly [text: string, thoughts: string] {
  const filter = new ThoughtFilter();
  const found = [...pieces.flatMap((piece) => filter.push(piece)), ...filter.end()];
  const join = (isThought: boolean): string =>
    found.map((piece) => (piece.isThought === isThought ? piece.text : '')).join('');
  return [join(false), join(true)];
}

const fence = '```html\n<think>shown</think>\n```\n';

const cases: readonly (readonly [reason: string, answer: string, text: string, thoughts: string])[] = [
  ['an answer without a block stays as it is', ' \nHello\n\n world \n', ' \nHello\n\n world \n', ''],
  ['a block is removed with the blank lines after it', '<think>\nHm.\n</think>\n\nHello', 'Hello', '\nHm.\n'],
  ['blank lines before the first block are removed', '\n \n<think>Hm.</think>Hello', 'Hello', 'Hm.'],
  ['an empty block is removed', '<think>\n\n</think>\n\nHello', 'Hello', '\n\n'],
  ['the indentation of the first line stays', '<think>Hm.</think>\n    code', '    code', 'Hm.'],
  ['a space after the block goes with it', '<think>Hm.</think> Hello', 'Hello', 'Hm.'],
  ['a first block without its end is a thought', '<think>Hm. I should', '', 'Hm. I should'],
  ['an end that is cut is a thought', '<think>Hm.</thi', '', 'Hm.</thi'],
  ['a beginning that is cut is text', '<thin', '<thin', ''],
  ['several blocks', '<think>a</think>One\n<think>b</think>\nTwo', 'One\nTwo', 'ab'],
  ['two blocks in a row', '<think>a</think>\n<think>b</think>\nTwo', 'Two', 'ab'],
  ['paragraphs stay apart', 'One\n\n<think>b</think>\n\nTwo', 'One\n\nTwo', 'b'],
  ['a block in a fence of code is text', `See:\n${fence}Bye`, `See:\n${fence}Bye`, ''],
  ['a block in a fence at the very beginning is text', fence, fence, ''],
  ['a fence of tildes', '~~~\n<think>x</think>\n~~~\n', '~~~\n<think>x</think>\n~~~\n', ''],
  [
    'a longer fence is not ended by a shorter one',
    '````\n```\n<think>x</think>\n````\n',
    '````\n```\n<think>x</think>\n````\n',
    '',
  ],
  ['after a fence a block is a block', 'a\n```\nb\n```\n<think>x</think>\nc', 'a\n```\nb\n```\nc', 'x'],
  ['a block in indented code is text', 'See:\n\n    <think>x</think>\n', 'See:\n\n    <think>x</think>\n', ''],
  ['a tag within a sentence is text', 'The tag <think> begins it.', 'The tag <think> begins it.', ''],
  ['a tag in inline code is text', '`<think>` begins, `</think>` ends.', '`<think>` begins, `</think>` ends.', ''],
  ['a later block without its end is text', 'One\n<think> is a tag.', 'One\n<think> is a tag.', ''],
  ['an end alone is text', 'Hm.\n</think>\nHello', 'Hm.\n</think>\nHello', ''],
  ['another tag is text', '<thinking>Hm.</thinking>Hello', '<thinking>Hm.</thinking>Hello', ''],
  ['an inner tag is a part of the block', '<think>a <think> b</think>Hello', 'Hello', 'a <think> b'],
  ['nothing', '', '', ''],
];

describe('a thought', () => {
  test.each(cases)('%s', (_, answer, text, thoughts) => {
    expect(separate([answer])).toEqual([text, thoughts]);
    expect(separate([...answer])).toEqual([text, thoughts]);
  });

  test('is found wherever the answer is split', () => {
    const part = fc.constantFrom('<think>', '</think>', '```', '\n', '    ', ' ', 'a', '<', '`', '>', 'think');
    const answers = fc.array(part, { maxLength: 14 }).map((parts) => parts.join(''));
    fc.assert(
      fc.property(answers, fc.array(fc.nat(60), { maxLength: 8 }), (answer, cuts) => {
        const at = [0, ...cuts.map((cut) => Math.min(cut, answer.length)), answer.length].toSorted((a, b) => a - b);
        const pieces = at.slice(1).map((end, index) => answer.slice(at[index], end));
        expect(separate(pieces)).toEqual(separate([answer]));
      }),
      { numRuns: 2000, seed: 27 },
    );
  });

  test('and no other word is lost', () => {
    const part = fc.constantFrom('<think>', '</think>', '```', '\n', ' ', 'word', '<', '`');
    fc.assert(
      fc.property(fc.array(part, { maxLength: 14 }), (parts) => {
        const answer = parts.join('');
        const count = (text: string): number => text.split('word').length;
        const [text, thoughts] = separate([answer]);
        expect(count(text) + count(thoughts) - 1).toBe(count(answer));
      }),
      { numRuns: 2000, seed: 27 },
    );
  });
});
