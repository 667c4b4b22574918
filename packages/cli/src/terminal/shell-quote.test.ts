import { expect, test } from 'vitest';
import { shellQuote } from './shell-quote.ts';

test.each(cases)('%s', (_reason, word, quoted) => {
    expect(shellQuote(word)).toBe(quoted);
  });
});
