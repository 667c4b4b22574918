import { createTool, inputSchema, succeed, ToolError, type ToolDefinition } from '@cairn/tool';
import { count } from '@cairn/tool/prompt';
import { escapeControls } from '@cairn/tool/paths';
import { z } from 'zod';
import type { FactScope } from '../facts/fact.ts';
import { hitEntry, partOfHit } from '../recall/hit-entry.ts';
import { RECALL_KINDS, type RecallHit, type RecallKind } from '../recall/recall-part.ts';
import type { RecallAnswer } from '../recall/recall-parts.ts';
import { joined, timesOf } from './fact-tools.ts';
import { reading, type ToolMemory } from './tool-context.ts';
import { asToolErrors } from './tool-errors.ts';

export interface RecallInput {
  readonly query?: string | undefined;
  readonly id?: string | undefined;
  readonly kind?: RecallKind | undefined;
  readonly tags?: readonly string[] | undefined;
  readonly scope?: FactScope | undefined;
  readonly role?: string | undefined;
  readonly since?: string | undefined;
  readonly until?: string | undefined;
  readonly limit?: number | undefined;
  readonly offset?: number | undefined;
}

export interface RecallDetails extends Omit<RecallAnswer, 'notices'> {
  /** The codes of what the answer leaves out. */
  readonly notices: readonly string[];
  /** The offset of the next page. Present when there is more. */
  readonly nextOffset?: number | undefined;
}

const recallShape = {
  query: z.string().optional().describe('a question or a few words; without it the newest are listed'),
  kind: z.enum(RECALL_KINDS).optional(),
  tags: z.array(z.string()).optional(),
  scope: z.enum(['project', 'user']).optional().describe('facts only'),
  role: z.string().optional().describe('messages only'),
  since: z.string().optional().describe('2026-01-31 or 7d'),
  until: z.string().optional(),
  limit: z.int().min(1).max(50).optional().describe('default 5'),
  offset: z.int().min(0).optional(),
};

const readingShape = {
  ...recallShape,
  id: z.string().optional().describe('read this fact or message whole, from character offset on'),
};

const DEFAULT_LIMIT = 5;

/** Names the parameters that a reading by the id does not use. */
function notUsed({ id: _, offset: __, ...others }: RecallInput): string {
  const names = Object.entries(others).flatMap(([name, value]) => (value === undefined ? [] : [name]));
  return names.length === 0 ? '' : `Not used with id: ${names.join(', ')}.`;
}

function searchedText({ fact, asset, message }: RecallAnswer['searched']): string {
  const counts = [
    ...(fact === undefined ? [] : [count(fact, 'fact')]),
    ...(asset === undefined ? [] : [count(asset, 'asset')]),
    ...(message === undefined ? [] : [count(message, 'message')]),
  ];
  const last = counts.pop() ?? 'nothing';
  return counts.length === 0 ? last : `${counts.join(', ')} and ${last}`;
}

function nothingFound({ searched, isWhole }: RecallAnswer, { query = '' }: RecallInput): string {
  const where = searchedText(searched);
  if (!isWhole) return `Nothing found in what could be read: ${where}.`;
  if (query.trim() === '') return `Nothing is kept in ${where}. Leave out a filter, or keep a fact with remember.`;
  return `Nothing found in ${where}. Try other words or fewer filters; without query, recall lists the newest.`;
}

async function readOne({ recall }: ToolMemory, input: RecallInput, id: string, signal: AbortSignal | undefined) {
  const hit = await recall.read(id, undefined, signal);
  if (hit === undefined) {
    throw new ToolError('NOT_FOUND', [
      `There is no fact and no message ${escapeControls(JSON.stringify(id))}`,
      'Use an id of recall.',
    ]);
  }
  const { text, nextOffset } = await partOfHit(hit, input.offset ?? 0);
  const isMore = nextOffset !== undefined;
  const more = isMore ? `More: recall with id ${escapeControls(id)} and offset ${nextOffset}.` : '';
  const details = { hits: [hit], searched: {}, hasMore: isMore, isWhole: true, notices: [], nextOffset };
  return succeed<RecallDetails>(joined([notUsed(input), text, more]), details);
}

/** States how to read cut texts whole. Each names its id itself, so that one example is enough. */
function readWhole(cut: readonly RecallHit[], hasGetAsset: boolean): string {
  const [first] = cut;
  if (first === undefined) return '';
  const { id, kind } = first;
  const message =
    cut.some((one) => one.kind === 'message') && kind !== 'message' ? ' Of a message, add kind message.' : '';
  const input = kind === 'message' ? { name: id, kind } : { name: id };
  const call = hasGetAsset ? `get_asset ${JSON.stringify(input)}` : `recall ${JSON.stringify({ id })}`;
  return `Some texts are cut. Read one whole by its id: ${call}.${hasGetAsset ? message : ''}`;
}

async function find(context: ToolMemory, input: RecallInput, signal: AbortSignal | undefined) {
  const { open, recall } = context;
  const [{ fitEntries }, { recallParts }] = await Promise.all([
    import('../conversations/wrap.ts'),
    import('../recall/recall-parts.ts'),
  ]);
  const { query, kind, tags, scope, role, since, until, limit = DEFAULT_LIMIT, offset = 0 } = input;
  const times = await timesOf(open, { since, until, signal });
  const answer = await recallParts(recall.parts, { query, kind, tags, scope, role, ...times, limit, offset, signal });
  const { hits, searched, notices } = answer;
  const { text, shown, cut } = await fitEntries(hits.map((hit) => hitEntry(hit, query)));
  const visible = hits.slice(0, shown);
  const hasMore = answer.hasMore || shown < hits.length;
  const next = offset + shown;
  const lines = [
    ...notices.map(({ message }) => message),
    shown > 0 ? text : offset > 0 ? `Nothing more at offset ${offset}.` : nothingFound(answer, input),
    readWhole(
      visible.filter((hit) => hit.kind !== 'note' && cut.includes(hit.id)),
      recall.hasGetAsset,
    ),
    hasMore && shown > 0 ? `More: the same recall with offset ${next}.` : '',
  ];
  return succeed<RecallDetails>(joined(lines), {
    hits: visible,
    searched,
    hasMore,
    isWhole: answer.isWhole,
    notices: notices.map(({ code }) => code),
    ...(hasMore && shown > 0 && { nextOffset: next }),
  });
}

export function createRecallTool(context: ToolMemory): ToolDefinition<RecallInput, RecallDetails> {
  const { recall } = context;
  const hasAssets = recall.parts.some(({ kind }) => kind === 'asset');
  return createTool<RecallInput, RecallDetails>({
    name: 'recall',
    description: `Ask facts${hasAssets ? ', the assets of the team' : ''} and past sessions one question; best first. Use it before you ask the user.`,
    inputSchema: inputSchema(recall.hasGetAsset ? recallShape : readingShape),
    annotations: { title: 'Recall', ...reading },
    run: (input, { signal }) =>
      asToolErrors(() =>
        input.id === undefined ? find(context, input, signal) : readOne(context, input, input.id, signal),
      ),
  });
}
