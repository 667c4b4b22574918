import type { CallOptions, Draft, MemoryBackend } from '../records/backend.ts';
import { MemoryError } from '../errors.ts';
import { checkName, notesKey } from '../records/keys.ts';
import { checkContent } from '../records/limits.ts';
import type { Limits } from '../records/limits.ts';
import type { Reader } from '../records/quarantine.ts';
import { isTime } from '../records/time.ts';
import { parseFields } from '../records/record.ts';

/** What a step of a workflow leaves for the later ones. */
export interface Note {
  readonly content: string;
  /** Which step wrote it, such as `todo_0`. */
  readonly source: string;
  /** By the clock of the store, milliseconds since the epoch. */
  readonly time: number;
  /** Ends after 30 minutes by default, instead of 3 days. */
  readonly temporary: boolean;
}

/** How a note is kept. */
export interface StoreNoteOptions extends CallOptions {
  /** @default true: notes are for the steps of one run */
  readonly temporary?: boolean | undefined;
}

/** The notes of workflows. */
export interface Notes {
  /** Keeps a note, as the newest of its workflow. @throws {MemoryError} `INVALID_NAME`, `INVALID_INPUT`, `TOO_LARGE`. */
  readonly storeNote: (
    workflowId: string,
    content: string,
    source: string,
    options?: StoreNoteOptions,
  ) => Promise<Note>;
  /** The notes of a workflow that live, newest first. Those of other workflows are never among them. */
  readonly getNotes: (workflowId: string, options?: CallOptions) => Promise<Note[]>;
  /** Removes the notes of a workflow. @returns how many there were. */
  readonly removeNotes: (workflowId: string, options?: CallOptions) => Promise<number>;
}

/** The record of a note. Time and lifetime stand last, where stores look for them. */
export function noteDraft(note: Omit<Note, 'time'> & { readonly time?: number }, limits: Limits): Draft {
  const { source, temporary, time } = note;
  if (typeof temporary !== 'boolean') {
    throw new MemoryError('INVALID_INPUT', ['Whether the note is temporary is neither true nor false', 'Say which.']);
  }
  const content = checkContent(note.content, 'note', limits);
  const fields = JSON.stringify({ content, source: checkName(source, 'source of the note') });
  return { before: `${fields.slice(0, -1)},"time":`, after: `,"temporary":${temporary}}`, timeMs: time };
}

/** What a record says; `undefined` when it is no note. */
function parseNote(record: string): Note | undefined {
  const { content, source, time, temporary } = parseFields(record) ?? {};
  if (typeof content !== 'string' || typeof source !== 'string' || !isTime(time)) return undefined;
  return typeof temporary === 'boolean' ? { content, source, time, temporary } : undefined;
}

/** Notes as a prompt shows them: numbered, newest first. Empty when there are none. */
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
      const summary = `[memory:${backend.name}] The store changed the note that it was given`;
      throw new MemoryError('CORRUPT_RECORD', [summary, 'This is a fault of the store.']);
    },
    getNotes: async (workflowId, options) => {
      const entries = await reader.read(notesKey(workflowId), { rule, ...options }, parseNote);
      return entries.map(({ value }) => value);
    },
    removeNotes: (workflowId, options) => backend.remove(notesKey(workflowId), 'all', options),
  };
}
