import type { CallTable, OptionNames } from '@cairn/tool/errors';
import { setImmediate, setTimeout as delay } from 'node:timers/promises';
import { rankDocuments } from '@cairn/retrieval';
import { MemoryError } from '../errors.ts';
import type { CallOptions, MemoryBackend } from '../records/backend.ts';
import { graphKey } from '../records/keys.ts';
import type { Reader } from '../records/reader.ts';
import * as changes from './graph-changes.ts';
import type { AddedObservations, GraphChange, Observations, Rows } from './graph-changes.ts';
import { graphOf, keepPlace, parseGraphLine, rowsOfDocument } from './knowledge-graph.ts';
import type { Entity, KnowledgeGraph, Relation } from './knowledge-graph.ts';

/**
 * Entities and relations, in the shapes of the memory server of the Model Context Protocol. They do not expire, and keep
 * the order of their creation. An unreadable row is reported, and hides no other.
 */
export interface Graph {
  readonly read: (options?: CallOptions) => Promise<KnowledgeGraph>;
  /** @returns the entities with a new name. Existing entities are not changed. */
  readonly createEntities: (entities: readonly Entity[], options?: CallOptions) => Promise<Entity[]>;
  /** @returns the new relations. */
  readonly createRelations: (relations: readonly Relation[], options?: CallOptions) => Promise<Relation[]>;
  /** @throws {MemoryError} `INVALID_INPUT` when an entity is missing; then nothing is added. */
  readonly addObservations: (
    observations: readonly Observations[],
    options?: CallOptions,
  ) => Promise<AddedObservations[]>;
  /** Deletes entities and the relations from and to them. @returns the number of deleted entities. */
  readonly deleteEntities: (names: readonly string[], options?: CallOptions) => Promise<number>;
  /** @returns the number of deleted observations. */
  readonly deleteObservations: (deletions: readonly Observations[], options?: CallOptions) => Promise<number>;
  /** @returns the number of deleted relations. */
  readonly deleteRelations: (relations: readonly Relation[], options?: CallOptions) => Promise<number>;
  /**
   * Returns the entities that contain the text, ignoring case, with the relations of each. When there are none, returns
   * those with words of the text, best first, at most 20.
   */
  readonly search: (query: string, options?: CallOptions) => Promise<KnowledgeGraph>;
  /** Returns entities by name, with the relations of each. */
  readonly open: (names: readonly string[], options?: CallOptions) => Promise<KnowledgeGraph>;
}

/** The attempts of a change while other processes change the same graph. */
const MAX_ATTEMPTS = 2000;
const MAX_WAIT_MS = 30;
const MAX_RANKED = 20;
/** The rows of one page. */
const PAGE = 1000;
/** The attempts to read a large graph in pages while it does not change. The last attempt reads it in one step. */
const MAX_READS = 5;

/** Returns entities with the relations from and to them. */
function withRelations(graph: KnowledgeGraph, entities: readonly Entity[]): KnowledgeGraph {
  const names = new Set(entities.map(({ name }) => name));
  return { entities, relations: graph.relations.filter(({ from, to }) => names.has(from) || names.has(to)) };
}

function textsOf({ name, entityType, observations }: Entity): string[] {
  return [name, entityType, ...observations];
}

async function findEntities(graph: KnowledgeGraph, query: string, options: CallOptions): Promise<Entity[]> {
  const wanted = query.toLowerCase();
  const containing = graph.entities.filter((entity) =>
    textsOf(entity).some((text) => text.toLowerCase().includes(wanted)),
  );
  if (containing.length > 0) return containing;
  const documents = graph.entities.map((entity, index) => {
    return { id: `${index}`, text: textsOf(entity).join('\n'), timeMs: 0 };
  });
  const ranked = await rankDocuments(query, documents, { limit: MAX_RANKED, ...options });
  // The shape of the result has no field to mark an entity with words of a similar spelling only.
  return ranked.flatMap(({ id, matched }) => (matched.length === 0 ? [] : (graph.entities[Number(id)] ?? [])));
}

