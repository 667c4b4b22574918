import type { CallOptions } from './backend.ts';
import { MemoryError } from './errors.ts';
import { memoryKey, notesKey } from './keys.ts';
import type { Message, Role } from './message.ts';
import type { Note } from './notes.ts';
import { rankDocuments } from './retrieve/rank.ts';
import type { Embed, RankDocument } from './retrieve/rank.ts';

/** What to look for, and where. */
export interface RetrieveOptions extends CallOptions {
  readonly stream: string;
  readonly group: string;
  /** Any text. None of its signs is read as syntax. */
  readonly query: string;
  /** Look into the notes of `workflowId` too. @default false */
  readonly includeNotes?: boolean | undefined;
  readonly workflowId?: string | undefined;
  /** At most so many. @default 5 */
  readonly limit?: number | undefined;
}

interface Recalled {
  readonly content: string;
  /** The key that it lies under. */
  readonly origin: string;
  /** Milliseconds since the epoch. */
  readonly time: number;
  /** Higher is better; comparable within one answer only. */
  readonly score: number;
}

/** A message that was found. */
export interface RecalledMessage extends Recalled {
  readonly kind: 'message';
  readonly id: string;
  /** The role, or the author with the role. */
  readonly by: string;
  readonly role: Role;
}

/** A note that was found. */
export interface RecalledNote extends Recalled {
  readonly kind: 'note';
  /** The source of the note. */
  readonly by: string;
  readonly temporary: boolean;
}

/** Something that was found in a memory. */
export type RecalledContext = RecalledMessage | RecalledNote;

/** What is looked through. */
export interface Haystack {
  readonly history: (stream: string, group: string, options: CallOptions) => Promise<readonly Message[]>;
  readonly getNotes: (workflowId: string, options: CallOptions) => Promise<readonly Note[]>;
}

const DEFAULT_LIMIT = 5;

function checkOptions({ query, includeNotes, workflowId, limit = DEFAULT_LIMIT }: RetrieveOptions): number {
  const refuse = (summary: string, hint: string): never => {
    throw new MemoryError('INVALID_INPUT', [summary, hint]);
  };
  if (typeof query !== 'string') return refuse('The query is no text', 'Give it as text.');
  if (!Number.isInteger(limit) || limit < 1)
    return refuse(`The limit ${limit} is no whole number above 0`, 'Leave it out for 5.');
  if (includeNotes === true && workflowId === undefined) {
    return refuse('includeNotes needs the workflow whose notes are meant', 'Give workflowId.');
  }
  return limit;
}

/**
 * Finds what was said, and noted, about something: by its words, best first, newer ones first among equals.
 *
 * All stores rank alike, because ranking is done here.
 *
 * @throws {MemoryError} `INVALID_INPUT`, `INVALID_NAME`, and what reading the store throws.
 */
export async function retrieveContexts(
  options: RetrieveOptions,
  haystack: Haystack,
  embed: Embed | undefined,
): Promise<RecalledContext[]> {
  const { stream, group, query, includeNotes = false, workflowId, signal } = options;
  const limit = checkOptions(options);
  const messages = await haystack.history(stream, group, { signal });
  const notes = includeNotes && workflowId !== undefined ? await haystack.getNotes(workflowId, { signal }) : [];
  const documents: RankDocument[] = [
    ...messages.map(({ content, time }, index) => ({ id: `m${index}`, text: content, timeMs: time })),
    ...notes.map(({ content, time }, index) => ({ id: `n${index}`, text: content, timeMs: time })),
  ];
  const ranked = await rankDocuments(query, documents, { limit, signal, embed });
  const found: RecalledContext[] = [];
  for (const { id, score } of ranked) {
    const index = Number(id.slice(1));
    const message = id.startsWith('m') ? messages[index] : undefined;
    const note = id.startsWith('n') ? notes[index] : undefined;
    if (message) {
      const { content, role, author, time } = message;
      const by = author === undefined ? role : `${role} ${author}`;
      found.push({ kind: 'message', id: message.id, content, role, by, time, score, origin: memoryKey(stream, group) });
    } else if (note && workflowId !== undefined) {
      const { content, source, temporary, time } = note;
      found.push({ kind: 'note', content, by: source, temporary, time, score, origin: notesKey(workflowId) });
    }
  }
  return found;
}
