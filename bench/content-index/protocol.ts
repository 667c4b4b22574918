/** The messages between the benchmark and the processes of its contestants. */
import type { GrepOutputMode } from '@cairn/natives';

/** Counts the matched lines of each file, or lists the files. */
export type Mode = Extract<GrepOutputMode, 'count' | 'filesWithMatches'>;

export interface Query {
  /** Selects the goals in the report. */
  readonly kind: string;
  readonly pattern: string;
  readonly ignoreCase?: boolean;
}

/** An answer without its paths. */
export interface Answer {
  /** How many files have a match. */
  readonly files: number;
  /** How many lines match. The number of files in files mode, and always from fff. */
  readonly lines: number;
  /** How many files the index did not exclude. */
  readonly candidates?: number | undefined;
  readonly freshness?: 'validated' | 'watched' | undefined;
}

/** Files with their matched lines. */
export type Found = Readonly<Record<string, number>>;

/** Measurements of building an index. */
export interface Build {
  /** The first answer, which starts no index. */
  readonly firstMs: number;
  readonly firstCpuMs: number;
  /** From the end of the second answer to the end of the build. */
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
  /** Builds the index, if the contestant has one. */
  | { readonly kind: 'prepare' }
  /** Times one query; a quick one is repeated. */
  | { readonly kind: 'time'; readonly query: Query; readonly mode: Mode }
  /** The processor time of one call. */
  | { readonly kind: 'work'; readonly query: Query; readonly mode: Mode }
  /** Every file with its count. */
  | { readonly kind: 'list'; readonly query: Query; readonly mode: Mode };
