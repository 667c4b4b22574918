import { createTool, inputSchema, succeed, ToolError, type ToolDefinition } from '@cairn/tool';
import { count } from '@cairn/tool/prompt';
import { escapeControls } from '@cairn/tool/paths';
import { z } from 'zod';
import { MemoryError } from '../errors.ts';
import type { RecalledContext, RecalledMessage } from '../conversations/recall.ts';
import { isVisible } from '../facts/fact.ts';
import type { RecalledFact } from '../facts/facts-api.ts';
import type { Memory } from '../memory.ts';
import { joined, leftOut, readWhole, timesOf } from './fact-tools.ts';
import type * as wrap from '../conversations/wrap.ts';
import { factEntry, factStream, reading, type ToolMemory } from './tool-context.ts';
import { asToolErrors } from './tool-errors.ts';

export interface RecallInput {
  readonly query?: string | undefined;
  readonly id?: string | undefined;
  readonly tags?: readonly string[] | undefined;
  readonly since?: string | undefined;
  readonly until?: string | undefined;
  readonly sessions?: boolean | undefined;
  readonly role?: string | undefined;
  readonly group?: string | undefined;
  readonly limit?: number | undefined;
  readonly offset?: number | undefined;
}

export interface RecallDetails {
  /** The facts that the answer shows, best first; or the fact that was read by its id. */
  readonly facts: readonly RecalledFact[];
  /** The messages of past sessions that the answer shows, best first; or the message that was read by its id. */
  readonly messages: readonly RecalledMessage[];
  /** How many facts and messages were searched. */
  readonly searched: { readonly facts: number; readonly messages: number };
  readonly hasMore: boolean;
  /** The offset of the next page. Present when there is more. */
  readonly nextOffset?: number | undefined;
}

const recallShape = {
  query: z.string().optional().describe('a few words; without it the newest are listed'),
  id: z.string().optional().describe('read this fact or message whole, from character offset on'),
  tags: z.array(z.string()).optional().describe('facts only'),
  since: z.string().optional().describe('2026-01-31 or 7d'),
  until: z.string().optional(),
  sessions: z.boolean().optional().describe('also search messages of past sessions'),
  role: z.string().optional().describe('messages only'),
  group: z.string().optional().describe('messages only'),
  limit: z.int().min(1).max(50).optional().describe('default 5'),
  offset: z.int().min(0).optional(),
};

const DEFAULT_LIMIT = 5;

/** The result of a reading by id. */
interface Found extends Pick<RecallDetails, 'facts' | 'messages'> {
  readonly entry: wrap.Entry;
}

interface FindOptions {
  readonly stream: string;
  readonly entryOf: (typeof wrap)['entryOf'];
  readonly signal: AbortSignal | undefined;
}

async function findOne(memory: Memory, id: string, { stream, entryOf, signal }: FindOptions): Promise<Found> {
  const fact = await memory.facts.get(id, { signal }).catch((error: unknown) => {
    if (MemoryError.isInstance(error) && error.code === 'UNKNOWN_FACT') return undefined;
    throw error;
  });
  // A fact of another stream is not for this one, by its id either.
  if (fact !== undefined && isVisible(fact, stream)) {
    return { entry: factEntry(fact), facts: [{ ...fact, score: 0, matched: [] }], messages: [] };
  }
  const { findMessage } = await import('../maintenance/find-message.ts');
  const message = await findMessage(memory, id, { stream, signal });
  if (message !== undefined) {
    const { messageContext } = await import('../conversations/recall.ts');
    const context = { ...messageContext(message, message), score: 0 };
    return { entry: entryOf(context, undefined), facts: [], messages: [context] };
  }
  throw new ToolError('NOT_FOUND', [
    `There is no fact and no message ${escapeControls(JSON.stringify(id))}`,
    'Use an id of recall or list_facts.',
  ]);
}

/** A memory of an answer, and its place in the ranking of its kind. */
interface Row {
  readonly row: number;
  readonly entry: wrap.Entry;
  readonly fact?: RecalledFact;
  readonly context?: RecalledContext;
}

