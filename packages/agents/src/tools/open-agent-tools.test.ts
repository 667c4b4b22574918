import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createCodingTools, createCodingToolSet, createWorkspace, namingProfiles } from '@cairn/coding-agent';
import { toolOfName } from '@cairn/coding-agent/internal';
import type { AgentDefinition } from '@cairn/context';
import { createKnowledgeToolSet } from '@cairn/knowledge/tools';
import { createMemory } from '@cairn/memory';
import { memory } from '@cairn/memory/memory';
import { createMemoryTools, memoryToolSet } from '@cairn/memory/tools';
import { createTool, inputSchema, succeed, textOf } from '@cairn/tool';
import type { ToolSet } from '@cairn/tool';
import { createWorkspaceCacheToolSet } from '@cairn/workspace-cache/tools';
import type { ToolSet as AiToolSet } from 'ai';
import fc from 'fast-check';
import { beforeEach, describe, expect, test } from 'vitest';
import { createApprovals } from '../approvals/approvals.ts';
import { openAgentTools } from './open-agent-tools.ts';
import type { AgentTools, AgentToolsOptions } from './open-agent-tools.ts';
import { cairnTools, toolNameOf } from '../tool-names.ts';

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'cairn-agent-tools-'));
  writeFileSync(join(root, 'a.txt'), 'one\n');
});

const calls: string[] = [];
const probes: ToolSet = {
  name: 'probes',
  open: ({ agent }) => ({
    tools: Object.fromEntries(
      (['inspect', 'change'] as const).map((name) => [
        name,
        createTool({
          name,
          description: name,
          inputSchema: inputSchema({}),
          annotations: {
            title: name,
            readOnlyHint: name === 'inspect',
            destructiveHint: false,
            idempotentHint: true,
            openWorldHint: false,
          },
          run: async () => {
            calls.push(name);
            return succeed(`${name} for ${agent ?? 'main'}`, {});
          },
        }),
      ]),
    ),
    instructions: 'Inspect before you change.',
  }),
};

/** A set with one tool, which reads, under each of these names. */
function setOf(...names: readonly string[]): ToolSet {
  const open: ToolSet['open'] = async (context) => {
    const { inspect } = (await probes.open(context)).tools;
    return { tools: Object.fromEntries(inspect === undefined ? [] : names.map((name) => [name, inspect])) };
  };
  return { name: 'mine', open };
}

const sets = (): ToolSet[] => [
  createCodingToolSet(),
  createWorkspaceCacheToolSet(),
  memoryToolSet({ open: async () => createMemory({ backend: memory(), project: 'app' }) }),
  probes,
];

type Options = Partial<Omit<AgentToolsOptions, 'agent'>> & Partial<AgentDefinition>;

function open({ tools, permissions, source, path, name = 'reviewer', ...options }: Options = {}): Promise<AgentTools> {
  const fields = { ...(permissions && { permissions }), ...(source && { source }), ...(path && { path }) };
  const agent = { name, ...(tools && { tools }), ...fields };
  return openAgentTools({ toolSets: sets(), roots: [root], agent, ...options });
}

async function call({ tools }: AgentTools, name: string, input: unknown = {}): Promise<string> {
  const result = await tools[name]?.execute(input, { toolCallId: 'call_1' });
  return result === undefined ? 'not offered' : textOf(result);
}

const offeredNames = ({ tools }: AgentTools): string[] => Object.keys(tools);

