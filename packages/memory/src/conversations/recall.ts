import { hash } from 'node:crypto';
import { rankDocuments } from '@cairn/retrieval';
import type { Embed, RankDocument, RankedDocument, RankNotice } from '@cairn/retrieval';
import { MemoryError } from '../errors.ts';
import type { CallOptions } from '../records/backend.ts';
import { memoryKey, notesKey, parseMemoryKey, streamPrefix } from '../records/keys.ts';
import type { Note, Notes } from '../workflows/notes.ts';
import { createGroupIndexes } from './group-index.ts';
import type { SegmentDependencies } from './index-segments.ts';
import type { Message } from './message.ts';
import type { Messages, Place } from './messages.ts';

/** Selects the memories to recall. */
export interface RecallOptions extends CallOptions {
  readonly stream: string;
  /** @default all groups of the stream */
  readonly group?: string | undefined;
  /** Plain text without syntax. An empty one lists the newest memories. */
  readonly query: string;
  /** Only messages with this role. */
  readonly role?: string | undefined;
  /** Only memories of this time or later, milliseconds since the epoch. */
  readonly since?: number | undefined;
  /** Only memories before this time, milliseconds since the epoch. */
  readonly until?: number | undefined;
  /** Whether to include the notes of `workflowId`. @default false */
  readonly includeNotes?: boolean | undefined;
  readonly workflowId?: string | undefined;
  /** The maximum number of results. @default 5 */
  readonly limit?: number | undefined;
  /** The number of results to skip, which earlier pages had. @default 0 */
  readonly offset?: number | undefined;
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
  /** Present when there is little evidence that the memory is about the query: it may be about something else. */
  readonly isSimilar?: true;
  /** Present when the memory is one of the newest, and does not match the query. */
  readonly isRecent?: true;
  /** The terms of the query that the memory has. */
  readonly matched?: readonly string[];
}

