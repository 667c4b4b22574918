/** The labels of the rows of facts, so that a list reads the rows that it shows and no others. */
import type { CallOptions, MemoryBackend, Page, Row } from '../records/backend.ts';
import { DEFAULT_STREAM } from '../defaults.ts';
import { tagKey } from './checks.ts';
import { isActive, type StoredFact } from './fact.ts';

/** Each readable fact is of one kind: active and pinned, active and not pinned, archived or superseded. */
export type FactKind = 'pinned' | 'plain' | 'archived';

/** The streams that recall a fact: every one, or a single one. */
export type Audience = { readonly isShared: true } | { readonly isShared?: false; readonly stream: string };

/** Every row that was written with labels has it: when other rows are in the table, no label knows them. */
const LABELLED = 'labelled';
const UNREADABLE = 'unreadable';

function audienceOf({ shared, stream = DEFAULT_STREAM }: StoredFact): Audience {
  return shared === true ? { isShared: true } : { stream };
}

/** Returns the label of facts of a kind, of all audiences or one, with a tag or any. */
export function labelOf(kind: FactKind, audience: Audience | undefined, tag?: string): string {
  const name = audience === undefined ? null : audience.isShared === true ? true : audience.stream;
  return JSON.stringify([kind, name, ...(tag === undefined ? [] : [tag])]);
}

function successorLabel(id: string): string {
  return JSON.stringify(['superseded by', id]);
}

/** Returns the labels of a row; `undefined` for one that is not readable. */
export function labelsOf(stored: StoredFact | undefined): string[] {
  if (stored === undefined) return [LABELLED, UNREADABLE];
  const kind = isActive(stored) ? (stored.pinned === true ? 'pinned' : 'plain') : 'archived';
  const audiences = [undefined, audienceOf(stored)];
  const tags = [undefined, ...new Set(stored.tags?.map(tagKey))];
  return [
    LABELLED,
    ...audiences.flatMap((audience) => tags.map((tag) => labelOf(kind, audience, tag))),
    ...(stored.supersededBy === undefined ? [] : [successorLabel(stored.supersededBy)]),
  ];
}

/** Reads the rows of one table by their labels. */
export class LabelledRows {
  readonly #backend: MemoryBackend;
  readonly #key: string;
  readonly #call: CallOptions;

  constructor(backend: MemoryBackend, key: string, { signal }: CallOptions) {
    this.#backend = backend;
    this.#key = key;
    this.#call = { signal };
  }

  #page(query: {
    readonly label?: string;
    readonly limit: number;
    readonly before?: Place | undefined;
  }): Promise<Page> {
    return this.#backend.page(this.#key, { order: 'newest', ...query }, this.#call);
  }

  async count(label: string): Promise<number> {
    return (await this.#page({ label, limit: 0 })).count;
  }

  /** Returns whether every row of the table has labels. Another program, or another version, may have written some without. */
  async isComplete(): Promise<boolean> {
    const [{ count }, labelled] = await Promise.all([this.#page({ limit: 0 }), this.count(LABELLED)]);
    return count === labelled;
  }

  /** Yields the rows with a label, newest first. @param options `pageRows`: how many are read at once. */
  async *read(
    label: string,
    { pageRows, before: first }: { readonly pageRows: number; readonly before?: Place | undefined },
  ): AsyncGenerator<Row, void, undefined> {
    for (let before = first; ;) {
      const page = await this.#page({ label, limit: pageRows, before });
      yield* page.rows;
      before = page.rows.at(-1);
      if (!page.hasMore || before === undefined) return;
      this.#call.signal?.throwIfAborted();
    }
  }

  /** Yields the rows that are not facts. */
  unreadable(): AsyncGenerator<Row, void, undefined> {
    return this.read(UNREADABLE, { pageRows: 100 });
  }

  /** Yields the facts that one superseded. */
  supersededBy(id: string): AsyncGenerator<Row, void, undefined> {
    return this.read(successorLabel(id), { pageRows: 100 });
  }
}

type Place = Pick<Row, 'place' | 'sequence'>;
