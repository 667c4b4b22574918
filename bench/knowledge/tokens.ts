/** What an index in the context of each session costs in tokens, and what it saves. */
import { PAYLOAD_LIMITS } from '@cairn/knowledge';
import { formatLine } from '@cairn/knowledge/internal';
import type { AssetHead, Knowledge, PayloadHost } from '@cairn/knowledge';
import { createKnowledgeToolSet } from '@cairn/knowledge/tools';
import { createToolSession, textOf } from '@cairn/tool';
import type { OpenToolSet } from '@cairn/tool';
import { estimateTokens } from '@cairn/tool/prompt';
import { z } from 'zod';
import { questions } from '../../test/knowledge/fixture/questions.ts';
import { percent, table } from './report.ts';

/** What a question adds to a session. */
interface Cost {
  /** Of the calls and their results. */
  readonly tokens: number;
  readonly calls: number;
}

const hosts: Readonly<Record<PayloadHost, string>> = {
  claude: 'Claude Code (9,500 characters)',
  codex: 'Codex (2,400 tokens)',
  generic: 'AGENTS.md (no limit)',
};

async function openTools(knowledge: Knowledge): Promise<OpenToolSet> {
  const set = createKnowledgeToolSet({ open: async () => knowledge });
  const { signal } = new AbortController();
  const session = createToolSession();
  return set.open({ roots: [process.cwd()], naming: 'default', readOnly: true, session, signal });
}

/** The descriptions that the model has in each request. */
function toolTokens({ tools, instructions = '' }: OpenToolSet): number {
  const described = Object.values(tools).map(({ name, description, inputSchema }) => {
    const { $schema: _, ...parameters } = z.toJSONSchema(inputSchema, { io: 'input' });
    return JSON.stringify({ name, description, parameters });
  });
  return estimateTokens([instructions, ...described].join('\n'));
}

/** Calls tools as a model does that follows the layers, in a session of its own. Only the lines of the index in `seen` are known. */
async function ask(knowledge: Knowledge, query: string, seen: ReadonlySet<string>): Promise<Cost> {
  const { tools } = await openTools(knowledge);
  let cost: Cost = { tokens: 0, calls: 0 };
  const call = async (name: string, input: object): Promise<void> => {
    const result = await tools[name]?.execute(input);
    if (result === undefined || result.isError) throw new Error(`${name} failed: ${result && textOf(result)}`);
    const text = [JSON.stringify({ name, input }), textOf(result)].join('\n');
    cost = { tokens: cost.tokens + estimateTokens(text), calls: cost.calls + 1 };
  };
  const read = ({ name, productLine }: Pick<AssetHead, 'name' | 'productLine'>): Promise<void> =>
    call('get_asset', { name, product_line: productLine });
  const { exact } = await knowledge.index.scan(query);
  const known = exact.filter(({ id }) => seen.has(id));
  if (known.length > 0 && known.length <= 2) {
    for (const head of known) await read(head);
    return cost;
  }
  await call('search_knowledge', { query });
  const { results, isAnswered } = await knowledge.layers.search({ query });
  const [first] = isAnswered ? results.filter(({ isSimilar }) => isSimilar !== true) : [];
  if (first !== undefined) await read(first);
  return cost;
}

async function costOf(knowledge: Knowledge, seen: ReadonlySet<string>): Promise<Cost> {
  const costs: Cost[] = [];
  for (const { query } of questions) costs.push(await ask(knowledge, query, seen));
  const mean = (key: keyof Cost): number => costs.reduce((sum, cost) => sum + cost[key], 0) / costs.length;
  return { tokens: mean('tokens'), calls: mean('calls') };
}

/** Compares an index in the context with search only, and with all texts in the context. */
export async function compareTokens(knowledge: Knowledge): Promise<string> {
  const { heads } = await knowledge.index.list();
  const texts = await Promise.all(heads.map(async ({ id }) => (await knowledge.store.get(id))?.text ?? ''));
  const whole = estimateTokens(texts.join('\n'));
  const tools = toolTokens(await openTools(knowledge));
  const alone = await costOf(knowledge, new Set());
  /** The tokens of a session without a question, and the tokens of each question. */
  const row = (name: string, fixed: number, { tokens, calls }: Cost, payload = ''): string[] => {
    const saved = alone.tokens - tokens;
    const even = saved > 0 && calls > 0 ? ((fixed - tools) / saved).toFixed(0) : '';
    const characters = payload === '' ? '' : String(payload.length);
    return [name, characters, String(fixed), tokens.toFixed(0), calls.toFixed(2), percent(fixed / whole), even];
  };
  const rows = [row('search only', tools, alone)];
  for (const host of ['codex', 'claude', 'generic'] as const) {
    const payload = await knowledge.payload(PAYLOAD_LIMITS[host]);
    const lines = new Set(payload.split('\n'));
    const seen = new Set(heads.filter((head) => lines.has(formatLine(head))).map(({ id }) => id));
    const cost = await costOf(knowledge, seen);
    rows.push(row(`index of ${seen.size} lines, ${hosts[host]}`, tools + estimateTokens(payload), cost, payload));
  }
  rows.push(row('all texts in the context', whole, { tokens: 0, calls: 0 }));
  const header = [
    '',
    'payload, characters',
    'each session',
    'each question',
    'calls',
    'of all texts',
    'pays after questions',
  ];
  return table(header, rows);
}