/** A recalled message. */
export interface RecalledMessage extends Recalled, Place {
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

/** A page of what was recalled. */
export interface RecallResult {
  /** Best first; newest first for an empty query. */
  readonly contexts: RecalledContext[];
  /** The number of memories that were searched. */
  readonly searched: number;
  /** Whether there are more results after this page. */
  readonly hasMore: boolean;
}

/** Recalls messages and notes by a query. */
export type Recall = (options: RecallOptions) => Promise<RecallResult>;

/** Selects the memories of one group, for a prompt. */
export interface RetrieveOptions extends Omit<
  RecallOptions,
  'stream' | 'group' | 'role' | 'since' | 'until' | 'offset'
> {
  readonly group: string;
}

export interface RecallDependencies extends SegmentDependencies {
  readonly messages: Messages;
  readonly notes: Notes;
  readonly embed: Embed | undefined;
}

const DEFAULT_LIMIT = 5;

/** The messages from which a group keeps its term index between calls. */
const MIN_INDEXED = 500;

/** Something that can be recalled: a message with its place, or a note with its workflow. */
type Candidate =
  | { readonly message: Message; readonly place: Place; readonly origin: string }
  | { readonly note: Note; readonly origin: string };

function refuse(summary: string, hint: string): never {
  throw new MemoryError('INVALID_INPUT', [summary, hint]);
}

function checkWhole(name: string, value: number, least: number): void {
  if (Number.isInteger(value) && value >= least) return;
  refuse(`Invalid ${name} ${String(value)}`, `Use a whole number from ${least}, or omit it.`);
}

function checkTime(name: string, value: number | undefined): void {
  if (value === undefined || (typeof value === 'number' && !Number.isNaN(value))) return;
  refuse(`Invalid ${name} ${String(value)}`, 'Use milliseconds since the epoch, or omit it.');
}

/** @throws {MemoryError} `INVALID_INPUT`. */
function checkOptions(options: RecallOptions): void {
  const { query, includeNotes, workflowId, role, since, until, limit = DEFAULT_LIMIT, offset = 0 } = options;
  if (typeof query !== 'string') refuse('The query is not a string', 'Pass a text.');
  if (role !== undefined && typeof role !== 'string') refuse('The role is not a string', 'Pass a text, or omit it.');
  checkTime('since', since);
  checkTime('until', until);
  checkWhole('limit', limit, 1);
  checkWhole('offset', offset, 0);
  if (includeNotes === true && workflowId === undefined) refuse('includeNotes needs a workflow', 'Pass workflowId.');
}

/** 72 bits of the content: two contents under one id and one time have different documents. */
function fingerprintOf(content: string): string {
  return hash('sha1', content, 'base64').slice(0, 12);
}

function valueOf(candidate: Candidate): Message | Note {
  return 'message' in candidate ? candidate.message : candidate.note;
}

/**
 * Gives each memory an id. The term index is kept between calls and in the store, so that there an id must stand for one
 * content: an import may bring another content under the id and the time of a message.
 */
function identify(
  candidates: readonly Candidate[],
  { isKept }: { readonly isKept: boolean },
): ReadonlyMap<string, Candidate> {
  const byId = new Map<string, Candidate>();
  for (const candidate of candidates) {
    const { time, content } = valueOf(candidate);
    const name = 'message' in candidate ? `m ${time} ${candidate.message.id}` : `n ${time} ${candidate.note.source}`;
    const base = isKept ? `${name} ${fingerprintOf(content)}` : name;
    let id = base;
    for (let copy = 2; byId.has(id); copy++) id = `${base} ${copy}`;
    byId.set(id, candidate);
  }
  return byId;
}

function contextOf(
  candidate: Candidate,
  found: Pick<Recalled, 'score' | 'isSimilar' | 'isRecent' | 'matched'>,
): RecalledContext {
  const { origin } = candidate;
  if ('note' in candidate) {
    const { content, source, temporary, time } = candidate.note;
    return { kind: 'note', content, by: source, temporary, time, origin, ...found };
  }
  const { id, content, role, author, time } = candidate.message;
  const by = author === undefined ? role : `${role} ${author}`;
  return { kind: 'message', ...candidate.place, id, content, role, by, time, origin, ...found };
}

/** Creates the recall of a memory. It ranks in this process, so that all stores rank the same way. */
export function createRecall({ messages, notes, embed, backend, limits }: RecallDependencies): Recall {
  const indexes = createGroupIndexes({ backend, limits });

  const placesOf = async ({ stream, group, signal }: RecallOptions): Promise<readonly Place[]> => {
    if (group !== undefined) return [{ stream, group }];
    const infos = await backend.keys(streamPrefix(stream), { signal });
    const places = infos.flatMap(({ key }) => parseMemoryKey(key) ?? []);
    return places.toSorted((a, b) => (a.group < b.group ? -1 : 1));
  };
  const candidatesOf = async (options: RecallOptions): Promise<Candidate[]> => {
    const { role, since = -Infinity, until = Infinity, includeNotes = false, workflowId, signal } = options;
    const found: Candidate[] = [];
    for (const place of await placesOf(options)) {
      const origin = memoryKey(place.stream, place.group);
      for (const message of await messages.history(place, { signal })) {
        if (role === undefined || message.role === role) found.push({ message, place, origin });
      }
    }
    if (includeNotes && workflowId !== undefined) {
      const origin = notesKey(workflowId);
      for (const note of await notes.getNotes(workflowId, { signal })) found.push({ note, origin });
    }
    return found.filter((candidate) => {
      const { time } = valueOf(candidate);
      return time >= since && time < until;
    });
  };
  const rank = async (
    candidates: readonly Candidate[],
    { stream, group, query, role, since, until, signal, onNotice }: RecallOptions,
    limit: number,
  ): Promise<RecalledContext[]> => {
    // The kept index is that of a whole group.
    const isWhole = group !== undefined && [role, since, until].every((filter) => filter === undefined);
    const isKept = isWhole && embed === undefined && candidates.length >= MIN_INDEXED;
    const byId = identify(candidates, { isKept });
    const ranked = async (): Promise<readonly RankedDocument[]> => {
      if (isKept) {
        const documents = new Map(Array.from(byId, ([id, candidate]) => [id, valueOf(candidate)]));
        return indexes.rank(memoryKey(stream, group), documents, { query, limit, signal, onNotice });
      }
      const documents = Array.from(byId, ([id, candidate]): RankDocument => {
        const { content, time } = valueOf(candidate);
        return { id, text: content, timeMs: time };
      });
      return rankDocuments(query, documents, { limit, signal, embed, onNotice });
    };
    return (await ranked()).flatMap(({ id, score, isSimilar, matched }) => {
      const candidate = byId.get(id);
      return candidate ? [contextOf(candidate, { score, ...(isSimilar === true && { isSimilar }), matched })] : [];
    });
  };

  /** @throws {MemoryError} `INVALID_INPUT`, `INVALID_NAME`, and the errors of the store. */
  return async (options) => {
    checkOptions(options);
    const { query, limit = DEFAULT_LIMIT, offset = 0 } = options;
    const candidates = await candidatesOf(options);
    const end = offset + limit;
    const all =
      query.trim() === ''
        ? candidates
            .toSorted((a, b) => valueOf(b).time - valueOf(a).time)
            .slice(0, end + 1)
            .map((candidate) => contextOf(candidate, { score: 0, isRecent: true }))
        : await rank(candidates, options, end + 1);
    return { contexts: all.slice(offset, end), searched: candidates.length, hasMore: all.length > end };
  };
}

/** Recalls memories of a group. When fewer than the limit match, the newest messages of the group follow, marked as recent. */
export async function retrieve(
  { recall, messages }: { readonly recall: Recall; readonly messages: Messages },
  options: RetrieveOptions & { readonly stream: string },
): Promise<RecalledContext[]> {
  const { stream, group, query, includeNotes, workflowId, limit = DEFAULT_LIMIT, signal, onNotice } = options;
  // Without a group, a recall would search all groups of the stream.
  const origin = memoryKey(stream, group);
  const call = { stream, group, query, includeNotes, workflowId, limit, signal, onNotice };
  const { contexts } = await recall(call);
  if (contexts.length === limit) return contexts;
  const known = new Set(contexts.map((context) => (context.kind === 'message' ? context.id : undefined)));
  const newest = await messages.history({ stream, group }, { limit, signal });
  const recent = newest
    .filter(({ id }) => !known.has(id))
    .map((message) => contextOf({ message, place: { stream, group }, origin }, { score: 0, isRecent: true }));
  return [...contexts, ...recent].slice(0, limit);
}
