import { wrapContexts, type Memory, type Message, type Note, type Stream } from '@cairn/memory';
import { estimateTokens, truncateLine } from '@cairn/tool/prompt';
import type { LanguageModel, ModelMessage } from 'ai';
import type { Usage } from '../run/agent-run.ts';
import type { ModelAnswer } from '../run/model-request.ts';
import type { CallContext } from './calls.ts';
import { shortened } from './loop-state.ts';
import type { CallRecord } from './types.ts';
import type { WorkflowResponse } from './workflows-api.ts';

/** The stream and the group of a workflow, and the memory that keeps its record. */
export interface Place {
  /** Where records and notes are: the memory, or one of this process that ends with the workflow. */
  readonly store: Memory;
  readonly stream: Stream;
  /** Absent when the workflow belongs to no group: then it has no conversation. */
  readonly group: string | undefined;
  readonly usesMemory: boolean;
}

export interface WorkflowContext extends Omit<CallContext, 'journal'>, Place {
  readonly model: Exclude<LanguageModel, string>;
  /** The system prompt: the same bytes in all requests of this call. */
  readonly system: string;
  readonly maxRequests: number;
  readonly maxTokens: number;
  /** Whether the notes are removed or left to expire when the workflow ends. */
  readonly notes: 'remove' | 'expire';
  readonly addUsage: (usage: ModelAnswer['usage']) => void;
  readonly usage: () => Usage;
}

/** Reports the end of the work, and returns its response. */
export function endWork(
  { emit, usage }: WorkflowContext,
  { id, todos }: { readonly id?: string } & Pick<WorkflowResponse, 'todos'>,
  { reason, ...end }: Pick<WorkflowResponse, 'status' | 'text' | 'waitsFor'> & { reason?: string | undefined },
): WorkflowResponse {
  emit({ type: 'end', status: end.status, text: end.text });
  const facts = { ...(id !== undefined && { workflow: id }), ...(reason !== undefined && { reason }) };
  return { kind: 'complex', ...end, todos, ...facts, usage: usage() };
}

/** The newest messages of the group in each prompt. */
const NEWEST = 10;
const CONVERSATION_TOKENS = 8000;

/** Returns the newest messages of the group, oldest first. Over the budget, long ones are cut to their share; none is left out. */
export async function conversationOf(
  { stream, group, usesMemory, signal }: WorkflowContext,
  without?: string,
): Promise<{ readonly messages: ModelMessage[]; readonly ids: ReadonlySet<string> }> {
  if (!usesMemory || group === undefined) return { messages: [], ids: new Set() };
  // One more, because one may be left out.
  const history = await stream.history(group, { limit: NEWEST + 1, signal });
  const newest = history.filter(({ id }) => id !== without).slice(0, NEWEST);
  const total = newest.reduce((sum, { content }) => sum + estimateTokens(content), 0);
  const share = CONVERSATION_TOKENS / NEWEST;
  const textOf = ({ role, author, content }: Message): string => {
    const name = role === 'user' || role === 'assistant' ? author : (author ?? role);
    const ratio = share / estimateTokens(content);
    const isLong = total > CONVERSATION_TOKENS && ratio < 1;
    const shown = isLong ? truncateLine(content, Math.floor(content.length * ratio)) : content;
    return name === undefined ? shown : `${name}: ${shown}`;
  };
  const messages = newest.toReversed().map((message): ModelMessage => ({
    role: message.role === 'assistant' ? 'assistant' : 'user',
    content: textOf(message),
  }));
  return { messages, ids: new Set(newest.map(({ id }) => id)) };
}

/** Returns the memories about a query, without what the prompt shows anyway. Empty for nothing. */
export async function recalledFor(
  { stream, group, usesMemory, language, signal }: WorkflowContext,
  about: {
    readonly query: string;
    readonly workflowId?: string;
    readonly shown: ReadonlySet<string>;
    readonly notes?: readonly Note[];
  },
): Promise<string> {
  const { query, workflowId, shown, notes = [] } = about;
  if (!usesMemory || group === undefined) return '';
  const found = await stream.retrieveRelevantContexts({
    group,
    query,
    includeNotes: workflowId !== undefined,
    workflowId,
    // What the conversation has is left out below.
    limit: NEWEST + 5,
    signal,
  });
  const contents = new Set(notes.map(({ content }) => content));
  const others = found.filter((one) =>
    one.isRecent === true ? false : one.kind === 'message' ? !shown.has(one.id) : !contents.has(one.content),
  );
  return wrapContexts(others.slice(0, 5), { language, query });
}

const CALL_TOKENS = 4000;

/** Selects calls within a budget, in their order: first unknown outcomes, then the step's own, then the newest. Long ones are cut. */
export function callsFor(
  calls: readonly CallRecord[],
  todoId: string,
): { readonly calls: readonly CallRecord[]; readonly left: number } {
  const rank = ({ status, todoId: of }: CallRecord): number => (status === 'unknown' ? 0 : of === todoId ? 1 : 2);
  const indexed = calls.map((call, index) => ({ call, index }));
  const order = indexed.toSorted((a, b) => rank(a.call) - rank(b.call) || b.index - a.index);
  const kept = new Map<number, CallRecord>();
  let tokens = 0;
  for (const { call, index } of order) {
    for (const one of [call, shortened(call)]) {
      const needed = estimateTokens(JSON.stringify(one));
      if (tokens + needed > CALL_TOKENS) continue;
      tokens += needed;
      kept.set(index, one);
      break;
    }
  }
  return { calls: calls.flatMap((_, index) => kept.get(index) ?? []), left: calls.length - kept.size };
}
