import { hash } from 'node:crypto';
import { rankDocuments } from '@cairn/retrieval';
import type { Embed, RankDocument, RankedDocument, RankNotice } from '@cairn/retrieval';
import { MemoryError } from '../errors.ts';
import type { CallOptions } from '../records/backend.ts';
import { memoryKey, notesKey } from '../records/keys.ts';
import type { Note, Notes } from '../workflows/notes.ts';
import { createGroupIndexes } from './group-index.ts';
import type { SegmentDependencies } from './index-segments.ts';
import type { Message } from './message.ts';
import type { Messages } from './messages.ts';

/** Selects the memories to recall. */
export interface RecallOptions extends CallOptions {
  readonly stream: string;
  readonly group: string;
  /** Plain text without syntax. */
  readonly query: string;
  /** Whether to include the notes of `workflowId`. @default false */
  readonly includeNotes?: boolean | undefined;
  readonly workflowId?: string | undefined;
  /** The maximum number of results. @default 5 */
  readonly limit?: number | undefined;
  /**
   * Called for each notice about the result, such as a query without words. When it is given, a failed `embed` is a notice
   * and words alone are ranked; without it, the call fails.
   */
  readonly onNotice?: ((notice: RankNotice) => void) | undefined;
}

interface Recalled {
  readonly content: string;
  /** The key of its list. */
  readonly origin: string;
  /** Milliseconds since the epoch. */
  readonly time: number;
  /** Higher is better. Comparable only within one result. */
  readonly score: number;
  /**
   * Present when no memory has a word of the query: this one has a word with a similar spelling, and may be about something
   * else.
   */
  readonly isSimilar?: true;
}

/** A recalled message. */
export interface RecalledMessage extends Recalled {
  readonly kind: 'message';
  readonly id: string;
  /** The role, with the author if there is one. */
  readonly by: string;
  readonly role: string;
}

/** A recalled note. */
export interface RecalledNote extends Recalled {
  readonly kind: 'note';
  /** The source of the note. */
  readonly by: string;
  readonly temporary: boolean;
}

/** A recalled message or note. */
export type RecalledContext = RecalledMessage | RecalledNote;

/** Recalls messages and notes of a group by a query. */
export type Recall = (options: RecallOptions) => Promise<RecalledContext[]>;

export interface RecallDependencies extends SegmentDependencies {
  readonly messages: Messages;
  readonly notes: Notes;
  readonly embed: Embed | undefined;
}

const DEFAULT_LIMIT = 5;

/** The messages from which a group keeps its term index between calls. */
const MIN_INDEXED = 500;

/** @returns the limit. @throws {MemoryError} `INVALID_INPUT`. */
function checkOptions({ query, includeNotes, workflowId, limit = DEFAULT_LIMIT }: RecallOptions): number {
  const refuse = (summary: string, hint: string): never => {
    throw new MemoryError('INVALID_INPUT', [summary, hint]);
  };
  if (typeof query !== 'string') return refuse('The query is not a string', 'Pass a text.');
  if (!Number.isInteger(limit) || limit < 1) {
    return refuse(`Invalid limit ${limit}`, 'Use a whole number from 1, or omit it for 5.');
  }
  if (includeNotes === true && workflowId === undefined) {
    return refuse('includeNotes needs a workflow', 'Pass workflowId.');
  }
  return limit;
}

/** 72 bits of the content: two contents under one id and one time have different documents. */
function fingerprintOf(content: string): string {
  return hash('sha1', content, 'base64').slice(0, 12);
}

/**
 * Gives each memory an id. The term index is kept between calls and in the store, so that there an id must stand for one
 * content: an import may bring another content under the id and the time of a message.
 */
function identify(
  memories: readonly (Message | Note)[],
  { isKept }: { readonly isKept: boolean },
): Map<string, Message | Note> {
  const byId = new Map<string, Message | Note>();
  for (const memory of memories) {
    const name = 'role' in memory ? `m ${memory.time} ${memory.id}` : `n ${memory.time} ${memory.source}`;
    const base = isKept ? `${name} ${fingerprintOf(memory.content)}` : name;
    let id = base;
    for (let copy = 2; byId.has(id); copy++) id = `${base} ${copy}`;
    byId.set(id, memory);
  }
  return byId;
}

/** Creates the recall of a memory. It ranks in this process, so that all stores rank the same way. */
export function createRecall({ messages, notes, embed, ...segments }: RecallDependencies): Recall {
  const indexes = createGroupIndexes(segments);

  /** @throws {MemoryError} `INVALID_INPUT`, `INVALID_NAME`, and the errors of the store. */
  return async (options) => {
    const { stream, group, query, includeNotes = false, workflowId, onNotice, signal } = options;
    const limit = checkOptions(options);
    const key = memoryKey(stream, group);
    const history = await messages.history({ stream, group }, { signal });
    const included = includeNotes && workflowId !== undefined ? await notes.getNotes(workflowId, { signal }) : [];
    const isIndexed = embed === undefined && history.length >= MIN_INDEXED;
    const byId = identify([...history, ...included], { isKept: isIndexed });
    const rank = async (): Promise<readonly RankedDocument[]> => {
      if (isIndexed) {
        return indexes.rank(key, byId, { query, limit, signal, onNotice });
      }
      const documents = Array.from(byId, ([id, { content, time }]): RankDocument => {
        return { id, text: content, timeMs: time };
      });
      return rankDocuments(query, documents, { limit, signal, embed, onNotice });
    };
    return (await rank()).flatMap(({ id, score, isSimilar }): RecalledContext[] => {
      const memory = byId.get(id);
      const result = { score, ...(isSimilar === true && { isSimilar }) };
      if (memory && 'role' in memory) return [{ ...recalledMessage(memory), origin: key, ...result }];
      return memory && workflowId !== undefined
        ? [{ ...recalledNote(memory), origin: notesKey(workflowId), ...result }]
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
