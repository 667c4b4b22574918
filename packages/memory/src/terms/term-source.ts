import type { CallOptions, ListRule } from '../records/backend.ts';
import type { Turns } from '../records/turns.ts';

/** Records that can be found: those of a list, or the rows of a table. */
export interface TermSource {
  readonly key: string;
  /** The rule of a list, which decides what has expired. */
  readonly rule?: ListRule | undefined;
  /**
   * Returns what a record is found by; `undefined` when the record is not readable. For a list `timeMs` is the time of the record.
   * When it returns something else for a stored record than before, raise `INDEX_VERSION`.
   */
  readonly textOf: (record: string) => { readonly text: string; readonly timeMs: number } | undefined;
}

/** A call for the records of a source. */
export interface SourceCall extends CallOptions {
  readonly source: TermSource;
  readonly turns: Turns;
}

/** Returns whether records of the rule expire at all. */
export function expires(rule: ListRule | undefined): rule is ListRule {
  return rule !== undefined && (rule.lifetimeMs !== Infinity || rule.temporaryLifetimeMs !== Infinity);
}

/** Returns the time at which or before which records have expired. */
export function expiredBefore(rule: ListRule | undefined, nowMs: number): number {
  return rule === undefined ? -Infinity : nowMs - rule.lifetimeMs;
}

/** Returns whether the time of a record alone decides when it expires. */
export function isStorable({ rule }: TermSource): boolean {
  return rule === undefined || rule.lifetimeMs === rule.temporaryLifetimeMs;
}
