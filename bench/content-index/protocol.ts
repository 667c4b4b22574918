/** The messages between the benchmark and the processes of its contestants. */
import type { GrepOutputMode } from '@cairn/natives';

/** The units that every contestant can report: matched lines of each file, or files. */
export type Mode = Extract<GrepOutputMode, 'count' | 'filesWithMatches'>;

export interface Query {
  /** Says what section of the report it belongs to. */
  readonly kind: string;
  readonly pattern: string;
  readonly ignoreCase?: boolean;
}

/** An answer without its paths. */
export interface Answer {
  /** How many files have a match. */
  readonly files: number;
  /** How many lines match. In files mode, and of fff: how many files. */
  readonly lines: number;
  /** How many files were opened, as far as an index decides that. */
  readonly candidates?: number | undefined;
  readonly freshness?: 'validated' | 'watched' | undefined;
}

/** Files with their matched lines. */
export type Found = Readonly<Record<string, number>>;

/** How an index came to be. */
export interface Build {
  /** The first answer, which begins no index. */
  readonly firstMs: number;
  readonly firstCpuMs: number;
  /** From the end of the second answer until nothing is indexed any more. */
  readonly wallMs: number;
  readonly cpuMs: number;
  readonly files: number;
  readonly indexed: number;
  readonly bytes: number;
  readonly watches: number;
  readonly offReason?: string | undefined;
}

export interface Timed extends Answer {
  readonly ms: number;
}

export type Request =
  /** Asks until there is an index; of others, nothing. */
  | { readonly kind: 'prepare' }
  /** Times one query, repeated if it is over at once. */
  | { readonly kind: 'time'; readonly query: Query; readonly mode: Mode }
  /** The processor time of one call. */
  | { readonly kind: 'work'; readonly query: Query; readonly mode: Mode }
  /** Every file with its count. */
  | { readonly kind: 'list'; readonly query: Query; readonly mode: Mode };
