import { createAgents, createAgentsToolSet } from '@cairn/agents';
import { ContextManager } from '@cairn/context';
import type { AgentDefinition, AgentDefinitions } from '@cairn/context';
import { createToolSession, textOf } from '@cairn/tool';
import type { OpenToolSet, ToolSet, ToolSetContext } from '@cairn/tool';
import type { Language } from '@cairn/tool/kernel';
import { asSchema } from 'ai';
import { expect, onTestFinished, test } from 'vitest';
import { startModelServer, transcriptOf } from '../support/model-server.ts';
import type { ModelScript, ModelServer } from '../support/model-server.ts';
import { createTree } from '../support/tree.ts';

function definitionsOf(count: number): AgentDefinitions {
  const define = (index: number): AgentDefinition => ({
    name: `agent-${String(index).padStart(3, '0')}`,
    description: 'Does a part of the work. '.repeat(20),
    systemPrompt: 'You help.',
    ...(index === 0 && { tools: ['read'], contextMode: 'fork' }),
  });
  const agents = Array.from({ length: count }, (_, index) => define(index));
  return { agents: new Map(agents.map((agent) => [agent.name, agent])), problems: [], replaced: [] };
}

interface Started {
  readonly set: ToolSet;
  readonly server: ModelServer;
  /** The order in which agents were opened and closed. */
  readonly log: string[];
}

async function start(script: ModelScript, count = 2, language: Language = 'en'): Promise<Started> {
  const server = await startModelServer(script);
  const root = createTree({});
  const log: string[] = [];
  const set = createAgentsToolSet({
    language,
    definitions: async () => definitionsOf(count),
    open: async (definitions) => {
      log.push('open');
      const contexts = new ContextManager({ project: 'p', session: 'its-session', clock: Date.now });
      const agents = createAgents({ root, contexts, definitions, model: 'scripted', baseUrl: server.url });
      const close = async (): Promise<void> => {
        await agents.close();
        log.push('close');
      };
      return { run: (options) => agents.run(options), contexts, close };
    },
    close: async () => void log.push('end'),
  });
  onTestFinished(() => server.close());
  return { set, server, log };
}

function contextOf(signal: AbortSignal = new AbortController().signal): ToolSetContext {
  return { roots: ['/'], naming: 'default', readOnly: false, session: createToolSession(), signal };
}

async function call({ tools }: OpenToolSet, name: string, input: object = {}): Promise<string> {
  const result = await tools[name]?.execute(input);
  return result === undefined ? '' : textOf(result);
}

test('each session has agents of its own, which the first run opens and the end of the session closes', async () => {
  const { set, server, log } = await start([{ text: 'One.' }, { text: 'Two.' }]);
  const controller = new AbortController();
  const [one, other] = [await set.open(contextOf(controller.signal)), await set.open(contextOf())];
  await call(one, 'list_agents');
  expect(log).toEqual([]);
  await call(one, 'run_agent', { name: 'agent-001', prompt: 'A' });
  await call(other, 'run_agent', { name: 'agent-001', prompt: 'B' });
  expect(server.requests.map(transcriptOf)).toEqual([['user: A'], ['user: B']]);
  controller.abort();
  await set.close?.();
  expect(log).toEqual(['open', 'open', 'close', 'end']);
});

test('the end of a session stops its runs, and closing the set waits for that', async () => {
  const { set, server, log } = await start([{ never: true }]);
  const controller = new AbortController();
  const opened = await set.open(contextOf(controller.signal));
  const answer = call(opened, 'run_agent', { name: 'agent-001', prompt: 'A' });
  await server.arrived(1);
  controller.abort();
  await set.close?.();
  expect(await answer).toContain('The agent agent-001 did not finish: it was aborted');
  expect(log).toEqual(['open', 'close', 'end']);
});

test('list_agents lists all agents in pages', async () => {
  const { set } = await start([], 500);
  const opened = await set.open(contextOf());
  const names: string[] = [];
  let text = '';
  for (let offset: string | undefined = '0'; offset !== undefined; [, offset] = /offset (\d+)\.$/mu.exec(text) ?? []) {
    text = await call(opened, 'list_agents', { offset: Number(offset) });
    expect(text.length).toBeLessThan(9000);
    names.push(...(text.match(/^- agent-\d+/gmu) ?? []));
  }
  expect(names).toEqual([...definitionsOf(500).agents.keys()].map((name) => `- ${name}`));
  expect(await call(opened, 'list_agents', { offset: 500 })).toContain('There is no agent at offset 500');
  expect(await call(opened, 'list_agents')).toContain('- agent-000 (fork; read): Does a part');
});

test('list_agents reports that there are none', async () => {
  const { set } = await start([], 0);
  expect(await call(await set.open(contextOf()), 'list_agents')).toBe('No agent is defined.');
});

const mains = {
  en: {
    whose:
      '[the main conversation belongs to the agents in the session its-session, not to you: put what they need of yours into prompt]',
    empty: '[the main conversation was empty: the agent saw nothing of it]',
    parameter:
      'what it sees of the main conversation, which belongs to these agents and not to you; default: its own setting',
  },
  zh: {
    whose: '[主会话是会话 its-session 中各 agent 的对话，不是你的对话：请把它们需要的内容写入 prompt]',
    empty: '[主会话是空的：agent 没有看到其中的任何内容]',
    parameter: '它能看到主会话的哪些内容；主会话属于这些 agent，不是你的对话；默认按其自身设置',
  },
} as const;

test.each(['en', 'zh'] as const)(
  'run_agent tells a host whose main it is, and that it is empty (%s)',
  async (language) => {
    const { set } = await start(() => ({ text: 'Done.' }), 2, language);
    const opened = await set.open(contextOf());
    const { whose, empty, parameter } = mains[language];
    const schema = JSON.stringify(await asSchema(opened.tools['run_agent']?.inputSchema as never).jsonSchema);
    expect(schema).toContain(JSON.stringify(parameter));
    const run = async (context_mode?: string): Promise<readonly [text: string, details: unknown]> => {
      const input = { name: 'agent-001', prompt: 'Go', ...(context_mode && { context_mode }) };
      const result = await opened.tools['run_agent']?.execute(input);
      return result === undefined ? ['', {}] : [textOf(result), result.details];
    };
    const [isolated, plain] = await run();
    expect(isolated).not.toMatch(/main conversation|主会话/u);
    expect(plain).not.toHaveProperty('session');
    const [first, facts] = await run('shared');
    expect(first).toContain(`\n${whose}\n${empty}\n`);
    expect(facts).toMatchObject({ session: 'its-session', isMainEmpty: true });
    const [second, later] = await run('fork');
    expect(second).toContain(whose);
    expect(second).not.toContain(empty);
    expect(later).not.toHaveProperty('isMainEmpty');
    const [handed] = await run('handback');
    expect(handed).toContain(whose);
  },
);
