import { readQuery } from '@cairn/retrieval';
import { startOf } from '@cairn/tool/internal';
import type { Language } from '@cairn/tool/kernel';
import { textOf, type UnifiedMessage } from '../messages/message.ts';
import { shortenSentence, weighCues, withoutLeadIn } from './cues.ts';
import { sentencesOf } from './sentences.ts';
import { speakerOf, withoutAnnouncement } from './texts.ts';

/** A longer sentence is cut: it must not take the place of several others. */
const MAX_SENTENCE = 240;
/** The part of a message that is read: what follows is most often pasted. */
const MAX_READ = 20_000;
/** The sentences that are compared with one another. A summary has a tenth of them. */
const MAX_POOL = 300;

const NEGATION = /\b(?:no|not|never|none|nobody|nothing|without|cannot|neither|nor|\w+n['’]t)\b|[不没無无未别勿非]/giu;

interface Candidate {
  readonly text: string;
  /** What {@link weighCues} says, less for a long sentence, which takes the room of others. */
  readonly weight: number;
  readonly speaker: string;
  readonly order: number;
}

/** A sentence and how much a summary needs it. */
export interface Ranked extends Candidate {
  readonly terms: readonly string[];
  /** The sentence without numbers and case: equal for the sentences of a pattern. */
  readonly skeleton: string;
  readonly numbers: string;
  readonly negations: number;
  readonly score: number;
}

function cutSentence(sentence: string): string {
  if (sentence.length <= MAX_SENTENCE) return sentence;
  // What it states may be at its end.
  const text = shortenSentence(sentence, MAX_SENTENCE);
  if (text.length <= MAX_SENTENCE) return text;
  const head = startOf(text, MAX_SENTENCE - 1);
  return `${head.replace(/(?<=.{100})\s\S*$/u, '')}…`;
}

function featuresOf({ text }: Candidate): Omit<Ranked, keyof Candidate | 'score'> {
  return {
    terms: [...new Set(readQuery(text).terms.flatMap(({ term, weight }) => (weight < 1 ? [] : [term])))],
    skeleton: withoutLeadIn(text)
      .toLowerCase()
      .replaceAll(/[\p{N}\p{P}\s]+/gu, ' ')
      .trim(),
    numbers: (text.match(/\p{N}+/gu) ?? []).join(' '),
    negations: text.match(NEGATION)?.length ?? 0,
  };
}

/** Returns the sentences of a message. Tool parts and blocks of code have none. */
function sentencesIn(message: UnifiedMessage): string[] {
  const text = startOf(withoutAnnouncement(textOf(message)), MAX_READ);
  const prose = text.replaceAll(/^[ \t]*(```|~~~)[^]*?(?:^[ \t]*\1|(?![^]))/gmu, '\n');
  return sentencesOf(prose).map((sentence) => cutSentence(sentence.replaceAll(/\s+/gu, ' ')));
}

function countBy(values: Iterable<string>): Map<string, number> {
  const counts = new Map<string, number>();
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1);
  return counts;
}

/**
 * The sentences of a conversation that are most likely statements, as it grows. It depends on the messages alone, not
 * on how many are added at a time, and its size is bounded.
 */
export class StatementPool {
  readonly #language: Language;
  /** By speaker and text: a sentence that is repeated counts once, at its last place. */
  readonly #kept = new Map<string, Candidate>();
  /** How often each sentence is there. */
  readonly #repeats = new Map<string, number>();
  #order = 0;

  constructor(language: Language) {
    this.#language = language;
  }

  add(messages: readonly UnifiedMessage[]): void {
    for (const message of messages) {
      const speaker = speakerOf(message, this.#language);
      for (const text of sentencesIn(message)) {
        const folded = text.toLowerCase();
        const key = `${speaker}\n${text}`;
        this.#repeats.set(folded, (this.#repeats.get(folded) ?? 0) + 1);
        const weight =
          this.#kept.get(key)?.weight ?? weighCues(text) - Math.min(1, Math.max(0, text.length - 100) / 60);
        this.#kept.set(key, { text, weight, speaker, order: this.#order++ });
      }
      if (this.#kept.size > 2 * MAX_POOL) this.#trim();
    }
  }

  /** Returns the sentences, the best first. */
  rank(): Ranked[] {
    this.#trim();
    const kept = [...this.#kept.values()].map((one) => ({ ...one, ...featuresOf(one) }));
    const skeletons = countBy(kept.map(({ skeleton }) => skeleton));
    const frequency = countBy(kept.flatMap(({ terms }) => terms));
    const ranked = kept.map((one): Ranked => {
      const { terms, text, skeleton, weight } = one;
      // How rare its words are, from 0 to 1. A sentence of few words says little.
      const rarity = terms.reduce((sum, term) => sum + 1 / (frequency.get(term) ?? 1), 0) / Math.max(3, terms.length);
      // A sentence that many messages have is talk, and one of many that differ in their numbers alone may be.
      const repeated = Math.min(4, 1.5 * ((this.#repeats.get(text.toLowerCase()) ?? 1) - 1));
      const template = Math.min(1.5, 0.5 * Math.max(0, (skeletons.get(skeleton) ?? 1) - 2));
      return { ...one, score: weight + 2 * rarity - repeated - template };
    });
    return ranked.toSorted((left, right) => right.score - left.score || right.order - left.order);
  }

  #trim(): void {
    if (this.#kept.size <= MAX_POOL) return;
    const best = [...this.#kept].toSorted(([, a], [, b]) => b.weight - a.weight || b.order - a.order);
    for (const [key] of best.slice(MAX_POOL)) this.#kept.delete(key);
  }
}
