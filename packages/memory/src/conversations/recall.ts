import { rankDocuments } from '@cairn/retrieval';
import type { Embed, RankDocument, RankedDocument, RankNotice } from '@cairn/retrieval';
import type { CallOptions } from '../records/backend.ts';
import { MemoryError } from '../errors.ts';
import { memoryKey, notesKey } from '../records/keys.ts';
import type { Message, Role } from './message.ts';
import type { Note } from '../workflows/notes.ts';
import { createIndexCache } from './index-cache.ts';

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
  /**
   * Told what the answer does not show: that a query has nothing to look for, say. When it is given, an `embed` that fails
   * is such a thing, and words alone are used; when not, it fails the call.
   */
  readonly onNotice?: ((notice: RankNotice) => void) | undefined;
}

interface Recalled {
  readonly content: string;
  /** The key that it lies under. */
  readonly origin: string;
  /** Milliseconds since the epoch. */
  readonly time: number;
  /** Higher is better; comparable within one answer only. */
  readonly score: number;
  /** There when nothing has a word of the query: this has one that looks like it, and may be about something else. */
  readonly isSimilar?: true;
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

/** Finds what was said, and noted, about something. */
export type Retrieve = (options: RetrieveOptions) => Promise<RecalledContext[]>;

/** Groups with so many messages keep an index of their words from one call to the next. */
const INDEXED_FROM = 500;

/**
 * Makes the function that finds what was said, and noted, about something: by its words, best first, newer ones first among
 * equals. All stores rank alike, because ranking is done here.
 */
export function createRetrieve(haystack: Haystack, embed: Embed | undefined): Retrieve {
  const indices = createIndexCache();

  /** @throws {MemoryError} `INVALID_INPUT`, `INVALID_NAME`, and what reading the store throws. */
  return async (options) => {
    const { stream, group, query, includeNotes = false, workflowId, onNotice, signal } = options;
    const limit = checkOptions(options);
    const key = memoryKey(stream, group);
    const messages = await haystack.history(stream, group, { signal });
    const notes = includeNotes && workflowId !== undefined ? await haystack.getNotes(workflowId, { signal }) : [];
    // Of two messages with one id, which an import from elsewhere may hold, each is found.
    const known = new Map<string, Message | Note>();
    for (const message of messages) {
      // With its time: what joins the group later under the same id is another one for an index that is kept.
      const id = `m ${message.time} ${message.id}`;
      known.set(known.has(id) ? `${id} ${message.content}` : id, message);
    }
    for (const note of notes) known.set(`n ${note.time} ${note.source} ${note.content}`, note);
    const rank = async (): Promise<readonly RankedDocument[]> => {
      if (embed !== undefined || messages.length < INDEXED_FROM) {
        const documents = [...known].map(([id, { content, time }]): RankDocument => ({
          id,
          text: content,
          timeMs: time,
        }));
        return rankDocuments(query, documents, { limit, signal, embed, onNotice });
      }
      return indices.rank(key, known, { query, limit, signal, onNotice });
    };
    return (await rank()).flatMap(({ id, score, isSimilar }): RecalledContext[] => {
      const found = known.get(id);
      const how = { score, ...(isSimilar === true && { isSimilar }) };
      if (found && 'role' in found) return [{ ...recalledMessage(found), origin: key, ...how }];
      return found && workflowId !== undefined
        ? [{ ...recalledNote(found), origin: notesKey(workflowId), ...how }]
        : [];
    });
  };
}

function recalledMessage({ id, content, role, author, time }: Message): Omit<RecalledMessage, 'origin' | 'score'> {
  return { kind: 'message', id, content, role, by: author === undefined ? role : `${role} ${author}`, time };
}

function recalledNote({ content, source, temporary, time }: Note): Omit<RecalledNote, 'origin' | 'score'> {
  return { kind: 'note', content, by: source, temporary, time };
}