describe('the names of tools', () => {
  test('are those of the tool sets', async () => {
    const graph = createMemoryTools({ memory: () => Promise.reject(new Error('closed')), naming: 'mcp-memory' });
    const knowledge = createKnowledgeToolSet({ open: () => Promise.reject(new Error('closed')) });
    const offered = offeredNames(await open({ toolSets: [...sets().slice(0, 3), knowledge] }));
    expect([...offered, ...Object.keys(graph), 'agent'].toSorted()).toEqual(cairnTools.toSorted());
  });

  test('of each naming profile stand for the tools of the profile', () => {
    const workspace = createWorkspace({ root });
    for (const naming of namingProfiles) {
      for (const name of Object.keys(createCodingTools({ workspace, naming }))) {
        expect([name, toolNameOf(name)]).toEqual([name, toolOfName(name, naming)]);
      }
    }
    for (const name of cairnTools) expect(toolNameOf(name)).toBe(name);
  });

  test.each([
    ['read', 'read'],
    ['Read', 'read'],
    ['MultiEdit', 'edit'],
    ['read_file', 'read'],
    ['search_files', 'glob'],
    ['recall', 'recall'],
    ['mcp__cairn__recall', 'recall'],
    ['mcp__other__recall', undefined],
    ['Bash', undefined],
    ['clock', undefined],
    ['constructor', undefined],
  ])('%s is %s', (given, name) => {
    expect(toolNameOf(given)).toBe(name);
  });

  test('are also those of other sets', () => {
    expect(toolNameOf('clock', ['clock'])).toBe('clock');
    expect(toolNameOf('mcp__cairn__clock', ['clock'])).toBe('clock');
  });
});

describe('the tools of a run', () => {
  test('are those of all sets when the definition names none', async () => {
    const tools: AiToolSet = (await open()).tools;
    expect(Object.keys(tools)).toContain('workspace_tree');
    expect(Object.keys(tools)).toContain('notes');
    expect(Object.keys(tools)).not.toContain('agent');
  });

  test.each(namingProfiles)('are those that the definition names, also in the profile %s', async (naming) => {
    const offered = offeredNames(await open({ tools: ['Read', 'grep', 'find', 'remember'], naming }));
    const ours = offered.map((name) => toolNameOf(name));
    expect(new Set(ours)).toEqual(new Set(['read', 'grep', 'glob', 'remember']));
  });

  test('count a file as read for each other, and not for another run', async () => {
    const [one, other] = [await open(), await open()];
    await call(one, 'read', { path: 'a.txt' });
    const input = { path: 'a.txt', content: 'two\n' };
    expect(await call(other, 'write', input)).toContain('read');
    expect(readFileSync(join(root, 'a.txt'), 'utf8')).toBe('one\n');
    await call(one, 'write', input);
    expect(readFileSync(join(root, 'a.txt'), 'utf8')).toBe('two\n');
  });

  test('answer an invalid input with their own message, and keep a result as the model reads it', async () => {
    const { tools } = await open();
    const result = await tools['read']?.execute({ path: 1 }, { toolCallId: 'call_1' });
    expect(result && textOf(result)).toContain(
      'read: invalid parameter path: Invalid input: expected string, received number',
    );
    expect(result && tools['read']?.toModelOutput({ output: result })).toMatchObject({ type: 'error-text' });
  });

  test('stop with the signal of a call', async () => {
    const { tools } = await open();
    const aborted = AbortSignal.abort(new Error('stop'));
    await expect(tools['inspect']?.execute({}, { toolCallId: '1', abortSignal: aborted })).rejects.toThrow('stop');
  });

  test('have the instructions of the sets that offer one, for reading when they only read', async () => {
    expect((await open()).instructions).toEqual([
      expect.stringContaining('Write with remember'),
      'Inspect before you change.',
    ]);
    expect((await open({ tools: ['recall'] })).instructions).toEqual([
      expect.stringMatching(/^Memory: facts of earlier(?![\s\S]*remember)/u),
    ]);
    expect((await open({ tools: ['read'] })).instructions).toEqual([]);
  });

  test('end with the run: what a set holds for the session is released', async () => {
    const signals: AbortSignal[] = [];
    const holder: ToolSet = { name: 'holder', open: ({ signal }) => (signals.push(signal), { tools: {} }) };
    const outer = new AbortController();
    const one = await open({ toolSets: [holder] });
    await open({ toolSets: [holder], signal: outer.signal });
    one.close();
    outer.abort();
    await expect(
      open({ toolSets: [holder, { name: 'broken', open: () => Promise.reject(new Error('no')) }] }),
    ).rejects.toThrow('no');
    expect(signals.map(({ aborted }) => aborted)).toEqual([true, true, true]);
  });

  test.each([
    ['isolated', 'reviewer'],
    ['handback', 'reviewer'],
    ['selective', 'reviewer'],
    ['summarized', 'reviewer'],
    ['shared', 'main'],
    ['fork', 'main'],
  ] as const)('in the mode %s are those of %s', async (mode, owner) => {
    expect(await call(await open({ mode }), 'inspect')).toBe(`inspect for ${owner}`);
  });
});

