import { SYSTEM_PARTS } from '@cairn/agents';
import type { AgentsOptions } from '@cairn/agents';
import { codingToolSet, createShellTool } from '@cairn/coding-agent';
import { sessionWorkspace } from '@cairn/coding-agent/internal';
import { ContextManager, MODES, openContexts } from '@cairn/context';
import { tokensOf } from '@cairn/context/internal';
import type { ContextMode } from '@cairn/context';
import { createKnowledge } from '@cairn/knowledge';
import type { Knowledge } from '@cairn/knowledge';
import { createKnowledgeToolSet } from '@cairn/knowledge/tools';
import { createMemory } from '@cairn/memory';
import type { Memory } from '@cairn/memory';
import { memory as inMemory } from '@cairn/memory/memory';
import { sqlite } from '@cairn/memory/sqlite';
import { memoryToolSet } from '@cairn/memory/tools';
import type { Tools, ToolSet } from '@cairn/tool';
import { createWorkspaceCache } from '@cairn/workspace-cache';
import { createWorkspaceCacheToolSet } from '@cairn/workspace-cache/tools';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { systemPromptOf, transcriptOf } from '../support/model-server.ts';
import type { ModelReply, ModelRequest } from '../support/model-server.ts';
import { createTree, temporaryDirectory } from '../support/tree.ts';
import { helper, startAgents } from './start-agents.ts';
import { makeTool, makeToolSet } from './tools-for-tests.ts';

const files = { 'AGENTS.md': 'Use tabs.\n', 'a.txt': 'hello\n', src: { 'b.ts': 'export {};\n' } };

interface Project extends Pick<AgentsOptions, 'root' | 'memory' | 'workspaceCache' | 'toolSets'> {
  readonly knowledge: Knowledge;
  readonly memory: Memory;
}

const draft = {
  name: 'redis-failover',
  productLine: 'exchange/infra',
  type: 'reference',
  title: 'Redis 集群故障转移指南',
  body: '# Failover\n\nWait 30 s.\n',
} as const;

/** Makes everything that a system prompt can show. */
async function makeProject(language: 'en' | 'zh' = 'en'): Promise<Project> {
  const root = createTree(files);
  const memory = createMemory({ backend: inMemory(), project: 'p', language });
  await memory.facts.remember('The tests need redis-server');
  const workspaceCache = createWorkspaceCache({ root, language });
  const knowledge = createKnowledge({ directory: temporaryDirectory(), backend: inMemory() });
  await knowledge.store.add(draft);
  onTestFinished(async () => {
    await knowledge.close();
    await workspaceCache.close();
    await memory.close();
  });
  const toolSets = [
    createWorkspaceCacheToolSet({ cacheFiles: true }),
    codingToolSet,
    memoryToolSet({ open: async () => memory }),
  ];
  return { root, knowledge, memory, workspaceCache, toolSets };
}

/** The bytes that a provider which caches prompts compares: the body up to the end of its messages. */
function messageBytes({ body }: ModelRequest): string {
  const text = body.toString();
  return text.slice(0, text.indexOf('],"tools":'));
}

const read: ModelReply = {
  text: 'I read.',
  toolCalls: [
    { name: 'read', input: { path: 'a.txt' } },
    { name: 'ls', input: { path: 'src' } },
    { name: 'read', input: { path: 'missing.txt' } },
  ],
};
const write: ModelReply = { toolCalls: [{ name: 'write', input: { path: 'src/new.ts', content: '1\n' } }] };
const done: ModelReply = { text: 'Done.' };

