import { mergeSegments, readColumns, RetrievalError, writeSegment } from '@cairn/retrieval';
import type { Part } from '@cairn/retrieval';
import { MemoryError } from '../errors.ts';
import type { CallOptions, Changed, Changes, ListRule, MemoryBackend } from '../records/backend.ts';
import { termsKey } from '../records/keys.ts';
import { randomName } from '../records/random-name.ts';
import { FIRST_PAGE, nextPageLimit, readChanges } from '../records/read-changes.ts';
import { isLive } from '../records/record.ts';
import { emptyState, IndexTable } from './index-state.ts';
import type { IndexState, ReadState, StoredSegment } from './index-state.ts';
import {
  DamagedSegment,
  OpenSegment,
  openSegments,
  readAllBlocks,
  readSegmentPostings,
  readVocabulary,
} from './open-segment.ts';
import type { SegmentReading } from './open-segment.ts';
import type { PostingsCache } from './postings-cache.ts';
import { Tail } from './tail.ts';
import type { CapturedTail } from './tail.ts';
import type { TermSource } from './term-store.ts';
import type { Turns } from '../records/turns.ts';

/** When segments are written and merged. */
export interface SegmentSizes {
  /** The records and the terms that a process splits again in its first search, rather than storing them. */
  readonly minRecords: number;
  readonly minTerms: number;
  /** The largest segment. It is written in one step, which blocks. */
  readonly maxRecords: number;
  readonly maxTerms: number;
}

export const DEFAULT_SIZES: SegmentSizes = { minRecords: 256, minTerms: 32_768, maxRecords: 16_384, maxTerms: 524_288 };

/** The neighbours that are merged at once. */
const MERGED_SEGMENTS = 4;

const MAX_ATTEMPTS = 5;
const MAX_LIMIT = 2 ** 31 - 1;
/** How long a store that refused a write is not asked again. */
const REFUSED_MS = 60_000;
/** Shorter lists never have an index, and no process can be writing one. */
const MIN_GUARDED = 128;
/** How long the records may take to be removed after their terms. */
const CLOSED_MS = 600_000;

/** A record with its text. */
export interface ReadRecord {
  readonly sequence: number;
  readonly record: string;
  readonly text: string;
  readonly timeMs: number;
}

/** The records of a source at one time. */
export interface SourceParts {
  /** Returns the parts with the postings of some terms. @throws {DamagedSegment} */
  readonly read: (
    terms: readonly string[],
  ) => Promise<{ readonly part: Part; readonly sequences: ArrayLike<number> }[]>;
  /** Returns all terms. @throws {DamagedSegment} */
  readonly vocabulary: () => AsyncIterable<Iterable<string>>;
  /** Returns records by their sequences; `undefined` for those that are gone. */
  readonly records: (sequences: readonly number[], call: CallOptions) => Promise<(string | undefined)[]>;
}

/** What a call on a view needs. */
export interface ViewCall extends CallOptions {
  readonly source: TermSource;
  readonly turns: Turns;
}

export interface ViewDependencies {
  readonly backend: MemoryBackend;
  readonly cache: PostingsCache;
  readonly sizes: SegmentSizes;
  /** Called when an index was written. */
  readonly onStored: (call: CallOptions) => Promise<void>;
}

/** Returns the time at which or before which records have expired. */
function expiredBefore(rule: ListRule | undefined, nowMs: number): number {
  return rule === undefined ? -Infinity : nowMs - rule.lifetimeMs;
}

/** Returns whether the time of a record alone decides when it expires. */
function isStorable({ rule }: TermSource): boolean {
  return rule === undefined || rule.lifetimeMs === rule.temporaryLifetimeMs;
}

function expires(rule: ListRule | undefined): rule is ListRule {
  return rule !== undefined && (rule.lifetimeMs !== Infinity || rule.temporaryLifetimeMs !== Infinity);
}

