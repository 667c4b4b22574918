import type { Claims } from '../conversations/claims.ts';
import type { Messages } from '../conversations/messages.ts';
import { MemoryError } from '../errors.ts';
import type { FactScope } from '../facts/fact.ts';
import type { TermStore } from '../terms/term-store.ts';
import { factTable } from '../facts/fact-table.ts';
import { sourceOf } from '../facts/recall-facts.ts';
import type { CallOptions, Erasure, KeyInfo, MemoryBackend } from '../records/backend.ts';
import {
  graphKey,
  memoryKey,
  namespaceKey,
  namespacePrefix,
  notesKey,
  parseFactsKey,
  parseMemoryKey,
  parseStreamKey,
  parseWorkflowKey,
  PREFIX,
  QUARANTINE_KEY,
  STREAM_PREFIX,
  streamKey,
  streamPrefix,
  UNKNOWN_KEY,
  WORKFLOW_PREFIX,
  workflowKey,
} from '../records/keys.ts';
import { removeKept } from '../records/kept-elsewhere.ts';
import type { RecordPlace } from '../records/kept-elsewhere.ts';
import type { Limits } from '../records/limits.ts';
import { removeKey } from '../records/namespace.ts';
import type { Workflows } from '../workflows/workflows.ts';
import { isKnownKey, problemOf, readContents } from './contents.ts';
import type { FoundRecord } from './contents.ts';
import { onKey } from './problems.ts';
import type { Problem } from './problems.ts';

/** Selects messages to remove. */
export interface ForgetMessages extends CallOptions {
  readonly stream: string;
  /** @default all groups of the stream; its name is free again */
  readonly group?: string | undefined;
  /** The id of one message of the group. @default all messages */
  readonly message?: string | undefined;
}

/** Selects data of a namespace to remove. */
export interface ForgetNamespace extends CallOptions {
  readonly namespace: string;
  /** @default all keys of the namespace */
  readonly key?: string | undefined;
}

/** Selects a workflow to remove, with its notes. */
export interface ForgetWorkflow extends CallOptions {
  readonly workflow: string;
}

/** Selects the notes of a workflow to remove. */
export interface ForgetNotes extends CallOptions {
  readonly notes: string;
}

/** Selects a knowledge graph to remove. */
export interface ForgetGraph extends CallOptions {
  readonly graph: string;
}

/** Selects all facts of the user, or of a project. A single fact is forgotten by `memory.facts.forget(id)`. */
export interface ForgetFacts extends CallOptions {
  readonly scope: FactScope;
  /** @default the project of the memory */
  readonly project?: string | undefined;
}

/** Selects the records that this version cannot read, also those that an import kept for the next export. */
export interface ForgetUnreadable extends CallOptions {
  readonly unreadable: true;
  /** @default all keys */
  readonly key?: string | undefined;
}

/** Selects everything. */
export interface ForgetEverything extends CallOptions {
  readonly everything: true;
}

export type ForgetOptions =
  | ForgetMessages
  | ForgetNamespace
  | ForgetWorkflow
  | ForgetNotes
  | ForgetGraph
  | ForgetFacts
  | ForgetUnreadable
  | ForgetEverything;

/** The result of forgetting. */
export interface ForgetResult {
  /** The number of removed records, rows and documents. */
  readonly removed: number;
  /** Whether the removed text is also gone from the files of the store. */
  readonly erased: Erasure;
  /** The keys that could not be removed. */
  readonly problems: readonly Problem[];
}

export interface ForgetDependencies {
  readonly backend: MemoryBackend;
  readonly messages: Messages;
  readonly workflows: Workflows;
  readonly claims: Claims;
  readonly limits: Limits;
  readonly terms: TermStore;
  /** The project of the memory. */
  readonly project: string | undefined;
}

/** What one call removes. */
interface Forgetting extends ForgetDependencies, CallOptions {
  readonly problems: Problem[];
}

/** Removes the selected records, and erases their text. @throws {MemoryError} `INVALID_INPUT`, `INVALID_NAME`. */
export async function forget(dependencies: ForgetDependencies, selection: ForgetOptions): Promise<ForgetResult> {
  const { signal } = selection;
  const { backend } = dependencies;
  const problems: Problem[] = [];
  const removed = await remove(checkSelection(selection), { ...dependencies, problems, signal });
  try {
    return { removed, erased: await backend.erase({ signal }), problems };
  } catch (error) {
    // The records are gone. Their text is erased later.
    if (!MemoryError.isInstance(error)) throw error;
    problems.push({ key: '', code: error.code, message: error.message });
    return { removed, erased: 'pending', problems };
  }
}

