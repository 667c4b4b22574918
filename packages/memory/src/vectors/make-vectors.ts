/** Makes the vectors of a table: it follows the changes of the records in batches, and can be killed at any point. */
import { findStoredSecrets } from '@cairn/tool/internal';
import { setImmediate } from 'node:timers/promises';
import type { CallOptions, MemoryBackend, Row, RowChange } from '../records/backend.ts';
import { vectorsKey } from '../records/keys.ts';
import { removeTable } from '../records/lists.ts';
import { randomName } from '../records/random-name.ts';
import { EmbedFailure, type Embedder } from './embeddings.ts';
import { piecesOf } from './pieces.ts';
import {
  formatVectors,
  hashOf,
  parseState,
  parseVectors,
  STATE_ID,
  vectorIdOf,
  type TableState,
  type VectorRow,
} from './vector-row.ts';
import { removeOrphans } from './vector-table.ts';

/** A table whose records can be found by meaning. */
export interface VectorSource {
  readonly key: string;
  /** Present for messages of sessions, which are sent only if the user allowed that too. */
  readonly ofSession?: true;
  /**
   * Returns the string that vectors are made of; `undefined` for a record that is not found. A string with `isSecret`, or in
   * which a secret is found, is never sent.
   */
  readonly meaningOf: (record: string) => { readonly text: string; readonly isSecret?: boolean } | undefined;
}

/** How far the vectors of a table are. `busy`: another process makes them. `other`: for another model. */
export type Progress = 'done' | 'busy' | 'other';

/** The records of a batch, and the strings that a request may have. */
const ROWS_PER_BATCH = 64;
const TEXTS_PER_REQUEST = 64;
const BATCH_TIMEOUT_MS = 60_000;
/** Another process waits this long for one that makes vectors, and may have been killed. */
const HOLD_MS = 2 * BATCH_TIMEOUT_MS;
/** The batches that are written again because other processes change vectors. */
const MAX_ATTEMPTS = 20;
/** A server that keeps changing its model makes no vectors that can be compared. */
const MAX_RESTARTS = 6;

/** A record of a batch. */
interface Draft {
  readonly row: Row;
  readonly hash: string;
  /** Absent for a record that is never sent. */
  readonly pieces?: readonly string[];
}

export class VectorMaker {
  readonly #backend: MemoryBackend;
  readonly #embedder: Embedder;
  readonly #name = randomName();
  #startedMs: number | undefined;
  #restarts = 0;
  /** The last vectors by the hash of their string, for a batch that is written again. */
  #made = new Map<string, VectorRow>();

  constructor(backend: MemoryBackend, embedder: Embedder) {
    this.#backend = backend;
    this.#embedder = embedder;
  }