/** What a process knows of a source: its segments, and the records that no segment has. */
export class SourceView {
  readonly #backend: MemoryBackend;
  readonly #cache: PostingsCache;
  readonly #sizes: SegmentSizes;
  readonly #onStored: ViewDependencies['onStored'];
  readonly #key: string;
  readonly #table: IndexTable;
  #epoch = '';
  /** The state that was read before the records of the tails; `undefined` while it was not needed. */
  #stored: ReadState | undefined;
  #segments: OpenSegment[] = [];
  /** The ranges without a segment, the last one without an end; and the holes, which are never stored. */
  #tails: Tail[] = [new Tail(1)];
  #holes = new Tail(0, 0);
  /** All records up to here were read. */
  #readTo = 0;
  #pageLimit = FIRST_PAGE;
  #isLarge = false;
  /** Of `performance.now()`. */
  #refusedUntilMs = 0;
  /** Segments with a damaged row: as if the state lacked them. */
  readonly #damaged = new Set<string>();
  /** Calls on the view run one after the other. */
  #queue: Promise<unknown> = Promise.resolve();

  constructor({ backend, cache, sizes, onStored }: ViewDependencies, key: string) {
    this.#onStored = onStored;
    this.#backend = backend;
    this.#cache = cache;
    this.#sizes = sizes;
    this.#key = key;
    this.#table = new IndexTable(backend, termsKey(key));
  }

