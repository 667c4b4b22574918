import type { CallTable } from '@cairn/tool/errors';
import { refuse } from '../records/checks.ts';
import { callOptions, type CallOptions } from '../records/backend.ts';
import { MemoryError } from '../errors.ts';
import { checkName, notesKey } from '../records/keys.ts';
import { checkContent, checkSize, type Limits } from '../records/limits.ts';
import { appendRecords, removeTable, type Draft } from '../records/lists.ts';
import type { Store } from '../records/reader.ts';
import type { TermSource } from '../terms/term-query.ts';
import { isTime, wholeTime } from '../records/time.ts';
import { parseFields, unknownFields, type UnknownFields } from '../records/record.ts';
import { secretsIn, type FoundSecrets } from '../records/secrets.ts';

/** A note of one step of a workflow for the later steps. */
export interface Note extends UnknownFields {
  readonly content: string;
  /** The step that wrote it, such as `todo_0`. */
  readonly source: string;
  /** Milliseconds since the epoch, by the clock of the store. */
  readonly time: number;
  /** Expires after 30 minutes by default, instead of 3 days. */
  readonly temporary: boolean;
}

type StoredNote = Note & FoundSecrets;

interface StoreNoteOptions extends CallOptions {
  /** @default true, because most notes matter for one run only */
  readonly temporary?: boolean | undefined;
}

/** The notes of workflows. */
export interface Notes {
  /**
   * Stores a note as the newest of its workflow. The last argument may be just `temporary`.
   *
   * @throws {MemoryError} `INVALID_NAME`, `INVALID_INPUT`, `TOO_LARGE`.
   */
  readonly storeNote: (
    workflowId: string,
    content: string,
    source: string,
    options?: StoreNoteOptions | boolean,
  ) => Promise<StoredNote>;
  /** Returns the live notes of a workflow, newest first. Never includes notes of other workflows. */
  readonly getNotes: (workflowId: string, options?: CallOptions) => Promise<Note[]>;
  /** Removes the notes of a workflow. @returns the number of removed notes. */
  readonly removeNotes: (workflowId: string, options?: CallOptions) => Promise<number>;
}

/**
 * Returns the record of a note. A note from another store, which has a time, may have any source and no content.
 *
 * @throws {MemoryError} `INVALID_INPUT`, `INVALID_NAME`, `TOO_LARGE`.
 */
export function noteDraft(note: Omit<Note, 'time'> & { readonly time?: number }, limits: Limits): Draft {
  const { content, source, temporary, time } = note;
  if (typeof temporary !== 'boolean') refuse(`Invalid temporary ${JSON.stringify(temporary)}`, 'Use true or false.');
  if (time === undefined) checkName(source, 'source of the note');
  if (time === undefined || content !== '') checkContent(content, 'note', limits);
  const { time: _, temporary: __, ...fields } = note.fields ?? {};
  checkSize(JSON.stringify(fields), 'fields of the note', limits);
  const known = { content, source };
  // The first `known` sets the order, the second one the values.
  const record = JSON.stringify({ ...known, ...fields, ...known });
  const [before, after] = [`${record.slice(0, -1)},"time":`, `,"temporary":${temporary}}`];
  return { before, after, timeMs: time, isTemporary: temporary, text: content };
}

/** Parses a record; `undefined` when it is not a note. A note of another program may have no source and no `temporary`. */
export function parseNote(record: string): Note | undefined {
  const { content, source = '', time, temporary = false, ...fields } = parseFields(record) ?? {};
  if (typeof content !== 'string' || typeof source !== 'string' || !isTime(time)) return undefined;
  if (typeof temporary !== 'boolean') return undefined;
  return { content, source, time: wholeTime(time), temporary, ...unknownFields(fields) };
}

export function noteSource(workflowId: string): TermSource {
  return {
    key: notesKey(workflowId),
    textOf: (record) => {
      const note = parseNote(record);
      return note && { text: note.content, timeMs: note.time };
    },
  };
}

export const noteCalls: CallTable<Notes> = {
  storeNote: ['any', 'any', 'any', 'object or boolean?'],
  getNotes: ['any', callOptions],
  removeNotes: ['any', callOptions],
};

export function createNotes({ backend, reader, limits }: Store): Notes {
  return {
    storeNote: async (workflowId, content, source, options = {}) => {
      // Anything but an object is checked as `temporary`.
      const isObject = typeof options === 'object' && options !== null;
      const { temporary = true, signal } = isObject ? options : { temporary: options };
      const draft = noteDraft({ content, source, temporary }, limits);
      const [row] = await appendRecords(backend, notesKey(workflowId), [draft], { rule: limits.notes, signal });
      const note = row && parseNote(row.text);
      if (note) return { ...note, ...secretsIn(content) };
      const summary = `[memory:${backend.name}] The store changed the note while writing it`;
      throw new MemoryError('CORRUPT_RECORD', [summary, 'Report this as a bug of the store.']);
    },
    getNotes: async (workflowId, options = {}) => {
      const entries = await reader.read(notesKey(workflowId), options, parseNote);
      return entries.map(({ value }) => value);
    },
    removeNotes: (workflowId, options) => removeTable(backend, notesKey(workflowId), options),
  };
}
