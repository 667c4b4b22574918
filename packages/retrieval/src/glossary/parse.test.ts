import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createGlossary } from './glossary.ts';
import { parseGlossary, type ParsedGlossary } from './parse.ts';

/** The words of each group, the narrower ones after `>`. */
function groupsOf(text: string): string[] {
  return parseGlossary(text).groups.map(({ words, narrower }) => {
    const [left, right] = [words, narrower].map((list) => list.map((word) => word.text).join(', '));
    return right === '' ? (left ?? '') : `${left} > ${right}`;
  });
}

function problemsOf(text: string): string[] {
  return parseGlossary(text).problems.map(({ lineNumber, code }) => `${lineNumber} ${code}`);
}

describe('a line that is used', () => {
  test.each<[reason: string, text: string, expected: string]>([
    ['words separated by commas', 'deploy, release, 部署', 'deploy, release, 部署'],
    ['words separated by equals signs', 'deploy = release=部署', 'deploy, release, 部署'],
    ['words separated by Chinese commas and semicolons', '部署，发布、上线；deploy', '部署, 发布, 上线, deploy'],
    ['phrases', 'roll   back, out of memory', 'roll back, out of memory'],
    ['a narrower word', 'database > postgres, mysql', 'database > postgres, mysql'],
    ['several broader words', 'DB = 数据库 > postgres', 'DB, 数据库 > postgres'],
    ['a comment after a space', 'one, two # three, four', 'one, two'],
    ['a list of Markdown', '- `one`, **two**', 'one, two'],
    ['spaces, a byte order mark and a carriage return', '\uFEFF  one ,\ttwo \r\n', 'one, two'],
    ['full width', 'ｔｉｍｅｏｕｔ＝超时', 'timeout, 超时'],
    ['characters of regular expressions are plain text', 'foo.+, [bar, $baz^', 'foo.+, [bar, $baz^'],
    ['empty words', ', one, , two,', 'one, two'],
    ['a word twice', 'deploy, deployed, ship, deploys', 'deploy, ship'],
    ['identifiers', 'getUser, k8s, utf-8', 'getUser, k8s, utf-8'],
    ['a broader word that is also a narrower one', 'one, two > two, three', 'one, two > three'],
  ])('%s', (_, text, expected) => {
    expect(groupsOf(text).join('\n')).toBe(expected);
  });
});

describe('a line that is not used', () => {
  test.each<[reason: string, line: string, code: string]>([
    ['one word', 'deploy', 'ONE_WORD'],
    ['forms of one word', 'deploy, deployed', 'ONE_WORD'],
    ['no letters', '***, one', 'NO_WORD'],
    ['one letter', 'C#, csharp', 'NO_WORD'],
    ['a function word', 'the, one', 'COMMON_WORD'],
    ['a function word of Chinese', '的, one', 'COMMON_WORD'],
    ['punctuation inside', 'CD (continuous delivery), release', 'PUNCTUATION'],
    ['a sentence', 'Of course, we deploy.', 'SENTENCE'],
    ['a sentence of Chinese', '部署，然后发布。', 'SENTENCE'],
    ['two relations', 'one > two > three', 'RELATION'],
    ['nothing before the relation', '> one, two', 'RELATION'],
    ['nothing after the relation', 'one, two >', 'RELATION'],
    ['a long phrase', `${'word '.repeat(13)}, one`, 'TOO_LONG'],
    ['a long phrase of Chinese', `${'部署'.repeat(7)}, one`, 'TOO_LONG'],
    ['many words', Array.from({ length: 65 }, (_, index) => `word${index}`).join(), 'TOO_LONG'],
    ['a long line', `${'word '.repeat(500)}, one`, 'TOO_LONG'],
    ['characters that are not UTF-8', 'one, tw\uFFFD', 'ENCODING'],
  ])('%s', (_, line, code) => {
    const text = `# comment\n${line}\none, two`;
    expect(problemsOf(text)).toEqual([`2 ${code}`]);
    expect(groupsOf(text)).toEqual(['one, two']);
  });

  test('the message says what to do', () => {
    const [problem] = parseGlossary('one, two\n\nCD (continuous delivery), release').problems;
    expect(problem).toEqual({
      lineNumber: 3,
      lines: 1,
      code: 'PUNCTUATION',
      message: '"CD (continuous delivery)" has punctuation inside; separate words by commas',
    });
  });
});

/** Every line is a group, a comment, or counted in a problem. */
function countLines({ groups, comments, problems }: ParsedGlossary): number {
  return groups.length + comments + problems.reduce((sum, { lines }) => sum + lines, 0);
}

