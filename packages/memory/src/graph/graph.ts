import { setTimeout as delay } from 'node:timers/promises';
import { rankDocuments } from '@cairn/retrieval';
import { z } from 'zod';
import type { CallOptions, MemoryBackend } from '../records/backend.ts';
import { MemoryError } from '../errors.ts';
import { graphKey } from '../records/keys.ts';

/** Something that is known, with what was observed of it. */
export interface Entity {
  readonly name: string;
  readonly entityType: string;
  readonly observations: readonly string[];
}

/** How one entity stands to another. */
export interface Relation {
  readonly from: string;
  readonly to: string;
  readonly relationType: string;
}

export interface KnowledgeGraph {
  readonly entities: readonly Entity[];
  readonly relations: readonly Relation[];
}

/** What is observed of an entity, or is no longer. */
export interface Observations {
  readonly entityName: string;
  readonly contents: readonly string[];
}

/** What was new of it. */
export interface AddedObservations {
  readonly entityName: string;
  readonly addedObservations: readonly string[];
}

/** Entities and relations, as the memory server of the Model Context Protocol keeps them. It has no end. */
export interface Graph {
  readonly read: (options?: CallOptions) => Promise<KnowledgeGraph>;
  /** @returns those whose name was not there yet; the others stay as they were. */
  readonly createEntities: (entities: readonly Entity[], options?: CallOptions) => Promise<Entity[]>;
  /** @returns those that were not there yet. */
  readonly createRelations: (relations: readonly Relation[], options?: CallOptions) => Promise<Relation[]>;
  /** @throws {MemoryError} `INVALID_INPUT` when an entity is not there; then nothing is added. */
  readonly addObservations: (
    observations: readonly Observations[],
    options?: CallOptions,
  ) => Promise<AddedObservations[]>;
  /** With the relations from and to them. @returns how many entities there were. */
  readonly deleteEntities: (names: readonly string[], options?: CallOptions) => Promise<number>;
  readonly deleteObservations: (deletions: readonly Observations[], options?: CallOptions) => Promise<number>;
  readonly deleteRelations: (relations: readonly Relation[], options?: CallOptions) => Promise<number>;
  /**
   * Entities that contain the text, in any case, with the relations of each; where there are none, those that have words of
   * it, best first, at most 20.
   */
  readonly search: (query: string, options?: CallOptions) => Promise<KnowledgeGraph>;
  /** Entities by name, with the relations of each. */
  readonly open: (names: readonly string[], options?: CallOptions) => Promise<KnowledgeGraph>;
}

/** A line of the file in which the memory server keeps its graph. */
export type GraphLine = ({ readonly type: 'entity' } & Entity) | ({ readonly type: 'relation' } & Relation);

export const graphLine: z.ZodType<GraphLine> = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('entity'),
    name: z.string(),
    entityType: z.string(),
    observations: z.array(z.string()),
  }),
  z.object({ type: z.literal('relation'), from: z.string(), to: z.string(), relationType: z.string() }),
]);

/** A line for each entity and relation. */
export function graphLines({ entities, relations }: KnowledgeGraph): string[] {
  return [
    ...entities.map(({ name, entityType, observations }) =>
      JSON.stringify({ type: 'entity', name, entityType, observations }),
    ),
    ...relations.map(({ from, to, relationType }) => JSON.stringify({ type: 'relation', from, to, relationType })),
  ];
}

/** The graph that lines describe. */
export function graphOf(lines: readonly GraphLine[]): KnowledgeGraph {
  const entities: Entity[] = [];
  const relations: Relation[] = [];
  for (const line of lines) {
    if (line.type === 'entity') {
      entities.push({ name: line.name, entityType: line.entityType, observations: line.observations });
    } else {
      relations.push({ from: line.from, to: line.to, relationType: line.relationType });
    }
  }
  return { entities, relations };
}

/** A line of our own document. It is read with every change, and by hand in a tenth of the time of the schema. */
function readLine(value: unknown): GraphLine {
  const line = value as Readonly<Partial<Record<'type' | keyof Entity | keyof Relation, unknown>>>;
  const isText = (...all: readonly unknown[]): boolean => all.every((one) => typeof one === 'string');
  const { observations } = line;
  if (
    line.type === 'entity' &&
    isText(line.name, line.entityType) &&
    Array.isArray(observations) &&
    isText(...observations)
  ) {
    return value as GraphLine;
  }
  if (line.type === 'relation' && isText(line.from, line.to, line.relationType)) return value as GraphLine;
  throw new TypeError('a line is neither an entity nor a relation');
}

function parseGraph(document: string, key: string): KnowledgeGraph {
  try {
    const lines = document.split('\n').filter((line) => line !== '');
    const read = lines.map((line) => readLine(JSON.parse(line)));
    return graphOf(read);
  } catch (error) {
    const summary = `The knowledge graph under ${key} cannot be read`;
    throw new MemoryError('CORRUPT_RECORD', [summary, 'It was left as it is: mend it, or use another graph.'], {
      key,
      cause: error,
    });
  }
}

function isSame(a: Relation, b: Relation): boolean {
  return a.from === b.from && a.to === b.to && a.relationType === b.relationType;
}

/** The entities with the relations that begin or end at one of them. */
function around(graph: KnowledgeGraph, entities: readonly Entity[]): KnowledgeGraph {
  const names = new Set(entities.map(({ name }) => name));
  return { entities, relations: graph.relations.filter(({ from, to }) => names.has(from) || names.has(to)) };
}

