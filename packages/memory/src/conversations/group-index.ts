import { setImmediate } from 'node:timers/promises';
import { createTermIndex, noticesOf } from '@cairn/retrieval';
import type { RankDocument, RankedDocument, RankNotice, TermIndex } from '@cairn/retrieval';
import { MemoryError } from '../errors.ts';
import { DEFAULT_SIZES, hasSegment, readSegments, removeSegments, writeSegment } from './index-segments.ts';
import type { SegmentDependencies, SegmentSizes } from './index-segments.ts';

/** The groups that keep their index in this process. The group with the oldest query is dropped first. */
const MAX_GROUPS = 4;

/** The UTF-16 code units (a few milliseconds) after which other work runs. */
const UNITS_PER_TURN = 64 * 1024;

/** A message or a note. */
interface GroupDocument {
  readonly content: string;
  readonly time: number;
  /** Only notes have one. They are not stored in segments, because they expire earlier than the messages of the group. */
  readonly source?: string;
}

/** The documents of a group. An id stands for one content: another content has another id. */
type Documents = ReadonlyMap<string, GroupDocument>;

interface GroupQuery {
  readonly query: string;
  readonly limit: number;
  readonly signal?: AbortSignal | undefined;
  readonly onNotice?: ((notice: RankNotice) => void) | undefined;
}

/** The term indexes of large groups. Each call brings the index to the documents that the call has read. */
export interface GroupIndexes {
  readonly rank: (groupKey: string, documents: Documents, query: GroupQuery) => Promise<readonly RankedDocument[]>;
}

/** Adds documents to an index. Other work runs in between. */
async function fill(
  index: TermIndex,
  documents: readonly RankDocument[],
  signal: AbortSignal | undefined,
): Promise<void> {
  let units = 0;
  for (const document of documents) {
    index.add(document);
    units += document.text.length;
    if (units < UNITS_PER_TURN) continue;
    units = 0;
    await setImmediate();
    signal?.throwIfAborted();
  }
}

/** The index of one group. */
class GroupIndex {
  readonly #index: TermIndex = createTermIndex();
  readonly #groupKey: string;
  readonly #dependencies: SegmentDependencies;
  readonly #sizes: SegmentSizes;
  /** The segments in the store, their messages, and how many of these messages are gone. */
  #segments = 0;
  #stored = new Set<string>();
  #stale = 0;
  #isLoaded = false;

  constructor(dependencies: SegmentDependencies, groupKey: string, sizes: SegmentSizes) {
    this.#dependencies = dependencies;
    this.#groupKey = groupKey;
    this.#sizes = sizes;
  }

  async rank(documents: Documents, { query, limit, signal }: GroupQuery): Promise<readonly RankedDocument[]> {
    if (!this.#isLoaded && documents.size >= this.#sizes.minGroup) await this.#load(signal);
    this.#removeMissing(documents);
    if (this.#stale * 2 > this.#stored.size) await this.#dropSegments(signal);
    await this.#add(documents, signal);
    return this.#index.rank(query, limit);
  }

  async #load(signal: AbortSignal | undefined): Promise<void> {
    for await (const segment of readSegments(this.#dependencies, this.#groupKey, { signal })) {
      this.#segments += 1;
      for (const id of segment.ids()) this.#stored.add(id);
      this.#index.merge(segment);
      await setImmediate();
      signal?.throwIfAborted();
    }
    this.#isLoaded = true;
  }

  /** Removes the messages that the group no longer has. */
  #removeMissing(documents: Documents): void {
    const missing = Array.from(this.#index.ids()).filter((id) => !documents.has(id));
    for (const id of missing) {
      this.#index.remove(id);
      if (this.#stored.has(id)) this.#stale += 1;
    }
  }

  /** Removes the segments because most of their messages are gone. */
  async #dropSegments(signal: AbortSignal | undefined): Promise<void> {
    try {
      await removeSegments(this.#dependencies.backend, this.#groupKey, { signal });
    } catch (error) {
      // Stale segments only take space.
      if (!MemoryError.isInstance(error)) throw error;
    }
    this.#forgetSegments();
  }

  #forgetSegments(): void {
    this.#segments = 0;
    this.#stored = new Set();
    this.#stale = 0;
  }

  /** Adds the documents that the index lacks. Every full segment of messages is written to the store. */
  async #add(documents: Documents, signal: AbortSignal | undefined): Promise<void> {
    const missing: RankDocument[] = [];
    const notes: RankDocument[] = [];
    for (const [id, { content, time, source }] of documents) {
      if (this.#index.has(id)) continue;
      (source === undefined ? missing : notes).push({ id, text: content, timeMs: time });
    }
    const { segment, minGroup } = this.#sizes;
    let start = 0;
    if (documents.size >= minGroup) {
      for (; start + segment <= missing.length; start += segment) {
        const batch = missing.slice(start, start + segment);
        const index = createTermIndex();
        await fill(index, batch, signal);
        this.#index.merge(index);
        await this.#write(index, batch, signal);
      }
    }
    await fill(this.#index, [...missing.slice(start), ...notes], signal);
  }

  async #write(index: TermIndex, batch: readonly RankDocument[], signal: AbortSignal | undefined): Promise<void> {
    // Another process may have removed the segments.
    const last = this.#segments - 1;
    if (last >= 0 && !(await hasSegment(this.#dependencies, this.#groupKey, last, { signal }))) this.#forgetSegments();
    const sequence = batch.reduce((newest, { timeMs }) => Math.max(newest, timeMs), 0);
    const segment = { number: this.#segments, index, sequence };
    if (!(await writeSegment(this.#dependencies, this.#groupKey, segment, { signal }))) return;
    this.#segments += 1;
    for (const { id } of batch) this.#stored.add(id);
  }
}

export function createGroupIndexes(
  dependencies: SegmentDependencies,
  sizes: SegmentSizes = DEFAULT_SIZES,
): GroupIndexes {
  const groups = new Map<string, GroupIndex>();
  /** Calls run one after the other, because each changes the index to what it has read. */
  let queue: Promise<unknown> = Promise.resolve();

  const rank: GroupIndexes['rank'] = async (groupKey, documents, query) => {
    const group = groups.get(groupKey) ?? new GroupIndex(dependencies, groupKey, sizes);
    // The group with the latest query comes last.
    groups.delete(groupKey);
    groups.set(groupKey, group);
    const [oldest] = groups.keys();
    if (groups.size > MAX_GROUPS && oldest !== undefined) groups.delete(oldest);
    try {
      const ranked = await group.rank(documents, query);
      for (const notice of noticesOf(query.query, ranked)) query.onNotice?.(notice);
      return ranked;
    } catch (error) {
      // The index may be incomplete.
      groups.delete(groupKey);
      throw error;
    }
  };

  return {
    rank: (groupKey, documents, query) => {
      const turn = queue.then(() => rank(groupKey, documents, query));
      queue = turn.catch(() => undefined);
      return turn;
    },
  };
}
