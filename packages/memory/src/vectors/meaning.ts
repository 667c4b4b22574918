import { findStoredSecrets } from '@cairn/tool/internal';
import type { RankNotice } from '@cairn/retrieval';
import { setTimeout as delay } from 'node:timers/promises';
import type { CallOptions, MemoryBackend } from '../records/backend.ts';
import { vectorsKey } from '../records/keys.ts';
import { numbersOf } from '../records/postings.ts';
import { LENGTH_TERM } from '../records/terms.ts';
import { Embedder, EmbedFailure, type Embeddings } from './embeddings.ts';
import { VectorMaker, type VectorSource } from './make-vectors.ts';
import { VectorIndex, type Nearest, type NearRecord } from './vector-index.ts';
import { parseState, STATE_ID } from './vector-row.ts';

/** How many of the records of a table that can be found have vectors. */
export interface VectorCount {
  readonly key: string;
  readonly records: number;
  /** Including records that are never sent. */
  readonly vectors: number;
  /** The model of the vectors, with its dimension; empty before the first vector. */
  readonly model: string;
}

const QUERY_TIMEOUT_MS = 3000;
/** The time that a process which ends gives to vectors of what it wrote. */
const GRACE_MS = 1000;
/** The part of a query that is embedded, in UTF-16 code units. */
const MAX_QUERY = 2000;

function notice(code: RankNotice['code'], message: string, cause?: unknown): RankNotice {
  return { code, message, ...(cause !== undefined && { cause }) };
}

/** Finds records by meaning, and makes their vectors in the background. */
export class Meaning {
  readonly #backend: MemoryBackend;
  readonly #embedder: Embedder;
  readonly #maker: VectorMaker;
  #index: VectorIndex | undefined;
  readonly #waiting = new Map<string, VectorSource>();
  #running: Promise<void> | undefined;
  readonly #end = new AbortController();
  #hasWritten = false;
  #hasAsked = false;
  #failure: string | undefined;

  constructor(backend: MemoryBackend, embeddings: Embeddings) {
    this.#backend = backend;
    this.#embedder = new Embedder(embeddings);
    this.#maker = new VectorMaker(backend, this.#embedder);
  }

  /** Why the last vectors could not be made in the background. */
  get failure(): string | undefined {
    return this.#failure;
  }

