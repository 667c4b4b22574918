import { describe, expect, test } from 'vitest';
import { stopCharacters, stopWords } from '../stop-words.ts';
import { LazyGroups } from './group-index.ts';
import { parseGlossary, type GlossaryWord } from './parse.ts';
import { Tokens } from './tokens.ts';
import { WORDS } from './words.ts';

const { groups, problems, comments, lines } = parseGlossary(WORDS);
const wordsOf = (line: number): GlossaryWord[] => {
  const group = groups.find(({ lineNumber }) => lineNumber === line);
  return [...(group?.words ?? []), ...(group?.narrower ?? [])];
};
const words = groups.flatMap((group) => [...group.words, ...group.narrower]);

test('has at least 700 distinct words, in groups of two and more, without a problem', () => {
  expect(problems).toEqual([]);
  expect(groups.length + comments).toBe(lines);
  expect(groups.filter((group) => group.words.length + group.narrower.length < 2)).toEqual([]);
  expect(new Set(words.map(({ terms }) => terms.join(' '))).size).toBeGreaterThanOrEqual(700);
});

test('has no function word and no single letter or character', () => {
  const isEmpty = (term: string): boolean => stopWords.has(term) || stopCharacters.has(term);
  const empty = words.filter(({ text }) => new Tokens(text).tokens.every(({ term }) => isEmpty(term)));
  expect(empty.map(({ text }) => text)).toEqual([]);
  expect(words.flatMap(({ text }) => (Array.from(text).length > 1 ? [] : [text]))).toEqual([]);
});

test('has no line with a word twice, and no line twice', () => {
  const written = WORDS.split('\n').map((line) => (line.startsWith('#') ? 0 : line.split(/[,>]/u).length));
  const repeated = groups.filter(({ lineNumber }) => wordsOf(lineNumber).length < (written[lineNumber - 1] ?? 0));
  expect(repeated.map(({ lineNumber }) => WORDS.split('\n')[lineNumber - 1])).toEqual([]);
  const keys = groups.map(({ lineNumber }) =>
    wordsOf(lineNumber)
      .flatMap(({ terms }) => terms.join(' '))
      .toSorted()
      .join(),
  );
  expect(keys.filter((key, index) => keys.indexOf(key) !== index)).toEqual([]);
});

test('most groups have words of both languages', () => {
  const isChinese = ({ text }: GlossaryWord): boolean => /\p{Script=Han}/u.test(text);
  const both = groups.filter((group) => {
    const all = [...group.words, ...group.narrower];
    return all.some(isChinese) && !all.every(isChinese);
  });
  expect(both.length / groups.length).toBeGreaterThan(0.95);
});

describe('an index that parses a line when a query needs it', () => {
  test('finds every word', () => {
    const lost = words.filter(({ text, keys }) => {
      // A new one for each word, because another word may have had the line parsed.
      const index = new LazyGroups(`zzzq, ${text}`).indexFor(new Tokens(text).terms());
      return keys.some((key) => index.entriesOf(key).length === 0);
    });
    expect(lost.map(({ text }) => text)).toEqual([]);
  });

  test('parses few lines for a query', () => {
    const index = new LazyGroups(WORDS).indexFor(['deploi']);
    expect(groups.filter(({ words: [word] }) => index.entriesOf(word?.keys[0] ?? '').length > 0).length).toBeLessThan(
      50,
    );
  });
});
