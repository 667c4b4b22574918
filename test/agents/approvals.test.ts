/** Approvals of the calls of agents: by rules, by a person, and for runs that other runs start. */
import { agentTool, createApprovals } from '@cairn/agents';
import type { AgentEvent, ApprovalAnswer, ApprovalRequest, ApprovalsOptions } from '@cairn/agents';
import { createCodingToolSet } from '@cairn/coding-agent';
import type { AgentDefinition } from '@cairn/context';
import { textOf, type ToolSet } from '@cairn/tool';
import { existsSync, linkSync, mkdirSync, readFileSync, renameSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { toolNamesOf, transcriptOf } from '../support/model-server.ts';
import type { ModelAnswer, ModelScript } from '../support/model-server.ts';
import { createTree, type Tree } from '../support/tree.ts';
import { helper, startAgents, type StartedAgents } from './start-agents.ts';
import { makeTool, makeToolSet } from './tools-for-tests.ts';

interface Setup {
  readonly tree?: Tree;
  readonly options?: Partial<ApprovalsOptions>;
  readonly answer?: (request: ApprovalRequest) => ApprovalAnswer | Promise<ApprovalAnswer>;
  readonly agent?: AgentDefinition;
  readonly agents?: readonly AgentDefinition[];
  readonly toolSets?: readonly ToolSet[];
  readonly naming?: string;
}

interface Started extends StartedAgents {
  readonly root: string;
  readonly asked: ApprovalRequest[];
  readonly events: AgentEvent[];
  readonly run: () => Promise<{ readonly text: string; readonly notices: readonly string[] }>;
  readonly has: (path: string) => string | undefined;
}

function call(name: string, input: object): ModelAnswer {
  return { toolCalls: [{ name, input }] };
}

function write(path: string, content = 'new\n'): ModelAnswer {
  return call('write', { path, content });
}

async function start(script: ModelScript, setup: Setup = {}): Promise<Started> {
  const { tree = {}, options, answer, agent = helper, agents: more = [], naming } = setup;
  const root = createTree(tree);
  const asked: ApprovalRequest[] = [];
  const ask =
    answer &&
    (async (request: ApprovalRequest) => {
      asked.push(request);
      return answer(request);
    });
  const approvals = createApprovals({ root, ask, ...options });
  const definitions = { agents: new Map(more.map((one) => [one.name, one])), problems: [], replaced: [] };
  const toolSets = setup.toolSets ?? [createCodingToolSet({ stateDirectory: createTree({}) })];
  const started = await startAgents(script, { root, approvals, toolSets, definitions, naming });
  const events: AgentEvent[] = [];
  const run = async () => {
    const running = started.agents.run({ agent, prompt: 'Do it.' });
    for await (const event of running) events.push(event);
    return running.result;
  };
  const has = (path: string): string | undefined =>
    existsSync(join(root, path)) ? readFileSync(join(root, path), 'utf8') : undefined;
  return { ...started, root, asked, events, run, has };
}

function results({ server }: Started): string {
  const last = server.requests.at(-1);
  return last === undefined ? '' : transcriptOf(last).join('\n');
}

describe('a change that no rule allows', () => {
  test('is rejected when no person can be asked; the run goes on and states how to allow it', async () => {
    const started = await start([write('src/a.txt'), { text: 'I could not.' }]);
    const { text, notices } = await started.run();
    expect(started.has('src/a.txt')).toBeUndefined();
    expect(text).toBe('I could not.');
    expect(notices).toEqual([expect.stringContaining('Allow it with the rule write(src/a.txt)')]);
    expect(results(started)).toMatch(/needs the approval of the user, who cannot be asked here\. Nothing was done/u);
    expect(started.events.filter(({ type }) => type === 'approval')).toMatchObject([
      { state: 'rejected', by: 'nobody' },
    ]);
  });

  test('runs when a person allows it, once', async () => {
    const started = await start([write('a.txt'), write('b.txt'), { text: 'Done.' }], {
      answer: ({ id }) => (id.includes('1_1') ? { answer: 'once' } : { answer: 'no', reason: 'not this one' }),
    });
    await started.run();
    expect([started.has('a.txt'), started.has('b.txt')]).toEqual(['new\n', undefined]);
    expect(started.asked.map(({ always, session }) => [always, session])).toEqual([
      [undefined, ['write']],
      [undefined, ['write']],
    ]);
    expect(results(started)).toContain('The user rejected this call of write: not this one. Nothing was done.');
    expect(started.events.flatMap((event) => (event.type === 'approval' ? [event.state] : []))).toEqual([
      'asked',
      'allowed',
      'asked',
      'rejected',
    ]);
  });

  test('shows the person what would change, before anything is changed', async () => {
    const started = await start(
      [call('edit', { path: 'a.txt', edits: [{ old_text: 'one', new_text: 'two' }] }), { text: 'Done.' }],
      {
        tree: { 'a.txt': 'one\n' },
        answer: ({ changes }) => {
          expect(changes).toMatchObject([{ from: 'a.txt', to: 'a.txt', diff: { addedLines: 1, removedLines: 1 } }]);
          expect(started.has('a.txt')).toBe('one\n');
          return { answer: 'once' };
        },
      },
    );
    await started.run();
    expect(started.has('a.txt')).toBe('two\n');
  });

  test('does not ask about a call that fails anyway', async () => {
    const started = await start(
      [call('edit', { path: 'a.txt', edits: [{ old_text: 'x', new_text: 'y' }] }), { text: 'Done.' }],
      {
        tree: { 'a.txt': 'one\n' },
        answer: () => ({ answer: 'once' }),
      },
    );
    await started.run();
    expect(started.asked).toEqual([]);
    expect(results(started)).toContain('Nothing was changed');
  });
});

test('the answer for the session allows the tool from then on, even calls that wait for their question', async () => {
  const all = { toolCalls: ['a', 'b', 'c'].map((name) => ({ name: 'write', input: { path: name, content: 'x' } })) };
  const started = await start([all, write('.mcp.json'), { text: 'Done.' }], { answer: () => ({ answer: 'session' }) });
  await started.run();
  expect(['a', 'b', 'c'].map((name) => started.has(name))).toEqual(['x', 'x', 'x']);
  // A protected path has no such answer.
  expect(started.asked.map(({ name, session, why }) => [name, session, why])).toEqual([
    ['write', ['write'], undefined],
    ['write', undefined, 'changes of .mcp.json are always asked about'],
  ]);
});

test('the answer always keeps a rule about exactly this path', async () => {
  const kept: string[] = [];
  const started = await start(
    [write('src/[id].ts', '1'), write('src/[id].ts', '2'), write('src/i.ts'), { text: 'Done.' }],
    {
      options: { keep: async (rules) => void kept.push(...rules) },
      answer: ({ paths }) => (paths?.[0]?.path.endsWith('i.ts') ? { answer: 'no' } : { answer: 'always' }),
    },
  );
  await started.run();
  expect(kept).toEqual(['write("src/[id].ts")']);
  expect([started.has('src/[id].ts'), started.has('src/i.ts')]).toEqual(['2', undefined]);
  expect(started.asked).toHaveLength(2);
});

test('a person who thinks does not use the time of the run', async () => {
  let finish = (): void => undefined;
  const started = await start([write('a.txt'), { text: 'Done.' }], {
    answer: () => new Promise((resolve) => (finish = () => resolve({ answer: 'once' }))),
  });
  const running = started.agents.run({ agent: helper, prompt: 'Do it.', timeoutMs: 2000 });
  for await (const event of running) {
    if (event.type !== 'approval' || event.state !== 'asked') continue;
    // Longer than the limit.
    setTimeout(() => finish(), 2500);
  }
  expect(await running.result).toMatchObject({ finishReason: 'stop' });
});

test('an abort ends the question, and the call does not run', async () => {
  const end = new AbortController();
  const started = await start([write('a.txt'), { text: 'Done.' }], {
    options: {
      ask: (_request, { signal }) =>
        new Promise((_, reject) => {
          signal?.addEventListener('abort', () => reject(signal.reason));
          end.abort(new Error('enough'));
        }),
    },
  });
  const { finishReason } = await started.agents.run({ agent: helper, prompt: 'Do it.', signal: end.signal }).result;
  expect([finishReason, started.has('a.txt')]).toEqual(['aborted', undefined]);
});

describe('the rules of a definition', () => {
  const own: AgentDefinition = { ...helper, source: 'user', path: '/home/me/helper.md' };
  const foreign: AgentDefinition = { ...helper, source: 'project', path: '/work/helper.md' };

  test.each<[string, Partial<AgentDefinition>]>([
    ['acceptEdits', { permissions: 'acceptEdits' }],
    ['bypassPermissions', { permissions: 'bypassPermissions' }],
    ['allow', { allow: ['write'] }],
  ])(
    '%s counts in the definition of the user, and is ignored with a notice in that of a project',
    async (name, fields) => {
      const mine = await start([write('a.txt'), { text: 'Done.' }], { agent: { ...own, ...fields } });
      await mine.run();
      expect(mine.has('a.txt')).toBe('new\n');
      for (const source of ['project', 'claude-project'] as const) {
        const theirs = await start([write('a.txt'), { text: 'Done.' }], { agent: { ...foreign, ...fields, source } });
        const { notices } = await theirs.run();
        expect(theirs.has('a.txt')).toBeUndefined();
        expect(notices[0]).toMatch(new RegExp(`runs without .*${name}.*: its definition comes with the project`, 'u'));
      }
    },
  );

  test.each<[string, Partial<AgentDefinition>]>([
    ['ask', { ask: ['write'] }],
    ['deny', { deny: ['*(a.txt)'] }],
    ['permissions: ask', { permissions: 'ask' }],
  ])('%s narrows what is allowed, wherever it comes from', async (_name, fields) => {
    const allowed = { options: { rules: [{ source: 'x', allow: ['*'] }] } };
    const started = await start([write('a.txt'), { text: 'Done.' }], { ...allowed, agent: { ...foreign, ...fields } });
    await started.run();
    expect(started.has('a.txt')).toBeUndefined();
  });

  test('that are invalid are an error with the file', async () => {
    const started = await start([{ text: 'Done.' }], { agent: { ...foreign, deny: ['wirte'] } });
    await expect(started.run()).rejects.toMatchObject({
      code: 'INVALID_RULE',
      message: expect.stringContaining('Invalid rule "wirte" in /work/helper.md'),
    });
  });
});

describe('a delegated agent', () => {
  const writer: AgentDefinition = {
    name: 'writer',
    description: 'Writes.',
    systemPrompt: 'You write.',
    source: 'user',
    permissions: 'bypassPermissions',
    path: '/home/me/writer.md',
  };
  const script: ModelScript = ({ chat }) => {
    const isNested = JSON.stringify(chat.messages).includes('You write');
    if (chat.messages.at(-1)?.role !== 'user') return { text: 'Done.' };
    return isNested ? write('a.txt') : call('agent', { name: 'writer', prompt: 'Write it.' });
  };

  test('inherits the rules, and its definition cannot widen them', async () => {
    const started = await start(script, { agents: [writer] });
    await started.run();
    expect(started.has('a.txt')).toBeUndefined();
    const allowed = await start(script, { agents: [writer], options: { rules: [{ source: 'x', allow: ['write'] }] } });
    await allowed.run();
    expect(allowed.has('a.txt')).toBe('new\n');
  });

  test('is narrowed by the definition of the agent that starts it', async () => {
    const started = await start(script, {
      agents: [writer],
      options: { rules: [{ source: 'x', allow: ['*'] }] },
      agent: { ...helper, deny: ['write'] },
    });
    await started.run();
    expect(started.has('a.txt')).toBeUndefined();
    expect(started.events).toContainEqual(
      expect.objectContaining({ type: 'approval', depth: 1, state: 'rejected', by: 'rule' }),
    );
  });

  test('asks with its name, and an answer counts for the whole session', async () => {
    const started = await start(script, { agents: [writer], answer: () => ({ answer: 'once' }) });
    await started.run();
    expect(started.asked.map(({ agent }) => agent)).toEqual(['writer']);
    expect(started.has('a.txt')).toBe('new\n');
  });

  test('that another program starts by a tool has the same approvals', async () => {
    const started = await start(script, { agents: [{ ...writer, source: 'project' }] });
    const tool = agentTool(started.agents);
    const result = await tool.execute({ name: 'writer', prompt: 'You write. Go.' }, { toolCallId: '1' });
    expect(textOf(result)).toContain('Done.');
    expect(started.has('a.txt')).toBeUndefined();
  });
});

describe('a way around', () => {
  const all = { options: { rules: [{ source: 'x', allow: ['*'] }] } };

  test.each<[string, ModelAnswer, Tree]>([
    ['a path with ..', write('src/../.claude/a.md'), { src: {} }],
    ['another case', write('.CLAUDE/a.md'), {}],
    ['a patch', call('patch', { patch: '*** Begin Patch\n*** Add File: .mcp.json\n+{}\n*** End Patch' }), {}],
    [
      'a move in a patch',
      call('patch', {
        patch: '*** Begin Patch\n*** Update File: a.md\n*** Move to: .claude/a.md\n@@\n-x\n+y\n*** End Patch',
      }),
      { 'a.md': 'x\n' },
    ],
    ['a rename', call('rename', { from: 'a.md', to: '.claude/a.md' }), { 'a.md': 'x\n' }],
    ['a rename of a directory', call('rename', { from: 'mine', to: '.claude' }), { 'mine/a.md': 'x\n' }],
    ['a rename of what is there', call('rename', { from: '.mcp.json', to: 'b.json' }), { '.mcp.json': '{}' }],
    ['a directory around it', call('rename', { from: 'sub', to: 'other' }), { 'sub/.claude/a.md': 'x' }],
    ['a deletion around it', call('delete', { path: 'sub', recursive: true }), { 'sub/.claude/a.md': 'x' }],
  ])('through %s asks', async (_name, answer, tree) => {
    const started = await start([answer, { text: 'Done.' }], { ...all, tree });
    const { notices } = await started.run();
    expect(results(started)).toContain('needs the approval of the user');
    expect(notices.join()).toContain('always asked about');
    expect(started.has('.claude/a.md') ?? started.has('.CLAUDE/a.md') ?? started.has('b.json')).toBeUndefined();
  });

  test('through a link to a protected directory, from it, or a second name of a file asks', async () => {
    const started = await start(
      [write('notes/a.md'), write('settings/agents/b.md'), write('other.txt', 'x'), { text: 'Done.' }],
      { ...all, tree: { '.codex/x': '', 'settings/x': '', 'mcp.txt': 'old' } },
    );
    symlinkSync('.codex', join(started.root, 'notes'));
    symlinkSync('settings', join(started.root, '.claude'));
    renameSync(join(started.root, 'mcp.txt'), join(started.root, '.mcp.json'));
    linkSync(join(started.root, '.mcp.json'), join(started.root, 'other.txt'));
    const { notices } = await started.run();
    expect(started.has('.codex/a.md') ?? started.has('settings/agents/b.md')).toBeUndefined();
    expect(started.has('.mcp.json')).toBe('old');
    // The file was not read before.
    expect(notices.join()).toMatch(/\.codex are always asked.*\.claude are always asked/u);
    expect(results(started)).toContain('was never read');
    const edit = call('edit', { path: 'other.txt', edits: [{ old_text: 'old', new_text: 'bad' }] });
    const again = await start([edit, { text: 'Done.' }], { ...all, tree: { '.mcp.json': 'old' } });
    linkSync(join(again.root, '.mcp.json'), join(again.root, 'other.txt'));
    expect((await again.run()).notices.join()).toContain('the file has other names');
    expect(again.has('.mcp.json')).toBe('old');
  });

  test('through a link that changes while the person reads the question asks again about where it leads', async () => {
    const started: Started = await start([write('notes/a.md'), { text: 'Done.' }], {
      tree: { 'docs/x': '', '.codex/x': '' },
      answer: ({ paths }) => {
        if (paths?.[0]?.path.includes('.codex')) return { answer: 'no' };
        rmSync(join(started.root, 'notes'));
        symlinkSync('.codex', join(started.root, 'notes'));
        return { answer: 'once' };
      },
    });
    symlinkSync('docs', join(started.root, 'notes'));
    await started.run();
    expect(started.asked).toHaveLength(2);
    expect(started.has('.codex/a.md') ?? started.has('docs/a.md')).toBeUndefined();
  });

  test.each(['claude', 'gemini', 'codex', 'mcp-fs', 'pi'])('through the names of %s does not exist', async (naming) => {
    const probe = await start([{ text: 'x' }], { naming });
    await probe.run();
    const names = probe.server.requests.flatMap((request) => toolNamesOf(request));
    const name = names.find((one) => /^write(?:_file)?$/iu.test(one)) ?? 'write';
    const input =
      naming === 'claude' || naming === 'gemini'
        ? { file_path: join(probe.root, 'a.txt'), content: 'x' }
        : { path: 'a.txt', content: 'x' };
    for (const [deny, isWritten] of [
      [['write'], false],
      [[], true],
    ] as const) {
      const started = await start(
        [
          call(name, naming === 'claude' || naming === 'gemini' ? { ...input, file_path: 'a.txt' } : input),
          { text: 'x' },
        ],
        {
          naming,
          options: { rules: [{ source: 'x', allow: ['*'], deny }] },
        },
      );
      await started.run();
      expect(started.has('a.txt') !== undefined).toBe(isWritten);
    }
  });

  test('through a tool that is named like one of ours needs a rule of its own', async () => {
    let ran = 0;
    const mine = makeToolSet(makeTool('Write', () => String(++ran)));
    const started = await start([call('Write', { text: 'x' }), { text: 'x' }], {
      toolSets: [mine],
      options: { rules: [{ source: 'x', allow: ['write', 'Write'] }] },
    });
    await started.run();
    expect(ran).toBe(0);
  });

  test('through a command that is not a string does not exist', async () => {
    let ran = 0;
    const shell = { ...makeTool('shell', () => String(++ran)), effect: 'command' as const };
    const inputs = [{ text: 'x', command: ['ls'] }, { text: 'x' }, { text: 'x', command: 'ls; rm x' }];
    const started = await start([{ toolCalls: inputs.map((input) => ({ name: 'shell', input })) }, { text: 'x' }], {
      toolSets: [makeToolSet(shell)],
      options: { rules: [{ source: 'x', allow: ['shell(ls *)', 'shell(ls)'] }] },
    });
    const { notices } = await started.run();
    expect(ran).toBe(0);
    expect(notices.join()).toContain('no rule can allow more than one simple command');
  });
});

test('agents without approvals change nothing', async () => {
  const root = createTree({});
  mkdirSync(join(root, 'src'));
  const { agents } = await startAgents([write('src/a.txt'), { text: 'Done.' }], {
    root,
    approvals: createApprovals({ root }),
    toolSets: [createCodingToolSet({ stateDirectory: createTree({}) })],
  });
  await agents.run({ agent: helper, prompt: 'Go' }).result;
  expect(existsSync(join(root, 'src/a.txt'))).toBe(false);
});
