import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Client } from '@modelcontextprotocol/client';
import { describe, expect, onTestFinished, test } from 'vitest';
import { cairn } from '../support/cli.ts';
import { startModelServer, toolNamesOf, transcriptOf } from '../support/model-server.ts';
import type { ModelAnswer, ModelRequest, ModelScript, ModelServer } from '../support/model-server.ts';
import { createTree, temporaryDirectory } from '../support/tree.ts';
import { call, connect, connectUrl, startHttp, ways } from './support.ts';

const reviewer = `---
name: reviewer
description: Reviews a file.
tools: [read, write]
---
You review.
`;
const broken = '---\nname: broken\ncontextMode: open\n---\nNo description.\n';
const tree = { 'a.txt': 'hello\n', '.cairn/agents/reviewer.md': reviewer };

interface Place {
  readonly root: string;
  readonly server: ModelServer;
  readonly args: readonly string[];
}

/** The agents may do anything, unless other flags are given. */
async function place(
  script: ModelScript,
  files: Readonly<Record<string, string>> = tree,
  flags: readonly string[] = ['--trust', '--allow', '*'],
): Promise<Place> {
  const server = await startModelServer(script);
  onTestFinished(() => server.close());
  const args = ['--agents', '--model', 'scripted', '--base-url', server.url, ...flags];
  return { root: createTree(files), server, args: [...args, '--store', join(temporaryDirectory(), 'memory.db')] };
}

async function namesOf(client: Client): Promise<string[]> {
  return (await client.listTools()).tools.map(({ name }) => name);
}

const stdio = ways.filter(({ over }) => over === 'stdio');
const [first = { over: 'stdio', era: 'legacy' } as const] = stdio;

