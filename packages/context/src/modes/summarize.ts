import { readQuery } from '@cairn/retrieval';
import { ContextError } from '../errors.ts';
import { checkLanguage } from '../messages/language.ts';
import type { Language } from '../messages/language.ts';
import type { UnifiedMessage } from '../messages/message.ts';
import { textOf } from '../messages/text.ts';
import { countNegations, shortenSentence, weighCues, withoutLeadIn } from './cues.ts';
import { sentencesOf } from './sentences.ts';
import { speakerOf } from './speaker.ts';

export interface SummarizeOptions {
  /** In UTF-16 code units, from 100. @default 1_500 */
  readonly maxCharacters?: number | undefined;
  /** @default 'en' */
  readonly language?: Language | undefined;
}

export const SUMMARY_CHARACTERS = 1500;
const MIN_CHARACTERS = 100;

/** A longer sentence is cut: it must not take the place of several others. */
const MAX_SENTENCE = 240;
/** The part of a message that is read: what follows is most often pasted. */
const MAX_READ = 20_000;
/** From this weight on a sentence states something. */
const STATEMENT = 2;
/** The candidates in a row that do not fit any more before the rest is not tried. */
const MAX_MISSES = 60;

/** The first half of a surrogate pair, at the end of a text that was cut. */
const HALF_PAIR = /[\uD800-\uDBFF]$/;

interface Sentence {
  readonly text: string;
  /** What {@link weighCues} says. */
  readonly weight: number;
  readonly terms: readonly string[];
  /** The sentence without numbers and case: equal for the sentences of a pattern. */
  readonly skeleton: string;
  readonly numbers: string;
  readonly negations: number;
}

interface Candidate extends Sentence {
  readonly speaker: string;
  readonly order: number;
}

interface Ranked extends Candidate {
  readonly score: number;
}

type Shorten = (sentence: string) => string;

/** From whole sentences to their main clauses: the first is used with which all that states something fits, else the best. */
const SHORTER: readonly Shorten[] = [
  (sentence) => sentence,
  withoutLeadIn,
  ...[120, 90, 65].map(
    (length): Shorten =>
      (sentence) =>
        shortenSentence(sentence, length),
  ),
];

const read = new WeakMap<UnifiedMessage, readonly Sentence[]>();

function cutSentence(text: string): string {
  if (text.length <= MAX_SENTENCE) return text;
  const head = text.slice(0, MAX_SENTENCE - 1).replace(HALF_PAIR, '');
  return `${head.replace(/(?<=.{100})\s\S*$/u, '')}…`;
}

