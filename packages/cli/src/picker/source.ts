import type { Range } from '../terminal/text.ts';
import type { NameFeed } from './name-feed.ts';

export type PickMode = 'find' | 'grep';

export interface PickItem {
  readonly path: string;
  /** The path in the list: relative to the searched directory when there is one. */
  readonly shownPath: string;
  readonly isDirectory: boolean;
  readonly lineNumber?: number;
  /** The matched line, or the path as it is shown, and the highlighted parts. */
  readonly text: string;
  readonly ranges: readonly Range[];
}

export interface Found {
  readonly items: readonly PickItem[];
  /** The number of matches, and what is missing. */
  readonly summary: string;
}

export interface PickSource {
  /** The names to choose from, instead of files. */
  readonly names?: NameFeed | undefined;
  warmUp(signal: AbortSignal): void;
  search(query: string, options: { readonly mode: PickMode; readonly signal: AbortSignal }): Promise<Found>;
}