/** The fields of which a selection has exactly one. */
const SELECTORS = ['everything', 'unreadable', 'namespace', 'notes', 'workflow', 'scope', 'graph', 'stream'] as const;

/**
 * Returns a selection without absent fields: one that is present but `undefined` selects nothing. To delete more than was meant
 * cannot be undone.
 *
 * @throws {MemoryError} `INVALID_INPUT` unless exactly one thing is selected.
 */
function checkSelection(selection: ForgetOptions): ForgetOptions {
  const given = Object.entries(selection).filter(([, value]) => value !== undefined);
  const fields = Object.fromEntries(given);
  const selected = SELECTORS.filter((name) => Object.hasOwn(fields, name));
  const isFlag = (name: string): boolean => name === 'everything' || name === 'unreadable';
  const invalid = selected.find((name) => isFlag(name) && fields[name] !== true);
  if (selected.length !== 1 || invalid !== undefined) {
    const problem =
      selected.length === 0
        ? 'nothing'
        : invalid === undefined
          ? selected.join(' and ')
          : `${invalid} with another value than true`;
    const hint = `Pass exactly one of ${SELECTORS.join(', ')}. Nothing was removed.`;
    throw new MemoryError('INVALID_INPUT', [`The selection to forget has ${problem}`, hint]);
  }
  return fields as unknown as ForgetOptions;
}

/** Returns whether a selection has a record that is kept elsewhere. @throws {MemoryError} `INVALID_INPUT`, `INVALID_NAME`. */
function acceptsOf(selection: ForgetOptions, project: string | undefined): (place: RecordPlace) => boolean {
  if ('everything' in selection) return () => true;
  if ('unreadable' in selection) return ({ key }) => selection.key === undefined || key === selection.key;
  if ('namespace' in selection) {
    const { namespace, key: name } = selection;
    const storeKey = name === undefined ? undefined : namespaceKey(namespace, name);
    const prefix = namespacePrefix(namespace);
    return ({ key }) => (storeKey === undefined ? key.startsWith(prefix) : key === storeKey);
  }
  if ('stream' in selection) {
    const { stream, group, message } = selection;
    const [prefix, claim] = [streamPrefix(stream), streamKey(stream)];
    if (group === undefined) return ({ key }) => key.startsWith(prefix) || key === claim;
    const own = memoryKey(stream, group);
    return ({ key, id }) => key === own && (message === undefined || id === message);
  }
  const own = exactKeysOf(selection, project);
  return ({ key }) => own.includes(key);
}

/** Returns the keys of a selection that names them. */
function exactKeysOf(
  selection: ForgetNotes | ForgetWorkflow | ForgetFacts | ForgetGraph,
  ownProject: string | undefined,
): readonly string[] {
  if ('notes' in selection) return [notesKey(selection.notes)];
  if ('workflow' in selection) return [notesKey(selection.workflow), workflowKey(selection.workflow)];
  if ('graph' in selection) return [graphKey(selection.graph)];
  const { scope, project = ownProject } = selection;
  return [factTable(scope, project).key];
}

async function remove(selection: ForgetOptions, forgetting: Forgetting): Promise<number> {
  const accepts = acceptsOf(selection, forgetting.project);
  let removed = await removeSelected(selection, accepts, forgetting);
  const { backend, problems, signal } = forgetting;
  for (const store of [UNKNOWN_KEY, QUARANTINE_KEY] as const) {
    const run = (): Promise<number> => removeKept(backend, store, { accepts, signal });
    const isReported = problems.some(({ key }) => key === store);
    removed += (await onKey(store, run, (problem) => isReported || problems.push(problem))) ?? 0;
  }
  return removed;
}

async function removeSelected(
  selection: ForgetOptions,
  accepts: (place: RecordPlace) => boolean,
  forgetting: Forgetting,
): Promise<number> {
  if ('everything' in selection) return removeEverything(forgetting);
  if ('unreadable' in selection) return removeUnreadable(selection.key, forgetting);
  if ('namespace' in selection) {
    return removeKeys(namespacePrefix(selection.namespace), (key) => accepts({ key }), forgetting);
  }
  if ('stream' in selection) return removeMessages(selection, forgetting);
  return removeExactly(exactKeysOf(selection, forgetting.project), forgetting);
}

/** Returns the keys with a prefix. Notes come before their workflow, which removes them too. */
async function keysOf(prefix: string, { backend, signal }: Forgetting): Promise<KeyInfo[]> {
  return (await backend.keys(prefix, { signal })).toSorted((a, b) => (a.key < b.key ? -1 : 1));
}

