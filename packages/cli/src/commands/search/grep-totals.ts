import type { GrepMatch, GrepSummary } from '@cairn/natives';
import { inOptions } from '../../terminal/errors.ts';
import type { PathNaming } from './grep-lines.ts';

/** How many matches a line of a result can have. */
export const MAX_SUBMATCHES = 100_000;

const MAX_UNREADABLE_PATHS = 16;

/** Counts of the matches that were passed on. */
interface Counts {
  /** How many there are. */
  shown: number;
  /** How many of them have a line that the search cut. */
  linesCut: number;
  /** How many of them have more matches than the result. */
  linesCrowded: number;
  /** How many lines have the character that also stands for bytes that are not UTF-8. */
  linesReplaced: number;
  /** How many files have a name that is not valid Unicode. */
  lossyPaths: number;
}

/** The result of a search of one or several roots besides its matches. */
export interface GrepTotals extends GrepSummary, Readonly<Counts> {
  /** Why some roots were not searched. */
  readonly failures: readonly unknown[];
}

function plus(one: number | undefined, other: number | undefined): number | undefined {
  return one === undefined ? other : one + (other ?? 0);
}

function merged(one: GrepSummary, other: GrepSummary): GrepSummary {
  const unreadablePaths = [...(one.unreadablePaths ?? []), ...(other.unreadablePaths ?? [])];
  const filesCut = plus(one.filesCut, other.filesCut);
  const tooCostly = plus(one.skipped.tooCostly, other.skipped.tooCostly);
  return {
    ...one,
    // The reason that ends the search of all roots comes from the last one.
    ...other,
    ...(one.hint !== undefined && { hint: inOptions(one.hint) }),
    ...(one.asTyped && { asTyped: one.asTyped }),
    totalMatches: one.totalMatches + other.totalMatches,
    filesWithMatches: one.filesWithMatches + other.filesWithMatches,
    filesSearched: one.filesSearched + other.filesSearched,
    skipped: {
      oversized: one.skipped.oversized + other.skipped.oversized,
      binary: one.skipped.binary + other.skipped.binary,
      unreadable: one.skipped.unreadable + other.skipped.unreadable,
      ...(tooCostly !== undefined && { tooCostly }),
    },
    ...(filesCut !== undefined && { filesCut }),
    ...(unreadablePaths.length > 0 && { unreadablePaths: unreadablePaths.slice(0, MAX_UNREADABLE_PATHS) }),
    complete: one.complete && other.complete,
  };
}

const REPLACEMENT_CHARACTER = '\u{fffd}';

/** Returns the number of lines of a match, with its context, that have a replacement character. */
function replacedLines({ line, contextBefore = [], contextAfter = [] }: GrepMatch): number {
  let count = line.includes(REPLACEMENT_CHARACTER) ? 1 : 0;
  for (const lines of [contextBefore, contextAfter]) {
    for (const one of lines) count += one.line.includes(REPLACEMENT_CHARACTER) ? 1 : 0;
  }
  return count;
}

const NOTHING: GrepSummary = {
  totalMatches: 0,
  filesWithMatches: 0,
  filesSearched: 0,
  skipped: { oversized: 0, binary: 0, unreadable: 0 },
  engine: 'regex',
  complete: true,
};

/** Adds up the results of the roots. */
export class TotalsBuilder {
  readonly #counts: Counts = { shown: 0, linesCut: 0, linesCrowded: 0, linesReplaced: 0, lossyPaths: 0 };
  readonly #failures: unknown[] = [];
  #facts: GrepSummary | undefined;
  #lastLossyPath: string | undefined;

  get shown(): number {
    return this.#counts.shown;
  }

  get totalMatches(): number {
    return this.#facts?.totalMatches ?? 0;
  }

  /** Whether a limit of the whole search was reached. */
  get isEnded(): boolean {
    const { stopReason, limitReached } = this.#facts ?? {};
    return limitReached === true || stopReason === 'timeout' || stopReason === 'budget';
  }

  addMatches(matches: readonly GrepMatch[]): void {
    const counts = this.#counts;
    counts.shown += matches.length;
    for (const match of matches) {
      const { truncated, submatches = [], lossyPath, path } = match;
      if (truncated === true && submatches.length === MAX_SUBMATCHES) counts.linesCrowded += 1;
      else if (truncated === true) counts.linesCut += 1;
      counts.linesReplaced += replacedLines(match);
      // The matches of a file follow each other.
      if (lossyPath === true && path !== this.#lastLossyPath) counts.lossyPaths += 1;
      this.#lastLossyPath = lossyPath === true ? path : undefined;
    }
  }

  /** Adds the result of a root. `pathOf` names its paths. */
  addResult({ unreadablePaths, asTyped, ...rest }: GrepSummary, pathOf: PathNaming): void {
    const named: GrepSummary = {
      ...rest,
      ...(unreadablePaths && { unreadablePaths: unreadablePaths.map(pathOf) }),
      ...(asTyped && { asTyped: { ...asTyped, path: pathOf(asTyped.path) } }),
    };
    this.#facts = this.#facts === undefined ? named : merged(this.#facts, named);
    this.#lastLossyPath = undefined;
  }

  addFailure(error: unknown): void {
    this.#failures.push(error);
  }

  addLimit(): void {
    if (this.#facts !== undefined) this.#facts = { ...this.#facts, limitReached: true };
  }

  finish(): GrepTotals {
    const { asTyped, ...found } = this.#facts ?? NOTHING;
    // A text that one root has as typed is of no use when another root has matches.
    const typed = asTyped && found.totalMatches === 0 ? { asTyped } : {};
    return { ...found, ...typed, ...this.#counts, failures: this.#failures };
  }
}
