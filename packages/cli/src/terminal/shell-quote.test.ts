import { describe, expect, test } from 'vitest';
import { shellQuote } from './shell-quote.ts';

describe('quoting for a shell', () => {
  const cases: readonly (readonly [reason: string, word: string, quoted: string])[] = [
    ['a plain word stays', 'src/main.ts', 'src/main.ts'],
    ['a star', '*.ts', "'*.ts'"],
    ['a space', 'a b', "'a b'"],
    ['a single quote', "it's", "'it'\\''s'"],
    ['nothing', '', "''"],
    ['a tilde', '~root', "'~root'"],
  ];

  test.each(cases)('%s', (_reason, word, quoted) => {
    expect(shellQuote(word)).toBe(quoted);
  });
});