describe('a glossary that is too large', () => {
  test('100,000 lines: the first 10,000 are used, and one problem states the limit', () => {
    const parsed = parseGlossary(
      Array.from({ length: 100_000 }, (_, index) => `alpha${index}, beta${index}\n`).join(''),
    );
    expect(parsed.groups).toHaveLength(10_000);
    expect(parsed.lines).toBe(100_000);
    expect(parsed.problems).toEqual([
      {
        lineNumber: 10_001,
        lines: 90_000,
        code: 'TOO_LARGE',
        message: 'a glossary has at most 10000 lines and 1048576 characters; remove lines',
      },
    ]);
    const related = createGlossary(parsed.groups).relatedTo('alpha9999');
    expect(related.map((word) => word.related)).toEqual(['beta9999']);
  });

  test('more than 1,048,576 characters', () => {
    const parsed = parseGlossary(`${'# comment'.repeat(200)}\n`.repeat(1000));
    expect(parsed.problems).toEqual([expect.objectContaining({ code: 'TOO_LARGE' })]);
    expect(countLines(parsed)).toBe(1000);
  });
});

const spelled = fc.constantFrom(
  'deploy',
  'roll back',
  'timeout',
  'k8s',
  '部署',
  '超时',
  '数据库',
  'café',
  'getUser',
  'utf-8',
  'データ',
  '가나',
  'x1',
);

test('any text is accounted for, and read again the same way', () => {
  const junk = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.constantFrom(',', '=', '>', '#', '\n', '\r\n', '、', '.', '的'),
  );
  fc.assert(
    fc.property(fc.array(fc.oneof(junk, spelled), { maxLength: 40 }), (parts) => {
      const text = parts.join('');
      const parsed = parseGlossary(text);
      const lines = text.split(/\r\n|[\n\r]/u);
      expect(parsed.lines).toBe(lines.at(-1) === '' ? lines.length - 1 : lines.length);
      expect(countLines(parsed)).toBe(parsed.lines);
      const numbers = [...parsed.groups, ...parsed.problems].map(({ lineNumber }) => lineNumber);
      expect(new Set(numbers).size).toBe(numbers.length);
    }),
    { numRuns: 500 },
  );
});

test('every word of a group finds the other words, as itself and in a sentence', () => {
  const group = fc.uniqueArray(spelled, { minLength: 2, maxLength: 5 });
  fc.assert(
    fc.property(fc.array(group, { minLength: 1, maxLength: 6 }), fc.boolean(), (written, isInSentence) => {
      const parsed = parseGlossary(written.map((words) => words.join(' , ')).join('\n'));
      const glossary = createGlossary(parsed.groups);
      for (const { words } of parsed.groups) {
        for (const word of words) {
          const query = isInSentence ? `why is it, ${word.text}; or not` : word.text;
          const found = new Set(glossary.relatedTo(query).map(({ terms }) => terms.join(' ')));
          const others = words.filter((other) => other !== word && !isWithin(other.text, word.text));
          expect(others.filter(({ terms }) => !found.has(terms.join(' ')))).toEqual([]);
        }
      }
    }),
    { numRuns: 200 },
  );
});

/** A query has a word itself when it has all its terms. */
function isWithin(other: string, word: string): boolean {
  return word.includes(other);
}

test('a word with characters of a regular expression matches only itself', () => {
  const glossary = createGlossary(parseGlossary('qux.+, quux+').groups);
  expect(glossary.relatedTo('qux.+').map(({ related }) => related)).toEqual(['quux+']);
  expect(glossary.relatedTo('quxa')).toEqual([]);
});

test('cycles relate only the words of each line', () => {
  const glossary = createGlossary(
    parseGlossary('alpha, beta\nbeta, gamma\ngamma, alpha\nalpha > alpha1\nalpha1 > alpha').groups,
  );
  expect(glossary.relatedTo('alpha').map(({ related, weight }) => `${related} ${weight}`)).toEqual([
    'beta 0.3',
    'gamma 0.3',
    'alpha1 0.15',
  ]);
});

test('a query of any length has at most 48 related words, and some for each of its first words', () => {
  const groups = Array.from({ length: 40 }, (_, index) => {
    return Array.from({ length: 20 }, (__, word) => `group${index}word${word}`).join(', ');
  });
  const glossary = createGlossary(parseGlossary(groups.join('\n')).groups);
  const query = groups.map((group) => group.split(',', 1)[0]).join(' ');
  const related = glossary.relatedTo(query);
  expect(related).toHaveLength(48);
  expect(new Set(related.map(({ word }) => word)).size).toBeGreaterThan(20);
  expect(glossary.relatedTo('group0word0')).toHaveLength(12);
  expect(glossary.relatedTo(`${'x '.repeat(1_000_000)} group0word0`)).toEqual([]);
});