/** Removes keys with all that they have. A key with another value than it should have is a problem, and stays. */
async function removeKeys(prefix: string, accepts: (key: string) => boolean, forgetting: Forgetting): Promise<number> {
  let removed = 0;
  for (const info of await keysOf(prefix, forgetting)) {
    if (!accepts(info.key)) continue;
    const problem = problemOf(info);
    if (problem) forgetting.problems.push(problem);
    else removed += await removeOne(info, forgetting);
  }
  return removed;
}

async function removeExactly(keys: readonly string[], forgetting: Forgetting): Promise<number> {
  let removed = 0;
  for (const key of keys) removed += await removeKeys(key, (one) => one === key, forgetting);
  return removed;
}

async function removeOne(info: KeyInfo, forgetting: Forgetting): Promise<number> {
  const { backend, messages, workflows, claims, terms, problems, signal } = forgetting;
  const run = async (): Promise<number> => {
    const place = info.kind === 'list' ? parseMemoryKey(info.key) : undefined;
    // Messages and facts have terms in an index, which go first: a kill in between leaves no term of a removed text.
    if (place !== undefined) return messages.remove(place, undefined, { signal });
    if (info.kind === 'document' && info.key.startsWith(STREAM_PREFIX)) {
      return (await claims.release(parseStreamKey(info.key), { signal })) ? 1 : 0;
    }
    const workflow =
      info.kind === 'document' && info.key.startsWith(WORKFLOW_PREFIX) ? parseWorkflowKey(info.key) : undefined;
    if (workflow !== undefined && (await workflows.remove(workflow, { signal }))) return 1;
    const facts = info.kind === 'table' ? parseFactsKey(info.key) : undefined;
    if (facts === undefined) return removeKey(backend, info, { signal });
    const source = sourceOf({ key: info.key, ...facts });
    await terms.forget(source, 'all', { signal });
    const removed = await removeKey(backend, info, { signal });
    await terms.forget(source, 'all', { signal });
    return removed;
  };
  return (await onKey(info.key, run, (problem) => problems.push(problem))) ?? 0;
}

async function removeMessages({ stream, group, message }: ForgetMessages, forgetting: Forgetting): Promise<number> {
  const { messages, claims, problems, signal } = forgetting;
  const onProblem = (problem: Problem): unknown => problems.push(problem);
  if (group === undefined) {
    if (message !== undefined) {
      throw new MemoryError('INVALID_INPUT', ['A message ID needs its group', 'Pass the group of the message too.']);
    }
    const removed = await removeKeys(streamPrefix(stream), () => true, forgetting);
    await onKey(streamKey(stream), () => claims.release(stream, { signal }), onProblem);
    return removed;
  }
  const key = memoryKey(stream, group);
  if (message === undefined) return removeExactly([key], forgetting);
  return (await onKey(key, () => messages.remove({ stream, group }, message, { signal }), onProblem)) ?? 0;
}

async function removeUnreadable(only: string | undefined, forgetting: Forgetting): Promise<number> {
  const { backend, limits, problems, signal } = forgetting;
  const accepts = (key: string): boolean => only === undefined || key === only;
  let removed = await removeExactly([QUARANTINE_KEY, UNKNOWN_KEY].filter(accepts), forgetting);
  const onProblem = (problem: Problem): unknown => problems.push(problem);
  for await (const found of readContents(backend, { limits, accepts, onProblem, signal })) {
    if (found.line !== undefined) continue;
    removed += (await onKey(found.key, () => removeRecord(backend, found, { signal }), onProblem)) ?? 0;
  }
  return removed;
}

/** Removes one record, if it is still as it was read. */
async function removeRecord(
  backend: MemoryBackend,
  { key, kind, id, record }: FoundRecord,
  options: CallOptions,
): Promise<number> {
  if (kind === 'list') return backend.remove(key, [record], options);
  let isDone = false;
  if (id === undefined) {
    const document = (await backend.read(key, options)) ?? '';
    // A graph of an earlier version has a record in each line.
    const rest = document.split('\n').filter((line) => line !== record);
    const next = document === record || rest.length === 0 ? undefined : rest.join('\n');
    isDone = await backend.swap(key, { expected: document, next, ttlMs: Infinity }, options);
  } else {
    ({ isDone } = await backend.change(key, { rows: [{ id, expected: record, next: undefined }] }, options));
  }
  return isDone ? 1 : 0;
}

/** Removes the values of all keys that this version knows, also those of another type. */
async function removeEverything(forgetting: Forgetting): Promise<number> {
  let removed = 0;
  for (const info of await keysOf(PREFIX, forgetting)) {
    const problem = isKnownKey(info.key) ? undefined : problemOf(info);
    if (problem) forgetting.problems.push(problem);
    else removed += await removeOne(info, forgetting);
  }
  return removed;
}
