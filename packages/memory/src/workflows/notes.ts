import type { CallOptions, Draft, MemoryBackend } from '../records/backend.ts';
import { MemoryError } from '../errors.ts';
import { checkName, notesKey } from '../records/keys.ts';
import { checkContent } from '../records/limits.ts';
import type { Limits } from '../records/limits.ts';
import type { Reader } from '../records/reader.ts';
import { isTime } from '../records/time.ts';
import { parseFields } from '../records/record.ts';

/** A note of one step of a workflow for the later steps. */
export interface Note {
  readonly content: string;
  /** The step that wrote it, such as `todo_0`. */
  readonly source: string;
  /** Milliseconds since the epoch, by the clock of the store. */
  readonly time: number;
  /** Expires after 30 minutes by default, instead of 3 days. */
  readonly temporary: boolean;
}

/** Options of storing a note. */
export interface StoreNoteOptions extends CallOptions {
  /** @default true, because most notes matter for one run only */
  readonly temporary?: boolean | undefined;
}

/** The notes of workflows. */
export interface Notes {
  /** Stores a note as the newest of its workflow. @throws {MemoryError} `INVALID_NAME`, `INVALID_INPUT`, `TOO_LARGE`. */
  readonly storeNote: (
    workflowId: string,
    content: string,
    source: string,
    options?: StoreNoteOptions,
  ) => Promise<Note>;
  /** Returns the live notes of a workflow, newest first. Never includes notes of other workflows. */
  readonly getNotes: (workflowId: string, options?: CallOptions) => Promise<Note[]>;
  /** Removes the notes of a workflow. @returns the number of removed notes. */
  readonly removeNotes: (workflowId: string, options?: CallOptions) => Promise<number>;
}

/** Returns the record of a note. Time and lifetime are the last fields, so that stores find them without parsing. */
export function noteDraft(note: Omit<Note, 'time'> & { readonly time?: number }, limits: Limits): Draft {
  const { source, temporary, time } = note;
  if (typeof temporary !== 'boolean') {
    throw new MemoryError('INVALID_INPUT', [`Invalid temporary ${JSON.stringify(temporary)}`, 'Use true or false.']);
  }
  const content = checkContent(note.content, 'note', limits);
  const fields = JSON.stringify({ content, source: checkName(source, 'source of the note') });
  return { before: `${fields.slice(0, -1)},"time":`, after: `,"temporary":${temporary}}`, timeMs: time };
}

/** Parses a record; `undefined` when it is not a note. */
export function parseNote(record: string): Note | undefined {
  const { content, source, time, temporary } = parseFields(record) ?? {};
  if (typeof content !== 'string' || typeof source !== 'string' || !isTime(time)) return undefined;
  return typeof temporary === 'boolean' ? { content, source, time, temporary } : undefined;
}

/** Formats notes for a prompt: numbered, newest first. Returns an empty string without notes. */
export function formatNotes(notes: readonly Pick<Note, 'content'>[]): string {
  return notes.map(({ content }, index) => `${index + 1}. ${content}`).join('\n');
}

export interface NotesDependencies {
  readonly backend: MemoryBackend;
  readonly reader: Reader;
  readonly limits: Limits;
}

export function createNotes({ backend, reader, limits }: NotesDependencies): Notes {
  const rule = limits.notes;
  return {
    storeNote: async (workflowId, content, source, { temporary = true, signal } = {}) => {
      const draft = noteDraft({ content, source, temporary }, limits);
      const [record = ''] = await backend.append(notesKey(workflowId), [draft], { rule, signal });
      const note = parseNote(record);
      if (note) return note;
      const summary = `[memory:${backend.name}] The store changed the note while writing it`;
      throw new MemoryError('CORRUPT_RECORD', [summary, 'Report this as a bug of the store.']);
    },
    getNotes: async (workflowId, options) => {
      const entries = await reader.read(notesKey(workflowId), { rule, ...options }, parseNote);
      return entries.map(({ value }) => value);
    },
    removeNotes: (workflowId, options) => backend.remove(notesKey(workflowId), 'all', options),
  };
}
