/** The changes of a graph, as pure functions. A change without an effect returns the graph that it was given. */
import { MemoryError } from '../errors.ts';
import type { Entity, KnowledgeGraph, Relation } from './knowledge-graph.ts';

/** Observations about one entity, to add or to delete. */
export interface Observations {
  readonly entityName: string;
  readonly contents: readonly string[];
}

/** The new observations of one entity. */
export interface AddedObservations {
  readonly entityName: string;
  readonly addedObservations: readonly string[];
}

/** The graph after a change, and the result of the change. */
export interface GraphChange<Result> {
  readonly graph: KnowledgeGraph;
  readonly result: Result;
}

function isSame(a: Relation, b: Relation): boolean {
  return a.from === b.from && a.to === b.to && a.relationType === b.relationType;
}

/** Adds the entities with a new name. */
export function addEntities(graph: KnowledgeGraph, entities: readonly Entity[]): GraphChange<Entity[]> {
  const names = new Set(graph.entities.map(({ name }) => name));
  const added = entities.filter(({ name }) => {
    if (names.has(name)) return false;
    names.add(name);
    return true;
  });
  if (added.length === 0) return { graph, result: [] };
  return { graph: { ...graph, entities: [...graph.entities, ...added] }, result: added };
}

/** Adds the relations that the graph does not have. */
export function addRelations(graph: KnowledgeGraph, relations: readonly Relation[]): GraphChange<Relation[]> {
  const added: Relation[] = [];
  for (const relation of relations) {
    if (![...graph.relations, ...added].some((one) => isSame(one, relation))) added.push(relation);
  }
  if (added.length === 0) return { graph, result: [] };
  return { graph: { ...graph, relations: [...graph.relations, ...added] }, result: added };
}

/** @throws {MemoryError} `INVALID_INPUT` when an entity is missing; then nothing is added. */
export function addObservations(
  graph: KnowledgeGraph,
  observations: readonly Observations[],
): GraphChange<AddedObservations[]> {
  const entities = new Map(graph.entities.map((entity) => [entity.name, entity]));
  const result = observations.map(({ entityName, contents }): AddedObservations => {
    const entity = entities.get(entityName);
    if (entity === undefined) {
      const hint = 'Create it first. Nothing was added.';
      throw new MemoryError('INVALID_INPUT', [`There is no entity ${JSON.stringify(entityName)}`, hint]);
    }
    const added = [...new Set(contents)].filter((content) => !entity.observations.includes(content));
    entities.set(entityName, { ...entity, observations: [...entity.observations, ...added] });
    return { entityName, addedObservations: added };
  });
  const isChanged = result.some(({ addedObservations }) => addedObservations.length > 0);
  return { graph: isChanged ? { ...graph, entities: [...entities.values()] } : graph, result };
}

/** Deletes entities and the relations from and to them. The result is the number of deleted entities. */
export function deleteEntities(graph: KnowledgeGraph, names: readonly string[]): GraphChange<number> {
  const entities = graph.entities.filter((entity) => !names.includes(entity.name));
  const relations = graph.relations.filter(({ from, to }) => !names.includes(from) && !names.includes(to));
  const result = graph.entities.length - entities.length;
  const isChanged = result > 0 || relations.length < graph.relations.length;
  return { graph: isChanged ? { entities, relations } : graph, result };
}

/** The result is the number of deleted observations. */
export function deleteObservations(graph: KnowledgeGraph, deletions: readonly Observations[]): GraphChange<number> {
  let result = 0;
  const entities = graph.entities.map((entity) => {
    const deleted = deletions
      .filter(({ entityName }) => entityName === entity.name)
      .flatMap(({ contents }) => contents);
    const observations = entity.observations.filter((content) => !deleted.includes(content));
    result += entity.observations.length - observations.length;
    return { ...entity, observations };
  });
  return { graph: result > 0 ? { ...graph, entities } : graph, result };
}

/** The result is the number of deleted relations. */
export function deleteRelations(graph: KnowledgeGraph, deleted: readonly Relation[]): GraphChange<number> {
  const relations = graph.relations.filter((relation) => !deleted.some((one) => isSame(one, relation)));
  const result = graph.relations.length - relations.length;
  return { graph: result > 0 ? { ...graph, relations } : graph, result };
}
