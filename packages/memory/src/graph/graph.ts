import { setTimeout as delay } from 'node:timers/promises';
import { rankDocuments } from '@cairn/retrieval';
import { MemoryError } from '../errors.ts';
import type { CallOptions, MemoryBackend } from '../records/backend.ts';
import { graphKey } from '../records/keys.ts';
import * as changes from './graph-changes.ts';
import type { AddedObservations, GraphChange, Observations } from './graph-changes.ts';
import { graphLines, parseGraph } from './knowledge-graph.ts';
import type { Entity, KnowledgeGraph, Relation } from './knowledge-graph.ts';

/** Entities and relations, in the shapes of the memory server of the Model Context Protocol. They do not expire. */
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

/** Creates a graph that is stored as one document and changed by compare and swap, so that no change is lost. */
export function createGraph(backend: MemoryBackend, name: string): Graph {
  const key = graphKey(name);

  const load = async (options: CallOptions): Promise<{ document: string | undefined; graph: KnowledgeGraph }> => {
    const document = await backend.read(key, options);
    return { document, graph: document === undefined ? { entities: [], relations: [] } : parseGraph(document, key) };
  };
  /** Applies a change to the current graph. A change without an effect is not written. */
  const change = async <T>(apply: (graph: KnowledgeGraph) => GraphChange<T>, options: CallOptions): Promise<T> => {
    for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
      const { document, graph } = await load(options);
      const changed = apply(graph);
      if (changed.graph === graph) return changed.result;
      const swap = { expected: document, next: graphLines(changed.graph).join('\n'), ttlMs: Infinity };
      if (await backend.swap(key, swap, options)) return changed.result;
      await delay(Math.random() * Math.min(attempt, MAX_WAIT_MS), undefined, options);
    }
    const summary = `[memory:${backend.name}] Other processes changed the knowledge graph during ${MAX_ATTEMPTS} attempts`;
    throw new MemoryError('STORE_LOCKED', [summary, 'Nothing was changed; repeat the call.'], { key });
  };

  return {
    read: async (options = {}) => (await load(options)).graph,
    createEntities: (entities, options = {}) => change((graph) => changes.addEntities(graph, entities), options),
    createRelations: (relations, options = {}) => change((graph) => changes.addRelations(graph, relations), options),
    addObservations: (observations, options = {}) =>
      change((graph) => changes.addObservations(graph, observations), options),
    deleteEntities: (names, options = {}) => change((graph) => changes.deleteEntities(graph, names), options),
    deleteObservations: (deletions, options = {}) =>
      change((graph) => changes.deleteObservations(graph, deletions), options),
    deleteRelations: (relations, options = {}) => change((graph) => changes.deleteRelations(graph, relations), options),
    search: async (query, options = {}) => {
      const { graph } = await load(options);
      return withRelations(graph, await findEntities(graph, query, options));
    },
    open: async (names, options = {}) => {
      const { graph } = await load(options);
      return withRelations(
        graph,
        graph.entities.filter((entity) => names.includes(entity.name)),
      );
    },
  };
}