/** The rows of a graph, or some of them. */
interface State {
  readonly rows: Rows;
  /** The sequences of the rows, by their ids. */
  readonly sequences?: ReadonlyMap<string, number> | undefined;
  /** The highest sequence of the table. Present when all rows were read. */
  readonly sequence?: number | undefined;
  readonly epoch?: string | undefined;
  /** The document of an earlier version, which the first change replaces. */
  readonly document?: string | undefined;
}

function isOtherType(error: unknown): boolean {
  return MemoryError.isInstance(error) && error.code === 'CORRUPT_RECORD';
}

/** @throws {MemoryError} `CORRUPT_RECORD` for a document that another program wrote. */
function checkDocument({ rows }: State, key: string): void {
  if ([...rows.values()].some((text) => parseGraphLine(text) !== undefined)) return;
  const summary = `The value under ${key} is not a knowledge graph`;
  throw new MemoryError('CORRUPT_RECORD', [summary, 'It was not changed; use another graph.'], { key });
}

export interface GraphDependencies {
  readonly backend: MemoryBackend;
  readonly reader: Reader;
}

const callOptions: OptionNames<CallOptions> = { signal: 'optional' };

export const graphCalls: CallTable<Graph> = {
  read: [callOptions],
  createEntities: ['objects', callOptions],
  createRelations: ['objects', callOptions],
  addObservations: ['objects', callOptions],
  deleteEntities: ['strings', callOptions],
  deleteObservations: ['objects', callOptions],
  deleteRelations: ['objects', callOptions],
  search: ['string', callOptions],
  open: ['strings', callOptions],
};