/** Returns the sentences of a message. Blocks of code have none. */
function sentencesIn(message: UnifiedMessage): readonly Sentence[] {
  const known = read.get(message);
  if (known !== undefined) return known;
  const text = message.role === 'tool' ? '' : textOf(message).slice(0, MAX_READ).replace(HALF_PAIR, '');
  const sentences = sentencesOf(text.replaceAll(/^[ \t]*(```|~~~)[^]*?(?:^[ \t]*\1|(?![^]))/gmu, '\n')).map(
    (whole): Sentence => {
      const sentence = cutSentence(whole.replaceAll(/\s+/gu, ' '));
      return {
        text: sentence,
        weight: weighCues(sentence),
        terms: readQuery(sentence).terms.flatMap(({ term, weight }) => (weight < 1 ? [] : [term])),
        skeleton: withoutLeadIn(sentence)
          .toLowerCase()
          .replaceAll(/[\p{N}\p{P}\s]+/gu, ' ')
          .trim(),
        numbers: (sentence.match(/\p{N}+/gu) ?? []).join(' '),
        negations: countNegations(sentence),
      };
    },
  );
  read.set(message, sentences);
  return sentences;
}

function countBy(values: Iterable<string>): Map<string, number> {
  const counts = new Map<string, number>();
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1);
  return counts;
}

/** Returns the candidates, the best first. A sentence that is repeated counts once, at its last place. */
function rank(candidates: readonly Candidate[]): Ranked[] {
  const unique = [...new Map(candidates.map((one) => [`${one.speaker}\n${one.text.toLowerCase()}`, one])).values()];
  const skeletons = countBy(unique.map(({ skeleton }) => skeleton));
  const repeats = countBy(candidates.map(({ text }) => text.toLowerCase()));
  const frequency = countBy(unique.flatMap(({ terms }) => [...new Set(terms)]));
  const scored = unique.map((one) => {
    const { terms, text, skeleton, weight } = one;
    // How rare its words are, from 0 to 1. A sentence of few words says little.
    const rarity = terms.reduce((sum, term) => sum + 1 / (frequency.get(term) ?? 1), 0) / Math.max(3, terms.length);
    // A sentence that many messages have is talk, and one of many that differ in their numbers alone may be.
    const repeated = Math.min(4, 1.5 * ((repeats.get(one.text.toLowerCase()) ?? 1) - 1));
    const template = Math.min(1.5, 0.5 * Math.max(0, (skeletons.get(skeleton) ?? 1) - 2));
    const score = weight + 2 * rarity - repeated - template - Math.max(0, text.length - 100) / 60;
    return { ...one, score };
  });
  return scored.toSorted((left, right) => right.score - left.score || left.order - right.order);
}

/** Returns the characters between two sentences. */
function joint(text: string): string {
  if (/[。！？]$/u.test(text)) return '';
  return /[.!?…"'”’)\]]$/u.test(text) ? ' ' : '; ';
}

function render(kept: readonly Candidate[], shorten: Shorten): string {
  let result = '';
  let last: string | undefined;
  for (const { speaker, text } of kept.toSorted((left, right) => left.order - right.order)) {
    const shown = shorten(text);
    if (speaker === last) result += joint(result) + shown;
    else result += `${result === '' ? '' : '\n'}${speaker}: ${shown}`;
    last = speaker;
  }
  return result;
}

/** Returns whether a sentence that is kept has all of another, such as an answer that repeats it. */
function isRepeated({ skeleton, numbers, negations }: Candidate, kept: readonly Candidate[]): boolean {
  return kept.some(
    (other) =>
      other.negations === negations && other.numbers === numbers && ` ${other.skeleton} `.includes(` ${skeleton} `),
  );
}

interface Fitted {
  readonly text: string;
  /** The sentences that state something and are in the text. */
  readonly statements: number;
  readonly isComplete: boolean;
}

/** Adds sentences, the best first, as long as they fit. */
function fit(ranked: readonly Ranked[], maxCharacters: number, shorten: Shorten): Fitted {
  const kept: Ranked[] = [];
  let text = '';
  let isComplete = true;
  let misses = 0;
  for (const candidate of ranked) {
    // Talk is no better than nothing, if there is anything else.
    if ((candidate.score <= 0 && text !== '') || misses > MAX_MISSES) break;
    if (isRepeated(candidate, kept)) continue;
    const longer = render([...kept, candidate], shorten);
    if (longer.length <= maxCharacters) {
      kept.push(candidate);
      text = longer;
      continue;
    }
    misses++;
    isComplete &&= candidate.score < STATEMENT;
  }
  return { text, isComplete, statements: kept.filter(({ score }) => score >= STATEMENT).length };
}

/**
 * Summarizes a conversation by its own sentences: those that are most likely facts, decisions, rules and preferences, in
 * their order, with their speakers. Tool calls, results and blocks of code are not read. The same messages have the same summary.
 *
 * @throws {ContextError} `INVALID_OPTION`.
 */
export function summarize(messages: readonly UnifiedMessage[], options: SummarizeOptions = {}): string {
  const { maxCharacters = SUMMARY_CHARACTERS, language = 'en' } = options;
  checkLanguage(language);
  if (!Number.isInteger(maxCharacters) || maxCharacters < MIN_CHARACTERS) {
    const problem = `Invalid maxCharacters ${String(maxCharacters)}`;
    throw new ContextError('INVALID_OPTION', [problem, `Use a whole number from ${MIN_CHARACTERS}.`], {
      option: 'maxCharacters',
    });
  }
  let order = 0;
  const candidates = messages.flatMap((message) => {
    const speaker = speakerOf(message, language);
    return sentencesIn(message).map((sentence): Candidate => ({ ...sentence, speaker, order: order++ }));
  });
  const ranked = rank(candidates);
  let best: Fitted | undefined;
  for (const shorten of SHORTER) {
    const fitted = fit(ranked, maxCharacters, shorten);
    if (best === undefined || fitted.statements > best.statements) best = fitted;
    if (fitted.isComplete) break;
  }
  return best?.text ?? '';
}
