import type { Embed, Evidence, RankNotice } from '@cairn/retrieval';
import { checkShare, checkTime, checkWhole, refuse } from '../records/checks.ts';
import type { CallOptions } from '../records/backend.ts';
import { memoryKey, notesKey, parseMemoryKey, streamPrefix } from '../records/keys.ts';
import { countingReader, type CountingReader, type Store } from '../records/reader.ts';
import type { TermSource } from '../terms/term-query.ts';
import type { TermStore } from '../terms/term-store.ts';
import type { Meaning } from '../vectors/meaning.ts';
import { noteSource, parseNote, type Note } from '../workflows/notes.ts';
import { parseMessage, type Message } from './message.ts';
import { messageSource, type Messages, type Place } from './messages.ts';

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
  /** The memories with less evidence, 0 to 1, are marked as similar. @default 0.5 */
  readonly minEvidence?: number | undefined;
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
  /** Present when the memory, or one before it, has too little of the query: it may be about something else. */
  readonly isSimilar?: true;
  /** The evidence for the memory. Absent for the newest ones, and for those found by a similar spelling or by their meaning. */
  readonly evidence?: Evidence;
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

interface RecalledNote extends Recalled {
  readonly kind: 'note';
  /** The source of the note. */
  readonly by: string;
  readonly temporary: boolean;
}

/** A recalled message or note. */
export type RecalledContext = RecalledMessage | RecalledNote;

/** A page of what was recalled. */
interface RecallResult {
  /** Best first; newest first for an empty query. */
  readonly contexts: RecalledContext[];
  /** The number of memories that were searched. */
  readonly searched: number;
  /** The score of a memory of average length that has every word of the query. Absent for an empty query and by meaning. */
  readonly fullScore?: number | undefined;
  /** Whether there are more results after this page. */
  readonly hasMore: boolean;
  /** How many records of the selection could not be read, and are missing. Absent when there are none. */
  readonly unreadable?: number;
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

export interface RecallDependencies extends Pick<Store, 'backend' | 'reader'> {
  readonly terms: TermStore;
  readonly embed: Embed | undefined;
  readonly meaning: Meaning | undefined;
}

const DEFAULT_LIMIT = 5;

/** A memory without what its search found out about it. */
type Candidate<Context extends Recalled = RecalledContext> = Context extends Recalled
  ? Omit<Context, 'evidence' | 'isRecent' | 'isSimilar' | 'matched' | 'score'>
  : never;

/** A group, or the notes of a workflow. */
type RecallSource = TermSource & { readonly place?: Place };

/** Returns a message as it is recalled. */
function messageContext(message: Message, { stream, group }: Place): Candidate<RecalledMessage> {
  const { id, content, role, author, time } = message;
  const by = author === undefined ? role : `${role} ${author}`;
  return { kind: 'message', stream, group, id, content, role, by, time, origin: memoryKey(stream, group) };
}

function noteContext({ content, source, temporary, time }: Note, origin: string): Candidate<RecalledNote> {
  return { kind: 'note', content, by: source, temporary, time, origin };
}

function candidateOf(record: string, { key, place }: RecallSource): Candidate | undefined {
  if (place === undefined) {
    const note = parseNote(record);
    return note && noteContext(note, key);
  }
  const message = parseMessage(record);
  return message && messageContext(message, place);
}

function checkOptions(options: RecallOptions): void {
  const { query, includeNotes, workflowId, role, since, until, limit = DEFAULT_LIMIT, offset = 0 } = options;
  if (typeof query !== 'string') refuse('The query is not a string', 'Pass a text.');
  if (role !== undefined && typeof role !== 'string') refuse('The role is not a string', 'Pass a text, or omit it.');
  checkTime(since, 'since');
  checkTime(until, 'until');
  checkWhole(limit, 'limit', { min: 1 });
  checkWhole(offset, 'offset', { min: 0 });
  checkShare(options.minEvidence, 'minEvidence');
  if (includeNotes === true && workflowId === undefined) refuse('includeNotes needs a workflow', 'Pass workflowId.');
}

function isFiltered({ role, since, until }: RecallOptions): boolean {
  return [role, since, until].some((filter) => filter !== undefined);
}

function isSelected(candidate: Candidate, { role, since = -Infinity, until = Infinity }: RecallOptions): boolean {
  if (role !== undefined && candidate.kind === 'message' && candidate.role !== role) return false;
  return candidate.time >= since && candidate.time < until;
}

/** One question. It knows what it could not read. */
class Recalling {
  readonly #dependencies: RecallDependencies;
  readonly #options: RecallOptions;
  readonly #reader: CountingReader;

  constructor(dependencies: RecallDependencies, options: RecallOptions) {
    this.#dependencies = dependencies;
    this.#options = options;
    this.#reader = countingReader(dependencies);
  }

