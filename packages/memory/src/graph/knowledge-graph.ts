import { isStrings, quoted } from '@cairn/tool/kernel';
import { createHash } from 'node:crypto';
import { MemoryError } from '../errors.ts';
import { parseFields } from '../records/record.ts';

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

/** One line of a graph, in the format of the memory server of the Model Context Protocol. It may have more fields. */
export type GraphLine = ({ readonly type: 'entity' } & Entity) | ({ readonly type: 'relation' } & Relation);

/** A row that was changed since it was created keeps its place by the sequence that it had then. */
export interface Placed {
  readonly createdSequence?: number | undefined;
}

/** Returns the graph of lines, without the fields that this version does not know. */
export function graphOf(lines: Iterable<GraphLine>): KnowledgeGraph {
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

function isText(...all: readonly unknown[]): boolean {
  return all.every((one) => typeof one === 'string');
}

/** Checks a line. Every reading of a graph checks all of its lines, and this takes a tenth of the time of the schema. */
function isGraphLine(line: Readonly<Record<string, unknown>>): boolean {
  const { observations } = line;
  if (line['type'] === 'relation') return isText(line['from'], line['to'], line['relationType']);
  if (line['type'] !== 'entity' || !isText(line['name'], line['entityType'])) return false;
  return isStrings(observations);
}

/** Parses a row of a graph; `undefined` when it is neither an entity nor a relation. */
export function parseGraphLine(text: string): (GraphLine & Placed) | undefined {
  const line = parseFields(text);
  return line !== undefined && isGraphLine(line) ? (line as unknown as GraphLine & Placed) : undefined;
}

/** Returns the place of a row in an export, where relations follow the entities. Sequences are far below `2 ** 52`. */
export function exportPlaceOf(text: string, sequence: number): number {
  const line = parseGraphLine(text);
  return (line?.createdSequence ?? sequence) + (line?.type === 'relation' ? 2 ** 52 : 0);
}

/** Returns the new text of a row that keeps its place. */
export function keepPlace(next: string, before: string, sequence: number): string {
  return JSON.stringify({ ...parseFields(next), createdSequence: parseGraphLine(before)?.createdSequence ?? sequence });
}

/** Checks what a caller adds. @throws {MemoryError} `INVALID_INPUT`. */
export function checkLines<Line extends GraphLine>(lines: readonly Line[]): readonly Line[] {
  for (const line of lines) {
    if (isGraphLine(line as unknown as Readonly<Record<string, unknown>>)) continue;
    const fields = line.type === 'entity' ? 'name, entityType and observations' : 'from, to and relationType';
    throw new MemoryError('INVALID_INPUT', [
      `Invalid ${line.type} ${quoted(String(line.type === 'entity' ? line.name : line.from))}`,
      `Use texts for ${fields}. Nothing was changed.`,
    ]);
  }
  return lines;
}

/** A hash, because the id of a row is short, and a name may have any length. JSON keeps unpaired surrogates apart. */
function hashOf(...parts: readonly string[]): string {
  return createHash('sha256').update(JSON.stringify(parts)).digest('base64url');
}

export function entityId(name: string): string {
  return `entity:${hashOf(name)}`;
}

export function relationId({ from, to, relationType }: Relation): string {
  return `relation:${hashOf(from, to, relationType)}`;
}

export function rowId(line: GraphLine): string {
  return line.type === 'entity' ? entityId(line.name) : relationId(line);
}
