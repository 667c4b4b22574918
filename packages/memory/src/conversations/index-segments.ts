/**
 * The term index of a group in the store, so that a new process need not read all texts again. It consists of segments, each a
 * document with the terms of some messages. A segment is only a cache: it is never trusted to be complete, and deleting it
 * costs nothing but time. So all failures of the store are ignored here, such as a store that is not writable.
 */
import { deserializeTermIndex, RetrievalError } from '@cairn/retrieval';
import type { TermIndex } from '@cairn/retrieval';
import { MemoryError } from '../errors.ts';
import type { CallOptions, MemoryBackend } from '../records/backend.ts';
import { segmentKey, segmentPrefix } from '../records/keys.ts';
import type { Limits } from '../records/limits.ts';

/** When the index of a group is stored. */
export interface SegmentSizes {
  /** The messages of a segment: so few that reading one takes less than 20 ms, and writing one does not rewrite the others. */
  readonly segment: number;
  /** The smallest group with segments. Below it, reading them takes as long as building the index. */
  readonly minGroup: number;
}

export const DEFAULT_SIZES: SegmentSizes = { segment: 2000, minGroup: 10_000 };

/** A limit on the segments of a group, should other programs write under these keys. */
const MAX_SEGMENTS = 10_000;

export interface SegmentDependencies {
  readonly backend: MemoryBackend;
  readonly limits: Limits;
}

/** Runs a task on the store; `undefined` when the store fails. */
async function attempt<T>(task: () => Promise<T>): Promise<T | undefined> {
  try {
    return await task();
  } catch (error) {
    if (MemoryError.isInstance(error)) return undefined;
    throw error;
  }
}

/** Reads the index of a segment; `undefined` when it is damaged or of another version. */
function parseSegment(text: string): TermIndex | undefined {
  try {
    return deserializeTermIndex(text).index;
  } catch (error) {
    if (RetrievalError.isInstance(error)) return undefined;
    throw error;
  }
}

/** Reads the segments of a group in order, up to the first that is missing or not usable. */
export async function* readSegments(
  { backend }: SegmentDependencies,
  groupKey: string,
  { signal }: CallOptions,
): AsyncGenerator<TermIndex, void, undefined> {
  for (let number = 0; number < MAX_SEGMENTS; number++) {
    const text = await attempt(() => backend.read(segmentKey(groupKey, number), { signal }));
    const index = text === undefined ? undefined : parseSegment(text);
    if (index === undefined) return;
    yield index;
  }
}

/**
 * Writes a segment over whatever is there. It expires with its newest message, whose time is `sequence`.
 *
 * @returns whether the store has it.
 */
export async function writeSegment(
  { backend, limits }: SegmentDependencies,
  groupKey: string,
  segment: { readonly number: number; readonly index: TermIndex; readonly sequence: number },
  { signal }: CallOptions,
): Promise<boolean> {
  const key = segmentKey(groupKey, segment.number);
  const next = segment.index.serialize(segment.sequence);
  const isWritten = await attempt(async () => {
    const expected = await backend.read(key, { signal });
    const leftMs = segment.sequence + limits.messages.lifetimeMs - (await backend.now({ signal }));
    return backend.swap(key, { expected, next, ttlMs: Math.max(leftMs, 1) }, { signal });
  });
  return isWritten === true;
}

/** Returns whether the store has a segment. Segments are read up to the first missing one, so there must be no gap. */
export async function hasSegment(
  { backend }: SegmentDependencies,
  groupKey: string,
  number: number,
  { signal }: CallOptions,
): Promise<boolean> {
  return (await attempt(() => backend.read(segmentKey(groupKey, number), { signal }))) !== undefined;
}

/** Removes all segments of a group, also after a gap. @throws {MemoryError} because they have words of the messages. */
export async function removeSegments(backend: MemoryBackend, groupKey: string, options: CallOptions): Promise<void> {
  for (const { key, kind } of await backend.keys(segmentPrefix(groupKey), options)) {
    if (kind !== 'document') continue;
    const expected = await backend.read(key, options);
    await backend.swap(key, { expected, next: undefined, ttlMs: Infinity }, options);
  }
}
