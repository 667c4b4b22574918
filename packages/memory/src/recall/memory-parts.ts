import { MemoryError } from '../errors.ts';
import { DEFAULT_STREAM } from '../defaults.ts';
import type { RecalledContext } from '../conversations/recall.ts';
import { isVisible } from '../facts/fact.ts';
import type { RecalledFact } from '../facts/facts-api.ts';
import { findMessage } from '../maintenance/find-message.ts';
import type { Memory } from '../memory.ts';
import type { CallOptions } from '../records/backend.ts';
import type { PartResult, RecallHit, RecallKind, RecallNotice, RecallPart } from './recall-part.ts';

/** A memory whose facts and messages are recalled. */
export interface MemoryPartsOptions {
  /** Returns the memory. A failure is one of the facts and of the messages. */
  readonly open: () => Promise<Memory>;
  /** Returns whether the store exists. Without it, a question creates none. @default it exists */
  readonly exists?: ((memory: Memory) => boolean) | undefined;
  /** The stream that asks. @default the default stream */
  readonly stream?: string | undefined;
  /** Whether a model reads the notices, which decides nothing for the user. @default false */
  readonly isForModel?: boolean | undefined;
  /** The workflow whose notes are searched with the messages. @default none */
  readonly workflowId?: string | undefined;
}

/** A score as a share of what a text with every word of the question has. */
function shareOf(score: number, fullScore: number | undefined): number {
  return fullScore === undefined || fullScore === 0 ? score : Math.min(1, score / fullScore);
}

function aboutFact({ scope, stream, pinned, disagreesWith }: RecalledFact): Readonly<Record<string, string>> {
  return {
    ...(disagreesWith !== undefined && { 'disagrees-with': disagreesWith.join(', ') }),
    scope,
    ...(stream !== undefined && { stream }),
    ...(pinned === true && { pinned: 'yes' }),
  };
}

function factHit(fact: RecalledFact, fullScore: number | undefined): RecallHit {
  const { id, text, tags, allowSecret, updatedAt, score, evidence, isSimilar, matched } = fact;
  const about = aboutFact(fact);
  return {
    kind: 'fact',
    id,
    text,
    time: updatedAt,
    score: shareOf(score, fullScore),
    ...(evidence && { evidence }),
    ...(isSimilar === true && { isSimilar }),
    matched,
    tags,
    ...(allowSecret === true && { allowSecret }),
    about,
  };
}

function messageHit(context: RecalledContext, fullScore: number | undefined): RecallHit {
  const { kind, content, time, by, origin, score, evidence, isSimilar, matched } = context;
  return {
    kind,
    id: kind === 'message' ? context.id : origin,
    text: content,
    time,
    score: shareOf(score, fullScore),
    ...(evidence && { evidence }),
    ...(isSimilar === true && { isSimilar }),
    matched,
    tags: [],
    about: { origin, [kind === 'note' ? 'source' : 'role']: by },
  };
}

/** States which facts disagree. A fact that is only similar comes after the others, even if it is newer: the ids are in order of time. */
function disagreementIn(facts: readonly RecalledFact[], isForModel: boolean): string | undefined {
  const disagreeing = facts.filter(({ disagreesWith = [] }) => disagreesWith.length > 0);
  if (disagreeing.length === 0) return undefined;
  const shown = disagreeing.toSorted((left, right) => right.updatedAt - left.updatedAt).map(({ id }) => id);
  const others = [...new Set(disagreeing.flatMap(({ disagreesWith = [] }) => disagreesWith))];
  const hidden = others.filter((id) => !shown.includes(id));
  const left = hidden.length === 0 ? '' : ` They also disagree with ${hidden.join(', ')}, not shown here.`;
  const about =
    shown.length > 1
      ? `These facts seem to disagree, from the last changed to the first: ${shown.join(', ')}.${left}`
      : `The fact ${shown.join()} seems to disagree with ${hidden.join(', ')}, not shown here.`;
  const fix = isForModel ? 'forget_fact erases' : "'cairn memory forget <id>' erases";
  return `${about} ${fix} what no longer holds.`;
}

/** Collects the notices of a search, which says in words what the code means. */
class Notices {
  readonly all: RecallNotice[] = [];
  readonly add = ({ code, message }: RecallNotice): unknown => this.all.push({ code, message });

  /** Adds how many records are missing because they could not be read. */
  addUnreadable(unreadable: number | undefined, noun: string): void {
    if (unreadable === undefined) return;
    const message = `Records of ${noun} that could not be read, and are missing here: ${unreadable}. They stay in the store: 'cairn memory stats --json' lists them.`;
    this.add({ code: 'UNREADABLE_RECORDS', message });
  }

  /** Adds what the store has to say, such as that it is damaged. */
  addStore({ backend }: Memory): void {
    for (const notice of backend.notices?.() ?? []) this.add(notice);
  }
}

