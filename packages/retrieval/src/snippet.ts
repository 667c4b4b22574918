import { estimateTokens, type CountTokens } from '@cairn/tool/prompt';
import { checkArguments, RetrievalError } from './errors.ts';
import { bestStretch, charactersIn, characterStart, GRAPHEME_CONTEXT, hitsOf, weightsOf, type Hit } from './hits.ts';
import { runToEnd } from './score.ts';

/** How long a snippet may be. With both limits the shorter one counts. */
export interface SnippetLimits {
  /** In UTF-16 code units, marks of cuts included. A whole number from 80. */
  readonly maxCharacters?: number | undefined;
  /** Estimated tokens, marks of cuts included. A whole number from 40. */
  readonly maxTokens?: number | undefined;
  /** Default: `estimateTokens` of `@cairn/tool/prompt`. */
  readonly countTokens?: CountTokens | undefined;
}

/** A part of a string round the words of a query. */
export interface Snippet {
  /** Where the text was cut it says how much: `[120 characters] … found words … [3400 characters]`. */
  readonly text: string;
  /** The UTF-16 code units of the text that the snippet leaves out. 0 when the snippet is the whole text. */
  readonly omitted: number;
}

/** The marks of two cuts have up to 50 code units. */
const MIN_CHARACTERS = 80;
const MIN_TOKENS = 40;
/** Parts of a string in one snippet, and the code units that each needs to be understood. */
const MAX_PARTS = 3;
const MIN_PART = 80;
/** The share of a part by which its ends may move to a word or line end. */
const SNAP_SHARE = 0.2;

interface Part {
  readonly from: number;
  readonly to: number;
}

/** Returns the last place in a stretch where a line, else a word ends. -1: none. */
function lastBreak(text: string, from: number, to: number): number {
  const stretch = text.slice(from, to);
  const line = stretch.lastIndexOf('\n');
  if (line >= 0) return from + line;
  const word = stretch.search(/[\s\p{P}](?:[^\s\p{P}])*$/u);
  return word < 0 ? -1 : from + word + 1;
}

/** Returns the first place in a stretch where a line, else a word starts. -1: none. */
function firstBreak(text: string, from: number, to: number): number {
  const stretch = text.slice(from, to);
  const line = stretch.indexOf('\n');
  if (line >= 0) return from + line + 1;
  const word = stretch.search(/[\s\p{P}]/u);
  return word < 0 ? -1 : from + word + 1;
}

/** Widens a stretch of hits to `width`, and moves its ends to ends of lines, words or characters. */
function widen(text: string, stretch: Part, width: number): Part {
  const spare = Math.max(0, width - (stretch.to - stretch.from));
  let from = Math.max(0, stretch.from - Math.floor(spare / 2));
  let to = Math.min(text.length, from + width);
  from = Math.max(0, Math.min(from, to - width));
  const snap = Math.floor(width * SNAP_SHARE);
  if (from > 0) {
    const broken = firstBreak(text, from, Math.min(stretch.from, from + snap));
    from = broken < 0 ? from : broken;
    if (characterStart(text, from) !== from) {
      // The next character, so that the part does not grow.
      const start = characterStart(text, from);
      const { segment = '' } = charactersIn(text.slice(start, from + GRAPHEME_CONTEXT)).containing(0) ?? {};
      from = Math.min(to, start + segment.length);
    }
  }
  if (to < text.length) {
    const broken = lastBreak(text, Math.max(stretch.to, to - snap, from + 1), to);
    to = Math.max(from, characterStart(text, broken < 0 ? to : broken));
    while (to > stretch.to && /\s/u.test(text.charAt(to - 1))) to--;
  }
  return { from, to };
}

/** Joins parts that touch each other or have less between them than a mark of a cut takes. */
function joined(parts: readonly Part[], least: number): Part[] {
  const all: Part[] = [];
  for (const part of parts.toSorted((left, right) => left.from - right.from)) {
    const last = all.at(-1);
    if (last !== undefined && part.from - last.to <= least) {
      all[all.length - 1] = { from: last.from, to: Math.max(last.to, part.to) };
    } else {
      all.push(part);
    }
  }
  return all;
}

