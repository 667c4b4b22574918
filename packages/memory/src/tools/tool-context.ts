import type { ToolAnnotations } from '@cairn/tool';
import type { Fact, FactScope } from '../facts/fact.ts';
import { DEFAULT_STREAM } from '../defaults.ts';
import { formatTime } from '../records/time.ts';
import type { Memory } from '../memory.ts';
import type { SessionRecall } from '../recall/session-recall.ts';
import type { Entry } from '../conversations/wrap.ts';

export interface ToolMemory {
  readonly open: () => Promise<Memory>;
  readonly stream: string;
  /** The agent that the tools are confined to. */
  readonly agent: string | undefined;
  /** The workflow of notes and of recall, unless a call states another. */
  readonly workflowId: string | undefined;
  /** The process that notes without a workflow belong to. */
  readonly process: string | undefined;
  /** What the tools of the session recall. */
  readonly recall: SessionRecall;
}

export const additive = { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: false };

export const reading: Omit<ToolAnnotations, 'title'> = { ...additive, readOnlyHint: true, idempotentHint: true };

/** Returns the stream that facts are bound to. Every stream recalls the facts of the default stream. */
export function factStream(stream: string): { readonly stream?: string } {
  return stream === DEFAULT_STREAM ? {} : { stream };
}

/** Returns the stream of an agent. No stream that `defineStream` makes has such a name by chance. */
export function agentStream(agent: string): string {
  return `agent:${agent}`;
}

/** Returns what the store has to say, a line each; nothing when it cannot be opened, which the call itself reports. */
export async function noticesOf(open: () => Promise<Pick<Memory, 'backend'>>): Promise<string> {
  const memory = await open().catch(() => undefined);
  return (memory?.backend.notices?.() ?? []).map(({ message }) => message).join('\n');
}

/** Tags are short; a store of another program may hold others. */
const MAX_TAG_CHARACTERS = 200;

export function factEntry(
  fact: Fact & { readonly isSimilar?: true; readonly disagreesWith?: readonly string[] },
  query?: string,
): Entry {
  const { id, text, scope, stream, tags, pinned, updatedAt, archivedAt, supersededBy, isSimilar, disagreesWith } = fact;
  const attributes = {
    id,
    scope,
    date: formatTime(updatedAt),
    ...(tags.length > 0 && { tags: tags.join(', ').slice(0, MAX_TAG_CHARACTERS) }),
    ...(stream !== undefined && { stream }),
    ...(pinned === true && { pinned: 'yes' }),
    ...(archivedAt !== undefined && { archived: formatTime(archivedAt) }),
    ...(supersededBy !== undefined && { 'replaced-by': supersededBy }),
    ...(isSimilar === true && { match: 'weak' }),
    ...(disagreesWith !== undefined && { 'disagrees-with': disagreesWith.join(', ') }),
  };
  return { id, attributes, text, found: query };
}

/** Names the scope of a fact in a sentence. */
export function placeOf({ scope, project }: { readonly scope: FactScope; readonly project?: string }): string {
  return scope === 'user' ? 'for all projects of this user' : `for the project ${project ?? ''}`;
}
