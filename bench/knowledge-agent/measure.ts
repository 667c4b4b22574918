import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createAgents } from '@cairn/agents';
import { ContextManager } from '@cairn/context';
import { PAYLOAD_LIMITS } from '@cairn/knowledge';
import { formatLine } from '@cairn/knowledge/internal';
import type { Knowledge, PayloadHost } from '@cairn/knowledge';
import { createKnowledgeToolSet } from '@cairn/knowledge/tools';
import { openFixture } from '../../test/knowledge/measure.ts';
import { questions } from '../../test/knowledge/fixture/questions.ts';
import type { Question } from '../../test/knowledge/fixture/questions.ts';
import { table } from '../knowledge/report.ts';
import { say } from '../lib/progress.ts';
import { draw, seeded } from '../lib/random.ts';
import { followsLayers, reads } from './judge.ts';
import type { Call, Expected } from './judge.ts';
import { wordings } from './wordings.ts';
import type { Wording } from './wordings.ts';

export interface AgentOptions {
  /** The number of questions. */
  readonly questions: number;
  readonly half: string;
  readonly host: string;
}

interface Session {
  readonly knowledge: Knowledge;
  readonly payload: string;
  /** The ids of the lines that the payload has. */
  readonly seen: ReadonlySet<string>;
}

interface Result {
  readonly followed: number;
  /** Answerable questions for which a right asset was read. */
  readonly right: number;
  readonly answerable: number;
  readonly calls: number;
  readonly tokens: number;
  readonly failed: number;
}

function isHost(host: string): host is PayloadHost {
  return host in PAYLOAD_LIMITS;
}

async function openSession(knowledge: Knowledge, host: string): Promise<Session> {
  if (!isHost(host)) throw new Error(`invalid --host "${host}": use ${Object.keys(PAYLOAD_LIMITS).join(', ')}`);
  const payload = await knowledge.payload(PAYLOAD_LIMITS[host]);
  const { heads } = await knowledge.index.list();
  const lines = new Set(payload.split('\n'));
  const seen = new Set(heads.filter((head) => lines.has(formatLine(head))).map(({ id }) => id));
  return { knowledge, payload, seen };
}

async function expectedOf({ knowledge, seen }: Session, query: string): Promise<Expected> {
  const { exact } = await knowledge.index.scan(query);
  const { results, isAnswered } = await knowledge.layers.search({ query });
  return {
    exact: exact.map(({ id }) => id).filter((id) => seen.has(id)),
    found: results.map(({ id }) => id),
    isAnswered,
  };
}

async function measure(session: Session, { of }: Wording, asked: readonly Question[]): Promise<Result> {
  const { knowledge, payload } = session;
  const contexts = new ContextManager();
  const agents = createAgents({
    root: process.cwd(),
    contexts,
    env: process.env,
    toolSets: [createKnowledgeToolSet({ open: async () => knowledge })],
    readOnly: true,
  });
  const systemPrompt = `You answer questions of developers about their own systems, in a few sentences.\n\n${of(payload)}`;
  const agent = { name: 'reader', description: 'Answers.', systemPrompt, maxSteps: 8 };
  const sum = { followed: 0, right: 0, answerable: 0, calls: 0, tokens: 0, failed: 0 };
  for (const { query, wanted } of asked) {
    const run = agents.run({ agent, prompt: query });
    const calls: Call[] = [];
    for await (const event of run)
      if (event.type === 'tool-start') calls.push({ name: event.name, input: event.input });
    const { finishReason, error, usage } = await run.result;
    await contexts.clearHistory(agent.name);
    if (finishReason === 'error') {
      // A model that is not reachable answers none of the others either.
      if (error !== undefined && sum.followed + sum.calls === 0) throw error;
      sum.failed++;
      continue;
    }
    if (followsLayers(calls, await expectedOf(session, query))) sum.followed++;
    if (wanted.length > 0) sum.answerable++;
    if (wanted.some((id) => calls.some((call) => reads(call, id)))) sum.right++;
    sum.calls += calls.length;
    sum.tokens += (usage.inputTokens ?? 0) + (usage.outputTokens ?? 0);
  }
  await agents.close();
  return sum;
}

/** Asks the questions with each wording, and prints a table. */
export async function measureAgent({ questions: most, half, host }: AgentOptions): Promise<void> {
  const all = questions.filter(({ isHeldOut }) => isHeldOut === (half === 'held-out'));
  const asked = draw(all, most, seeded(1));
  const directory = mkdtempSync(join(tmpdir(), 'cairn-knowledge-agent-'));
  try {
    const rows: string[][] = [];
    for (const wording of wordings) {
      say(`${wording.name}: ${asked.length} questions to ${process.env['CAIRN_MODEL']}`);
      // The agents close it.
      const session = await openSession(await openFixture(join(directory, wording.name)), host);
      const { followed, right, answerable, calls, tokens, failed } = await measure(session, wording, asked);
      const answered = asked.length - failed;
      const mean = (value: number): string => (answered === 0 ? '' : (value / answered).toFixed(1));
      rows.push([
        wording.name,
        `${followed} of ${answered}`,
        `${right} of ${answerable}`,
        mean(calls),
        mean(tokens),
        String(failed),
      ]);
    }
    const header = ['', 'followed the layers', 'read the right asset', 'calls', 'tokens', 'failed'];
    process.stdout.write(
      `${process.env['CAIRN_MODEL']}, ${half} half, payload for ${host}\n\n${table(header, rows)}\n`,
    );
  } finally {
    rmSync(directory, { recursive: true });
  }
}
