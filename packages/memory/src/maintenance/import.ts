import { refuse } from '../records/checks.ts';
import type { CallOptions } from '../records/backend.ts';
import { keyOfLine } from '../records/kept-elsewhere.ts';
import { UNKNOWN_KEY } from '../records/keys.ts';
import type { Limits } from '../records/limits.ts';
import { Turns, unitsOf } from '../records/turns.ts';
import { IMPORTED_KINDS, importKind, UNITS_PER_LINE, type Counts, type ImportDependencies } from './import-kinds.ts';
import { checkKinds, checkLine, LineParser, type Line } from './lines.ts';
import { onKey, type Problem, type ProblemListener } from './problems.ts';

/** The result of an import. */
export interface ImportResult {
  /** All lines with a record. A line with a field that this version cannot keep in its record counts as two. */
  readonly lines: number;
  readonly added: number;
  /** Lines that the memory already has. A workflow or a document with the same key stays as it is, also with other contents. */
  readonly present: number;
  /** Lines that retention does not keep: they are expired, or there are too many newer ones; or their key has a problem. */
  readonly dropped: number;
  /** Of the added lines: those that are kept as they are for the next export, because this version cannot read them. */
  readonly unknown: number;
  /** The keys that could not be written. */
  readonly problems: readonly Problem[];
}

/**
 * Imports lines of {@link exportLines}, of any version, or of the memory server of the Model Context Protocol. All lines are
 * checked before the first write. Lines that the memory already has are not added again, so that an interrupted import can be
 * repeated. Lines of kinds that this version does not know are kept, and come out again in the next export.
 *
 * @throws {MemoryError} `INVALID_INPUT` with the number of the line, `INVALID_NAME`, `TOO_LARGE`.
 */
export async function importLines(
  dependencies: ImportDependencies,
  texts: Iterable<string> | AsyncIterable<string>,
  { signal }: CallOptions,
): Promise<ImportResult> {
  const lines = await parseLines(texts, { limits: dependencies.limits, signal });
  checkKinds(lines);
  const problems: Problem[] = [];
  const total: Counts = { added: 0, present: 0, dropped: 0 };
  let unknown = 0;
  for (const kind of IMPORTED_KINDS) {
    const selected = lines.filter((line) => line.kind === kind);
    for (const [key, group] of grouped(selected)) {
      const count: Counts = { added: 0, present: 0, dropped: 0 };
      const onProblem: ProblemListener = (problem) => {
        problems.push(problem);
        count.dropped = group.length - count.added - count.present;
      };
      await onKey(key, () => importKind(dependencies, group, { count, signal }), onProblem);
      for (const name of ['added', 'present', 'dropped'] as const) total[name] += count[name];
      if (kind === 'unknown') unknown += count.added;
    }
  }
  return { lines: lines.length, ...total, unknown, problems };
}

async function parseLines(
  texts: Iterable<string> | AsyncIterable<string>,
  { limits, signal }: CallOptions & { readonly limits: Limits },
): Promise<Line[]> {
  const turns = new Turns(signal);
  const parser = new LineParser();
  const lines: Line[] = [];
  let lineNumber = 0;
  for await (const text of texts) {
    lineNumber += 1;
    if (typeof text !== 'string') {
      refuse(`Line ${lineNumber} of the import is not a text`, 'Nothing was imported; pass the lines as texts.');
    }
    // Some programs write a byte order mark.
    const line = (lineNumber === 1 ? text.replace(/^\uFEFF/u, '') : text).trim();
    for (const parsed of line === '' ? [] : parser.parse(line, lineNumber)) {
      checkLine(parsed, lineNumber, limits);
      lines.push(parsed);
    }
    if (turns.spend(4 * unitsOf(text) + UNITS_PER_LINE)) await turns.next();
  }
  return lines;
}

function grouped(lines: readonly Line[]): Map<string, Line[]> {
  const groups = new Map<string, Line[]>();
  for (const line of lines) {
    const key = keyOfLine(line) ?? UNKNOWN_KEY;
    const group = groups.get(key);
    if (group) group.push(line);
    else groups.set(key, [line]);
  }
  return groups;
}
