import { ContextError } from '../errors.ts';
import { sentencesOf } from './sentences.ts';

export type MatchSentence = (sentence: string) => boolean;

/** One spelling: full width as half width, composed, upper case, one space for any whitespace. */
function fold(text: string): string {
  return text.normalize('NFKC').toUpperCase().replaceAll(/\s+/gu, ' ').trim();
}

/** A space next to punctuation or next to a script without spaces may be missing: `tech stack: *` matches `技术栈:React`. */
const OPTIONAL_BLANK =
  /(?<=[\p{P}\p{S}\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]) | (?=[\p{P}\p{S}\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}])/gu;

function compile(pattern: string): MatchSentence {
  // The space before a star is a part of the pattern: `uses *` does not match `useless`.
  const literals = fold(pattern)
    .split('*')
    .filter((literal) => literal.trim() !== '')
    .map((literal) => literal.replaceAll(/[$()*+.?[\\\]^{|}]/gu, String.raw`\$&`).replaceAll(OPTIONAL_BLANK, ' ?'))
    .map((escaped) => new RegExp(escaped, 'gu'));
  return (sentence) => {
    const text = fold(sentence);
    let at = 0;
    return literals.every((literal) => {
      literal.lastIndex = at;
      const isFound = literal.test(text);
      at = literal.lastIndex;
      return isFound;
    });
  };
}

/** Returns whether a pattern has no words: it would match every sentence. */
export function matchesEverything(pattern: string): boolean {
  return fold(pattern).replaceAll(/[* ]/gu, '') === '';
}

/**
 * Makes a test of sentences from patterns: a sentence matches when a pattern matches anywhere in it. `*` stands for any text, every
 * other character for itself. Case and width do not matter, and spaces may be missing next to punctuation and Chinese or Japanese
 * characters. Takes linear time.
 *
 * @throws {ContextError} `INVALID_OPTION` for a pattern that would match every sentence.
 */
export function createMatcher(patterns: readonly string[]): MatchSentence {
  for (const pattern of patterns) {
    if (typeof pattern === 'string' && !matchesEverything(pattern)) continue;
    const summary = `The pattern ${JSON.stringify(pattern)} of sharePatterns would match every sentence`;
    const hint = 'Add words, such as "project uses *", or use the mode fork to share the whole conversation.';
    throw new ContextError('INVALID_OPTION', [summary, hint], { option: 'sharePatterns' });
  }
  const matchers = patterns.map(compile);
  return (sentence) => matchers.some((matches) => matches(sentence));
}

/** Returns the sentences of a string that match, and whether those are all. */
export function selectSentences(text: string, matches: MatchSentence): { sentences: string[]; isWhole: boolean } {
  const all = sentencesOf(text);
  const sentences = all.filter((sentence) => matches(sentence));
  return { sentences, isWhole: sentences.length === all.length };
}