  async run(): Promise<RecallResult> {
    const { query, limit = DEFAULT_LIMIT, offset = 0 } = this.#options;
    const result = query.trim() === '' ? await this.#list(offset, offset + limit) : await this.#rank(limit, offset);
    const unreadable = this.#reader.unreadable();
    return unreadable === 0 ? result : { ...result, unreadable };
  }

  async #places(): Promise<readonly Place[]> {
    const { stream, group, signal } = this.#options;
    if (group !== undefined) return [{ stream, group }];
    const infos = await this.#dependencies.backend.keys(streamPrefix(stream), { signal });
    const places = infos.flatMap(({ key }) => {
      const place = parseMemoryKey(key);
      if (place === undefined) this.#reader.report({ key, record: '', reason: 'the key has another form' });
      return place ?? [];
    });
    return places.toSorted((a, b) => (a.group < b.group ? -1 : 1));
  }

  #candidate(record: string, source: RecallSource): Candidate | undefined {
    const candidate = candidateOf(record, source);
    if (candidate === undefined) this.#reader.report({ key: source.key, record });
    return candidate;
  }

  async #list(offset: number, end: number): Promise<RecallResult> {
    const { includeNotes = false, workflowId, signal } = this.#options;
    const limit = isFiltered(this.#options) ? undefined : end + 1;
    const found: Candidate[] = [];
    for (const place of await this.#places()) {
      const key = memoryKey(place.stream, place.group);
      const history = await this.#reader.read(key, { limit, signal }, parseMessage);
      found.push(...history.map(({ value }) => messageContext(value, place)));
    }
    if (includeNotes && workflowId !== undefined) {
      const origin = notesKey(workflowId);
      const notes = await this.#reader.read(origin, { signal }, parseNote);
      for (const { value } of notes) found.push(noteContext(value, origin));
    }
    const candidates = found.filter((candidate) => isSelected(candidate, this.#options));
    const contexts = candidates
      .toSorted((a, b) => b.time - a.time)
      .slice(offset, end)
      .map((candidate): RecalledContext => ({ ...candidate, score: 0, isRecent: true }));
    return { contexts, searched: candidates.length, hasMore: candidates.length > end };
  }

  async #rank(limit: number, offset: number): Promise<RecallResult> {
    const { terms, embed, meaning } = this.#dependencies;
    const { query, includeNotes = false, workflowId, minEvidence, signal, onNotice } = this.#options;
    const sources: RecallSource[] = (await this.#places()).map(messageSource);
    if (includeNotes && workflowId !== undefined) sources.push(noteSource(workflowId));
    const accepts = (record: string, source: RecallSource): boolean => {
      const candidate = this.#candidate(record, source);
      return candidate !== undefined && isSelected(candidate, this.#options);
    };
    const accept = isFiltered(this.#options) ? accepts : undefined;
    const call = { query, limit, offset, accept, minEvidence, embed, meaning, signal, onNotice };
    const { hits, searched, fullScore, hasMore } = await terms.search(sources, call);
    const contexts = hits.flatMap(({ record, source, score, evidence, isSimilar, matched }): RecalledContext[] => {
      const candidate = this.#candidate(record, source);
      const judged = { ...(evidence && { evidence }), ...(isSimilar && { isSimilar }) };
      return candidate ? [{ ...candidate, score, matched, ...judged }] : [];
    });
    return { contexts, searched, fullScore, hasMore };
  }
}

/** Creates the recall of a memory. It ranks in this process, so that all stores rank the same way. */
export function createRecall(dependencies: RecallDependencies): Recall {
  /** @throws {MemoryError} `INVALID_INPUT`, `INVALID_NAME`, and the errors of the store. */
  return async (options) => {
    checkOptions(options);
    return new Recalling(dependencies, options).run();
  };
}

/** Recalls memories of a group. When fewer than the limit match, the newest messages of the group follow, marked as recent. */
export async function retrieve(
  { recall, messages }: { readonly recall: Recall; readonly messages: Messages },
  options: RetrieveOptions & { readonly stream: string },
): Promise<RecalledContext[]> {
  const { stream, group, query, includeNotes, workflowId, minEvidence, signal, onNotice } = options;
  const { limit = DEFAULT_LIMIT } = options;
  // Without a group, a recall would search all groups of the stream.
  memoryKey(stream, group);
  const call = { stream, group, query, includeNotes, workflowId, limit, minEvidence, signal, onNotice };
  const { contexts } = await recall(call);
  if (contexts.length === limit) return contexts;
  const known = new Set(contexts.map((context) => (context.kind === 'message' ? context.id : undefined)));
  const newest = await messages.history({ stream, group }, { limit, signal });
  const recent = newest
    .filter(({ id }) => !known.has(id))
    .map((message) => ({ ...messageContext(message, { stream, group }), score: 0, isRecent: true as const }));
  return [...contexts, ...recent].slice(0, limit);
}
