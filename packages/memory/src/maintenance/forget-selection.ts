import { refuse } from '../records/checks.ts';
import { MemoryError } from '../errors.ts';
import type { FactScope } from '../facts/fact.ts';
import { factTable } from '../facts/fact-table.ts';
import type { CallOptions } from '../records/backend.ts';
import {
  graphKey,
  memoryKey,
  namespaceKey,
  namespacePrefix,
  notesKey,
  streamKey,
  streamPrefix,
  workflowKey,
} from '../records/keys.ts';
import { marksKey } from '../projects/marks.ts';
import type { RecordPlace } from '../records/kept-elsewhere.ts';

/** Selects the messages of a stream. */
export interface ForgetMessages {
  readonly stream: string;
  /** @default all groups of the stream; its name is free again */
  readonly group?: string | undefined;
  /** The id of one message of the group. @default all messages */
  readonly message?: string | undefined;
}

/** Selects records with exactly known keys. */
type ForgetExactly =
  /** The notes of a workflow. */
  | { readonly notes: string }
  /** A workflow, with its notes. */
  | { readonly workflow: string }
  /** A knowledge graph. */
  | { readonly graph: string }
  /** All facts of the user, or of a project. Default: the project of the memory. `memory.facts.forget(id)` forgets one fact. */
  | { readonly scope: FactScope; readonly project?: string | undefined };

export type ForgetOptions = CallOptions &
  (
    | ForgetMessages
    | ForgetExactly
    /** A key of a namespace. Default: all its keys. */
    | { readonly namespace: string; readonly key?: string | undefined }
    /** The records that this version cannot read, even those that an import kept for the next export. Default: of all keys. */
    | { readonly unreadable: true; readonly key?: string | undefined }
    | { readonly everything: true }
  );

/** The fields of which a selection has exactly one, each with the names of its other fields. */
const FIELDS: Readonly<Record<string, readonly string[]>> = {
  everything: [],
  unreadable: ['key'],
  namespace: ['key'],
  notes: [],
  workflow: [],
  scope: ['project'],
  graph: [],
  stream: ['group', 'message'],
};
const SELECTORS = Object.keys(FIELDS);

/**
 * Returns a selection without absent fields: one that is present but `undefined` selects nothing. To delete more than was meant
 * cannot be undone.
 *
 * @throws {MemoryError} `INVALID_OPTION` for a field that the selection does not have: without its `group`, a stream is removed
 *   whole. `INVALID_INPUT` unless exactly one thing is selected.
 */
export function checkSelection(selection: ForgetOptions): ForgetOptions {
  const given = Object.entries(selection).filter(([, value]) => value !== undefined);
  const fields = Object.fromEntries(given);
  const selected = SELECTORS.filter((name) => Object.hasOwn(fields, name));
  const invalid = selected.find((name) => ['everything', 'unreadable'].includes(name) && fields[name] !== true);
  if (selected.length !== 1 || invalid !== undefined) {
    const several = selected.join(' and ') || 'nothing';
    const problem = invalid === undefined ? several : `${invalid} with another value than true`;
    const hint = `Pass exactly one of ${SELECTORS.join(', ')}. Nothing was removed.`;
    refuse(`The selection to forget has ${problem}`, hint);
  }
  const [selector = ''] = selected;
  const names = [selector, ...(FIELDS[selector] ?? []), 'signal'];
  const option = Object.keys(selection).find((name) => !names.includes(name) && !SELECTORS.includes(name));
  if (option === undefined) return fields as unknown as ForgetOptions;
  const hint = `With ${selector}, use ${names.join(', ')}. Nothing was removed.`;
  throw new MemoryError('INVALID_OPTION', [`Unknown option ${option} of forget`, hint], { option });
}

/** Returns whether a selection has a record that is kept elsewhere. @throws {MemoryError} `INVALID_INPUT`, `INVALID_NAME`. */
export function acceptsOf(selection: ForgetOptions, project: string | undefined): (place: RecordPlace) => boolean {
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
export function exactKeysOf(selection: ForgetExactly, ownProject: string | undefined): readonly string[] {
  if ('notes' in selection) return [notesKey(selection.notes)];
  if ('workflow' in selection) return [notesKey(selection.workflow), workflowKey(selection.workflow)];
  if ('graph' in selection) return [graphKey(selection.graph)];
  const { scope, project = ownProject } = selection;
  const { key } = factTable(scope, project);
  return scope === 'project' && project !== undefined ? [key, marksKey(project)] : [key];
}
