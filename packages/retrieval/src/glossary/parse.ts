import { normalize } from '../normalize.ts';
import { keyOf, Tokens, type Token } from './tokens.ts';

/**
 * Why a line of a glossary is not used.
 *
 * - `ONE_WORD`: it relates no two words, or words that are the same to a search, such as `deploy` and `deployed`.
 * - `NO_WORD`: a word of it has no letter, or only one.
 * - `PUNCTUATION`: a word of it has parentheses, a colon or the like inside.
 * - `ENCODING`: it has characters that could not be read: the file is not UTF-8.
 * - `COMMON_WORD`: a word of it is a function word, which would relate every text.
 * - `TOO_LONG`: the line, a word of it, or the number of its words is above the limit.
 * - `SENTENCE`: it ends like a sentence.
 * - `RELATION`: it has more than one `>`, or nothing before it or after it.
 * - `TOO_LARGE`: the line is after the last one of the largest glossary.
 */
export type GlossaryProblemCode =
  | 'COMMON_WORD'
  | 'ENCODING'
  | 'NO_WORD'
  | 'ONE_WORD'
  | 'PUNCTUATION'
  | 'RELATION'
  | 'SENTENCE'
  | 'TOO_LARGE'
  | 'TOO_LONG';

/** A line that is not used. */
export interface GlossaryProblem {
  /** The first line is 1. */
  readonly lineNumber: number;
  /** How many lines are not used: 1, or all that remain after the largest glossary. */
  readonly lines: number;
  readonly code: GlossaryProblemCode;
  /** The problem, and how to solve it. */
  readonly message: string;
}

/** A word or a phrase of a glossary. */
export interface GlossaryWord {
  /** As it is written. */
  readonly text: string;
  /** The strings of {@link keyOf} that it is found by in a query. */
  readonly keys: readonly string[];
  /** A document has the word if it has all of these terms of an index. */
  readonly terms: readonly string[];
}

/** The words of one line. */
export interface GlossaryGroup {
  readonly lineNumber: number;
  /** They mean the same. One word if the line has narrower ones. */
  readonly words: readonly GlossaryWord[];
  /** What the words of the group include: `database > postgres`. Empty for most groups. */
  readonly narrower: readonly GlossaryWord[];
}

/** A parsed glossary. Each line is a group, a comment or a problem. */
export interface ParsedGlossary {
  readonly groups: readonly GlossaryGroup[];
  /** The number of lines that are empty or comments. */
  readonly comments: number;
  readonly problems: readonly GlossaryProblem[];
  /** The number of all lines. */
  readonly lines: number;
}

/** A glossary is written by hand. The limits keep reading one below a second. */
const MAX_LINES = 10_000;
const MAX_UNITS = 1024 * 1024;
const MAX_LINE_UNITS = 2000;
const MAX_WORDS = 64;
/** In words, or characters of Chinese. Longer than any term. */
export const MAX_TOKENS = 12;

class LineError extends Error {
  readonly code: GlossaryProblemCode;

  constructor(code: GlossaryProblemCode, message: string) {
    super(message);
    this.code = code;
  }
}

/** Returns the terms that a document has if it has the word. */
function termsOf({ tokens, wholes }: Tokens): readonly string[] {
  const inside = new Set<number>();
  const terms = wholes.map(({ term, from, to }) => {
    for (let place = from; place < to; place++) inside.add(place);
    return term;
  });
  const rest = tokens.filter((_, place) => !inside.has(place));
  const words = rest.filter(({ isCharacter }) => !isCharacter);
  const named = words.filter(({ isStop }) => !isStop);
  // Two words of the subject say enough. One, such as the `memory` of `out of memory`, is another word.
  terms.push(...(named.length + terms.length > 1 ? named : words).map(({ term }) => term));
  for (const [place, { term, isCharacter, joint }] of tokens.entries()) {
    if (!isCharacter) continue;
    const before = tokens[place - 1];
    const after = tokens[place + 1];
    if (joint === '' && before?.isCharacter === true) terms.push(before.term + term);
    else if (after?.isCharacter !== true || after.joint !== '') terms.push(term);
  }
  return [...new Set(terms)];
}

/** Returns the keys of a word: with the words of its identifiers, and with the identifiers as they are. */
function keysOf({ tokens, wholes }: Tokens): readonly string[] {
  const split = keyOf(tokens);
  if (wholes.length === 0) return [split];
  const joined: Pick<Token, 'term' | 'joint'>[] = [...tokens];
  for (const { term, from, to } of wholes.toReversed()) {
    joined.splice(from, to - from, { term, joint: tokens[from]?.joint ?? '' });
  }
  return [split, keyOf(joined)];
}

