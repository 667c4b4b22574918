import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createMatcher, selectSentences } from './select-sentences.ts';
import { sentencesOf } from './sentences.ts';

describe('sentences', () => {
  test.each([
    ['end at each of the marks', 'A. B! C? 甲。乙！丙？D', ['A.', 'B!', 'C?', '甲。', '乙！', '丙？', 'D']],
    ['end at the end of a line', 'A\nB\r\nC\rD\u2028E', ['A', 'B', 'C', 'D', 'E']],
    ['need no space after Chinese marks', '项目用React。密码是1', ['项目用React。', '密码是1']],
    ['end before a word that follows at once', 'It uses React.The secret is x', ['It uses React.', 'The secret is x']],
    ['end before Chinese', 'It uses React.密码是1', ['It uses React.', '密码是1']],
    [
      'keep further marks and what closes them',
      'Really?! "Yes." (No.) 「好。」行',
      ['Really?!', '"Yes."', '(No.)', '「好。」', '行'],
    ],
    ['keep the dot of a number', 'It needs 3.5 GB, v18.2.0. Next', ['It needs 3.5 GB, v18.2.0.', 'Next']],
    ['keep the dot of a file', 'See src/app.config.ts and .env. Next', ['See src/app.config.ts and .env.', 'Next']],
    ['keep the dot of a library', 'We use Node.js and Next.js. Next', ['We use Node.js and Next.js.', 'Next']],
    ['keep the dots of a host', 'It runs on db.example.com. Next', ['It runs on db.example.com.', 'Next']],
    ['keep .NET', 'The project uses .NET 8. Next', ['The project uses .NET 8.', 'Next']],
    ['keep the dots of a path', 'Run ./build or ../x. Next', ['Run ./build or ../x.', 'Next']],
    ['keep e.g. and i.e.', 'Use a bundler, e.g. Vite. Next', ['Use a bundler, e.g. Vite.', 'Next']],
    ['are never empty', ' . \n\n ?  \n', ['.', '?']],
    ['do not exist without text', '', []],
  ])('%s', (_name, text, expected) => {
    expect(sentencesOf(text)).toEqual(expected);
  });

  test('no sentence has a line end, and no character is lost but spaces', () => {
    const text = fc.string({
      unit: fc.constantFrom('a', 'B', '7', ' ', '.', '!', '。', '？', '\n', '\r', '"', ')', '表', '😀', '/', 'js'),
      maxLength: 60,
    });
    fc.assert(
      fc.property(text, (given) => {
        const sentences = sentencesOf(given);
        expect(sentences.join('').replaceAll(/\s/gu, '')).toBe(given.replaceAll(/\s/gu, ''));
        expect(sentences.filter((sentence) => /[\n\r]|^\s|\s$/u.test(sentence))).toEqual([]);
      }),
      { numRuns: 1000 },
    );
  });

  test('a long text takes linear time', () => {
    const count = (text: string): number => sentencesOf(text).length;
    expect(count('a.'.repeat(200_000))).toBe(200_000);
    expect(count(`${'config.'.repeat(50_000)}ts`)).toBeGreaterThan(0);
    expect(count('.'.repeat(300_000))).toBe(1);
    expect(count(' '.repeat(300_000))).toBe(0);
  });
});

describe('patterns', () => {
  const passes = (pattern: string, text: string): string[] => selectSentences(text, createMatcher([pattern])).sentences;

  test.each([
    [
      'anywhere in the sentence',
      'project uses *',
      'Yes, our project uses React. The password is x.',
      ['Yes, our project uses React.'],
    ],
    ['in any case', 'Project USES *', 'the pROJECT uses react', ['the pROJECT uses react']],
    ['in any case of other alphabets', 'ΠΡΟΪΌΝ σίγμας *', 'Το προϊόν ΣΊΓΜΑΣ είναι εδώ', ['Το προϊόν ΣΊΓΜΑΣ είναι εδώ']],
    ['with ß as SS', 'STRASSE *', 'Die Straße ist lang', ['Die Straße ist lang']],
    ['in Chinese', '项目使用*', '我们的项目使用 React。密码是 x。', ['我们的项目使用 React。']],
    [
      'in Chinese, with a space in the pattern',
      '项目使用 *',
      '我们的项目使用React。密码是 x。',
      ['我们的项目使用React。'],
    ],
    ['with a colon of full width', 'tech stack: *', 'Tech Stack：React', ['Tech Stack：React']],
    ['with a colon and no space', 'tech stack: *', 'tech stack:React', ['tech stack:React']],
    ['with more spaces than the pattern', 'project uses *', 'The project   uses\tReact', ['The project   uses\tReact']],
    [
      'with a star between words',
      'deploy * friday',
      'We deploy again on Friday. We deploy.',
      ['We deploy again on Friday.'],
    ],
    ['within one sentence only', 'deploy * friday', 'We deploy. See you on Friday.', []],
    ['within one line only', 'deploy * friday', 'We deploy\non Friday', []],
    ['in the order of the pattern', 'friday * deploy', 'We deploy on Friday', []],
    ['with each part after the one before', 'aba * ba', 'aba', []],
    ['a dot for itself', 'v1.2', 'It is v1.2 now', ['It is v1.2 now']],
    ['a dot for nothing else', 'v1.2', 'It is v1x2 now', []],
    [
      'signs of regular expressions for themselves',
      'a+b (c|d) [e] {2} ^$ \\w',
      'x a+b (c|d) [e] {2} ^$ \\w y',
      ['x a+b (c|d) [e] {2} ^$ \\w y'],
    ],
    ['signs of regular expressions for nothing else', '(c|d)', 'c', []],
    ['a question mark for itself', 'really?', 'real. Really? yes', ['Really?']],
    ['no longer word', 'uses *', 'It is useless. It usesx.', []],
    ['composed and decomposed letters', 'café *', 'the cafe\u0301 is open', ['the cafe\u0301 is open']],
    ['several stars as one', 'uses ** now', 'It uses React now', ['It uses React now']],
  ])('match %s', (_name, pattern, text, expected) => {
    expect(passes(pattern, text)).toEqual(expected);
  });

  test.each([[''], ['*'], ['  '], [' * * '], ['　*']])('%j is rejected: it would match everything', (pattern) => {
    expect(() => createMatcher([pattern])).toThrow(
      `The pattern ${JSON.stringify(pattern)} of sharePatterns would match every sentence. Add words`,
    );
  });

  test('the same as a slow model', () => {
    /** Tries each place for each part. */
    const slow = (parts: readonly string[], text: string): boolean => {
      const [part, ...rest] = parts;
      if (part === undefined) return true;
      for (let at = 0; at + part.length <= text.length; at++) {
        if (text.slice(at, at + part.length) === part && slow(rest, text.slice(at + part.length))) return true;
      }
      return false;
    };
    const unit = fc.constantFrom('a', 'b', 'ab', '.', '+');
    const text = fc.string({ unit, minLength: 1, maxLength: 12 });
    fc.assert(
      fc.property(
        fc.array(fc.string({ unit, minLength: 1, maxLength: 3 }), { minLength: 1, maxLength: 3 }),
        text,
        (parts, sentence) => {
          expect(createMatcher([parts.join('*')])(sentence)).toBe(
            slow(
              parts.map((part) => part.toUpperCase()),
              sentence.toUpperCase(),
            ),
          );
        },
      ),
      { numRuns: 2000 },
    );
  });

  test('many stars take linear time', () => {
    expect(passes(`${'a*'.repeat(50)}b`, 'a'.repeat(100_000))).toEqual([]);
  });
});
