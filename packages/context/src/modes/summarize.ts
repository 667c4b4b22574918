import type { Language } from '@cairn/tool/kernel';
import { checkArguments, checkWholeNumber } from '../errors.ts';
import type { UnifiedMessage } from '../messages/message.ts';
import { shortenSentence, withoutLeadIn } from './cues.ts';
import { StatementPool, type Ranked } from './statements.ts';

export interface SummarizeOptions {
  /** In UTF-16 code units, from 100. @default 1_500 */
  readonly maxCharacters?: number | undefined;
  /** @default 'en' */
  readonly language?: Language | undefined;
}

export const SUMMARY_CHARACTERS = 1500;
const MIN_CHARACTERS = 100;

/** From this score on a sentence may state something. */
const STATEMENT = 1;
/** The sentences that do not fit any more before the rest is not tried. */
const MAX_MISSES = 20;

/** From whole sentences to their main clauses: the first with which every statement fits is used, else the best. */
const SHORTER: readonly ((sentence: string) => string)[] = [
  (sentence) => sentence,
  withoutLeadIn,
  ...[120, 90, 65].map((length) => (sentence: string) => shortenSentence(sentence, length)),
];

interface Line extends Ranked {
  readonly shown: string;
}

function joint(text: string): string {
  const end = text.charAt(text.length - 1);
  if ('。！？'.includes(end)) return '';
  return '.!?…"\'”’)]'.includes(end) ? ' ' : '; ';
}

function render(lines: readonly Line[]): string {
  let result = '';
  let last: string | undefined;
  for (const { speaker, shown } of lines) {
    if (speaker === last) result += joint(result) + shown;
    else result += `${result === '' ? '' : '\n'}${speaker}: ${shown}`;
    last = speaker;
  }
  return result;
}

/** Returns whether a sentence that is kept has all of another, such as an answer that repeats it. */
function isRepeated({ skeleton, numbers, negations }: Ranked, kept: readonly Ranked[]): boolean {
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
function fit(ranked: readonly Ranked[], maxCharacters: number, shorten: (sentence: string) => string): Fitted {
  let kept: Line[] = [];
  let text = '';
  let isComplete = true;
  let misses = 0;
  for (const candidate of ranked) {
    // Talk is no better than nothing, if there is anything else.
    if ((candidate.score <= 0 && text !== '') || misses > MAX_MISSES) break;
    if (isRepeated(candidate, kept)) continue;
    const line: Line = { ...candidate, shown: shorten(candidate.text) };
    const after = kept.findIndex(({ order }) => order > candidate.order);
    const lines = kept.toSpliced(after < 0 ? kept.length : after, 0, line);
    const longer = render(lines);
    if (longer.length <= maxCharacters) {
      kept = lines;
      text = longer;
      continue;
    }
    misses++;
    isComplete &&= candidate.score < STATEMENT;
  }
  return { text, isComplete, statements: kept.filter(({ score }) => score >= STATEMENT).length };
}

export function summarizePool(pool: StatementPool, maxCharacters: number): string {
  const ranked = pool.rank();
  let best: Fitted | undefined;
  for (const shorten of SHORTER) {
    const fitted = fit(ranked, maxCharacters, shorten);
    if (best === undefined || fitted.statements > best.statements) best = fitted;
    if (fitted.isComplete) break;
  }
  return best?.text ?? '';
}

/**
 * Summarizes a conversation by its own sentences: those that are most likely facts, decisions, rules and preferences, in
 * their order, with their speakers. Tool calls, results and blocks of code are not read. The same messages have the same summary.
 *
 * @throws {ContextError} `INVALID_OPTION`.
 */
export function summarize(messages: readonly UnifiedMessage[], options: SummarizeOptions = {}): string {
  checkArguments.options('summarize', options, { maxCharacters: 'optional', language: 'optional' });
  const { maxCharacters = SUMMARY_CHARACTERS, language = 'en' } = options;
  checkArguments.language(language);
  checkWholeNumber('maxCharacters', maxCharacters, MIN_CHARACTERS);
  const pool = new StatementPool(language);
  pool.add(messages);
  return summarizePool(pool, maxCharacters);
}
