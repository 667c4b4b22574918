import { expect, test } from 'vitest';
import { linkedNames } from './get-asset.ts';

test('finds each linked name once, in order, with product lines, headings and labels', () => {
  const body =
    'See [[redis-sentinel-setup]], [[exchange/core/撮合|the engine]] and [[a#setup]]; again [[redis-sentinel-setup]].';
  expect(linkedNames(body)).toEqual(['redis-sentinel-setup', 'exchange/core/撮合', 'a']);
});

test.each([
  ['a fenced block', '```bash\nif [[ -f x ]]; then echo [[y]]; fi\n```\n[[real]]'],
  ['a fence of tildes that holds backticks', '~~~\n```\n[[y]]\n~~~\n[[real]]'],
  ['an inline code', '`[[y]]` and ``a ` [[y]]`` and [[real]]'],
  ['a test of a shell in the text', '[[ -f file ]] [[a b]] [[]] [[real]]'],
  ['an open fence at the end', '[[real]]\n```\n[[y]]\n'],
])('%s is not a link', (_, body) => {
  expect(linkedNames(body)).toEqual(['real']);
});

test('a body of one long line is read in linear time', () => {
  for (const piece of ['[[', '`', '``` ', '[[a|', '[[a#', '~~~', '` `` ', '``a`']) {
    expect(linkedNames(`x ${piece.repeat(100_000)}\n[[real]]`)).toContain('real');
  }
});