describe('the agents', () => {
  test.each(ways)('work for a client over $over in the $era era, and are continued by their id', async (way) => {
    const { root, server, args } = await place([
      { toolCalls: [{ name: 'read', input: { path: 'a.txt' } }] },
      { text: 'It says hello.' },
      { text: 'Still hello.' },
    ]);
    const { client } = await connect(root, way, args);
    expect((await namesOf(client)).slice(-2)).toEqual(['list_agents', 'run_agent']);
    expect(await call(client, 'list_agents')).toBe(
      'Agents 1 to 1 of 1, by name.\n- reviewer (isolated; read, write): Reviews a file.',
    );
    const answer = await call(client, 'run_agent', { name: 'reviewer', prompt: 'Review a.txt.' });
    const [, run = ''] =
      /^It says hello\.\n\n\[agent reviewer; to continue: continue "(run_\w+)"\]$/u.exec(answer) ?? [];
    expect(run).not.toBe('');
    expect(await call(client, 'run_agent', { name: 'reviewer', prompt: 'Sure?', continue: run })).toContain('Still');
    const { requests } = server;
    expect(requests[0] && toolNamesOf(requests[0])).toEqual(['read', 'write']);
    expect(requests.at(-1) && transcriptOf(requests.at(-1) as ModelRequest)).toEqual([
      'user: Review a.txt.',
      expect.stringMatching(/^assistant: call_1_1=read/u),
      expect.stringContaining('hello'),
      'assistant: It says hello.',
      'user: Sure?',
    ]);
  });

  test.each<[string, readonly string[], string]>([
    ['are not offered while the user has not trusted them', [], 'No agent is defined.'],
    ['change nothing that no rule allows, because no person can be asked', ['--trust'], 'needs the approval'],
  ])('%s', async (_name, flags, expected) => {
    const script = [{ toolCalls: [{ name: 'write', input: { path: 'b.txt', content: 'x' } }] }, { text: 'Done.' }];
    const { root, server, args } = await place(script, tree, flags);
    const { client } = await connect(root, first, args);
    const listed = await call(client, 'list_agents');
    await call(client, 'run_agent', { name: 'reviewer', prompt: 'Write it.' });
    const { requests } = server;
    const seen = requests.flatMap((request) => transcriptOf(request));
    expect([listed, ...seen].join('\n')).toContain(expected);
    expect(existsSync(join(root, 'b.txt'))).toBe(false);
  });

  test('are listed in the description of run_agent, and not offered without --agents', async () => {
    const { root, args } = await place([]);
    const { client } = await connect(root, first, args);
    const { tools } = await client.listTools();
    expect(tools.at(-1)?.description).toContain('The agents:\n- reviewer: Reviews a file.');
    expect(tools.at(-1)?.annotations).toMatchObject({ readOnlyHint: false, openWorldHint: true });
    const without = await connect(root, first, ['--memory', 'off']);
    expect(await namesOf(without.client)).not.toContain('run_agent');
  });

  test('change nothing when the server is read-only', async () => {
    const { root, server, args } = await place([
      { toolCalls: [{ name: 'write', input: { path: 'b.txt', content: 'x' } }] },
      { text: 'I may not.' },
    ]);
    const { client } = await connect(root, first, [...args, '--read-only']);
    expect((await namesOf(client)).slice(-2)).toEqual(['list_agents', 'run_agent']);
    expect(await call(client, 'run_agent', { name: 'reviewer', prompt: 'Write b.txt.' })).toContain('I may not.');
    expect(existsSync(join(root, 'b.txt'))).toBe(false);
    expect(server.requests[0] && toolNamesOf(server.requests[0])).toEqual(['read']);
    expect(server.requests[1]?.body.toString()).toContain('may not call');
  });

  test.each(ways)(
    'report their progress, and stop when the client cancels, over $over in the $era era',
    async (way) => {
      let arrived: (request: ModelRequest) => void = () => undefined;
      const waiting = new Promise<ModelRequest>((resolve) => {
        arrived = resolve;
      });
      const { root, args } = await place((request): ModelAnswer => {
        arrived(request);
        return { never: true };
      });
      const { client } = await connect(root, way, args);
      const controller = new AbortController();
      const progress = await new Promise<string>((resolve, reject) => {
        client
          .callTool(
            { name: 'run_agent', arguments: { name: 'reviewer', prompt: 'Go.' } },
            {
              signal: controller.signal,
              // A slow machine has one before the first step.
              onprogress: ({ message = '' }) => {
                if (message.includes(': ')) resolve(message);
              },
            },
          )
          .catch(reject);
      });
      expect(progress).toMatch(/^run_agent has been running for \d+ s: reviewer: step 1$/u);
      const { signal } = await waiting;
      const gone = new Promise((resolve) => {
        signal.addEventListener('abort', resolve);
      });
      controller.abort(new Error('no longer wanted'));
      await gone;
      expect(await call(client, 'read', { path: 'a.txt' })).toContain('hello');
    },
  );

  test('are answers of the tool when they fail, and name what is wrong', async () => {
    const { root, args } = await place([{ status: 400, message: 'too long' }], {
      ...tree,
      '.cairn/agents/broken.md': broken,
    });
    const { client } = await connect(root, first, args);
    expect(await call(client, 'list_agents')).toContain('Definitions that cannot be used:\n');
    expect(await call(client, 'run_agent', { name: 'reviewr', prompt: 'Go.' })).toMatch(
      /^error: There is no agent "reviewr"\..* Did you mean reviewer\?/u,
    );
    expect(await call(client, 'run_agent', { name: 'broken', prompt: 'Go.' })).toMatch(
      /^error: The definition of the agent broken is invalid: .*broken\.md:3/u,
    );
    expect(await call(client, 'run_agent', { name: 'reviewer', prompt: 'Go.' })).toMatch(
      /^error: The agent reviewer did not finish: .*too long/u,
    );
  });

  test('work under the names of a host, and without a memory', async () => {
    const { root, server, args } = await place([
      { toolCalls: [{ name: 'Read', input: { file_path: 'a.txt' } }] },
      { text: 'It says hello.' },
    ]);
    const without = [...args.slice(0, -2), '--naming', 'claude', '--memory', 'off'];
    const { client } = await connect(root, first, without);
    expect(await call(client, 'run_agent', { name: 'reviewer', prompt: 'Review a.txt.' })).toContain('It says hello.');
    expect(server.requests[0] && toolNamesOf(server.requests[0])).toEqual(['Read', 'Write']);
    expect(server.requests[1]?.body.toString()).toContain('hello');
  });

  test('of two clients over HTTP have histories of their own', async () => {
    const { root, server, args } = await place([{ text: 'One.' }, { text: 'Two.' }]);
    const http = await startHttp(['--root', root, '--http', '0', '--no-auth', ...args]);
    const [one, other] = [await connectUrl(http.url, 'legacy'), await connectUrl(http.url, 'legacy')];
    await call(one, 'run_agent', { name: 'reviewer', prompt: 'CANARY' });
    await call(other, 'run_agent', { name: 'reviewer', prompt: 'What do you know?' });
    expect(server.requests.map(transcriptOf)).toEqual([['user: CANARY'], ['user: What do you know?']]);
  });
});

describe('the start', () => {
  test('without a model fails, and states how to name one', async () => {
    const { exitCode, stderr } = await cairn(['mcp', '--agents', '--root', createTree(tree)]);
    expect([exitCode, stderr]).toEqual([2, expect.stringMatching(/No model is configured.*CAIRN_MODEL/u)]);
  });

  test('with a model and without --agents is rejected', async () => {
    const { exitCode, stderr } = await cairn(['mcp', '--model', 'm']);
    expect([exitCode, stderr]).toEqual([2, expect.stringContaining('--model works only with --agents')]);
  });
});