/** Creates a graph that is stored as a table with a row for each entity and relation. */
export function createGraph({ backend, reader }: GraphDependencies, name: string): Graph {
  const key = graphKey(name);

  const allRows = async (options: CallOptions): Promise<State> => {
    let limit = PAGE;
    for (let read = 1; ; read++) {
      const rows = new Map<string, string>();
      const sequences = new Map<string, number>();
      const first = await backend.changes(key, { limit, ...options });
      // A list has sequences too. This throws its error.
      if (first.records.some(({ id }) => id === undefined)) await backend.rows(key, [''], options);
      let page = first;
      for (;;) {
        for (const { id = '', record, sequence } of page.records) {
          rows.set(id, record);
          sequences.set(id, sequence);
        }
        if (page.records.length < limit) break;
        await setImmediate();
        page = await backend.changes(key, { after: page.records.at(-1)?.sequence, limit, ...options });
      }
      const isSame = page.epoch === first.epoch && page.sequence === first.sequence;
      if (isSame) return { rows, sequences, sequence: first.sequence, epoch: first.epoch };
      // With as many rows again, so that no second page is needed.
      if (read >= MAX_READS) limit = 2 * page.count + PAGE;
    }
  };
  const someRows = async (ids: readonly string[], options: CallOptions): Promise<State> => {
    const found = (await backend.rows(key, ids, options)).filter((row) => row !== undefined);
    return {
      rows: new Map(found.map(({ id, record }) => [id, record])),
      sequences: new Map(found.map(({ id, sequence }) => [id, sequence])),
    };
  };
  const load = async (reads: readonly string[] | 'all', options: CallOptions): Promise<State> => {
    for (;;) {
      try {
        return await (reads === 'all' ? allRows(options) : someRows(reads, options));
      } catch (error) {
        if (!isOtherType(error)) throw error;
        const document = await backend.read(key, options);
        if (document !== undefined) return { rows: rowsOfDocument(document), document };
        // Another process replaced the document in between.
      }
    }
  };
  /** Reads what changed since all rows were read, and which rows are gone. @returns `undefined` when all must be read again. */
  const catchUp = async (before: State, ids: readonly string[], options: CallOptions): Promise<State | undefined> => {
    const { epoch, sequence: after } = before;
    const page = await backend.changes(key, { epoch, after, limit: PAGE, ...options });
    if (page.epoch !== epoch || page.records.length === PAGE) return undefined;
    const rows = new Map(before.rows);
    const sequences = new Map(before.sequences);
    for (const { id = '', record, sequence } of page.records) {
      rows.set(id, record);
      sequences.set(id, sequence);
    }
    // A row that is gone is not among the changes. Of the others it does not matter.
    const found = await backend.rows(key, ids, options);
    for (const [index, id] of ids.entries()) if (found[index] === undefined) rows.delete(id);
    return { rows, sequences, sequence: page.sequence, epoch };
  };
  /** Returns what can be read, and reports the rest. */
  const read = async (options: CallOptions): Promise<KnowledgeGraph> => {
    const { rows, sequences } = await load('all', options);
    const lines = Array.from(rows, ([id, record], index) => {
      const line = parseGraphLine(record);
      if (line === undefined) reader.report({ key, ...(sequences !== undefined && { id }), record });
      return { line, place: line?.createdSequence ?? sequences?.get(id) ?? index };
    });
    lines.sort((a, b) => a.place - b.place);
    return graphOf(lines.flatMap(({ line }) => line ?? []));
  };
  /** Makes a change if the rows are as they were read. @returns whether it was made. */
  const write = async (
    { rows, sequences, document, sequence }: State,
    changed: ReadonlyMap<string, string | undefined>,
    options: CallOptions,
  ): Promise<boolean> => {
    if (document === undefined) {
      const texts = Array.from(changed, ([id, next]) => {
        const expected = rows.get(id);
        const isUpdate = expected !== undefined && next !== undefined;
        return { id, expected, next: isUpdate ? keepPlace(next, expected, sequences?.get(id) ?? 0) : next };
      });
      return (await backend.change(key, { rows: texts, sequence }, options)).isDone;
    }
    const texts = [...new Map<string, string | undefined>([...rows, ...changed])].flatMap(([id, next]) =>
      next === undefined ? [] : [{ id, expected: undefined, next }],
    );
    return (await backend.change(key, { rows: texts, replaces: document }, options)).isDone;
  };
  /** Applies a change to the current rows. A change without an effect is not written. */
  const change = async <T>({ reads, isAddition, apply }: GraphChange<T>, options: CallOptions): Promise<T> => {
    let next: State | undefined;
    for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
      const isBlind = isAddition === true && attempt === 0;
      const state: State = isBlind ? { rows: new Map() } : (next ?? (await load(reads, options)));
      const { changed, result } = apply(state.rows);
      if (changed.size === 0) return result;
      if (state.document !== undefined) checkDocument(state, key);
      next = undefined;
      try {
        if (await write(state, changed, options)) return result;
        // A large graph that others change all the time is not read whole again.
        if (state.sequence !== undefined) next = await catchUp(state, [...changed.keys()], options);
      } catch (error) {
        // A document of an earlier version came, or was replaced: the next attempt reads what is there.
        if (!isOtherType(error)) throw error;
      }
      if (!isBlind && next === undefined)
        await delay(Math.random() * Math.min(attempt, MAX_WAIT_MS), undefined, options);
    }
    const summary = `[memory:${backend.name}] Other processes changed the knowledge graph during ${MAX_ATTEMPTS} attempts`;
    throw new MemoryError('STORE_LOCKED', [summary, 'Nothing was changed; repeat the call.'], { key });
  };

  return {
    read: (options = {}) => read(options),
    createEntities: async (entities, options = {}) => change(changes.addEntities(entities), options),
    createRelations: async (relations, options = {}) => change(changes.addRelations(relations), options),
    addObservations: async (observations, options = {}) => change(changes.addObservations(observations), options),
    deleteEntities: async (names, options = {}) => change(changes.deleteEntities(names), options),
    deleteObservations: async (deletions, options = {}) => change(changes.deleteObservations(deletions), options),
    deleteRelations: async (relations, options = {}) => change(changes.deleteRelations(relations), options),
    search: async (query, options = {}) => {
      const graph = await read(options);
      return withRelations(graph, await findEntities(graph, query, options));
    },
    open: async (names, options = {}) => {
      const graph = await read(options);
      const wanted = new Set(names);
      return withRelations(
        graph,
        graph.entities.filter((entity) => wanted.has(entity.name)),
      );
    },
  };
}
