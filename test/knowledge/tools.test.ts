/** What a model sees of the tools. The whole texts are in `goldens/`, one file for each language. */
import { createKnowledge } from '@cairn/knowledge';
import { createKnowledgeToolSet } from '@cairn/knowledge/tools';
import { memory } from '@cairn/memory/memory';
import { createToolSession, fileNotes, textOf } from '@cairn/tool';
import { realpathSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { temporaryDirectory } from '../support/tree.ts';
import { fixtureAssets } from './fixture/assets.ts';

const DAY_MS = 86_400_000;

const newAsset = {
  name: 'rabbitmq-dead-letters',
  type: 'pitfall',
  product_line: 'exchange/infra',
  title: 'RabbitMQ 重试策略的死信队列',
  text: '消息队列失败重试超过次数后进入死信队列，必须有人处理。',
  paths: ['src/queue/**'],
};

/** Calls whose answers together have every text. */
const calls: readonly (readonly [tool: string, input: object])[] = [
  ['scan_index', { query: 'Redis Sentinel' }],
  ['scan_index', { query: '消息队列 失败重试' }],
  ['scan_index', { query: 'quorum zebra' }],
  ['scan_index', { product_line: 'exchange/api', offset: 15 }],
  ['scan_index', { product_line: 'none' }],
  ['search_knowledge', { query: '消息队列 失败重试', limit: 2 }],
  ['search_knowledge', { query: 'zebra crossing' }],
  ['get_asset', { name: 'redis-sentinel-setup', product_line: 'exchange/infra' }],
  ['get_asset', { name: 'redis-sentinel' }],
  ['sink_asset', newAsset],
  ['sink_asset', { ...newAsset, mode: 'new' }],
  ['sink_asset', { name: 'kafka-consumer-config', text: 'New.', mode: 'update' }],
  ['sink_asset', { name: 'kafka-consumer-config', mode: 'update' }],
  ['sink_asset', { name: 'kafka-consumer-config', tags: ['kafka'], mode: 'update' }],
  ['report_asset', { name: 'kafka-consumer-config', verdict: 'wrong' }],
  ['report_asset', { name: 'kafka-consumer-config', verdict: 'wrong', note: 'renamed' }],
  ['get_asset', { name: 'kafka-consumer-config' }],
  ['get_asset', { name: 'kafka-consumer-config', offset: 1_000_000 }],
];

test.each(['en', 'zh'] as const)('the texts of the tools (%s)', async (language) => {
  let nowMs = Date.parse('2026-01-28T00:00:00Z');
  const clock = (): number => nowMs;
  const knowledge = createKnowledge({ backend: memory(), directory: temporaryDirectory(), language, clock, env: {} });
  for (const { path, text } of fixtureAssets()) {
    if (!path.includes('exchange/')) continue;
    nowMs += 1000;
    await knowledge.store.add({ text, path });
  }
  nowMs += 200 * DAY_MS;
  const set = createKnowledgeToolSet({ open: async () => knowledge, language });
  const root = realpathSync(temporaryDirectory());
  const session = createToolSession();
  const context = { naming: 'default', session, signal: new AbortController().signal };
  const reading = await set.open({ ...context, session: createToolSession(), roots: [root], readOnly: true });
  const { tools, instructions } = await set.open({ ...context, roots: [root], readOnly: false });
  const parts = [`# instructions\n${instructions}`, `# instructions, read-only\n${reading.instructions}`];
  for (const { name, description, inputSchema } of Object.values(tools)) {
    const { $schema: _, ...schema } = z.toJSONSchema(inputSchema, { io: 'input' });
    parts.push(`# ${name}\n${description}\n${JSON.stringify(schema)}`);
  }
  for (const [name, input] of calls) {
    const result = await tools[name]?.execute(input);
    const answer = result === undefined ? 'no such tool' : textOf(result);
    // The ranking has tests of its own.
    parts.push(`# ${name} ${JSON.stringify(input)}\n${answer.replaceAll(/score="[\d.]+"/gu, 'score="…"')}`);
  }
  const [note] = await fileNotes(session).notesOn([join(root, 'src/queue/a.ts')]);
  parts.push(`# a file of src/queue\n${note}`);
  await set.close?.();
  await expect(`${parts.join('\n\n')}\n`).toMatchFileSnapshot(`goldens/tools.${language}.txt`);
});