  /**
   * Makes the vectors of all records that have none, or another text, or those of another model than the server's.
   *
   * @throws {EmbedFailure}, and the errors of the store.
   */
  async follow(source: VectorSource, { signal }: CallOptions): Promise<Progress> {
    if (source.ofSession === true && !(await this.#embedder.allowsSessions())) return 'done';
    this.#startedMs ??= await this.#backend.now({ signal });
    for (let attempts = 0; attempts <= MAX_ATTEMPTS;) {
      if (this.#restarts > MAX_RESTARTS) {
        throw new EmbedFailure(`${this.#embedder.embeddings.server} answers with one model, then with another`);
      }
      const step = await this.#step(source, signal);
      if (step === 'done' || step === 'busy' || step === 'other') return step;
      attempts = step === 'changed' ? attempts + 1 : 0;
      if (step === 'restarted') this.#restarts += 1;
      await setImmediate();
      signal?.throwIfAborted();
    }
    // Others write all the time: a later call goes on.
    return 'busy';
  }

  async #step(
    source: VectorSource,
    signal: AbortSignal | undefined,
  ): Promise<Progress | 'changed' | 'next' | 'restarted'> {
    const { key } = source;
    const [found] = await this.#backend.rows(vectorsKey(key), [STATE_ID], { signal });
    const before = parseState(found?.text);
    const nowMs = await this.#backend.now({ signal });
    if (before?.by !== undefined && before.by !== this.#name && (before.untilMs ?? 0) > nowMs) return 'busy';
    const asked = this.#embedder.embeddings.model;
    // It was configured later than this process.
    if (before !== undefined && before.asked !== asked && (found?.place ?? 0) > (this.#startedMs ?? 0)) return 'other';
    const records = await this.#backend.page(key, { order: 'newest', limit: 0 }, { signal });
    const isSame = before?.asked === asked && before.start === records.start;
    const { model = '' } = this.#embedder;
    const isCurrent = isSame && (model === '' || before.model === '' || before.model === model);
    const state = isCurrent ? before : { asked, model, start: records.start, followed: 0 };
    if (state.followed >= records.sequence) {
      await this.#finish(key, found?.text, { ...state, followed: records.sequence });
      return 'done';
    }
    await this.#embedder.checkReady();
    const held = { ...state, by: this.#name, untilMs: nowMs + HOLD_MS };
    const claim = { id: STATE_ID, expected: found?.text, next: JSON.stringify(held) };
    const claimed = await this.#backend.change(vectorsKey(key), { rows: [claim] }, { signal });
    if (!claimed.isDone) return 'changed';
    try {
      const done = await this.#batch(source, held, { sequence: claimed.sequence, signal });
      return isSame && !isCurrent && done === 'next' ? 'restarted' : done;
    } catch (error) {
      await this.#release(key, held);
      throw error;
    }
  }

  /** @param options `sequence`: the vectors are written only if no other process changed some since the records were read. */
  async #batch(
    source: VectorSource,
    state: TableState,
    { sequence, signal }: CallOptions & { readonly sequence: number },
  ): Promise<'changed' | 'next' | 'restarted'> {
    const key = vectorsKey(source.key);
    const query = { order: 'written', after: state.followed, limit: ROWS_PER_BATCH } as const;
    const page = await this.#backend.page(source.key, query, { signal });
    const ids = page.rows.map(({ id }) => vectorIdOf(id));
    const present = await this.#backend.rows(key, ids, { signal });
    const texts = new Map(present.flatMap((row) => (row === undefined ? [] : [[row.id, row.text]])));
    const drafts = page.rows.flatMap((row): Draft[] => {
      const draft = draftOf(source, row);
      const known = parseVectors(texts.get(vectorIdOf(row.id)) ?? '');
      const isKnown = known?.hash === draft?.hash && (known?.unsent === 'secret' || known?.model === state.model);
      return draft === undefined || isKnown ? [] : [draft];
    });
    const made = await this.#make(drafts, signal);
    const model = made.find(({ unsent }) => unsent === undefined)?.model ?? state.model;
    const isRestarted = state.model !== '' && model !== state.model;
    const last = page.hasMore ? page.rows.at(-1)?.sequence : undefined;
    const followed = isRestarted ? 0 : (last ?? page.sequence);
    const rows = drafts.map(({ row }, index): RowChange => {
      const id = vectorIdOf(row.id);
      const lifetime = row.expiresAt === undefined ? {} : { timeMs: row.place, lifetimeMs: row.expiresAt - row.place };
      return { id, expected: texts.get(id), next: formatVectors(made[index] as VectorRow), ...lifetime };
    });
    const next = JSON.stringify({ ...state, model, followed });
    const change = { sequence, rows: [...rows, { id: STATE_ID, expected: JSON.stringify(state), next }] };
    const { isDone } = await this.#backend.change(key, change, { signal });
    if (!isDone) return 'changed';
    this.#made.clear();
    return isRestarted ? 'restarted' : 'next';
  }

  async #make(drafts: readonly Draft[], signal: AbortSignal | undefined): Promise<VectorRow[]> {
    const wanted = drafts.filter(({ pieces, hash }) => pieces !== undefined && !this.#made.has(hash));
    const made = new Map(this.#made);
    for (const batch of batchesOf(wanted)) {
      for (const [index, row] of (await this.#send(batch, signal)).entries()) made.set(batch[index]?.hash ?? '', row);
    }
    this.#made = new Map(drafts.flatMap(({ hash }) => (made.has(hash) ? [[hash, made.get(hash) as VectorRow]] : [])));
    return drafts.map(({ hash }) => made.get(hash) ?? { model: '', hash, vectors: [], unsent: 'secret' });
  }

  /** Embeds records with one request. If the server rejects it, the record that it rejects is found by halves. */
  async #send(drafts: readonly Draft[], signal: AbortSignal | undefined): Promise<VectorRow[]> {
    const call = { timeoutMs: BATCH_TIMEOUT_MS, signal };
    try {
      const { model, vectors } = await this.#embedder.embed(
        drafts.flatMap(({ pieces = [] }) => pieces),
        call,
      );
      let from = 0;
      return drafts.map(({ hash, pieces = [] }) => {
        from += pieces.length;
        return { model, hash, vectors: vectors.slice(from - pieces.length, from) };
      });
    } catch (error) {
      if (!(error instanceof EmbedFailure) || error.kind !== 'rejected') throw error;
      if (drafts.length > 1) {
        const half = Math.ceil(drafts.length / 2);
        const first = await this.#send(drafts.slice(0, half), signal);
        return [...first, ...(await this.#send(drafts.slice(half), signal))];
      }
      // A server that rejects this one too does not reject a record.
      const { model } = await this.#embedder.embed(['text'], call);
      return drafts.map(({ hash }) => ({ model, hash, vectors: [], unsent: 'rejected' }));
    }
  }

  /** Lets other processes make vectors, after a failure. A killed process makes them wait. */
  async #release(key: string, held: TableState): Promise<void> {
    const { by: _, untilMs: __, ...rest } = held;
    const row = { id: STATE_ID, expected: JSON.stringify(held), next: JSON.stringify(rest) };
    await this.#backend.change(vectorsKey(key), { rows: [row] }).catch(() => undefined);
  }

  /** Lets other processes make vectors, and removes vectors without a record. */
  async #finish(key: string, expected: string | undefined, state: TableState): Promise<void> {
    const { by: _, untilMs: __, ...rest } = state;
    const next = JSON.stringify(rest);
    if (state.start !== 0 && next !== expected) {
      await this.#backend.change(vectorsKey(key), { rows: [{ id: STATE_ID, expected, next }] });
    }
    const newest = { order: 'newest', limit: 0 } as const;
    const [records, vectors] = [
      await this.#backend.page(key, newest),
      await this.#backend.page(vectorsKey(key), newest),
    ];
    if (records.start === 0 && vectors.start !== 0) await removeTable(this.#backend, vectorsKey(key));
    // The state is a row too.
    else if (vectors.count > records.count + 1) await removeOrphans(this.#backend, key);
  }
}

function draftOf(source: VectorSource, row: Row): Draft | undefined {
  const { text, isSecret } = source.meaningOf(row.text) ?? {};
  if (text === undefined) return undefined;
  const hash = hashOf(text);
  if (isSecret === true || findStoredSecrets(text).length > 0) return { row, hash };
  const pieces = piecesOf(text);
  return pieces.length === 0 ? undefined : { row, hash, pieces };
}

function batchesOf(drafts: readonly Draft[]): Draft[][] {
  const batches: Draft[][] = [];
  let texts = Infinity;
  for (const draft of drafts) {
    const own = draft.pieces?.length ?? 0;
    if (texts + own > TEXTS_PER_REQUEST) {
      batches.push([]);
      texts = 0;
    }
    batches.at(-1)?.push(draft);
    texts += own;
  }
  return batches;
}
