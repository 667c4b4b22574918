/**
 * The tokens of a long run that no earlier request begins with: a provider that caches prompts reads them in full. Counts decide, not
 * times. The model is in this process: it reads one page a step.
 */
import { createAgents } from '@cairn/agents';
import { ContextManager } from '@cairn/context';
import { createTool, succeed, type ToolDefinition } from '@cairn/tool';
import { estimateTokens } from '@cairn/tool/prompt';
import type { LanguageModel } from 'ai';
import { createHash } from 'node:crypto';
import { z } from 'zod';

export interface WindowFigures {
  readonly requests: number;
  /** Of the largest request. */
  readonly largestTokens: number;
  /** Of all that was new to the model. */
  readonly newTokens: number;
  readonly uncachedTokens: number;
}

type Model = Exclude<LanguageModel, string>;
type Stream = Awaited<ReturnType<Model['doStream']>>;

const PAGE = 4096;
const usage = {
  inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 },
  outputTokens: { total: 1, text: 1, reasoning: 0 },
};

const pages = createTool<{ page: number }, object>({
  name: 'page',
  description: 'Returns a page.',
  inputSchema: z.strictObject({ page: z.number() }),
  annotations: {
    title: 'page',
    readOnlyHint: true,
    destructiveHint: false,
    idempotentHint: true,
    openWorldHint: false,
  },
  run: async ({ page }) => succeed(`page ${page} `.repeat(PAGE / 7).slice(0, PAGE), {}),
}) as ToolDefinition;

export async function measureWindow(steps: number): Promise<WindowFigures> {
  const seen = new Set<string>();
  let requests = 0;
  let largestTokens = 0;
  let uncachedTokens = 0;
  const read = (messages: readonly unknown[]): void => {
    let prefix = '';
    let tokens = 0;
    for (const message of messages) {
      const text = JSON.stringify(message);
      const size = estimateTokens(text);
      prefix = createHash('sha256')
        .update(prefix + text)
        .digest('hex');
      if (!seen.has(prefix)) uncachedTokens += size;
      seen.add(prefix);
      tokens += size;
    }
    largestTokens = Math.max(largestTokens, tokens);
  };
  const doStream = async ({ prompt, tools }: Parameters<Model['doStream']>[0]): Promise<Stream> => {
    requests += 1;
    read([tools, ...prompt]);
    const id = `call_${requests}`;
    const call = { type: 'tool-call', toolCallId: id, toolName: 'page', input: JSON.stringify({ page: requests }) };
    const text = [
      { type: 'text-start', id },
      { type: 'text-delta', id, delta: 'All pages are read.' },
      { type: 'text-end', id },
    ];
    const isLast = requests > steps;
    const unified = isLast ? 'stop' : 'tool-calls';
    const finish = { type: 'finish', usage, finishReason: { unified, raw: unified } };
    const parts = [{ type: 'stream-start', warnings: [] }, ...(isLast ? text : [call]), finish];
    return { stream: ReadableStream.from(parts) } as unknown as Stream;
  };
  const model = {
    specificationVersion: 'v4',
    provider: 'bench',
    modelId: 'pages',
    supportedUrls: {},
    doStream,
  } as unknown;
  const agents = createAgents({
    root: '/',
    contexts: new ContextManager(),
    model: model as Model,
    toolSets: [{ name: 'pages', open: () => ({ tools: { page: pages } }) }],
  });
  const agent = { name: 'reader', description: 'Reads.', systemPrompt: 'You read pages.' };
  const { finishReason, messages, error } = await agents.run({ agent, prompt: 'Read all pages.', maxSteps: steps + 2 })
    .result;
  await agents.close();
  if (finishReason !== 'stop') throw new Error(`the run ended with ${finishReason}`, { cause: error });
  const newTokens = messages.reduce((sum, message) => sum + estimateTokens(JSON.stringify(message)), 0);
  return { requests, largestTokens, newTokens, uncachedTokens };
}
