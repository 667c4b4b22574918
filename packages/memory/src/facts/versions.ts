/** The earlier versions of a fact. Each keeps what its change replaced, so that a version is the present one without the later changes. */
import { quoted } from '@cairn/tool/kernel';
import { MemoryError } from '../errors.ts';
import type { FactChange, StoredFact, StoredVersion } from './fact.ts';

const DAY = 86_400_000;
/** How long an earlier version can be restored. */
const RESTORABLE_DAYS = 30;
const RESTORABLE_MS = RESTORABLE_DAYS * DAY;

/** The fields that a change may replace; `undefined` removes one. */
export type FactState = Pick<
  StoredFact,
  'text' | 'tags' | 'pinned' | 'shared' | 'allowSecret' | 'supersededBy' | 'archivedAt'
>;

export interface Amendment {
  readonly by: FactChange;
  readonly nowMs: number;
  /** Up to here, earlier versions that have ended their time are removed. */
  readonly trustedMs: number;
  readonly restoredFrom?: number | undefined;
}

function isEqual(left: unknown, right: unknown): boolean {
  return left === right || JSON.stringify(left) === JSON.stringify(right);
}

/** Changes a fact and keeps what was replaced. Returns the same fact when nothing differs. */
export function amend(
  stored: StoredFact,
  state: Partial<FactState>,
  { by, nowMs, trustedMs, restoredFrom }: Amendment,
): StoredFact {
  const fields = stored as unknown as Readonly<Record<string, unknown>>;
  const changed = Object.entries(state).filter(([field, value]) => !isEqual(fields[field], value));
  if (changed.length === 0) return stored;
  const { revision = 1, versions: before = [] } = stored;
  // Those that can no longer be restored are removed. They end in the order of their revisions.
  const first = before.findIndex(({ until }) => until + RESTORABLE_MS > trustedMs);
  const was = Object.fromEntries(changed.map(([field]) => [field, fields[field] ?? null]));
  const versions = [...(first === -1 ? [] : before.slice(first)), { revision, until: nowMs, by, was }];
  return { ...stored, ...state, updatedAt: nowMs, revision: revision + 1, restoredFrom, versions };
}

/** An earlier version of a fact. */
export interface FactVersion {
  readonly revision: number;
  readonly text: string;
  readonly tags: readonly string[];
  /** What replaced it, and when. */
  readonly by: FactChange;
  readonly until: number;
}

/** Returns the state before each change, newest first, with the fields of all later versions removed. */
function* statesOf(stored: StoredFact): Generator<{ readonly version: StoredVersion; readonly state: FactState }> {
  const { text, tags, pinned, shared, supersededBy, archivedAt, versions = [] } = stored;
  let state: FactState = { text, tags, pinned, shared, supersededBy, archivedAt };
  for (const version of versions.toReversed()) {
    const was = Object.entries(version.was).map(([field, value]) => [field, value ?? undefined]);
    state = { ...state, ...Object.fromEntries(was) };
    yield { version, state };
  }
}

/** Returns the earlier versions, newest first. */
export function historyOf(stored: StoredFact): FactVersion[] {
  return Array.from(statesOf(stored), ({ version: { revision, by, until }, state: { text, tags = [] } }) => {
    return { revision, text, tags, by, until };
  });
}

/**
 * Returns the state to restore: a revision, or the state before the last change. After a restore, that is the one before
 * the restored revision, so that repeated calls go back further.
 *
 * @throws {MemoryError} `NOTHING_TO_RESTORE`, `RESTORE_EXPIRED`.
 */
export function stateToRestore(
  stored: StoredFact,
  { revision: wanted, nowMs }: { readonly revision: number | undefined; readonly nowMs: number },
): { readonly revision: number; readonly state: FactState } {
  const { id, revision = 1, restoredFrom = revision } = stored;
  const target = wanted ?? restoredFrom - 1;
  if (!Number.isInteger(target) || target < 1 || target >= revision) {
    const summary = `The fact ${quoted(id)} has no ${wanted === undefined ? 'earlier version' : `revision ${wanted}`} to restore`;
    throw new MemoryError('NOTHING_TO_RESTORE', [summary, 'Use `update` to change it. Nothing was changed.']);
  }
  for (const { version, state } of statesOf(stored)) {
    if (version.revision === target && version.until + RESTORABLE_MS > nowMs) return { revision: target, state };
  }
  const summary = `Revision ${target} of the fact ${quoted(id)} ended more than ${RESTORABLE_DAYS} days ago and cannot be restored`;
  throw new MemoryError('RESTORE_EXPIRED', [summary, 'Remember its text again. Nothing was changed.']);
}

/** Returns whether one stored form of a fact is an earlier version of another. */
export function isEarlier(earlier: StoredFact, later: StoredFact): boolean {
  const { text, tags, pinned, shared, supersededBy, archivedAt, revision = 1 } = earlier;
  const state: FactState = { text, tags, pinned, shared, supersededBy, archivedAt };
  for (const { version, state: before } of statesOf(later)) {
    if (version.revision === revision) return isEqual(before, state);
  }
  return false;
}
