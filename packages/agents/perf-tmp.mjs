import { createAgents } from './src/index.ts';
import { ContextManager } from '@cairn/context';
import { codingToolSet } from '@cairn/coding-agent';
import { streamText } from 'ai';
const parts = (text) => [
  { type: 'stream-start', warnings: [] },
  { type: 'text-start', id: '0' }, { type: 'text-delta', id: '0', delta: text }, { type: 'text-end', id: '0' },
  { type: 'finish', finishReason: { unified: 'stop', raw: 'stop' }, usage: { inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 }, outputTokens: { total: 1, text: 1, reasoning: 0 } } },
];
let inside = 0; let prompts = [];
const model = { specificationVersion: 'v4', provider: 'p', modelId: 'm', supportedUrls: {}, doGenerate() { throw new Error('no'); },
  async doStream(o) { prompts.push(o.prompt.length); return { stream: new ReadableStream({ start(c) { for (const p of parts('answer')) c.enqueue(p); c.close(); } }) }; } };
const agent = { name: 'helper', description: '', systemPrompt: 'You help.' };
async function measure(n, toolSets) {
  const contexts = new ContextManager();
  const msgs = [];
  for (let i = 0; i < n; i++) msgs.push({ role: i % 2 ? 'assistant' : 'user', content: `message ${i} of the history with some words in it` });
  for (let i = 0; i < n; i += 2) await contexts.appendTurn('helper', msgs.slice(i, i + 2));
  const agents = createAgents({ root: '/tmp', contexts, model, toolSets });
  for (let i = 0; i < 20; i++) await agents.run({ agent, prompt: 'hi' }).result;
  const t = performance.now(); const c = process.cpuUsage();
  for (let i = 0; i < 100; i++) await agents.run({ agent, prompt: 'hi' }).result;
  const ms = (performance.now() - t) / 100; const cpu = process.cpuUsage(c);
  const sent = prompts.at(-1);
  const messages = [...msgs.slice(-(sent - 2)), { role: 'user', content: 'hi' }];
  for (let i = 0; i < 20; i++) { for await (const _ of streamText({ model, instructions: 'You help.', messages }).stream); }
  const t2 = performance.now();
  for (let i = 0; i < 100; i++) { for await (const _ of streamText({ model, instructions: 'You help.', messages }).stream); }
  const bare = (performance.now() - t2) / 100;
  console.log({ n, sent, ms, cpuMs: (cpu.user + cpu.system) / 1e5, bare, own: ms - bare });
  await agents.close();
}
await measure(0, []); await measure(200, []); await measure(2000, []); await measure(2000, [codingToolSet]);
await measure(0, [codingToolSet]);
