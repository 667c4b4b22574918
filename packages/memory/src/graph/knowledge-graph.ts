import { z } from 'zod';
import { MemoryError } from '../errors.ts';

/** A named thing, with observations about it. */
export interface Entity {
  readonly name: string;
  readonly entityType: string;
  readonly observations: readonly string[];
}

/** A relation between two entities. */
export interface Relation {
  readonly from: string;
  readonly to: string;
  readonly relationType: string;
}

export interface KnowledgeGraph {
  readonly entities: readonly Entity[];
  readonly relations: readonly Relation[];
}

/** One line of a graph, in the format of the memory server of the Model Context Protocol. */
export type GraphLine = ({ readonly type: 'entity' } & Entity) | ({ readonly type: 'relation' } & Relation);

export const graphLineSchema: z.ZodType<GraphLine> = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('entity'),
    name: z.string(),
    entityType: z.string(),
    observations: z.array(z.string()),
  }),
  z.object({ type: z.literal('relation'), from: z.string(), to: z.string(), relationType: z.string() }),
]);

/** Returns a line for each entity and relation. */
export function graphLines({ entities, relations }: KnowledgeGraph): string[] {
  return [
    ...entities.map(({ name, entityType, observations }) =>
      JSON.stringify({ type: 'entity', name, entityType, observations }),
    ),
    ...relations.map(({ from, to, relationType }) => JSON.stringify({ type: 'relation', from, to, relationType })),
  ];
}

/** Returns the graph of parsed lines. */
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

/** Checks a line of a stored graph. Every change reads all lines, and this takes a tenth of the time of the schema. */
function checkLine(value: unknown): GraphLine {
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

/** Returns whether a text is a line of a stored graph. */
export function isGraphLine(text: string): boolean {
  try {
    checkLine(JSON.parse(text));
    return true;
  } catch {
    return false;
  }
}

/** Parses a stored graph. @throws {MemoryError} `CORRUPT_RECORD`. */
export function parseGraph(document: string, key: string): KnowledgeGraph {
  try {
    const lines = document.split('\n').filter((line) => line !== '');
    return graphOf(lines.map((line) => checkLine(JSON.parse(line))));
  } catch (error) {
    const summary = `The knowledge graph under ${key} is not readable`;
    throw new MemoryError('CORRUPT_RECORD', [summary, 'It was not changed; repair it, or use another graph.'], {
      key,
      cause: error,
    });
  }
}
