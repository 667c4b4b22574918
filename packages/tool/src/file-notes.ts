import { checkArguments } from './kernel/tool-error.ts';
import { createSessionKey, type SessionKey, type ToolSession } from './session.ts';

interface FileNoteOptions {
  readonly signal?: AbortSignal | undefined;
}

/**
 * Returns a note for the model about files that a tool has just read or changed, or `undefined`. Paths are absolute and canonical.
 * The tool waits for it, so it should be quick. A source that fails adds no note.
 */
export type FileNoteSource = (files: readonly string[], options: FileNoteOptions) => Promise<string | undefined>;

/**
 * Notes about files, for the tools of one session. A package that knows something about files adds a source. A tool that reads or
 * changes files adds the notes to its answer. Neither package knows the other one.
 */
export interface FileNotes {
  /** Adds a source. Returns a function that removes it. */
  add(source: FileNoteSource): () => void;
  /** Returns the notes of all sources about files. */
  notesOn(files: readonly string[], options?: FileNoteOptions): Promise<string[]>;
}

const notesKey: SessionKey<FileNotes> = createSessionKey('cairn file notes');

function createFileNotes(): FileNotes {
  const sources = new Set<FileNoteSource>();
  return {
    add: (source) => {
      sources.add(source);
      return () => void sources.delete(source);
    },
    notesOn: async (files, options = {}) => {
      checkArguments.options('notesOn', options, { signal: 'optional' });
      if (files.length === 0) return [];
      // The answer of the tool is right without the note of a source that fails.
      const ask = async (source: FileNoteSource): Promise<string> => (await source(files, options)) ?? '';
      const notes = await Promise.all([...sources].map((source) => ask(source).catch(() => '')));
      return notes.filter((note) => note !== '');
    },
  };
}

/** Returns the notes that all tool sets of a session share. */
export function fileNotes(session: ToolSession): FileNotes {
  return session.share(notesKey, createFileNotes);
}
