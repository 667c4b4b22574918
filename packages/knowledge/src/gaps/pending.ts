/** Which gaps wait to be filled. Loads nothing, so that the start of a session can use it. */

/** A question that the assets do not answer. */
export interface Gap {
  readonly id: string;
  /** The question as it was first asked. */
  readonly query: string;
  /** How often it was asked, in any order of its words. */
  readonly asked: number;
  readonly firstMs: number;
  readonly lastMs: number;
}

/** A gap is pending when it was asked this often, or is this old. */
const PENDING_ASKED = 3;
const PENDING_MS: number = 7 * 24 * 60 * 60 * 1000;

/** Returns whether somebody should fill the gap now: it was asked three times, or is seven days old. */
export function isPending({ asked, firstMs }: Gap, nowMs: number): boolean {
  return asked >= PENDING_ASKED || nowMs - firstMs >= PENDING_MS;
}

/** Orders gaps: the latest question first. */
export function compareGaps(left: Gap, right: Gap): number {
  return right.lastMs - left.lastMs || (left.id < right.id ? -1 : 1);
}

/** Returns the pending gaps, the latest question first. */
export function pendingGaps(gaps: readonly Gap[], nowMs: number): Gap[] {
  return gaps.filter((gap) => isPending(gap, nowMs)).toSorted(compareGaps);
}

/** What the file of the index has of the gaps. */
export interface SessionExtra {
  /** The state of the table of gaps. */
  readonly gapsAt: { readonly epoch: string; readonly sequence: number };
  /** All of them: which are pending depends on the time at which a session starts. */
  readonly gaps: readonly Gap[];
}