describe('a call outside the list', () => {
  test.each([
    ['write', 'The agent reviewer may not call "write". Nothing was done. Use read, inspect'],
    ['Write', 'The agent reviewer may not call "Write". Nothing was done. Use read, inspect'],
    ['apply_patch', 'The agent reviewer may not call "apply_patch". Nothing was done.'],
    ['change', 'The agent reviewer may not call "change".'],
    ['Read', 'There is no tool "Read". Nothing was done. Call read.'],
    ['read_file', 'There is no tool "read_file". Nothing was done. Call read.'],
    ['bash', 'There is no tool "bash". Nothing was done. Use read, inspect'],
    ['constructor', 'There is no tool "constructor".'],
    ['x\u202e\n', String.raw`There is no tool "x\u202e\n".`],
  ])('of %j is rejected, and states what to call', async (name, text) => {
    const opened = await open({ tools: ['Read', 'inspect'] });
    expect(Object.hasOwn(opened.tools, name)).toBe(false);
    expect(opened.refuse(name)).toContain(text);
  });

  test('states that a read-only run changes nothing', async () => {
    const opened = await open({ readOnly: true });
    expect(offeredNames(opened)).not.toContain('write');
    expect(opened.refuse('write')).toContain('The agent reviewer may not call "write" in a read-only run.');
  });

  test('is rejected in Chinese', async () => {
    const opened = await open({ tools: ['Read'], readOnly: true, language: 'zh' });
    expect(opened.refuse('Read')).toBe('没有工具 "Read"，未执行任何操作。请调用 read。');
    expect(opened.refuse('write')).toBe(
      'agent reviewer 正在只读运行，不能调用 "write"，未执行任何操作。可使用 read，或不用此工具直接回答。',
    );
  });

  test('does not list hundreds of names', async () => {
    const many = setOf(...Array.from({ length: 500 }, (_, index) => `tool_${index}`));
    expect((await open({ toolSets: [many] })).refuse('x'.repeat(10_000)).length).toBeLessThan(1000);
  });
});

describe('a name in a definition', () => {
  test('that no tool has is an error of the definition', async () => {
    await expect(open({ tools: ['raed'], path: '/app/.cairn/agents/reviewer.md' })).rejects.toMatchObject({
      code: 'INVALID_DEFINITION',
      path: '/app/.cairn/agents/reviewer.md',
      message: 'The agent reviewer names the tool "raed", which does not exist. Did you mean read?',
    });
  });

  test('that no tool has is a notice in a file of Claude Code, and gives no other tool', async () => {
    const opened = await open({ tools: ['Read', 'Bash'], source: 'claude-project' });
    expect(offeredNames(opened)).toEqual(['read']);
    expect(opened.notices).toEqual(['The tool "Bash" of the agent reviewer is not available here.']);
  });

  test('of a tool of Cairn that is not there is a notice', async () => {
    const opened = await open({ tools: ['inspect', 'read_graph'], toolSets: [probes] });
    expect([offeredNames(opened), opened.notices]).toEqual([
      ['inspect'],
      ['The tool "read_graph" of the agent reviewer is not available here.'],
    ]);
  });

  test('in an empty list gives no tool', async () => {
    const opened = await open({ tools: [] });
    expect(offeredNames(opened)).toEqual([]);
    expect(opened.refuse('read')).toContain('Answer without tools.');
  });

  test('gives a tool of exactly this name before one that a profile names so', async () => {
    const finder = setOf('find');
    expect(offeredNames(await open({ tools: ['find'], toolSets: [createCodingToolSet(), finder] }))).toEqual(['find']);
    expect(offeredNames(await open({ tools: ['glob'], toolSets: [createCodingToolSet(), finder] }))).toEqual(['glob']);
  });
});