/** So often a change is tried when others change the same graph at the same time. */
const MAX_ATTEMPTS = 2000;
const MAX_WAIT_MS = 30;
const MAX_RANKED = 20;

/** Keeps a knowledge graph as one document, changed by compare and swap: no change of anybody is lost. */
export function createGraph(backend: MemoryBackend, name: string): Graph {
  const key = graphKey(name);

  const load = async (options: CallOptions): Promise<{ document: string | undefined; graph: KnowledgeGraph }> => {
    const document = await backend.read(key, options);
    return { document, graph: document === undefined ? { entities: [], relations: [] } : parseGraph(document, key) };
  };
  /** Applies a change to the graph as it is; one that changes nothing is not written. */
  const change = async <T>(
    apply: (graph: KnowledgeGraph) => { readonly graph: KnowledgeGraph; readonly result: T },
    options: CallOptions,
  ): Promise<T> => {
    for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
      const { document, graph } = await load(options);
      const changed = apply(graph);
      if (changed.graph === graph) return changed.result;
      const swap = { expected: document, next: graphLines(changed.graph).join('\n'), ttlMs: Infinity };
      if (await backend.swap(key, swap, options)) return changed.result;
      await delay(Math.random() * Math.min(attempt, MAX_WAIT_MS), undefined, options);
    }
    const summary = `[memory:${backend.name}] The knowledge graph was changed by others ${MAX_ATTEMPTS} times in a row`;
    throw new MemoryError('STORE_LOCKED', [summary, 'Nothing was changed; try again.'], { key });
  };

  return {
    read: async (options = {}) => (await load(options)).graph,
    createEntities: (entities, options = {}) =>
      change((graph) => {
        const known = new Set(graph.entities.map((entity) => entity.name));
        const fresh = entities.filter((entity) => {
          if (known.has(entity.name)) return false;
          known.add(entity.name);
          return true;
        });
        if (fresh.length === 0) return { graph, result: [] };
        return { graph: { ...graph, entities: [...graph.entities, ...fresh] }, result: fresh };
      }, options),
    createRelations: (relations, options = {}) =>
      change((graph) => {
        const fresh: Relation[] = [];
        for (const relation of relations) {
          if (![...graph.relations, ...fresh].some((one) => isSame(one, relation))) fresh.push(relation);
        }
        if (fresh.length === 0) return { graph, result: [] };
        return { graph: { ...graph, relations: [...graph.relations, ...fresh] }, result: fresh };
      }, options),
    addObservations: (observations, options = {}) =>
      change((graph) => {
        const entities = new Map(graph.entities.map((entity) => [entity.name, entity]));
        const result = observations.map(({ entityName, contents }): AddedObservations => {
          const entity = entities.get(entityName);
          if (entity === undefined) {
            const hint = 'Create it first. Nothing was added.';
            throw new MemoryError('INVALID_INPUT', [`There is no entity ${JSON.stringify(entityName)}`, hint]);
          }
          const fresh = [...new Set(contents)].filter((content) => !entity.observations.includes(content));
          entities.set(entityName, { ...entity, observations: [...entity.observations, ...fresh] });
          return { entityName, addedObservations: fresh };
        });
        const isChanged = result.some(({ addedObservations }) => addedObservations.length > 0);
        return { graph: isChanged ? { ...graph, entities: [...entities.values()] } : graph, result };
      }, options),
    deleteEntities: (names, options = {}) =>
      change((graph) => {
        const entities = graph.entities.filter((entity) => !names.includes(entity.name));
        const relations = graph.relations.filter(({ from, to }) => !names.includes(from) && !names.includes(to));
        const result = graph.entities.length - entities.length;
        const isChanged = result > 0 || relations.length < graph.relations.length;
        return { graph: isChanged ? { entities, relations } : graph, result };
      }, options),
    deleteObservations: (deletions, options = {}) =>
      change((graph) => {
        let result = 0;
        const entities = graph.entities.map((entity) => {
          const gone = deletions
            .filter(({ entityName }) => entityName === entity.name)
            .flatMap(({ contents }) => contents);
          const observations = entity.observations.filter((content) => !gone.includes(content));
          result += entity.observations.length - observations.length;
          return { ...entity, observations };
        });
        return { graph: result > 0 ? { ...graph, entities } : graph, result };
      }, options),
    deleteRelations: (given, options = {}) =>
      change((graph) => {
        const relations = graph.relations.filter((relation) => !given.some((one) => isSame(one, relation)));
        const result = graph.relations.length - relations.length;
        return { graph: result > 0 ? { ...graph, relations } : graph, result };
      }, options),
    search: async (query, options = {}) => {
      const { graph } = await load(options);
      const wanted = query.toLowerCase();
      const textsOf = ({ name: own, entityType, observations }: Entity): string[] => [own, entityType, ...observations];
      const containing = graph.entities.filter((entity) =>
        textsOf(entity).some((text) => text.toLowerCase().includes(wanted)),
      );
      if (containing.length > 0) return around(graph, containing);
      const documents = graph.entities.map((entity, index) => ({
        id: `${index}`,
        text: textsOf(entity).join('\n'),
        timeMs: 0,
      }));
      const ranked = await rankDocuments(query, documents, { limit: MAX_RANKED, ...options });
      return around(
        graph,
        // The shape of the answer has no place to say that words are only similar.
        ranked.flatMap(({ id, isSimilar }) => (isSimilar === true ? [] : (graph.entities[Number(id)] ?? []))),
      );
    },
    open: async (names, options = {}) => {
      const { graph } = await load(options);
      return around(
        graph,
        graph.entities.filter((entity) => names.includes(entity.name)),
      );
    },
  };
}
