import type { Range } from '../terminal/text.ts';
import type { NameFeed } from './name-feed.ts';

export type PickMode = 'find' | 'grep';

/** A match that can be chosen. */
export interface PickItem {
  /** The path to open and to print. */
  readonly path: string;
  /** The path in the list: relative to the searched directory when there is one. */
  readonly shownPath: string;
  readonly isDirectory: boolean;
  /** The number of the matched line, in grep mode. */
  readonly lineNumber?: number;
  /** The matched line, or the path as it is shown, and the highlighted parts. */
  readonly text: string;
  readonly ranges: readonly Range[];
}

/** The matches of a query. */
export interface Found {
  readonly items: readonly PickItem[];
  /** The number of matches, and what is missing. */
  readonly summary: string;
}

/** Finds what a picker shows. */
export interface PickSource {
  /** The names to choose from, instead of files. */
  readonly names?: NameFeed | undefined;
  /** Begins to read what the searches need. */
  warmUp(signal: AbortSignal): void;
  search(query: string, options: { readonly mode: PickMode; readonly signal: AbortSignal }): Promise<Found>;
}