function readWord(written: string): GlossaryWord {
  const text = written.replaceAll(/^[\s"'`*•-]+|[\s"'`*]+$/gu, '').replaceAll(/\s+/gu, ' ');
  const tokens = new Tokens(text);
  const terms = termsOf(tokens);
  const { length } = tokens.tokens;
  if (length === 0) throw new LineError('NO_WORD', `"${written.trim()}" has no letter; write a word, or leave it out`);
  if (length > MAX_TOKENS) {
    const limit = `${MAX_TOKENS} words or ${MAX_TOKENS} characters of Chinese`;
    throw new LineError('TOO_LONG', `"${text}" is longer than ${limit}; separate words by commas`);
  }
  if (tokens.tokens.every(({ isStop }) => isStop)) {
    throw new LineError('COMMON_WORD', `"${text}" is in every text; leave it out, or write a longer phrase`);
  }
  if (tokens.tokens.some(({ joint }) => joint === '\n')) {
    throw new LineError('PUNCTUATION', `"${text}" has punctuation inside; separate words by commas`);
  }
  if (length === 1 && /^[a-z0-9]$/u.test(terms[0] ?? '')) {
    throw new LineError('NO_WORD', `"${text}" is one letter to a search; write a longer word`);
  }
  return { text, terms, keys: keysOf(tokens) };
}

/** Returns the words of a list, those that are the same to a search once. */
function readWords(list: string, known: Set<string>): GlossaryWord[] {
  const written = list.split(/[,、;=]/u).filter((word) => word.trim() !== '');
  if (written.length > MAX_WORDS) {
    throw new LineError('TOO_LONG', `the line has ${written.length} words; use ${MAX_WORDS} at most`);
  }
  return written.map(readWord).filter(({ terms }) => {
    const key = terms.join(' ');
    const isNew = !known.has(key);
    known.add(key);
    return isNew;
  });
}

/** @returns the group of a line, `undefined` for a comment. @throws {LineError} */
export function readGroup(raw: string, lineNumber: number): GlossaryGroup | undefined {
  const line = raw.length > MAX_LINE_UNITS ? raw : withoutComment(raw);
  if (line === '') return undefined;
  if (line.length > MAX_LINE_UNITS) {
    throw new LineError('TOO_LONG', `the line has ${line.length} characters; use ${MAX_LINE_UNITS} at most`);
  }
  // Every decoder writes it for what it cannot read.
  if (line.includes('\u{FFFD}')) {
    throw new LineError('ENCODING', 'the line has characters that are not UTF-8; save the file as UTF-8');
  }
  if (/[.。!?]$/u.test(line)) {
    throw new LineError('SENTENCE', 'the line ends like a sentence; write words separated by commas');
  }
  const [same = '', narrow, more] = line.split('>');
  const known = new Set<string>();
  const words = readWords(same, known);
  const narrower = narrow === undefined ? [] : readWords(narrow, known);
  if (more !== undefined || (narrow !== undefined && (words.length === 0 || narrower.length === 0))) {
    const hint = 'write the broader word, one ">", and the narrower words: database > postgres, mysql';
    throw new LineError('RELATION', `a line relates a broader word to narrower ones; ${hint}`);
  }
  if (words.length + narrower.length < 2) {
    throw new LineError('ONE_WORD', 'the line has no two words that differ; write words separated by commas');
  }
  return { lineNumber, words, narrower };
}

/** Returns a line in one spelling, without its comment. */
function withoutComment(line: string): string {
  return normalize(line)
    .replace(/(?:^|\s)#.*$/u, '')
    .trim();
}

/** Returns how many of the lines are read. */
function countRead(lines: readonly string[]): number {
  let units = 0;
  for (const [index, line] of lines.entries()) {
    units += line.length + 1;
    if (index === MAX_LINES || units > MAX_UNITS) return index;
  }
  return lines.length;
}

/**
 * Parses a glossary. Each line is a group of words that mean the same, separated by commas, semicolons or equals signs:
 * `timeout, timed out = 超时`. After `>` come narrower words, which a query for the words before it finds, and not the other way
 * round: `database > postgres, mysql`. `#` at the start of a line or after a space begins a comment. A phrase is one word here. The
 * case and the forms of a word do not matter. Nothing is a regular expression.
 *
 * A line with a problem is left out, and the others are used. At most 10,000 lines and 1,048,576 UTF-16 code units are read; all
 * lines after them are one problem.
 */
export function parseGlossary(text: string): ParsedGlossary {
  const lines = text.split(/\r\n|[\n\r]/u);
  if (lines.at(-1) === '') lines.pop();
  const read = countRead(lines);
  const groups: GlossaryGroup[] = [];
  const problems: GlossaryProblem[] = [];
  for (const [index, raw] of lines.slice(0, read).entries()) {
    const lineNumber = index + 1;
    try {
      const group = readGroup(raw, lineNumber);
      if (group !== undefined) groups.push(group);
    } catch (error) {
      if (!(error instanceof LineError)) throw error;
      problems.push({ lineNumber, lines: 1, code: error.code, message: error.message });
    }
  }
  const comments = read - groups.length - problems.length;
  if (read < lines.length) {
    const message = `a glossary has at most ${MAX_LINES} lines and ${MAX_UNITS} characters; remove lines`;
    problems.push({ lineNumber: read + 1, lines: lines.length - read, code: 'TOO_LARGE', message });
  }
  return { groups, comments, problems, lines: lines.length };
}
