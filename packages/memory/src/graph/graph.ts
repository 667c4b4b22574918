import type { CallTable } from '@cairn/tool/errors';
import { setTimeout as delay } from 'node:timers/promises';
import { rankDocuments } from '@cairn/retrieval';
import { MemoryError } from '../errors.ts';
import { callOptions, type CallOptions, type Row } from '../records/backend.ts';
import { graphKey } from '../records/keys.ts';
import { readTable } from '../records/pages.ts';
import type { Store } from '../records/reader.ts';
import * as changes from './graph-changes.ts';
import type { AddedObservations, GraphChange, Observations, Rows } from './graph-changes.ts';
import { graphOf, keepPlace, parseGraphLine } from './knowledge-graph.ts';
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
  readonly sequences: ReadonlyMap<string, number>;
  /** The highest sequence of the table. Present when all rows were read. */
  readonly sequence?: number | undefined;
}

const NOTHING: State = { rows: new Map(), sequences: new Map() };

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

function stateOf(rows: readonly Row[], sequence?: number): State {
  return {
    rows: new Map(rows.map(({ id, text }) => [id, text])),
    sequences: new Map(rows.map((row) => [row.id, row.sequence])),
    sequence,
  };
}

/** Creates a graph in a table with a row for each entity and relation. */
export function createGraph({ backend, reader }: Pick<Store, 'backend' | 'reader'>, name: string): Graph {
  const key = graphKey(name);
  /** Reads all rows, or some of them. A row that is removed meanwhile may be among them; a change then fails. */
  const load = async (reads: readonly string[] | 'all', options: CallOptions): Promise<State> => {
    if (reads === 'all') {
      const { rows, sequence } = await readTable(backend, key, options);
      return stateOf(rows, sequence);
    }
    const rows = await backend.rows(key, reads, options);
    return stateOf(rows.filter((row) => row !== undefined));
  };
  /** Makes a change if the rows are as they were read. @returns whether it was made. */
  const write = async (
    { rows, sequences, sequence }: State,
    changed: ReadonlyMap<string, string | undefined>,
    options: CallOptions,
  ): Promise<boolean> => {
    const texts = Array.from(changed, ([id, next]) => {
      const expected = rows.get(id);
      const isUpdate = expected !== undefined && next !== undefined;
      return { id, expected, next: isUpdate ? keepPlace(next, expected, sequences.get(id) ?? 0) : next };
    });
    return (await backend.change(key, { rows: texts, sequence }, options)).isDone;
  };
  /** Applies a change to the current rows. A change without an effect is not written. */
  const change = async <T>({ reads, isAddition, apply }: GraphChange<T>, options: CallOptions = {}): Promise<T> => {
    for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
      const isBlind = isAddition === true && attempt === 0;
      const state = isBlind ? NOTHING : await load(reads, options);
      const { changed, result } = apply(state.rows);
      if (changed.size === 0 || (await write(state, changed, options))) return result;
      if (!isBlind) await delay(Math.random() * Math.min(attempt, MAX_WAIT_MS), undefined, options);
    }
    const summary = `[memory:${backend.name}] Other processes changed the knowledge graph during ${MAX_ATTEMPTS} attempts`;
    throw new MemoryError('STORE_LOCKED', [summary, 'Nothing was changed; repeat the call.'], { key });
  };
  const read: Graph['read'] = async (options = {}) => {
    const { rows, sequences } = await load('all', options);
    const lines = Array.from(rows, ([id, record]) => {
      const line = parseGraphLine(record);
      if (line === undefined) reader.report({ key, id, record });
      return { line, place: line?.createdSequence ?? sequences.get(id) ?? 0 };
    });
    lines.sort((a, b) => a.place - b.place);
    return graphOf(lines.flatMap(({ line }) => line ?? []));
  };
  return {
    read,
    createEntities: (entities, options) => change(changes.addLines('entity', entities), options),
    createRelations: (relations, options) => change(changes.addLines('relation', relations), options),
    addObservations: (observations, options) => change(changes.addObservations(observations), options),
    deleteEntities: (names, options) => change(changes.deleteEntities(names), options),
    deleteObservations: (deletions, options) => change(changes.deleteObservations(deletions), options),
    deleteRelations: (relations, options) => change(changes.deleteRelations(relations), options),
    search: async (query, options = {}) => {
      const graph = await read(options);
      return withRelations(graph, await findEntities(graph, query, options));
    },
    open: async (names, options) => {
      const graph = await read(options);
      const wanted = new Set(names);
      const entities = graph.entities.filter((entity) => wanted.has(entity.name));
      return withRelations(graph, entities);
    },
  };
}