async function twinNoticeOf(
  { backend, project }: Memory,
  options: CallOptions & Pick<MemoryPartsOptions, 'isForModel'>,
): Promise<string> {
  const { twinNotice } = await import('../projects/twins.ts');
  return twinNotice(backend, project, options);
}

const NOTHING: PartResult = { hits: [], searched: 0, hasMore: false, notices: [] };

function factsPart(parts: MemoryPartsOptions): RecallPart {
  const { open, exists = () => true, stream = DEFAULT_STREAM, isForModel } = parts;
  return {
    kind: 'fact',
    find: async ({ role: _, ...options }) => {
      const memory = await open();
      if (!exists(memory)) return NOTHING;
      const { facts: all, project } = memory;
      const notices = new Notices();
      const { facts, searched, fullScore, hasMore, unreadable } = await all.recall({
        ...options,
        stream,
        onNotice: notices.add,
      });
      if (project === undefined && options.scope !== 'user') {
        const message = 'Only facts of the user: this memory does not know the project.';
        notices.add({ code: 'NO_PROJECT', message });
      }
      const disagreement = disagreementIn(facts, isForModel === true);
      if (disagreement !== undefined) notices.add({ code: 'FACTS_DISAGREE', message: disagreement });
      notices.addUnreadable(unreadable, 'facts');
      notices.addStore(memory);
      const twins = options.scope === 'user' ? '' : await twinNoticeOf(memory, { isForModel, signal: options.signal });
      if (twins !== '') notices.add({ code: 'PROJECT_MOVED', message: twins });
      return { hits: facts.map((fact) => factHit(fact, fullScore)), searched, hasMore, notices: notices.all };
    },
    elsewhere: async ({ searched, signal }) => {
      const memory = await open();
      if (!exists(memory) || searched === undefined) return [];
      return (await import('./kept-elsewhere.ts')).factsElsewhere(memory, { searched, signal });
    },
  };
}

function messagesPart({
  open,
  exists = () => true,
  stream = DEFAULT_STREAM,
  workflowId,
}: MemoryPartsOptions): RecallPart {
  return {
    kind: 'message',
    find: async ({ tags: _tags, scope: _scope, ...options }) => {
      const memory = await open();
      if (!exists(memory)) return NOTHING;
      const notices = new Notices();
      const { contexts, searched, fullScore, hasMore, unreadable } = await memory.recall({
        ...options,
        stream,
        ...(workflowId !== undefined && { includeNotes: true, workflowId }),
        onNotice: notices.add,
      });
      notices.addUnreadable(unreadable, 'messages');
      notices.addStore(memory);
      const hits = contexts.map((context) => messageHit(context, fullScore));
      return { hits, searched, hasMore, notices: notices.all };
    },
    elsewhere: async ({ searched, signal }) => {
      const memory = await open();
      if (!exists(memory)) return [];
      return (await import('./kept-elsewhere.ts')).messagesElsewhere(memory, { searched, signal });
    },
  };
}

/** Returns the facts and the messages of a memory. */
export function memoryParts(options: MemoryPartsOptions): RecallPart[] {
  return [factsPart(options), messagesPart(options)];
}

/** Returns the fact or the message with an id; `undefined` when the stream has none. A fact that is not readable is an error. */
export async function readMemory(
  { open, stream = DEFAULT_STREAM }: MemoryPartsOptions,
  id: string,
  { kind, signal }: CallOptions & { readonly kind?: RecallKind | undefined } = {},
): Promise<RecallHit | undefined> {
  const memory = await open();
  if (kind !== 'message') {
    const fact = await memory.facts.get(id, { signal }).catch((error: unknown) => {
      if (MemoryError.isInstance(error) && error.code === 'UNKNOWN_FACT') return undefined;
      throw error;
    });
    // A fact of another stream is not for this one, by its id either.
    if (fact !== undefined && isVisible(fact, stream)) {
      const { supersedes, supersededBy, archivedAt } = fact;
      const hit = factHit({ ...fact, score: 0, matched: [] }, undefined);
      const state = {
        ...(archivedAt !== undefined && { archived: new Date(archivedAt).toISOString() }),
        ...(supersedes !== undefined && { replaces: supersedes }),
        ...(supersededBy !== undefined && { 'replaced-by': supersededBy }),
      };
      return { ...hit, about: { ...hit.about, ...state } };
    }
    if (kind === 'fact') return undefined;
  }
  const message = await findMessage(memory, id, { stream, signal });
  if (message === undefined) return undefined;
  const { content, author, role, time, key } = message;
  const about = { origin: key, role: author === undefined ? role : `${role} ${author}` };
  return { kind: 'message', id, text: content, time, score: 0, tags: [], about };
}
