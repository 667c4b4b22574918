import type { Claims } from '../conversations/claims.ts';
import type { Messages } from '../conversations/messages.ts';
import { MemoryError } from '../errors.ts';
import { sourceOf } from '../facts/recall-facts.ts';
import type { CallOptions, Erasure, KeyInfo, MemoryBackend } from '../records/backend.ts';
import {
  KNOWLEDGE_PREFIX,
  memoryKey,
  namespacePrefix,
  NOTES_PREFIX,
  parseFactsKey,
  parseMemoryKey,
  parseStreamKey,
  parseWorkflowKey,
  PREFIX,
  QUARANTINE_KEY,
  STREAM_PREFIX,
  streamKey,
  streamPrefix,
  TERMS_PREFIX,
  termsSourceKey,
  UNKNOWN_KEY,
  WORKFLOW_PREFIX,
} from '../records/keys.ts';
import { removeKept } from '../records/kept-elsewhere.ts';
import type { RecordPlace } from '../records/kept-elsewhere.ts';
import type { Limits } from '../records/limits.ts';
import { removeKey } from '../records/namespace.ts';
import type { TermStore } from '../terms/term-store.ts';
import type { Notes } from '../workflows/notes.ts';
import type { Workflows } from '../workflows/workflows.ts';
import { isKnownKey, problemOf, readContents } from './contents.ts';
import type { FoundRecord } from './contents.ts';
import { acceptsOf, checkSelection, exactKeysOf } from './forget-selection.ts';
import type { ForgetMessages, ForgetOptions } from './forget-selection.ts';
import { onKey } from './problems.ts';
import type { Problem } from './problems.ts';

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
  readonly notes: Notes;
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

async function remove(selection: ForgetOptions, forgetting: Forgetting): Promise<number> {
  const accepts = acceptsOf(selection, forgetting.project);
  let removed = await removeSelected(selection, accepts, forgetting);
  const { backend, problems, signal } = forgetting;
  for (const store of [UNKNOWN_KEY, QUARANTINE_KEY] as const) {
    const run = (): Promise<number> => removeKept(backend, store, { accepts, signal });
    const isReported = problems.some(({ key }) => key === store);
    removed += (await onKey(store, run, (problem) => isReported || problems.push(problem))) ?? 0;
  }
  if (!('unreadable' in selection) && !('message' in selection)) await removeIndexes(accepts, forgetting);
  return removed;
}

/** Removes the indexes of a selection: a list ends by itself, and its index stays until another one is written. */
async function removeIndexes(accepts: (place: RecordPlace) => boolean, forgetting: Forgetting): Promise<void> {
  const { backend, problems, signal } = forgetting;
  for (const info of await keysOf(TERMS_PREFIX, forgetting)) {
    if (!accepts({ key: termsSourceKey(info.key) })) continue;
    await onKey(
      info.key,
      () => removeKey(backend, info, { signal }),
      (problem) => problems.push(problem),
    );
  }
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
  const { backend, messages, notes, workflows, claims, terms, problems, signal } = forgetting;
  const run = async (): Promise<number> => {
    const place = info.kind === 'list' ? parseMemoryKey(info.key) : undefined;
    // Messages, notes and facts have terms in an index, which go first: a kill in between leaves no term of a removed text.
    if (place !== undefined) return messages.remove(place, undefined, { signal });
    const ofNotes = info.kind === 'list' && info.key.startsWith(NOTES_PREFIX) ? parseWorkflowKey(info.key) : undefined;
    if (ofNotes !== undefined) return notes.removeNotes(ofNotes, { signal });
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

/** Removes the values of all keys that this version knows, also those of another type. Knowledge is not a part of memory. */
async function removeEverything(forgetting: Forgetting): Promise<number> {
  let removed = 0;
  for (const info of await keysOf(PREFIX, forgetting)) {
    if (info.key.startsWith(KNOWLEDGE_PREFIX)) continue;
    const problem = isKnownKey(info.key) ? undefined : problemOf(info);
    if (problem) forgetting.problems.push(problem);
    else removed += await removeOne(info, forgetting);
  }
  return removed;
}
