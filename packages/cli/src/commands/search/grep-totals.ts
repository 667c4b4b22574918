import type { GrepMatch, GrepSummary } from '@cairn/natives';
import { inOptions } from '../../terminal/errors.ts';
import type { PathNaming } from './grep-lines.ts';

/** How many matches a line of a result can have. */
export const MAX_SUBMATCHES = 100_000;

const MAX_UNREADABLE_PATHS = 16;

interface Counts {
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

export interface GrepTotals extends GrepSummary, Readonly<Counts> {
  readonly failures: readonly unknown[];
}

const REPLACEMENT_CHARACTER = '\u{fffd}';

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

/** Adds up the counts of two results. Of their other fields, the later ones count. */
function added<Counted extends object>(one: Counted, other: Counted): Counted {
  const sums = Object.entries(other).map(([name, value]): [string, unknown] => {
    const before: unknown = Reflect.get(one, name);
    return [name, typeof value === 'number' && typeof before === 'number' ? before + value : value];
  });
  return { ...one, ...Object.fromEntries(sums) };
}

export class TotalsBuilder {
  readonly #counts: Counts = { shown: 0, linesCut: 0, linesCrowded: 0, linesReplaced: 0, lossyPaths: 0 };
  readonly #failures: unknown[] = [];
  readonly #results: GrepSummary[] = [];
  #isLimited = false;
  #lastLossyPath: string | undefined;

  get shown(): number {
    return this.#counts.shown;
  }

  get totalMatches(): number {
    return this.#results.reduce((sum, one) => sum + one.totalMatches, 0);
  }

  get isEnded(): boolean {
    return this.#results.some(
      ({ limitReached, stopReason }) => limitReached === true || stopReason === 'timeout' || stopReason === 'budget',
    );
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

  addResult({ unreadablePaths, asTyped, ...rest }: GrepSummary, pathOf: PathNaming): void {
    this.#results.push({
      ...rest,
      ...(unreadablePaths && { unreadablePaths: unreadablePaths.map(pathOf) }),
      ...(asTyped && { asTyped: { ...asTyped, path: pathOf(asTyped.path) } }),
    });
    this.#lastLossyPath = undefined;
  }

  addFailure(error: unknown): void {
    this.#failures.push(error);
  }

  addLimit(): void {
    this.#isLimited = true;
  }

  finish(): GrepTotals {
    const results = this.#results;
    const { totalMatches } = this;
    // The reason that ends the search of all roots comes from the last one.
    const { asTyped: _, ...sums } = results.reduce(added, NOTHING);
    const { hint } = results.find((one) => one.hint !== undefined) ?? {};
    // A string that one root has as typed is of no use when another root has matches.
    const { asTyped } = totalMatches > 0 ? {} : (results.find((one) => one.asTyped) ?? {});
    const unreadablePaths = results.flatMap((one) => one.unreadablePaths ?? []);
    return {
      ...sums,
      ...(hint !== undefined && { hint: inOptions(hint) }),
      ...(asTyped && { asTyped }),
      ...(this.#isLimited && { limitReached: true }),
      skipped: results.map((one) => one.skipped).reduce(added, NOTHING.skipped),
      ...(unreadablePaths.length > 0 && { unreadablePaths: unreadablePaths.slice(0, MAX_UNREADABLE_PATHS) }),
      complete: results.every((one) => one.complete),
      ...this.#counts,
      failures: this.#failures,
    };
  }
}