  #enqueue<Result>(task: () => Promise<Result>): Promise<Result> {
    const turn = this.#queue.then(task);
    this.#queue = turn.catch(() => undefined);
    return turn;
  }

  #reading({ turns, signal }: ViewCall): SegmentReading {
    return { table: this.#table, cache: this.#cache, turns, signal };
  }

  /** Forgets everything that it knows of the records. */
  #reset(epoch: string): void {
    this.#epoch = epoch;
    this.#stored = undefined;
    this.#segments = [];
    this.#tails = [new Tail(1)];
    this.#holes = new Tail(0, 0);
    this.#readTo = 0;
  }

  /** Reads the records that are new, and returns what the source has now. */
  capture(call: ViewCall): Promise<SourceParts> {
    return this.#enqueue(async () => {
      await this.#refresh(call);
      const { source } = call;
      const nowMs = expires(source.rule) ? await this.#backend.now(call) : 0;
      return this.#captured(call, nowMs);
    });
  }

  #captured(call: ViewCall, nowMs: number): SourceParts {
    const { rule } = call.source;
    const epoch = this.#epoch;
    const reading = this.#reading(call);
    const segments = [...this.#segments];
    const since = expiredBefore(rule, nowMs);
    const columns = segments.map((segment) => segment.liveColumns(since));
    const tails = [...this.#tails, this.#holes];
    const captured = tails.map((tail): CapturedTail => tail.capture(rule, nowMs));
    return {
      read: async (terms) => {
        const postings = await readSegmentPostings(reading, segments, terms);
        const ofSegments = columns.map((own, index) => {
          return {
            part: { ...own, postingsOf: (term: string) => postings[index]?.get(term) },
            sequences: own.sequences,
          };
        });
        const ofTails = captured.map((tail) => {
          const found = new Map(terms.map((term) => [term, tail.postingsOf(term)]));
          return {
            part: { ...tail.columns, postingsOf: (term: string) => found.get(term) },
            sequences: tail.columns.sequences,
          };
        });
        return [...ofSegments, ...ofTails];
      },
      vocabulary: async function* () {
        for (const segment of segments) yield* readVocabulary(reading, segment);
        for (const tail of captured) yield tail.terms();
      },
      records: async (sequences, { signal }) => {
        const known = sequences.map((sequence) => {
          for (const tail of tails) {
            const record = tail.records.get(sequence);
            if (record !== undefined) return record;
          }
          return undefined;
        });
        const missing = sequences.filter((_, index) => known[index] === undefined);
        if (missing.length === 0) return known;
        const fetched = await this.#backend.fetch(this.#key, epoch, missing, { signal });
        const bySequence = new Map(missing.map((sequence, index) => [sequence, fetched[index]]));
        return sequences.map((sequence, index) => known[index] ?? bySequence.get(sequence));
      },
    };
  }

  /** Treats a segment as missing from now on. */
  async dropDamaged(name: string): Promise<void> {
    await this.#enqueue(async () => {
      this.#damaged.add(name);
      this.#reset('');
    });
  }

  async #refresh(call: ViewCall): Promise<void> {
    for (let attempt = 1; ; attempt++) {
      call.signal?.throwIfAborted();
      if (await this.#tryRefresh(call, attempt === MAX_ATTEMPTS)) return;
      this.#reset('');
    }
  }

  /** @returns whether the view agrees with the store; otherwise everything must be read again. */
  async #tryRefresh(call: ViewCall, isLast: boolean): Promise<boolean> {
    const page = await this.#readPage({ after: this.#readTo, limit: isLast ? MAX_LIMIT : this.#pageLimit }, call);
    if (page.epoch !== this.#epoch) this.#reset(page.epoch);
    let count: number | undefined;
    if (!isLast && this.#stored === undefined && (this.#isLarge || page.records.length === this.#pageLimit)) {
      // The state must be older than the records that are stored with it.
      await this.#load(call);
      count = await this.#readTails(undefined, call, isLast);
    } else {
      count = await this.#readTails(page, call, isLast);
    }
    if (count === undefined) return false;
    if (count !== this.#present && !(await this.#readLive(call))) return false;
    if (isLast) return true;
    const tail = this.#tails.at(-1);
    if (tail !== undefined && tail.gone > tail.records.size + FIRST_PAGE) return false;
    return this.#maintain(call);
  }

  async #readPage(
    { after, upTo, limit }: { readonly after: number; readonly upTo?: number; readonly limit: number },
    { signal }: CallOptions,
  ): Promise<Changes> {
    const epoch = this.#epoch === '' ? undefined : this.#epoch;
    return this.#backend.changes(this.#key, { epoch, after, upTo, limit, signal });
  }

  /** The number of records that the store should have. */
  get #present(): number {
    const inTails = [...this.#tails, this.#holes].reduce((sum, { records }) => sum + records.size, 0);
    return this.#segments.reduce((sum, { present }) => sum + present, inTails);
  }

  /** Reads the state and the columns of its segments. */
  async #load(call: ViewCall): Promise<void> {
    const { signal, source, turns } = call;
    const stored = await this.#table.read(this.#epoch, { signal });
    this.#stored = stored;
    const infos = (stored.state?.segments ?? []).filter(({ name }) => !this.#damaged.has(name));
    const { segments, damaged } = await openSegments(this.#reading(call), infos);
    for (const name of damaged) this.#damaged.add(name);
    this.#segments = segments;
    this.#setTails();
    const holes = (stored.state?.holes ?? []).toSorted((left, right) => left - right);
    this.#holes = new Tail(0, 0);
    const records = await this.#backend.fetch(this.#key, this.#epoch, holes, { signal });
    for (const [index, record] of records.entries()) {
      if (record !== undefined) await this.#holes.add({ sequence: holes[index] ?? 0, record }, source, turns);
    }
  }

  /** Makes an empty tail for each range that the segments do not cover. */
  #setTails(): void {
    const tails: Tail[] = [];
    let covered = 0;
    for (const { info } of this.#segments) {
      if (info.from > covered + 1) tails.push(new Tail(covered + 1, info.from - 1));
      covered = info.to;
    }
    this.#tails = [...tails, new Tail(covered + 1)];
    this.#readTo = covered;
  }

  /** Reads what the tails lack. @returns the number of records of the key; `undefined` when it has another epoch now. */
  async #readTails(first: Changes | undefined, call: ViewCall, isLast: boolean): Promise<number | undefined> {
    let count = 0;
    // Storing a part of a tail replaces the array.
    for (const tail of this.#tails) {
      const isOpen = tail.to === Infinity;
      // A gap was read when the segments were.
      if (!isOpen && first !== undefined) continue;
      const end = await this.#readTail(tail, isOpen ? first : undefined, call, isLast);
      if (end === undefined) return undefined;
      count = end;
    }
    return count;
  }

  async #readTail(
    begun: Tail,
    first: Changes | undefined,
    call: ViewCall,
    isLast: boolean,
  ): Promise<number | undefined> {
    const { source, turns } = call;
    const holes = new Set(this.#stored?.state?.holes);
    let tail = begun;
    let readTo = first === undefined ? tail.from - 1 : this.#readTo;
    for (let page = first; ; page = undefined) {
      const limit = isLast ? MAX_LIMIT : this.#pageLimit;
      page ??= await this.#readPage({ after: readTo, upTo: tail.to, limit }, call);
      if (page.epoch !== this.#epoch) return undefined;
      for (const one of page.records) {
        if (!holes.has(one.sequence)) await tail.add(one, source, turns);
        readTo = one.sequence;
        if (isLast || !this.#isFull(tail, source)) continue;
        const next = new Tail(readTo + 1, tail.to);
        if (!(await this.#store(tail, readTo, next, call))) return undefined;
        tail = next;
      }
      if (tail.to === Infinity) this.#readTo = readTo;
      if (page.records.length < limit) return page.count;
      this.#pageLimit = nextPageLimit(limit, page.records);
    }
  }

  /** Finds which records are gone. @returns whether the epoch is the same. */
  async #readLive({ turns, signal }: ViewCall): Promise<boolean> {
    const { epoch, sequences } = await this.#backend.sequences(this.#key, { signal });
    if (epoch !== this.#epoch) return false;
    await turns.next();
    for (const one of [...this.#segments, ...this.#tails, this.#holes]) one.setLive(sequences);
    return true;
  }

  #isFull(tail: Tail, source: TermSource): boolean {
    const { maxRecords, maxTerms } = this.#sizes;
    if (this.#stored === undefined || !tail.isStorable || !isStorable(source) || tail.gone > 0) return false;
    return tail.records.size >= maxRecords || tail.terms >= maxTerms;
  }

  /** Stores the tails that are large enough, and merges segments. @returns whether the view agrees with the store. */
  async #maintain(call: ViewCall): Promise<boolean> {
    if (!isStorable(call.source)) return true;
    const { minRecords, minTerms, maxRecords } = this.#sizes;
    const isDue = (tail: Tail): boolean => {
      // A gap is left by a damaged segment.
      if (tail.to !== Infinity) return true;
      return tail.records.size >= maxRecords / 4 || (tail.records.size >= minRecords && tail.terms >= minTerms);
    };
    const due = this.#tails.filter((tail) => tail.isStorable && isDue(tail));
    if (due.length > 0 && (this.#stored === undefined || due.some(({ gone }) => gone > 0))) {
      this.#isLarge = true;
      return false;
    }
    for (const tail of due) {
      const to = tail.to === Infinity ? this.#readTo : tail.to;
      if (!(await this.#store(tail, to, new Tail(to + 1, tail.to), call))) return false;
    }
    if (this.#isWritable && this.#segments.some(({ rows }) => rows !== undefined) && !(await this.#save(call)))
      return false;
    return this.#merge(call);
  }

  /** Makes a segment of a tail. @returns whether the view agrees with the store. */
  async #store(tail: Tail, to: number, next: Tail, call: ViewCall): Promise<boolean> {
    const name = randomName();
    const rows = await call.turns.run(writeSegment(name, tail.builder));
    const { sequences } = tail.builder;
    const info: StoredSegment = {
      name,
      from: tail.from,
      to,
      records: sequences.length,
      terms: tail.terms,
      blocks: rows.blocks.length,
    };
    const segment = new OpenSegment(info, rows.columns, rows);
    this.#tails = this.#tails.flatMap((one) => (one === tail ? (next.from > next.to ? [] : [next]) : [one]));
    this.#segments = [...this.#segments, segment].toSorted((left, right) => left.info.from - right.info.from);
    return this.#save(call);
  }

  get #isWritable(): boolean {
    return performance.now() >= this.#refusedUntilMs;
  }

  /** Runs a task that writes to the store; `undefined` when the store cannot be written, which costs only time. */
  async #attempt<Result>(task: () => Promise<Result>): Promise<Result | undefined> {
    if (!this.#isWritable) return undefined;
    try {
      return await task();
    } catch (error) {
      if (!MemoryError.isInstance(error)) throw error;
      this.#refusedUntilMs = performance.now() + REFUSED_MS;
      return undefined;
    }
  }

  /** Writes the state with the segments that only this process has. @returns whether the view agrees with the store. */
  async #save({ signal }: ViewCall): Promise<boolean> {
    const stored = this.#stored;
    if (stored === undefined) return true;
    const { closedUntilMs } = stored.state ?? {};
    if (closedUntilMs !== undefined && (await this.#backend.now({ signal })) < closedUntilMs) return true;
    const own = this.#segments.filter(({ rows }) => rows !== undefined);
    const saved = await this.#attempt(async () => {
      const next = {
        ...emptyState(this.#epoch),
        segments: this.#segments.map(({ info }) => info),
        holes: [...this.#holes.records.keys()],
      };
      const segments = own.flatMap(({ info: { name }, rows }) => (rows ? [{ name, rows }] : []));
      const written = await this.#table.write(stored, next, segments, { signal });
      if (written === undefined) return false;
      if (stored.text === undefined && !(await this.#isPresent({ signal }))) {
        await this.#table.removeAll({ signal });
        return false;
      }
      for (const segment of own) segment.rows = undefined;
      this.#stored = written;
      this.#stored = await this.#table.collect(written, { signal });
      await this.#onStored({ signal });
      return true;
    });
    return saved ?? true;
  }

  /** Returns whether the records that were read are not all removed: the removal leaves no state behind that would tell. */
  async #isPresent(call: CallOptions): Promise<boolean> {
    return (await this.#backend.changes(this.#key, { limit: 1, ...call })).epoch === this.#epoch;
  }

  /** Merges small neighbours, and segments whose records are mostly gone. @returns whether the view agrees with the store. */
  async #merge(call: ViewCall): Promise<boolean> {
    for (;;) {
      const chosen = this.#isWritable && this.#stored !== undefined ? this.#chooseMerge() : [];
      if (chosen.length === 0) return true;
      if (!(await this.#rewrite(chosen, new Set(), call))) return false;
    }
  }

  #chooseMerge(): readonly OpenSegment[] {
    const { maxRecords, maxTerms } = this.#sizes;
    const sparse = this.#segments.find(({ gone, present }) => gone > present);
    if (sparse) return [sparse];
    for (let at = 0; at + MERGED_SEGMENTS <= this.#segments.length; at++) {
      const some = this.#segments.slice(at, at + MERGED_SEGMENTS);
      const isAdjacent = some.every(({ info }, index) => index === 0 || some[index - 1]?.info.to === info.from - 1);
      const sizes = some.map(({ info }) => Math.max(info.terms / maxTerms, info.records / maxRecords));
      const size = sizes.reduce((sum, one) => sum + one, 0);
      // A large one is not written again for each small one after it.
      if (isAdjacent && size <= 1 && Math.max(...sizes) <= size / 2) return some;
    }
    return [];
  }

  /**
   * Writes neighbours as one segment, without the records that are gone and those with some sequences.
   *
   * @returns whether the view agrees with the store.
   */
  async #rewrite(chosen: readonly OpenSegment[], dropped: ReadonlySet<number>, call: ViewCall): Promise<boolean> {
    const [first, last] = [chosen[0], chosen.at(-1)];
    if (first === undefined || last === undefined) return true;
    const reading = this.#reading(call);
    const name = randomName();
    const inputs = [];
    try {
      for (const segment of chosen) {
        const isDropped = (slot: number): boolean =>
          segment.isGone(slot) || dropped.has(segment.columns.sequences[slot] ?? 0);
        inputs.push({
          name: segment.info.name,
          columns: segment.columns,
          blocks: await readAllBlocks(reading, segment),
          isDropped,
        });
      }
      const rows = await call.turns.run(mergeSegments(name, inputs));
      const { sequences, totalLength: terms } = readColumns(name, rows.columns);
      const [{ from }, { to }] = [first.info, last.info];
      const info = { name, from, to, records: sequences.length, terms, blocks: rows.blocks.length };
      const segment = new OpenSegment(info, rows.columns, rows);
      const left = new Set(chosen);
      this.#segments = [...this.#segments.filter((one) => !left.has(one)), segment].toSorted(
        (one, other) => one.info.from - other.info.from,
      );
    } catch (error) {
      const damaged = error instanceof DamagedSegment ? error.segment : undefined;
      if (damaged === undefined && !RetrievalError.isInstance(error)) throw error;
      for (const { info } of chosen) if (damaged === undefined || damaged === info.name) this.#damaged.add(info.name);
      return false;
    }
    return this.#save(call);
  }

  /** Reads all records that the rule keeps. */
  async readAll({ source, signal }: ViewCall): Promise<ReadRecord[]> {
    const { rule } = source;
    const nowMs = expires(rule) ? await this.#backend.now({ signal }) : 0;
    const select = ({ sequence, record }: Changed): ReadRecord | undefined => {
      const text = rule === undefined || isLive(record, rule, nowMs) ? source.textOf(record) : undefined;
      return text && { sequence, record, ...text };
    };
    return (await readChanges(this.#backend, this.#key, select, { signal })).selected;
  }

  /** Removes the terms of records from the store. @throws {MemoryError} when the store cannot be written. */
  forget(sequences: 'all' | readonly number[], epochOfSequences: string | undefined, call: ViewCall): Promise<void> {
    return this.#enqueue(async () => {
      for (let attempt = 1; ; attempt++) {
        this.#reset('');
        const { epoch, count } = await this.#backend.changes(this.#key, { limit: 1, signal: call.signal });
        this.#epoch = epoch;
        if (count === 0) {
          await this.#table.removeAll(call);
          break;
        }
        const stored = await this.#table.read(epoch, call);
        if (stored.text === undefined && count < MIN_GUARDED) break;
        const isAll = sequences === 'all' || epoch !== (epochOfSequences ?? epoch);
        if (isAll || attempt > MAX_ATTEMPTS) {
          if (await this.#forgetAll(isAll ? 'all' : sequences, call)) break;
        } else if (await this.#forgetSome(stored, sequences, call)) {
          break;
        }
      }
      this.#reset('');
    });
  }

  /** Removes the index, and states which records must not be in the next one. @returns whether no other process wrote one. */
  async #forgetAll(sequences: 'all' | readonly number[], call: ViewCall): Promise<boolean> {
    await this.#table.removeAll(call);
    const next: Omit<IndexState, 'tag' | 'garbage' | 'format'> =
      sequences === 'all'
        ? { ...emptyState(this.#epoch), closedUntilMs: (await this.#backend.now(call)) + CLOSED_MS }
        : { ...emptyState(this.#epoch), holes: sequences };
    return (await this.#table.write({ text: undefined, state: undefined }, next, [], call)) !== undefined;
  }

  /** Writes the segments with the records again. @returns whether no segment in the store has them or a record that is gone. */
  async #forgetSome(before: ReadState, sequences: readonly number[], call: ViewCall): Promise<boolean> {
    // From here on no other process can store these records.
    const state = before.state ?? emptyState(this.#epoch);
    const records = await this.#backend.fetch(this.#key, this.#epoch, state.holes, { signal: call.signal });
    const present = state.holes.filter((_, index) => records[index] !== undefined);
    const holes = [...new Set([...present, ...sequences])];
    if ((await this.#table.write(before, { ...state, holes }, [], call)) === undefined) return false;
    await this.#load(call);
    if (this.#stored?.state === undefined || !(await this.#readLive(call))) return false;
    const forgotten = new Set(sequences);
    for (const segment of this.#segments) {
      const isAffected = segment.gone > 0 || segment.columns.sequences.some((sequence) => forgotten.has(sequence));
      if (isAffected && !(await this.#rewrite([segment], forgotten, call))) return false;
    }
    const { garbage, hasUnknownRows } = (await this.#table.collect(this.#stored, call)).state ?? {};
    return garbage?.length === 0 && hasUnknownRows !== true && this.#segments.every(({ rows }) => rows === undefined);
  }
}