describe('the system prompt', () => {
  test.each(['en', 'zh'] as const)('has its parts in their order, each once (%s)', async (language) => {
    const { server, agents } = await startAgents([done], { ...(await makeProject(language)), language });
    const prepared = await agents.prepare({ agent: helper, prompt: 'Go' });
    expect(prepared.system.map(({ name }) => name)).toEqual(SYSTEM_PARTS.filter((name) => name !== 'left-out'));
    await agents.run({ agent: helper, prompt: 'Go' }).result;
    const [request] = server.requests;
    expect(request && systemPromptOf(request)).toBe(prepared.system.map(({ text }) => text).join('\n\n'));
    const texts = Object.fromEntries(prepared.system.map(({ name, text }) => [name, text]));
    expect(texts).toMatchObject({
      agent: 'You help.',
      project: expect.stringMatching(/AGENTS\.md[^]*Use tabs\./u),
      knowledge: expect.stringMatching(
        /^<cairn-knowledge>\n[^]*\nredis-failover\|reference\|exchange\/infra\|[^]*\n<\/cairn-knowledge>$/u,
      ),
      facts: expect.stringContaining('The tests need redis-server'),
      workspace: expect.stringContaining('\nsrc/\n'),
      mode: expect.stringContaining('ISOLATED'),
    });
    const characters =
      language === 'zh'
        ? /项目说明[^]*以下是记忆中的事实[^]*上下文模式/u
        : /Project instructions[^]*Facts from memory/u;
    expect(request && systemPromptOf(request)).toMatch(characters);
  });

  test('has only the text of the definition and of the mode without more', async () => {
    const { agents } = await startAgents([]);
    const { system } = await agents.prepare({ agent: helper });
    expect(system.map(({ name }) => name)).toEqual(['agent', 'mode']);
  });

  test('has no part of a knowledge base without assets, and shows one that was added since', async () => {
    const { knowledge, root } = await makeProject();
    await knowledge.store.remove('exchange/infra/redis-failover');
    const { agents } = await startAgents([], { root, knowledge });
    const names = async (): Promise<string[]> =>
      (await agents.prepare({ agent: helper })).system.map(({ name }) => name);
    expect(await names()).not.toContain('knowledge');
    await knowledge.store.add(draft);
    expect(await names()).toContain('knowledge');
  });

  test('lists of the knowledge only the tools that the agent has, and no commands', async () => {
    const { knowledge, root } = await makeProject();
    const set = createKnowledgeToolSet({ open: async () => knowledge });
    const { agents } = await startAgents([], { root, knowledge, toolSets: [codingToolSet, set] });
    const toolsOf = async (tools: readonly string[]): Promise<string> => {
      const { system } = await agents.prepare({ agent: { ...helper, tools } });
      const { text = '' } = system.find(({ name }) => name === 'knowledge') ?? {};
      return /## 6\. INSTALLED TOOLS\n\n([^]*)\n<\/cairn-knowledge>/u.exec(text)?.[1] ?? text;
    };
    expect(await toolsOf(['read'])).toBe('None.');
    expect(await toolsOf(['read', 'get_asset'])).toMatch(/^- `get_asset`: [^\n`]+$/u);
  });

  test.each(['en', 'zh'] as const)(
    'lacks a knowledge base that cannot be read, and reports it (%s)',
    async (language) => {
      const knowledge = { payload: () => Promise.reject(new Error('the store is locked')) };
      const { agents } = await startAgents([], { knowledge, language });
      const { system, notices } = await agents.prepare({ agent: helper });
      expect(system.map(({ name }) => name)).toEqual(['agent', 'mode']);
      expect(notices).toEqual([expect.stringContaining('the store is locked')]);
    },
  );

  test.each([
    ['default', undefined, ['`ls`']],
    ['default', ['read', 'ls'], ['`ls`']],
    ['claude', undefined, ['`LS`']],
    ['default', ['read'], []],
    ['claude', ['Read'], []],
  ] as const)('names the list tool in its section only where it is offered (%s, %j)', async (naming, tools, name) => {
    const { agents } = await startAgents([], { ...(await makeProject()), naming });
    const agent = { ...helper, ...(tools && { tools }) };
    const sectionOf = async (): Promise<string> => {
      const { system, ...prepared } = await agents.prepare({ agent });
      const text = system.find((part) => part.name === 'workspace')?.text ?? '';
      const named = [...text.matchAll(/`(\w+)`/gu)].map(([, tool]) => tool);
      expect(prepared.tools.map((tool) => tool.name)).toEqual(expect.arrayContaining(named));
      return text;
    };
    const section = await sectionOf();
    expect(section).toContain('\nsrc/\n');
    const named = [...section.matchAll(/`?\bls\b`?/giu)].map(([text]) => text);
    expect(new Set(named)).toEqual(new Set(name));
    // An agent with other tools in between changes no byte.
    await agents.prepare({ agent: { ...helper, tools: ['write'] } });
    expect(await sectionOf()).toBe(section);
  });

  test('shows a fact that was added since in the next run, and stays equal until then', async () => {
    const project = await makeProject();
    const { agents } = await startAgents([], project);
    const systemOf = async (): Promise<unknown> => (await agents.prepare({ agent: helper })).system;
    const [one, two] = [await systemOf(), await systemOf()];
    expect(two).toEqual(one);
    await project.memory.facts.remember('The user likes tea');
    expect(JSON.stringify(await systemOf())).toContain('The user likes tea');
  });
});

describe('the bytes of consecutive requests', () => {
  test('begin with all bytes of the request before, in a run and from run to run', async () => {
    const project = await makeProject();
    const script = [done, read, write, done, read, done, done];
    const { server, agents } = await startAgents(script, project);
    for (const prompt of ['Begin.', 'Read and write.', 'Read again.', 'Ready?']) {
      expect((await agents.run({ agent: helper, prompt }).result).finishReason).toBe('stop');
    }
    // The first run has another text of the mode: from the second on the whole prompt continues.
    const [first, ...requests] = server.requests.map(messageBytes);
    expect(requests).toHaveLength(6);
    expect(first).toContain('ISOLATED');
    for (const [index, bytes] of requests.slice(1).entries()) {
      const before = requests[index] ?? '';
      expect(before).toContain('redis-server');
      expect(bytes.slice(0, before.length)).toBe(before);
    }
    const upToMode = (bytes: string): string => bytes.slice(0, bytes.indexOf('Context Mode'));
    expect(upToMode(requests[0] ?? '')).toContain(upToMode(first ?? '').replace('**IMPORTANT - ', ''));
    const tools = server.requests.map(({ chat }) => JSON.stringify(chat.tools));
    expect(new Set(tools).size).toBe(1);
  });

  test.each(Object.keys(MODES) as ContextMode[])('do so in the mode %s', async (mode) => {
    const contexts = new ContextManager();
    const agent = { ...helper, sharePatterns: ['project uses *'], summarizeAfter: 2 };
    for (const name of ['React', 'pnpm']) {
      const turn = [
        { role: 'user', content: `Our project uses ${name}.` },
        { role: 'assistant', content: 'Noted.' },
      ] as const;
      await contexts.appendTurn('main', turn, 'shared');
    }
    const script = [done, read, write, done, read, done];
    const { server, agents } = await startAgents(script, { ...(await makeProject()), contexts });
    for (const prompt of ['Begin.', 'Read and write.', 'Read again.']) {
      expect((await agents.run({ agent, prompt, mode }).result).finishReason).toBe('stop');
    }
    const [, ...requests] = server.requests.map(messageBytes);
    const continues = requests.slice(1).map((bytes, index) => bytes.startsWith(requests[index] ?? ''));
    // A fork has none of its own turns: its next run goes on from main.
    expect(continues).toEqual([true, true, mode !== 'fork', true]);
    const systems = server.requests.slice(1).map(systemPromptOf);
    expect(new Set(systems).size).toBe(1);
  });

  test('are the same after the histories were stored and read again', async () => {
    const path = join(temporaryDirectory(), 'store.db');
    const root = createTree(files);
    const options = { root, toolSets: [codingToolSet] };
    const bodies: string[] = [];
    for (const script of [[done, read, done, done], [done]]) {
      const contexts = await openContexts({ store: sqlite({ path }), project: 'p', session: 's' });
      const { server, agents } = await startAgents(script, { ...options, contexts });
      const prompts = script.length === 1 ? ['Four.'] : ['One.', 'Two.', 'Three.'];
      for (const prompt of prompts) await agents.run({ agent: helper, prompt }).result;
      bodies.push(...server.requests.map(messageBytes));
      await agents.close();
      await contexts.close();
    }
    const [third = '', fourth = ''] = bodies.slice(-2);
    expect(third).toContain('missing.txt');
    expect(fourth.slice(0, third.length)).toBe(third);
  });
});

describe('changes of the workspace', () => {
  test('end the newest prompt, once, and stay in the history; the section stays as it was', async () => {
    const project = await makeProject();
    const { server, agents, contexts } = await startAgents([write, done, done, done], project);
    await agents.run({ agent: helper, prompt: 'Write.' }).result;
    await agents.run({ agent: helper, prompt: 'What now?' }).result;
    await agents.run({ agent: helper, prompt: 'And now?' }).result;
    const last = server.requests[3];
    if (last === undefined) throw new Error('there is no fourth request');
    expect(systemPromptOf(last)).not.toContain('new.ts');
    const prompts = transcriptOf(last).filter((line) => line.startsWith('user: '));
    expect(prompts).toEqual([
      'user: Write.',
      expect.stringMatching(/^user: What now\?\n\n[^]*\+ src\/new\.ts/u),
      'user: And now?',
    ]);
    expect(JSON.stringify(contexts.getContext('helper').conversationHistory)).toContain('+ src/new.ts');
  });

  test('by another program are in the section of the next run', async () => {
    const project = await makeProject();
    const { server, agents } = await startAgents([write, done, done, done, done], project);
    await agents.run({ agent: helper, prompt: 'Write.' }).result;
    await agents.run({ agent: helper, prompt: 'What now?' }).result;
    const path = join(project.root, 'other.txt');
    writeFileSync(path, '');
    for (const prompt of ['And now?', 'Again.']) await agents.run({ agent: helper, prompt }).result;
    const shown = server.requests.map((request) =>
      ['new.ts', 'other.txt'].map((name) => new RegExp(String.raw`\n *${name}\n`, 'u').test(systemPromptOf(request))),
    );
    const [before, after] = [
      [false, false],
      [true, true],
    ];
    expect(shown).toEqual([before, before, before, after, after]);
  });

  test('by a tool that does not announce them end the next prompt; the section stays as it was', async () => {
    const project = await makeProject();
    const shell = makeToolSet(
      makeTool('shell', () => {
        writeFileSync(join(project.root, 'made-by-shell.txt'), '');
        writeFileSync(join(project.root, '.env'), '');
        return 'Done.';
      }),
    );
    const toolSets = [...(project.toolSets ?? []), shell];
    const calls: ModelReply = { toolCalls: [{ name: 'shell', input: { text: 'touch' } }] };
    const { server, agents } = await startAgents([calls, done, done], { ...project, toolSets });
    await agents.run({ agent: helper, prompt: 'Make it.' }).result;
    await agents.run({ agent: helper, prompt: 'What now?' }).result;
    const last = server.requests[2];
    if (last === undefined) throw new Error('there is no third request');
    expect(systemPromptOf(last)).not.toContain('made-by-shell');
    const prompt = transcriptOf(last).findLast((line) => line.startsWith('user: '));
    expect(prompt).toMatch(/^user: What now\?\n\n[^]*\n\+ made-by-shell\.txt\n/u);
    expect(prompt).not.toContain('.env');
  });

  test('by a command of the shell tool end the next prompt; the section stays as it was', async () => {
    const project = await makeProject();
    const shell: ToolSet = {
      name: 'shell',
      open: (context) => {
        const workspace = sessionWorkspace(context);
        const tool = createShellTool({ workspace, approve: () => ({ approved: true }), signal: context.signal });
        return { tools: { shell: tool as Tools[string] } };
      },
    };
    const toolSets = [...(project.toolSets ?? []), shell];
    const calls: ModelReply = { toolCalls: [{ name: 'shell', input: { command: 'touch made-by-shell.txt; exit 3' } }] };
    const { server, agents } = await startAgents([calls, done, done], { ...project, toolSets });
    await agents.run({ agent: helper, prompt: 'Make it.' }).result;
    await agents.run({ agent: helper, prompt: 'What now?' }).result;
    const [first, second, last] = server.requests;
    if (first === undefined || second === undefined || last === undefined) throw new Error('a request is missing');
    expect(systemPromptOf(last)).toBe(systemPromptOf(first));
    expect(transcriptOf(second).join('\n')).toMatch(/Exit code 3 after [^]*No output\./u);
    const prompt = transcriptOf(last).findLast((line) => line.startsWith('user: '));
    expect(prompt).toMatch(/^user: What now\?\n\n[^]*\n\+ made-by-shell\.txt\n/u);
  });

  test('are not handed back to main', async () => {
    const project = await makeProject();
    const { agents, contexts } = await startAgents([write, done, done], project);
    await agents.run({ agent: helper, prompt: 'Write.' }).result;
    await agents.run({ agent: helper, prompt: 'Go on.', mode: 'handback' }).result;
    expect(contexts.main.conversationHistory.map(({ content }) => content)).toEqual(['Done.']);
  });
});

describe('mentions', () => {
  test('are expanded by option: the file is in the request and in the history', async () => {
    const { server, agents, contexts } = await startAgents([done, done], {
      root: createTree(files),
      toolSets: [codingToolSet],
    });
    await agents.run({ agent: helper, prompt: 'Read @a.txt', mentions: true }).result;
    await agents.run({ agent: helper, prompt: 'And now?' }).result;
    const lines = server.requests.map((request) => transcriptOf(request)[0]);
    expect(lines[0]).toMatch(/^user: Read @a\.txt[^]*hello/u);
    expect(lines[1]).toBe(lines[0]);
    expect(JSON.stringify(contexts.getContext('helper').conversationHistory)).toContain('hello');
  });

  test('that cannot be attached, or not whole, are in the notices', async () => {
    const long = `${'word '.repeat(10)}\n`.repeat(900);
    const root = createTree({ 'a.txt': long, 'b.txt': long, 'c.txt': long });
    const { agents } = await startAgents([], { root, maxContextTokens: 100_000 });
    const prompt = 'Read @missing.txt, @a.txt, @b.txt and @c.txt';
    const { notices } = await agents.prepare({ agent: helper, prompt, mentions: true });
    expect(notices).toEqual([
      '@missing.txt is not attached: nothing exists at this path',
      '@c.txt is attached in part: it is larger than the budget of one message',
    ]);
  });

  test('are plain text without the option', async () => {
    const { server, agents } = await startAgents([done], { root: createTree({ 'a.txt': 'hello\n' }) });
    await agents.run({ agent: helper, prompt: 'Read @a.txt' }).result;
    expect(server.requests.map(transcriptOf)).toEqual([['user: Read @a.txt']]);
  });

  test.each([
    [true, [false]],
    [false, [true]],
  ])('count as read for the tools of the run: %s', async (mentions, errors) => {
    const write = { name: 'write', input: { path: 'a.txt', content: 'bye\n' } };
    const { agents } = await startAgents([{ toolCalls: [write] }, done], {
      root: createTree({ 'a.txt': 'hello\n' }),
      toolSets: [codingToolSet],
    });
    const run = agents.run({ agent: helper, prompt: 'Change @a.txt', mentions });
    const found: boolean[] = [];
    for await (const event of run) if (event.type === 'tool-end') found.push(event.isError);
    expect(found).toEqual(errors);
  });

  test('of an image go with the prompt', async () => {
    const png = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
    const { server, agents } = await startAgents([done, done], {
      root: createTree({ 'a.png': Buffer.from(png, 'base64') }),
    });
    await agents.run({ agent: helper, prompt: 'See @a.png', mentions: true }).result;
    await agents.run({ agent: helper, prompt: 'And now?' }).result;
    const sent = server.requests.map(({ chat }) =>
      JSON.stringify(chat.messages).includes(`data:image/png;base64,${png}`),
    );
    expect(sent).toEqual([true, true]);
  });
});

describe('prepare', () => {
  test('returns what the run sends, in every part, without a model', async () => {
    const project = await makeProject();
    const { server, agents } = await startAgents([done, read, done, done], project);
    await agents.run({ agent: helper, prompt: 'One.' }).result;
    await agents.run({ agent: helper, prompt: 'Two.' }).result;
    const prepared = await agents.prepare({ agent: helper, prompt: 'Three.' });
    await agents.run({ agent: helper, prompt: 'Three.' }).result;
    const request = server.requests[3];
    if (request === undefined) throw new Error('there is no fourth request');
    expect(prepared.system.map(({ text }) => text).join('\n\n')).toBe(systemPromptOf(request));
    const texts = (messages: readonly object[]): string[] =>
      messages.flatMap((one) => JSON.stringify(one).match(/Two\.|Three\.|hello|I read/gu) ?? []);
    expect(texts(prepared.messages)).toEqual(texts(request.chat.messages));
    expect(
      prepared.tools.map(({ name, description, inputSchema }) => ({ name, description, parameters: inputSchema })),
    ).toEqual(request.chat.tools?.map((tool) => tool.function));
    const { system, messages, tools, total } = prepared.tokens;
    expect(total).toBe(system + messages + tools);
    expect(messages).toBe(prepared.messages.reduce((sum, message) => sum + tokensOf(message), 0));
    expect(tools).toBe(prepared.tools.reduce((sum, tool) => sum + tool.tokens, 0));
    expect(prepared.system.every(({ tokens }) => tokens > 0)).toBe(true);
  });

  test('needs neither a model nor a prompt, and states what is left out', async () => {
    const contexts = new ContextManager();
    for (let count = 0; count < 5; count++) {
      await contexts.appendTurn('helper', [
        { role: 'user', content: `Question ${count}` },
        { role: 'assistant', content: `Answer ${count}` },
      ]);
    }
    const { agents } = await startAgents([], { contexts, model: undefined, baseUrl: undefined });
    const prepared = await agents.prepare({ agent: { ...helper, contextWindow: 2 } });
    expect(prepared.messages).toHaveLength(2);
    expect(prepared.leftOut).toMatchObject([{ reason: 'window', messages: 8 }]);
    expect(prepared.system.map(({ name }) => name)).toEqual(['agent', 'mode', 'left-out']);
    expect(prepared.notices).toEqual([prepared.system.at(-1)?.text]);
  });

  test.each([
    ['UNKNOWN_AGENT', { agent: 'nobody' }],
    ['INVALID_MODE', { agent: helper, mode: 'merged' as 'shared' }],
    ['UNKNOWN_RUN', { agent: helper, continue: 'run_1' }],
  ])('rejects with %s as the run does', async (code, request) => {
    const { agents } = await startAgents([]);
    await expect(agents.prepare(request)).rejects.toMatchObject({ code });
  });
});

test('the instructions of a tool set are left out with its last tool', async () => {
  const set = { ...makeToolSet(), open: () => ({ tools: {}, instructions: 'Call it often.' }) };
  const { agents } = await startAgents([], { toolSets: [set] });
  const { system } = await agents.prepare({ agent: helper });
  expect(JSON.stringify(system)).not.toContain('Call it often.');
});

test('a prompt that no history can keep is rejected before a request', async () => {
  const { server, agents, contexts } = await startAgents([{ text: 'never' }]);
  const large = new Uint8Array(21 * 1024 * 1024);
  const refused = [
    [[{ type: 'image' as const, image: large, mediaType: 'image/png' }], 'TOO_LARGE'],
    [[{ type: 'text' as const, text: 'Hi', providerOptions: { a: { map: new Map() } } }], 'INVALID_INPUT'],
  ] as const;
  for (const [prompt, code] of refused) {
    const run = agents.run({ agent: helper, prompt: [...prompt] });
    await expect(run.result).rejects.toMatchObject({ code });
  }
  expect([server.requests.length, contexts.getContext('helper').metadata.messageCount]).toEqual([0, 0]);
});

test('a run reads the new messages of a history only, however long it is', async () => {
  const reads: Record<number, number> = {};
  for (const length of [200, 2000]) {
    const contexts = new ContextManager();
    for (let turn = 0; turn < length / 2; turn++) {
      await contexts.appendTurn('helper', [
        { role: 'user', content: `Question ${turn} `.padEnd(400, 'x') },
        { role: 'assistant', content: `Answer ${turn} `.padEnd(400, 'x') },
      ]);
    }
    const getContext = contexts.getContext.bind(contexts);
    let count = 0;
    const conversationHistory = new Proxy(getContext('helper').conversationHistory, {
      get: (target, key): unknown => {
        if (typeof key === 'string' && /^\d+$/u.test(key)) count += 1;
        return Reflect.get(target, key);
      },
    });
    contexts.getContext = (name, mode) => ({ ...getContext(name, mode), conversationHistory });
    const { agents } = await startAgents([done, done], { contexts, maxContextTokens: 4000 });
    await agents.run({ agent: helper, prompt: 'One' }).result;
    count = 0;
    await agents.run({ agent: helper, prompt: 'Two' }).result;
    reads[length] = count;
  }
  expect(reads[200]).toBeGreaterThan(0);
  expect(reads[200]).toBeLessThan(20);
  expect(reads[2000]).toBe(reads[200]);
});