/** Returns the parts of a string with the most words of the query, at most `width` code units in all. */
function partsOf(text: string, hits: readonly Hit[], width: number): Part[] {
  let best: { parts: Part[]; weight: number } = { parts: [{ from: 0, to: 0 }], weight: 0 };
  for (let count = 1; count <= MAX_PARTS && (count === 1 || width >= count * MIN_PART); count++) {
    const each = Math.floor(width / count);
    const covered = new Set<string>();
    const parts: Part[] = [];
    let weight = 0;
    while (parts.length < count) {
      const stretch = bestStretch(hits, each, covered);
      if (stretch === undefined) break;
      weight += stretch.weight;
      for (const hit of hits) if (hit.at >= stretch.from && hit.end <= stretch.to) covered.add(hit.term);
      parts.push({ from: stretch.from, to: stretch.to });
    }
    // Fewer parts read better.
    if (weight > best.weight + 1e-9) best = { parts, weight };
  }
  const each = Math.floor(width / best.parts.length);
  return best.parts.map((part) => widen(text, part, each));
}

function cutMark(omitted: number): string {
  return `[${omitted} ${omitted === 1 ? 'character' : 'characters'}]`;
}

/** The code units of ` … [1234567 characters] … `, the longest mark of a string of this length. */
function markLength(text: string): number {
  return ` … ${cutMark(text.length)} … `.length;
}

function render(text: string, parts: readonly Part[]): Snippet {
  let shown = '';
  let omitted = 0;
  let end = 0;
  for (const { from, to } of parts) {
    if (from > end) {
      shown += end === 0 ? `${cutMark(from - end)} … ` : ` … ${cutMark(from - end)} … `;
      omitted += from - end;
    }
    shown += text.slice(from, to);
    end = to;
  }
  if (end < text.length) {
    shown += ` … ${cutMark(text.length - end)}`;
    omitted += text.length - end;
  }
  return { text: shown, omitted };
}

function checkLimit(option: 'maxCharacters' | 'maxTokens', value: number | undefined, least: number): number {
  if (value === undefined) return Number.POSITIVE_INFINITY;
  if (Number.isInteger(value) && value >= least) return value;
  throw new RetrievalError('INVALID_OPTION', `invalid ${option} ${value}; use a whole number from ${least}.`, {
    option,
  });
}

/**
 * Cuts a string to a limit, round the words of a query: up to three parts that have the most of its terms. A string that fits is
 * returned whole. A string without any of the terms is cut at its end. Parts end at ends of lines or words where one is near, and
 * never within a character. Each cut says how many characters it leaves out. Takes linear time for any text.
 *
 * @param query a query, or terms as `termsOf` returns them, such as the terms that a search matched.
 * @throws {RetrievalError} `INVALID_OPTION`
 */
export function snippetOf(text: string, query: string | readonly string[], limits: SnippetLimits): Snippet {
  checkArguments.options('snippetOf', limits, {
    maxCharacters: 'optional',
    maxTokens: 'optional',
    countTokens: 'optional',
  });
  const maxCharacters = checkLimit('maxCharacters', limits.maxCharacters, MIN_CHARACTERS);
  const maxTokens = checkLimit('maxTokens', limits.maxTokens, MIN_TOKENS);
  const { countTokens = estimateTokens } = limits;
  const fits = (shown: string): boolean =>
    shown.length <= maxCharacters && (maxTokens === Number.POSITIVE_INFINITY || countTokens(shown) <= maxTokens);
  // No tokenizer makes one token of more than some dozens of characters: a long text need not be counted.
  if (text.length <= Math.min(maxCharacters, maxTokens * 64) && fits(text)) return { text, omitted: 0 };
  const weights = weightsOf(query);
  const hits = weights.size === 0 ? [] : runToEnd(hitsOf(text, weights));
  // Cheap tokens have several characters. The width shrinks until the snippet fits.
  let width = Math.min(maxCharacters, maxTokens * 4, text.length);
  for (;;) {
    const parts = joined(partsOf(text, hits, width), markLength(text));
    const snippet = render(text, parts);
    if (fits(snippet.text) || width === 0) return snippet;
    const share = Math.min(
      maxCharacters / snippet.text.length,
      maxTokens / Math.max(1, countTokens(snippet.text)),
      0.95,
    );
    width = Math.floor(width * share);
  }
}
