import { refuse } from '../records/checks.ts';
import type { Claims } from '../conversations/claims.ts';
import type { Messages } from '../conversations/messages.ts';
import { MemoryError } from '../errors.ts';
import type { CallOptions, Erasure, KeyInfo, MemoryBackend, TableResult } from '../records/backend.ts';
import * as keys from '../records/keys.ts';
import { removeKept } from '../records/kept-elsewhere.ts';
import { removeWithVectors, withoutVectors } from '../vectors/vector-table.ts';
import type { Workflows } from '../workflows/workflows.ts';
import { isKnownKey, problemOf, readContents } from './contents.ts';
import { acceptsOf, checkSelection, exactKeysOf, type ForgetMessages, type ForgetOptions } from './forget-selection.ts';
import { onKey, type Problem, type ProblemListener } from './problems.ts';

/** The result of forgetting. */
export interface ForgetResult {
  /** How long backups of the store keep the text, such as `until 2026-12-06`. Absent when none does. */
  readonly backups?: string;
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
  readonly project: string | undefined;
}

/** What one call removes. */
interface Forgetting extends ForgetDependencies, CallOptions {
  readonly problems: Problem[];
  readonly onProblem: ProblemListener;
}

/** Removes the selected records, and erases their text. @throws {MemoryError} `INVALID_INPUT`, `INVALID_NAME`. */
export async function forget(dependencies: ForgetDependencies, selection: ForgetOptions): Promise<ForgetResult> {
  const { signal } = selection;
  const { backend } = dependencies;
  const problems: Problem[] = [];
  const onProblem: ProblemListener = (problem) => problems.push(problem);
  const removed = await remove(checkSelection(selection), { ...dependencies, problems, onProblem, signal });
  try {
    const erased = await backend.erase({ signal });
    const backups = await backend.keptUntil?.({ signal });
    return { removed, erased, problems, ...(backups !== undefined && { backups }) };
  } catch (error) {
    // The records are gone. Their text is erased later.
    if (!MemoryError.isInstance(error)) throw error;
    problems.push({ key: '', code: error.code, message: error.message });
    return { removed, erased: 'pending', problems };
  }
}

async function remove(selection: ForgetOptions, forgetting: Forgetting): Promise<number> {
  const accepts = acceptsOf(selection, forgetting.project);
  const removed = await removeSelected(selection, accepts, forgetting);
  const { backend, problems, signal } = forgetting;
  const isReported = problems.some(({ key }) => key === keys.UNKNOWN_KEY);
  const run = (): Promise<number> => removeKept(backend, { accepts, signal });
  return removed + ((await onKey(keys.UNKNOWN_KEY, run, (problem) => isReported || problems.push(problem))) ?? 0);
}

async function removeSelected(
  selection: ForgetOptions,
  accepts: ReturnType<typeof acceptsOf>,
  forgetting: Forgetting,
): Promise<number> {
  if ('everything' in selection) return removeEverything(forgetting);
  if ('unreadable' in selection) return removeUnreadable(selection.key, forgetting);
  if ('namespace' in selection) {
    return removeKeys(keys.namespacePrefix(selection.namespace), (key) => accepts({ key }), forgetting);
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
    if (problem) forgetting.onProblem(problem);
    else removed += await removeOne(info, forgetting);
  }
  return removed;
}

async function removeExactly(selected: readonly string[], forgetting: Forgetting): Promise<number> {
  let removed = 0;
  const { backend, signal } = forgetting;
  for (const key of selected) {
    removed += await removeKeys(key, (one) => one === key, forgetting);
    // Expired rows are not listed, and may still be there.
    await onKey(
      key,
      () => removeWithVectors(backend, key, { signal }),
      () => undefined,
    );
  }
  return removed;
}

async function removeOne(
  { key }: KeyInfo,
  { backend, workflows, claims, onProblem, signal }: Forgetting,
): Promise<number> {
  const run = async (): Promise<number> => {
    const isReleased = key.startsWith(keys.STREAM_PREFIX) && (await claims.release(keys.nameIn(key), { signal }));
    const workflow = key.startsWith(keys.WORKFLOW_PREFIX) ? keys.nameIn(key) : undefined;
    if (workflow !== undefined && (await workflows.remove(workflow, { signal }))) return 1;
    return (isReleased ? 1 : 0) + (await removeWithVectors(backend, key, { signal }));
  };
  return (await onKey(key, run, onProblem)) ?? 0;
}

async function removeMessages({ stream, group, message }: ForgetMessages, forgetting: Forgetting): Promise<number> {
  const { messages, claims, onProblem, signal } = forgetting;
  if (group === undefined) {
    if (message !== undefined) refuse('A message ID needs its group', 'Pass the group of the message too.');
    const removed = await removeKeys(keys.streamPrefix(stream), () => true, forgetting);
    await onKey(keys.streamKey(stream), () => claims.release(stream, { signal }), onProblem);
    return removed;
  }
  const key = keys.memoryKey(stream, group);
  if (message === undefined) return removeExactly([key], forgetting);
  return (await onKey(key, () => messages.remove({ stream, group }, message, { signal }), onProblem)) ?? 0;
}

async function removeUnreadable(only: string | undefined, forgetting: Forgetting): Promise<number> {
  const { backend, onProblem, signal } = forgetting;
  const accepts = (key: string): boolean => only === undefined || key === only;
  let removed = accepts(keys.UNKNOWN_KEY) ? await removeExactly([keys.UNKNOWN_KEY], forgetting) : 0;
  for await (const { key, id, record, line } of readContents(backend, { accepts, onProblem, signal })) {
    if (line !== undefined) continue;
    // If it is still as it was read.
    const change = { rows: [{ id, expected: record, next: undefined }] };
    const run = (): Promise<TableResult> => backend.change(key, change, { signal });
    const result = await onKey(key, () => withoutVectors(backend, key, { ids: [id], run, signal }), onProblem);
    if (result?.isDone === true) removed += 1;
  }
  return removed;
}

function isOfKnowledge(key: string): boolean {
  const owner = key.startsWith(keys.VECTORS_PREFIX) ? keys.keyOfVectors(key) : key;
  return owner.startsWith(keys.KNOWLEDGE_PREFIX);
}

/** Removes the values of all keys that this version knows, Knowledge is not a part of memory. */
async function removeEverything(forgetting: Forgetting): Promise<number> {
  let removed = 0;
  for (const info of await keysOf(keys.PREFIX, forgetting)) {
    if (isOfKnowledge(info.key)) continue;
    const problem = isKnownKey(info.key) ? undefined : problemOf(info);
    if (problem) forgetting.onProblem(problem);
    else removed += await removeOne(info, forgetting);
  }
  return removed;
}
