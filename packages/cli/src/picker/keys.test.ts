import { describe, expect, test } from 'vitest';
import { decodeKeys, finishKeys } from './keys.ts';

function shown(input: string): string {
  const { keys, rest } = decodeKeys(input);
  const names = keys.map((key) => (key.kind === 'text' ? `'${key.text}'` : key.kind));
  return [...names, ...(rest === '' ? [] : [`rest ${JSON.stringify(rest)}`])].join(' ');
}

const cases: readonly (readonly [why: string, input: string, keys: string])[] = [
  ['nothing', '', ''],
  ['text', 'ab é日😀', "'ab é日😀'"],
  ['text and Enter', 'ab\r', "'ab' choose"],
  ['arrows of both kinds', '\u001b[A\u001b[B\u001bOA\u001bOB', 'up down up down'],
  ['arrows with modifiers mean nothing here', '\u001b[1;5A', ''],
  ['pages and ends', '\u001b[5~\u001b[6~\u001b[H\u001bOF', 'page-up page-down first last'],
  [
    'controls',
    '\t\u0003\u007f\u0008\u0017\u0015\u0010\u000e',
    'switch interrupt erase erase erase-word erase-all up down',
  ],
  ['Ctrl-K, Ctrl-J, Ctrl-G and Ctrl-Q as in fzf', '\u000b\n\u0007\u0011', 'up down leave leave'],
  ['Alt and Backspace', 'a\u001b\u007f\u001b\u0008b', "'a' erase-word erase-word 'b'"],
  ['Esc and Ctrl-C', '\u001b\u0003', 'leave interrupt'],
  ['other keys with Alt mean nothing', '\u001bb\u001b😀\u001b\rx', "'x'"],
  ['controls that mean nothing', '\u0001\u001a', ''],
  ['Esc may be the begin of something', '\u001b', 'rest "\\u001b"'],
  ['an arrow in two pieces', 'a\u001b[', '\'a\' rest "\\u001b["'],
  ['Esc twice', '\u001b\u001b', 'leave rest "\\u001b"'],
  ['a paste', '\u001b[200~a\nb\u001b[201~c', "'a b' 'c'"],
  ['a paste of line ends only', '\u001b[200~\n\u001b[201~', ''],
  ['a paste that goes on', '\u001b[200~a\r', 'rest "\\u001b[200~a\\r"'],
  ['unknown sequences', '\u001b[?1;2c\u001b[3~x', "'x'"],
];

test.each(cases)('%s', (_, input, keys) => {
  expect(shown(input)).toBe(keys);
});

test('input in any pieces has the same keys', () => {
  const whole = 'ab\u001b[A\u001b[200~x\ny\u001b[201~\u001bOB\t\r';
  for (let first = 1; first < whole.length; first++) {
    const before = decodeKeys(whole.slice(0, first));
    const after = decodeKeys(before.rest + whole.slice(first));
    const text = [...before.keys, ...after.keys]
      .map((key) => (key.kind === 'text' ? key.text : `<${key.kind}>`))
      .join('');
    expect(text).toBe('ab<up>x y<down><switch><choose>');
  }
});

describe('when nothing follows', () => {
  test('Esc is the key', () => {
    expect(finishKeys('\u001b')).toEqual([{ kind: 'leave' }]);
  });
  test('the begin of a sequence is nothing', () => {
    expect(finishKeys('\u001b[')).toEqual([]);
  });
});
