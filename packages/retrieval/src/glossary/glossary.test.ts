import { expect, test } from 'vitest';
import { createGlossary } from './glossary.ts';
import { parseGlossary } from './parse.ts';

function relationsOf(query: string, text = ''): string[] {
  const related = createGlossary(parseGlossary(text).groups).relatedTo(query);
  return related.map(({ word, related: other, terms, weight }) => `${word} ~ ${other} [${terms.join(' ')}] ${weight}`);
}

test.each<[reason: string, query: string, expected: readonly string[], text?: string]>([
  [
    'a word of the same language weighs less than one of another',
    'qux',
    ['qux ~ quux [quux] 0.3', 'qux ~ 超速 [超速] 0.5'],
    'qux, quux, 超速',
  ],
  ['a word in another language', 'the request timeouts', ['timeout ~ 超时 [超时] 0.5']],
  ['a word of Chinese within a sentence', '网关超时了怎么办', ['超时 ~ timeout [timeout] 0.5']],
  ['a phrase, of which a document has all words', '负载均衡', ['负载均衡 ~ load balancer [load balanc] 0.5']],
  ['a word of a phrase is not the phrase', 'balancer', []],
  ['the words of Chinese at the ends of a longer one count too', '网关超时', ['超时 ~ timeout [timeout] 0.5']],
  [
    'the words of a phrase are not related by themselves',
    'qux quux',
    ['qux quux ~ long [long] 0.3'],
    'qux quux, long\nqux, short\nquux, small',
  ],
  ['the longest phrase counts', 'qux baz', ['qux baz ~ long [long] 0.3'], 'qux baz, long\nqux, short'],
  ['the later of two equally long words counts', '上线程', ['线程 ~ thread [thread] 0.5'], '线程, thread'],
  ['a word of two groups has both', 'qux', ['qux ~ one [one] 0.3', 'qux ~ two [two] 0.3'], 'qux, one\ntwo, qux'],
  ['what a related word is related to is not related', 'one', ['one ~ qux [qux] 0.3'], 'qux, one\ntwo, qux'],
  ['a narrower word weighs less', 'qux', ['qux ~ quux [quux] 0.15'], 'qux > quux'],
  ['a broader word is not related', 'quux', [], 'qux > quux'],
  ['an identifier is a word', 'readTimeout', ['timeout ~ 超时 [超时] 0.5']],
  ['a joined identifier is the word without a joiner', 'quux', ['quux ~ foo-bar [foobar] 0.3'], 'foo-bar, quux'],
  ['words on two sides of a comma are not one phrase', 'qux, baz', [], 'qux baz, long'],
  ['a word with the same stem is another word', 'zorbs', ['zorbs ~ poet [poet] 0.3'], 'zorbs, poet\nzorbed, permit'],
  [
    'an unknown form of two words is both',
    'zorb',
    ['zorbs ~ poet [poet] 0.3', 'zorbed ~ permit [permit] 0.3'],
    'zorbs, poet\nzorbed, permit',
  ],
  ['a word that the query has itself is left out', 'qux quux', [], 'qux, quux'],
])('%s', (_, query, expected, text) => {
  // The glossary of the package has more words than a case needs.
  const found = relationsOf(query, text).filter(
    (one) => text !== undefined || expected.length === 0 || expected.includes(one),
  );
  expect(found).toEqual(expected);
});