/** Joins two rankings so that both are in an answer of which only the beginning fits, and one offset pages through both. */
function interleave(
  facts: readonly RecalledFact[],
  contexts: readonly RecalledContext[],
  { query, entryOf }: { readonly query: string; readonly entryOf: (typeof wrap)['entryOf'] },
): Row[] {
  const rows = [
    ...facts.map((fact, row): Row => ({ row, fact, entry: factEntry(fact, query) })),
    ...contexts.map((context, row): Row => ({ row, context, entry: entryOf(context, query) })),
  ];
  return rows.toSorted((one, other) => one.row - other.row);
}

/** Names the parameters that a reading by the id does not use. */
function notUsed({ id: _, offset: __, ...others }: RecallInput): string {
  const names = Object.entries(others).flatMap(([name, value]) => (value === undefined ? [] : [name]));
  return names.length === 0 ? '' : `Not used with id: ${names.join(', ')}.`;
}

function nothingFound(searched: RecallDetails['searched'], wantsMessages: boolean): string {
  const { facts, messages } = searched;
  const where = wantsMessages ? `${count(facts, 'fact')} and ${count(messages, 'message')}` : count(facts, 'fact');
  const also = wantsMessages ? '' : ', sessions: true to search past sessions';
  return `Nothing found in ${where}. Try other words, fewer filters${also}, or list_facts.`;
}

export function createRecallTool({ open, stream, workflowId }: ToolMemory): ToolDefinition<RecallInput, RecallDetails> {
  return createTool<RecallInput, RecallDetails>({
    name: 'recall',
    description: 'Search facts of this project and of the user, best first. Use it before you ask the user.',
    inputSchema: inputSchema(recallShape),
    annotations: { title: 'Recall', ...reading },
    run: (input, { signal }) =>
      asToolErrors(async () => {
        const { entryOf, fitEntries, fitPart } = await import('../conversations/wrap.ts');
        const memory = await open();
        const { query = '', id, tags, role, group, limit = DEFAULT_LIMIT, offset = 0 } = input;
        if (id !== undefined) {
          const { entry, ...found } = await findOne(memory, id, { stream, entryOf, signal });
          const { text, nextOffset } = fitPart(entry, offset);
          const isMore = nextOffset !== undefined;
          const more = isMore ? `More: recall with id ${escapeControls(id)} and offset ${nextOffset}.` : '';
          const details = { ...found, searched: { facts: 0, messages: 0 }, hasMore: isMore, nextOffset };
          return succeed(joined([notUsed(input), text, more]), details);
        }
        // Facts and messages may have the same notice.
        const notices = new Set<string>();
        const onNotice = ({ message }: { readonly message: string }): unknown => notices.add(message);
        const times = await timesOf(memory.backend, { since: input.since, until: input.until, signal });
        const common = { query, ...times, limit, offset, signal, onNotice };
        const found = await memory.facts.recall({ ...common, tags, ...factStream(stream) });
        // A role or a group selects messages, so that whoever passes one wants them.
        const wantsMessages = input.sessions ?? (role !== undefined || group !== undefined || workflowId !== undefined);
        const past = wantsMessages
          ? await memory.recall({
              ...common,
              stream,
              group,
              role,
              ...(workflowId !== undefined && { includeNotes: true, workflowId }),
            })
          : { contexts: [], searched: 0, hasMore: false };
        const rows = interleave(found.facts, past.contexts, { query, entryOf });
        const { text, shown, cut } = await fitEntries(rows.map(({ entry }) => entry));
        const visible = rows.slice(0, shown);
        const searched = { facts: found.searched, messages: past.searched };
        const readable = new Set(rows.flatMap(({ entry, context }) => (context?.kind === 'note' ? [] : entry.id)));
        const hasMore = found.hasMore || past.hasMore || shown < rows.length;
        const next = offset + Math.max(1, rows[shown]?.row ?? limit);
        const lines = [
          leftOut(memory),
          ...notices,
          shown > 0 ? text : offset > 0 ? `Nothing more at offset ${offset}.` : nothingFound(searched, wantsMessages),
          readWhole(cut.filter((one) => readable.has(one))),
          hasMore && shown > 0 ? `More: the same recall with offset ${next}.` : '',
        ];
        return succeed(joined(lines), {
          facts: visible.flatMap(({ fact }) => fact ?? []),
          messages: visible.flatMap(({ context }) => (context?.kind === 'message' ? [context] : [])),
          searched,
          hasMore,
          ...(hasMore && { nextOffset: next }),
        });
      }),
  });
}