  /** Returns the sources whose records may be sent. */
  async allowed<Source extends VectorSource>(sources: readonly Source[]): Promise<readonly Source[]> {
    const hasSessions = sources.some(({ ofSession }) => ofSession === true);
    if (!hasSessions || (await this.#embedder.allowsSessions())) return sources;
    return sources.filter(({ ofSession }) => ofSession !== true);
  }

  /** Returns whether records were written after the last one that has its vectors. */
  async isBehind(sources: readonly VectorSource[], { signal }: CallOptions): Promise<boolean> {
    for (const { key } of sources) {
      const [state] = await this.#backend.rows(vectorsKey(key), [STATE_ID], { signal });
      const records = await this.#backend.page(key, { order: 'newest', limit: 0 }, { signal });
      const { start = 0, followed = 0, model = '' } = parseState(state?.text) ?? {};
      const isOther = model !== '' && model !== this.#index?.model;
      if (records.count > 0 && (start !== records.start || followed < records.sequence || isOther)) return true;
    }
    return false;
  }

  /** Returns the records that are nearest to a query, or a notice why meaning is not used. */
  async nearest(
    sources: readonly VectorSource[],
    query: string,
    { signal }: CallOptions,
  ): Promise<Nearest | RankNotice | undefined> {
    // The whole query, because a part of a secret has another form.
    if (findStoredSecrets(query).length > 0) {
      return notice('EMBED_FAILED', 'Meaning was not used: the query seems to have a secret, and was not sent.');
    }
    try {
      const text = query.slice(0, MAX_QUERY);
      const { model, vectors } = await this.#embedder.embedOne(text, { timeoutMs: QUERY_TIMEOUT_MS, signal });
      const [vector = new Int16Array()] = vectors;
      if (this.#index?.model !== model) {
        this.#index = new VectorIndex(this.#backend, { model, dimension: vector.length });
      }
      const keys = sources.map(({ key }) => key);
      const nearest = await this.#index.nearest(vector, keys, { signal });
      this.#follow(sources);
      return nearest;
    } catch (error) {
      if (!(error instanceof EmbedFailure)) throw error;
      return this.#noticeOf(error);
    }
  }

  /** Tells that a record is not as its vectors say. */
  drop(record: Pick<NearRecord, 'key' | 'id'>): void {
    this.#index?.drop(record);
  }

  /** Makes vectors in the background, after records were written. */
  written(sources: readonly VectorSource[]): void {
    this.#hasWritten = true;
    this.#follow(sources);
  }

  /** Makes all vectors. @throws {EmbedFailure}, and the errors of the store. */
  async makeAll(sources: readonly VectorSource[], { signal }: CallOptions): Promise<boolean> {
    // Its answer names the model.
    await this.#embedder.embed(['text'], { timeoutMs: 10 * QUERY_TIMEOUT_MS, signal });
    const progress = [];
    for (const source of sources) progress.push(await this.#maker.follow(source, { signal }));
    return progress.every((one) => one === 'done');
  }

  async count(keys: readonly string[], { signal }: CallOptions): Promise<VectorCount[]> {
    return countVectors(this.#backend, keys, { signal });
  }

  /** Ends the work in the background. The next process continues it. */
  async close(): Promise<void> {
    if (this.#running !== undefined && this.#hasWritten) {
      const waiting = new AbortController();
      const grace = delay(GRACE_MS, undefined, { signal: waiting.signal }).catch(() => undefined);
      await Promise.race([this.#running, grace]);
      waiting.abort();
    }
    this.#end.abort();
    await this.#running;
  }

  #follow(sources: readonly VectorSource[]): void {
    if (this.#end.signal.aborted) return;
    for (const source of sources) this.#waiting.set(source.key, source);
    this.#running ??= this.#work().finally(() => {
      this.#running = undefined;
    });
  }

  async #work(): Promise<void> {
    try {
      for (const [key, source] of this.#waiting) {
        this.#waiting.delete(key);
        await this.#maker.follow(source, { signal: this.#end.signal });
      }
      this.#failure = undefined;
    } catch (error) {
      // The server rests after a failure, and the next search reports it. A later call goes on with what is left to do.
      this.#waiting.clear();
      this.#failure = error instanceof EmbedFailure ? error.message : undefined;
    }
  }

  #noticeOf({ kind, message }: EmbedFailure): RankNotice | undefined {
    const { server, model } = this.#embedder.embeddings;
    if (kind === 'declined') return undefined;
    if (kind !== 'not-asked') {
      return notice('EMBED_FAILED', `Meaning was not used, only words: ${message}. Check it with: cairn doctor.`);
    }
    // Once is enough.
    if (this.#hasAsked) return undefined;
    this.#hasAsked = true;
    const asking = `Only words were searched: the embeddings server ${server} (model ${model}) is configured, and nothing is sent to it before the user allows it. To allow or decline it, run: cairn memory embed.`;
    return notice('EMBED_NOT_ALLOWED', asking);
  }
}

/** Counts the records of a table that can be found. */
export async function countRecords(backend: MemoryBackend, key: string, { signal }: CallOptions): Promise<number> {
  // Each record that can be found has this term; an archived one has not.
  const { postings } = await backend.postings(key, [LENGTH_TERM], { signal });
  return (postings[0] ?? []).reduce((sum, { numbers }) => sum + numbersOf(numbers).length, 0);
}

/** Counts the records of tables, and their vectors. */
export async function countVectors(
  backend: MemoryBackend,
  keys: readonly string[],
  { signal }: CallOptions,
): Promise<VectorCount[]> {
  const counts: VectorCount[] = [];
  for (const key of keys) {
    const records = await countRecords(backend, key, { signal });
    const vectors = await backend.page(vectorsKey(key), { order: 'newest', limit: 0 }, { signal });
    const [state] = await backend.rows(vectorsKey(key), [STATE_ID], { signal });
    const model = parseState(state?.text)?.model ?? '';
    counts.push({ key, records, vectors: Math.max(0, vectors.count - (state ? 1 : 0)), model });
  }
  return counts;
}