test('two tools of one name are an error, as is one that is named like the tool that delegates', async () => {
  await expect(open({ toolSets: [probes, { ...probes, name: 'again' }] })).rejects.toMatchObject({
    code: 'INVALID_OPTION',
    summary: 'The tool sets probes and again both have a tool "inspect"',
  });
  await expect(open({ toolSets: [setOf('agent')] })).rejects.toMatchObject({ code: 'INVALID_OPTION' });
});

describe('permissions', () => {
  test('of plan offer what reading tools a list has, and no other', async () => {
    const opened = await open({ permissions: 'plan', tools: ['read', 'write', 'inspect', 'change'] });
    expect(offeredNames(opened)).toEqual(['read', 'inspect']);
    expect(opened.refuse('change')).toContain('in a read-only run');
    expect(opened.grant.readOnly).toBe(true);
  });

  test('that nothing enforces are an error', async () => {
    await expect(open({ permissions: 'ask' })).rejects.toMatchObject({
      code: 'INVALID_OPTION',
      message:
        'The agent reviewer has rules about its calls, which nothing enforces without approvals. Pass approvals.',
    });
    const approvals = createApprovals({ root: tmpdir() });
    await expect(open({ permissions: 'asks' as never, approvals })).rejects.toMatchObject({
      code: 'INVALID_OPTION',
      message:
        'The agent reviewer has the invalid permissions "asks". Use plan, ask, acceptEdits, bypassPermissions, or leave them out.',
    });
  });
});

describe('a nested run', () => {
  const names = ['read', 'write', 'edit', 'inspect', 'change', 'remember', 'recall'];
  const list = fc.option(fc.subarray(names), { nil: undefined });

  test('may call what every run above it may, and nothing that changes below a read-only one', async () => {
    const level = fc.record({ tools: list, readOnly: fc.boolean(), isPlan: fc.boolean() });
    await fc.assert(
      fc.asyncProperty(fc.array(level, { minLength: 1, maxLength: 3 }), async (levels) => {
        let within: AgentTools['grant'] | undefined;
        let opened = await open();
        for (const { tools, readOnly, isPlan } of levels) {
          const rules = { ...(tools && { tools }), ...(isPlan && { permissions: 'plan' as const }), readOnly };
          opened = await open({ ...rules, ...(within && { within }), toolSets: sets() });
          within = opened.grant;
        }
        // The oracle: each name against each level.
        const changing = new Set(['write', 'edit', 'change', 'remember']);
        const expected = names.filter((name) =>
          levels.every(
            ({ tools, readOnly, isPlan }) =>
              (tools?.includes(name) ?? true) && !((readOnly || isPlan) && changing.has(name)),
          ),
        );
        expect(
          offeredNames(opened)
            .filter((name) => names.includes(name))
            .toSorted(),
        ).toEqual(expected.toSorted());
      }),
      { numRuns: 30 },
    );
  });

  test('sees nothing of main when its caller does not', async () => {
    const { grant } = await open();
    for (const mode of ['shared', 'fork', 'selective', 'summarized'] as const) {
      await expect(open({ mode, within: grant })).rejects.toMatchObject({ code: 'DELEGATION_REFUSED' });
      await open({ mode, within: (await open({ mode: 'fork' })).grant });
    }
    await open({ mode: 'handback', within: grant });
  });

  test('is offered delegation when its list and the lists above have it', async () => {
    const delegate = () => undefined as never;
    const tool = { delegate: () => ({ description: 'agents' }) as never };
    expect(offeredNames(await open({ ...tool, tools: ['read', 'agent'] }))).toEqual(['read', 'agent']);
    expect(offeredNames(await open({ ...tool, tools: ['read'] }))).toEqual(['read']);
    expect(offeredNames(await open({ delegate, tools: ['read', 'agent'] }))).toEqual(['read']);
    const { grant } = await open({ ...tool, tools: ['read'] });
    expect(offeredNames(await open({ ...tool, within: grant }))).toEqual(['read']);
  });
});
