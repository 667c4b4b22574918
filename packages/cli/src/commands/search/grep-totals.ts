import type { GrepMatch, GrepSummary } from '@cairn/natives';
import { inOptions } from '../../terminal/errors.ts';
import type { PathNaming } from './grep-lines.ts';
import { MAX_SUBMATCHES } from './notices.ts';

/** What a search of one or several roots states besides its matches. */
export interface GrepTotals extends GrepSummary {
  /** The number of matches that were passed on. */
  readonly shown: number;
  /** How many of them have a line that the search cut. */
  readonly linesCut: number;
  /** How many of them have more matches than the result. */
  readonly linesCrowded: number;
  /** How many lines have the character that also stands for bytes that are not UTF-8. */
  readonly linesReplaced: number;
  /** How many files have a name that is not valid Unicode. */
  readonly lossyPaths: number;
  /** Why some roots were not searched. */
  readonly failures: readonly unknown[];
}

const MAX_UNREADABLE_PATHS = 16;

function plus(one: number | undefined, other: number | undefined): number | undefined {
  return one === undefined ? other : one + (other ?? 0);
}

type Skipped = GrepSummary['skipped'];

function mergedSkips(one: Skipped, other: Skipped): Skipped {
  const tooCostly = plus(one.tooCostly, other.tooCostly);
  return {
    oversized: one.oversized + other.oversized,
    binary: one.binary + other.binary,
    unreadable: one.unreadable + other.unreadable,
    ...(tooCostly !== undefined && { tooCostly }),
  };
}

function merged(one: GrepSummary, other: GrepSummary): GrepSummary {
  const unreadablePaths = [...(one.unreadablePaths ?? []), ...(other.unreadablePaths ?? [])];
  const filesCut = plus(one.filesCut, other.filesCut);
  return {
    ...one,
    // The reason that ends the search of all roots is that of the last one.
    ...other,
    ...(one.hint !== undefined && { hint: inOptions(one.hint) }),
    ...(one.asTyped && { asTyped: one.asTyped }),
    totalMatches: one.totalMatches + other.totalMatches,
    filesWithMatches: one.filesWithMatches + other.filesWithMatches,
    filesSearched: one.filesSearched + other.filesSearched,
    skipped: mergedSkips(one.skipped, other.skipped),
    ...(filesCut !== undefined && { filesCut }),
    ...(unreadablePaths.length > 0 && { unreadablePaths: unreadablePaths.slice(0, MAX_UNREADABLE_PATHS) }),
    complete: one.complete && other.complete,
  };
}

const REPLACEMENT_CHARACTER = '\u{fffd}';

/** Returns how many lines of a match, with its context, have a replacement character. */
function replacedLines({ line, contextBefore, contextAfter }: GrepMatch): number {
  const own = line.includes(REPLACEMENT_CHARACTER) ? 1 : 0;
  if (contextBefore === undefined && contextAfter === undefined) return own;
  const context = [...(contextBefore ?? []), ...(contextAfter ?? [])];
  return own + context.filter((one) => one.line.includes(REPLACEMENT_CHARACTER)).length;
}

/** Adds up the results of the roots. */
export class TotalsBuilder {
  #facts: GrepSummary | undefined;
  #shown = 0;
  #linesCut = 0;
  #linesCrowded = 0;
  #linesReplaced = 0;
  #lossyPaths = 0;
  #lastLossyPath: string | undefined;
  readonly #failures: unknown[] = [];

  get shown(): number {
    return this.#shown;
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
    this.#shown += matches.length;
    for (const match of matches) {
      const { truncated, submatches = [], lossyPath, path } = match;
      if (truncated === true && submatches.length === MAX_SUBMATCHES) this.#linesCrowded += 1;
      else if (truncated === true) this.#linesCut += 1;
      this.#linesReplaced += replacedLines(match);
      // The matches of a file follow each other.
      if (lossyPath === true && path !== this.#lastLossyPath) this.#lossyPaths += 1;
      this.#lastLossyPath = lossyPath === true ? path : undefined;
    }
  }

  /** Adds what the search of a root states. `pathOf` names its paths. */
  addResult(facts: GrepSummary, pathOf: PathNaming): void {
    const { unreadablePaths, asTyped, ...rest } = facts;
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
    const none = { totalMatches: 0, filesWithMatches: 0, filesSearched: 0, engine: 'regex', complete: true } as const;
    const facts = this.#facts ?? { ...none, skipped: { oversized: 0, binary: 0, unreadable: 0 } };
    const { asTyped, ...found } = facts;
    return {
      ...found,
      // A text that one root has as typed is of no use when another root has matches.
      ...(asTyped && facts.totalMatches === 0 && { asTyped }),
      shown: this.#shown,
      linesCut: this.#linesCut,
      linesCrowded: this.#linesCrowded,
      linesReplaced: this.#linesReplaced,
      lossyPaths: this.#lossyPaths,
      failures: this.#failures,
    };
  }
}
