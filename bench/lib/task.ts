/** What a contestant is asked to do, by `rules` with ignore rules or without. Crosses to child processes as it is. */
export type Task =
  /** Everything, hidden or in `node_modules` as well, uncached. */
  | { readonly kind: 'list'; readonly root: string; readonly rules: boolean }
  | { readonly kind: 'glob'; readonly root: string; readonly pattern: string; readonly cached: boolean }
  /** A cached glob on a snapshot whose time is over, while nothing has changed. */
  | { readonly kind: 'expired'; readonly root: string; readonly pattern: string }
  /** One keystroke on a cached scan; `before` was asked just before. */
  | { readonly kind: 'find'; readonly root: string; readonly query: string; readonly before: readonly string[] }
  /** Uncached. */
  | {
      readonly kind: 'grep';
      readonly root: string;
      readonly pattern: string;
      readonly glob?: string;
      readonly rules: boolean;
    }
  /** The end of several greps by one signal, until another call has been answered. Ours alone can. */
  | { readonly kind: 'abort'; readonly root: string; readonly pattern: string; readonly calls: number };

/** How many paths of a ranking are judged. */
export const topCount = 10;

/** What came out, to see that no contestant was fast by doing less. */
export interface Outcome {
  /** How many entries, matches or lines. */
  readonly count: number;
  /** The first paths, where the order means something. */
  readonly top?: readonly string[] | undefined;
  /** What the result says about itself when it is not whole. */
  readonly stopReason?: string | undefined;
}

/** A task that is ready to be timed. */
export interface Trial {
  /** Not timed: brings the contestant into the state that the case is about. */
  readonly arm?: (() => Promise<unknown>) | undefined;
  /** Timed. */
  readonly run: () => Outcome | Promise<Outcome>;
  /** Only for programs: the resident memory of one run more, or of the program that runs. */
  readonly peakMb?: (() => number) | undefined;
  /** Only for programs that run until they are no longer needed. */
  readonly close?: (() => void) | undefined;
}

/** Makes a trial of a task. `undefined`: this contestant cannot do that. */
export type Engine = (task: Task) => Trial | undefined | Promise<Trial | undefined>;

/** Waits until a snapshot with a time to live of one millisecond is over. */
export const expiredAfterMs = 5;
