import { refuse } from '../records/checks.ts';
import type { Facts } from '../facts/facts-api.ts';
import { factTable, factTables } from '../facts/fact-table.ts';
import type { FactScope } from '../facts/fact.ts';
import type { CallOptions } from '../records/backend.ts';
import { MEMORY_PREFIX, parseMemoryKey, streamPrefix, UNKNOWN_KEY } from '../records/keys.ts';
import type { Reader, Store, UnreadableRecord } from '../records/reader.ts';
import { readContents, readKept } from './contents.ts';
import { onKey, type ProblemListener } from './problems.ts';

/** The version of the format. Exports before version 2 have no line with it. */
export const EXPORT_VERSION = 2;

/** Selects the contents of an export. By default everything; with a stream or a group, only their messages. */
export interface ExportOptions extends CallOptions {
  readonly stream?: string | undefined;
  readonly group?: string | undefined;
  /**
   * `jsonl`: everything, for an import. `markdown`: the active facts, a document for the user and one for each project, as
   * `facts.toMarkdown` writes them. @default 'jsonl'
   */
  readonly format?: 'jsonl' | 'markdown' | undefined;
  /** With `markdown`: only the facts of the user, or of the project of the memory. @default all facts */
  readonly scope?: FactScope | undefined;
  /** Called for each key that the export leaves out. @default onUnreadable of the memory */
  readonly onProblem?: ProblemListener | undefined;
}

export interface ExportDependencies extends Store {
  readonly facts: Facts;
  readonly project: string | undefined;
}

export function reportTo(reader: Reader, onProblem: ProblemListener | undefined): ProblemListener {
  return onProblem ?? (({ key, message }) => reader.report({ key, record: '', reason: message }));
}

/**
 * Writes a memory as JSON lines, after a line with the version of the format: by kind and key, oldest first within a key.
 * Unreadable records are reported, and come last, raw, with lines that an import did not know.
 */
export async function* exportLines(
  { backend, reader }: ExportDependencies,
  { stream, group, scope, onProblem, signal }: ExportOptions,
): AsyncGenerator<string, void, undefined> {
  if (scope !== undefined)
    refuse('Only Markdown has the facts of one scope', 'Pass format: "markdown", or leave out the scope.');
  const isPart = stream !== undefined || group !== undefined;
  const report = reportTo(reader, onProblem);
  // By text, because the same unreadable record may also have been imported.
  const last = new Map<string, number>();
  const keep = (unreadable: UnreadableRecord): void => {
    reader.report(unreadable);
    last.set(unreadableLine(unreadable), EXPORT_VERSION);
  };
  let isEmpty = true;
  for await (const { place, record, line, reason } of readContents(backend, {
    ...(isPart && { prefix: stream === undefined ? MEMORY_PREFIX : streamPrefix(stream) }),
    accepts: (one) => group === undefined || parseMemoryKey(one)?.group === group,
    onProblem: report,
    signal,
  })) {
    if (line === undefined) {
      keep({ ...place, record, ...(reason !== undefined && { reason }) });
      continue;
    }
    if (isEmpty) yield versionLine(EXPORT_VERSION);
    isEmpty = false;
    yield line;
  }
  if (!isPart) {
    const kept = await onKey(UNKNOWN_KEY, () => readKept(backend, { signal }), report);
    for (const { text, version = EXPORT_VERSION } of kept ?? []) last.set(text, version);
  }
  let before = isEmpty ? undefined : EXPORT_VERSION;
  for (const [text, version] of last) {
    if (version !== before) yield versionLine(version);
    before = version;
    yield text;
  }
}

/** Returns the line with the version of the lines after it. */
function versionLine(version: number): string {
  return JSON.stringify({ kind: 'export', version });
}

/** Writes the active facts as the lines of Markdown. @throws {MemoryError} `INVALID_INPUT` for a group, which has no facts. */
export async function* markdownLines(
  { backend, reader, facts, project: own }: ExportDependencies,
  { stream, group, scope: only, onProblem, signal }: ExportOptions,
): AsyncGenerator<string, void, undefined> {
  if (group !== undefined) refuse('The facts of a group cannot be exported', 'Leave out the group.');
  let isFirst = true;
  const report = reportTo(reader, onProblem);
  const ofTables: Reader = {
    ...reader,
    report: ({ key, reason = '' }) =>
      report({ key, code: 'CORRUPT_RECORD', message: `Cannot read ${key}: ${reason}.` }),
  };
  const selected = only && factTable(only, own).key;
  for (const { key, scope, project } of await factTables(backend, { reader: ofTables, signal })) {
    if (selected !== undefined && key !== selected) continue;
    const selection = { scope, project, stream, allStreams: stream === undefined, signal };
    if (selected !== undefined && (await facts.list({ ...selection, limit: 1 })).total === 0) continue;
    const text = await facts.toMarkdown(selection);
    if (!isFirst) yield '';
    isFirst = false;
    yield* text.trimEnd().split('\n');
  }
}

export function unreadableLine({ key, id, record, reason }: UnreadableRecord): string {
  return JSON.stringify({ kind: 'unreadable', key, id, record, reason });
}
