/** The changes of a graph, as pure functions of its rows. */
import { quoted } from '@cairn/tool/kernel';
import { refuse } from '../records/checks.ts';
import { MemoryError } from '../errors.ts';
import { checkLines, entityId, parseGraphLine, relationId, rowId } from './knowledge-graph.ts';
import type { Entity, GraphLine, Relation } from './knowledge-graph.ts';

/** Observations about one entity, to add or to delete. */
export interface Observations {
  readonly entityName: string;
  readonly contents: readonly string[];
}

export interface AddedObservations {
  readonly entityName: string;
  readonly addedObservations: readonly string[];
}

/** The texts of rows by their ids. */
export type Rows = ReadonlyMap<string, string>;

export interface GraphChange<Result> {
  /** The ids of the rows that it depends on. `all` also protects it from every other change of the graph. */
  readonly reads: readonly string[] | 'all';
  /** Whether it may be tried as if none of its rows existed. */
  readonly isAddition?: true;
  /** Returns the new texts of rows, `undefined` to remove one, and the result. */
  readonly apply: (rows: Rows) => {
    readonly changed: ReadonlyMap<string, string | undefined>;
    readonly result: Result;
  };
}

/** @throws {MemoryError} `CORRUPT_RECORD` when a row exists that cannot be read. */
function lineAt(rows: Rows, id: string, subject: string): GraphLine | undefined {
  const text = rows.get(id);
  if (text === undefined) return undefined;
  const line = parseGraphLine(text);
  if (line) return line;
  const hint = 'Nothing was changed; delete it, then create it again.';
  throw new MemoryError('CORRUPT_RECORD', [`The stored ${subject} is not readable`, hint]);
}

function entityAt(rows: Rows, name: string): ({ readonly type: 'entity' } & Entity) | undefined {
  const line = lineAt(rows, entityId(name), `entity ${quoted(name)}`);
  return line?.type === 'entity' ? line : undefined;
}

/** Adds the entities with a new name, or the relations that the graph does not have. @throws {MemoryError} `INVALID_INPUT`. */
export function addLines<Added extends Entity | Relation>(
  type: GraphLine['type'],
  values: readonly Added[],
): GraphChange<Added[]> {
  // The caller passes values of the type, which are checked here.
  const lines = values.map((value) => ({ ...value, type })) as unknown as readonly GraphLine[];
  const ids = checkLines(lines).map(rowId);
  return {
    reads: ids,
    isAddition: true,
    apply: (rows) => {
      const changed = new Map<string, string>();
      const result = values.filter((_, index) => {
        const [id = '', line] = [ids[index], lines[index]];
        if (changed.has(id) || lineAt(rows, id, line?.type ?? '') !== undefined) return false;
        changed.set(id, JSON.stringify(line));
        return true;
      });
      return { changed, result };
    },
  };
}

/** When an entity is missing, `apply` throws a {@link MemoryError} `INVALID_INPUT`, and nothing is added. */
export function addObservations(observations: readonly Observations[]): GraphChange<AddedObservations[]> {
  return {
    reads: observations.map(({ entityName }) => entityId(entityName)),
    apply: (rows) => {
      const next = new Map(rows);
      const changed = new Map<string, string>();
      const result = observations.map(({ entityName, contents }): AddedObservations => {
        const entity = entityAt(next, entityName);
        if (entity === undefined) {
          const hint = 'Create it first. Nothing was added.';
          refuse(`There is no entity ${quoted(String(entityName))}`, hint);
        }
        const added = [...new Set(contents)].filter((content) => !entity.observations.includes(content));
        if (added.length > 0) {
          const [line] = checkLines([{ ...entity, observations: [...entity.observations, ...added] }]);
          next.set(entityId(entityName), JSON.stringify(line));
          changed.set(entityId(entityName), JSON.stringify(line));
        }
        return { entityName, addedObservations: added };
      });
      return { changed, result };
    },
  };
}

/** Deletes entities and the relations from and to them. The result is the number of deleted entities. */
export function deleteEntities(names: readonly string[]): GraphChange<number> {
  const deleted = new Set(names);
  const ids = new Set(names.map(entityId));
  return {
    reads: 'all',
    apply: (rows) => {
      const changed = new Map<string, undefined>();
      let result = 0;
      for (const [id, text] of rows) {
        const line = parseGraphLine(text);
        const isEntity = ids.has(id) || (line?.type === 'entity' && deleted.has(line.name));
        if (isEntity) result += 1;
        if (isEntity || (line?.type === 'relation' && (deleted.has(line.from) || deleted.has(line.to)))) {
          changed.set(id, undefined);
        }
      }
      return { changed, result };
    },
  };
}

/** The result is the number of deleted observations. */
export function deleteObservations(deletions: readonly Observations[]): GraphChange<number> {
  return {
    reads: deletions.map(({ entityName }) => entityId(entityName)),
    apply: (rows) => {
      const next = new Map(rows);
      const changed = new Map<string, string>();
      let result = 0;
      for (const { entityName, contents } of deletions) {
        const entity = entityAt(next, entityName);
        const observations = entity?.observations.filter((content) => !contents.includes(content)) ?? [];
        const count = (entity?.observations.length ?? 0) - observations.length;
        if (count === 0) continue;
        result += count;
        const text = JSON.stringify({ ...entity, observations });
        next.set(entityId(entityName), text);
        changed.set(entityId(entityName), text);
      }
      return { changed, result };
    },
  };
}

/** The result is the number of deleted relations. */
export function deleteRelations(relations: readonly Relation[]): GraphChange<number> {
  const ids = [...new Set(relations.map(relationId))];
  return {
    reads: ids,
    apply: (rows) => {
      const found = ids.filter((id) => rows.has(id));
      return { changed: new Map(found.map((id) => [id, undefined])), result: found.length };
    },
  };
}
