/** One run of every command that changes something, and the effect that it must have. */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createKnowledge } from '@cairn/knowledge';
import { expect, onTestFinished } from 'vitest';
import { createWorld, fileOf } from '../knowledge/team-harness.ts';
import type { World } from '../knowledge/team-harness.ts';
import { cairn } from '../support/cli.ts';
import type { CairnResult } from '../support/cli.ts';
import { startEmbeddingsServer } from '../support/embeddings-server.ts';
import { startModelServer } from '../support/model-server.ts';
import type { ModelScript } from '../support/model-server.ts';
import { createTree } from '../support/tree.ts';
import type { Tree } from '../support/tree.ts';

/** A person in a project, and what they can do there. */
export interface Place {
  readonly home: string;
  readonly project: string;
  readonly env: Record<string, string>;
  /** Runs a command whose output is read, which must succeed. */
  readonly run: (args: readonly string[], input?: string) => Promise<CairnResult>;
  readonly json: (...args: readonly string[]) => Promise<Record<string, unknown>>;
  readonly text: (path: string) => string | undefined;
  readonly put: (path: string, text: string) => void;
}

export function placeOf(tree: Tree = {}): Place {
  const home = createTree({ project: { '.git/': {}, 'a.txt': 'old\n', ...tree } });
  const project = join(home, 'project');
  const env = { HOME: home, TMPDIR: home, VISUAL: '' };
  const run: Place['run'] = async (args, input) => {
    const result = await cairn(args, { cwd: project, env, input });
    expect([0, 1], `${args.join(' ')}: ${result.stderr}`).toContain(result.exitCode);
    return result;
  };
  const pathOf = (path: string): string => join(project, path);
  return {
    home,
    project,
    env,
    run,
    json: async (...args) => JSON.parse((await run([...args, '--json'])).stdout) as Record<string, unknown>,
    text: (path) => (existsSync(pathOf(path)) ? readFileSync(pathOf(path), 'utf8') : undefined),
    put: (path, text) => writeFileSync(pathOf(path), text),
  };
}

/** A run, and a check of its effect. */
interface Work {
  readonly args: readonly string[];
  readonly input?: string;
  /** The status, when it is not 0. */
  readonly exitCode?: number | undefined;
  /** Fails unless the whole effect is there. */
  readonly check: () => unknown;
}

export type Case = readonly [what: string, command: string, prepare: (place: Place) => Promise<Work>];

export async function remember(place: Place, text = 'the tests need redis'): Promise<string> {
  return (await place.run(['memory', 'remember', text])).stdout.trim();
}

/** Returns the facts that are listed, with their state. */
async function factsOf(place: Place, ...more: readonly string[]): Promise<string[]> {
  const { matches } = await place.json('memory', 'list', ...more);
  return (matches as readonly { readonly text: string }[]).map(({ text }) => text);
}

const onFact =
  (args: (id: string) => readonly string[], expected: readonly string[], setup?: string): Case[2] =>
  async (place) => {
    const id = await remember(place);
    if (setup !== undefined) await place.run(['memory', setup, id]);
    return { args: args(id), check: async () => expect(await factsOf(place)).toEqual(expected) };
  };

const assetText = (body: string): string => fileOf('p/x', body);

async function addAsset(place: Place): Promise<void> {
  place.put('x.md', assetText('Body.'));
  await place.run(['knowledge', 'add', 'x.md']);
}

/** Returns the file of an asset, or what a failed look-up exits with. */
async function assetOf(place: Place, id = 'p/x'): Promise<string | number | null> {
  const { exitCode, stdout } = await cairn(['knowledge', 'show', id], { cwd: place.project, env: place.env });
  return exitCode === 0 ? stdout : exitCode;
}

const onAsset =
  (args: readonly string[], check: (text: string | number | null) => void, id = 'p/x'): Case[2] =>
  async (place) => {
    await addAsset(place);
    return { args: ['knowledge', ...args], check: async () => check(await assetOf(place, id)) };
  };

const isGone = (text: string | number | null) => expect(text).toBe(2);

const has = (part: string) => (text: string | number | null) => expect(text).toContain(part);

function team(): World {
  const world = createWorld();
  onTestFinished(() => world.dispose());
  return world;
}

/** A team with an asset that is in the store and not shared. */
async function unshared(place: Place): Promise<World> {
  const world = team();
  await place.run(['knowledge', 'team', 'init', world.remote]);
  await addAsset(place);
  return world;
}

const sharing =
  (name: 'push' | 'sync'): Case[2] =>
  async (place) => {
    const world = await unshared(place);
    return {
      args: ['knowledge', 'team', name],
      check: () => expect(world.files()).toEqual({ 'p/x.md': assetText('Body.') }),
    };
  };

async function scripted(place: Place, script: ModelScript): Promise<void> {
  const server = await startModelServer(script);
  onTestFinished(() => server.close());
  Object.assign(place.env, { CAIRN_MODEL: 'm', CAIRN_BASE_URL: server.url });
}

/** A workflow of one step. The first `failures` answers to the step are of no use; with `asks` the step first asks. */
function steps({ asks = false, failures = 0 }: { readonly asks?: boolean; readonly failures?: number }): ModelScript {
  let left = failures;
  return ({ chat }) => {
    const prompt = JSON.stringify(chat.messages.at(-1));
    if (!prompt.includes('# Current task')) return { text: 'Decision: complex\nTODO list:\n1. Count' };
    if (left > 0) {
      left -= 1;
      return { text: 'I cannot do that.' };
    }
    if (asks && !prompt.includes('three')) {
      return { text: 'Completion: 0.2\nAction: [ask_user:How many?]\nNext step: None\nNote: None' };
    }
    return { text: 'Completion: 1\nAction: None\nNext step: None\nNote: It counts.' };
  };
}

async function workflowsOf(place: Place): Promise<{ readonly id: string; readonly status: string }[]> {
  const { matches } = await place.json('workflow', 'list');
  return matches as { readonly id: string; readonly status: string }[];
}

const onWorkflow =
  (
    script: () => ModelScript,
    args: (id: string) => readonly string[],
    { status, exitCode }: { readonly status: string; readonly exitCode?: number },
  ): Case[2] =>
  async (place) => {
    await scripted(place, script());
    await cairn(['workflow', 'run', 'Count', '--no-tools'], { cwd: place.project, env: place.env });
    const [{ id } = { id: '' }] = await workflowsOf(place);
    return {
      args: ['workflow', ...args(id)],
      exitCode,
      check: async () => expect(await workflowsOf(place)).toMatchObject([{ status }]),
    };
  };

const helper = '---\nname: helper\ndescription: Helps\n---\nYou help.\n';

async function helped(place: Place): Promise<void> {
  await scripted(place, [
    { toolCalls: [{ name: 'write', input: { path: 'b.txt', content: 'new\n' } }] },
    { text: 'Done.' },
  ]);
}

export const codexFiles: readonly string[] = [
  '.codex/hooks.json',
  '.agents/skills/agent-router/SKILL.md',
  '.agents/skills/phase-detector/SKILL.md',
];

export const codexFilesOf = ({ text }: Place): number => codexFiles.filter((path) => text(path) !== undefined).length;

const patch = `*** Begin Patch
*** Update File: a.txt
@@
-old
+new
*** Add File: b.txt
+b
*** End Patch
`;

export const writingCommands: readonly Case[] = [
  [
    'a new file',
    'write',
    async ({ text }) => ({
      args: ['write', 'b.txt', '--content', 'b\n'],
      check: () => expect(text('b.txt')).toBe('b\n'),
    }),
  ],
  [
    'an edit',
    'edit',
    async ({ text }) => ({
      args: ['edit', 'a.txt', '--old', 'old', '--new', 'new'],
      check: () => expect(text('a.txt')).toBe('new\n'),
    }),
  ],
  [
    'all files of a patch',
    'patch',
    async ({ text }) => ({
      args: ['patch'],
      input: patch,
      check: () => expect([text('a.txt'), text('b.txt')]).toEqual(['new\n', 'b\n']),
    }),
  ],
  [
    'a deleted file',
    'delete',
    async ({ text }) => ({ args: ['delete', 'a.txt'], check: () => expect(text('a.txt')).toBeUndefined() }),
  ],
  [
    'a renamed file',
    'rename',
    async ({ text }) => ({
      args: ['rename', 'a.txt', 'b.txt'],
      check: () => expect([text('a.txt'), text('b.txt')]).toEqual([undefined, 'old\n']),
    }),
  ],
  [
    'a fact',
    'memory remember',
    async (place) => ({
      args: ['memory', 'remember', 'the tests need redis'],
      check: async () => expect(await factsOf(place)).toEqual(['the tests need redis']),
    }),
  ],
  [
    'a changed fact',
    'memory update',
    onFact((id) => ['memory', 'update', id, '--text', 'the tests need git'], ['the tests need git']),
  ],
  ['an archived fact', 'memory archive', onFact((id) => ['memory', 'archive', id], [])],
  ['a restored fact', 'memory restore', onFact((id) => ['memory', 'restore', id], ['the tests need redis'], 'archive')],
  ['a forgotten fact', 'memory forget', onFact((id) => ['memory', 'forget', id], [])],
  [
    'vectors',
    'memory embed',
    async (place) => {
      await remember(place);
      const server = await startEmbeddingsServer();
      onTestFinished(server.close);
      Object.assign(place.env, { CAIRN_EMBED_BASE_URL: server.url, CAIRN_EMBED_MODEL: 'scripted' });
      return {
        args: ['memory', 'embed', '--yes'],
        check: async () => {
          await place.run(['memory', 'embed']);
          const sent = server.requests.flatMap(({ input }) => input).filter((text) => text.includes('redis'));
          expect(sent, 'the vector is made once').toHaveLength(1);
        },
      };
    },
  ],
  [
    'edited facts',
    'memory edit',
    async (place) => {
      await remember(place);
      place.env['EDITOR'] = 'sed -i s/redis/git/';
      return {
        args: ['memory', 'edit'],
        check: async () => expect(await factsOf(place)).toEqual(['the tests need git']),
      };
    },
  ],
  [
    'all lines of an import',
    'memory import',
    async (place) => {
      const other = placeOf();
      for (const text of ['first', 'second']) await other.run(['memory', 'remember', text, '--scope', 'user']);
      place.put('export.jsonl', (await other.run(['memory', 'export'])).stdout);
      return {
        args: ['memory', 'import', 'export.jsonl'],
        check: async () => expect((await factsOf(place)).toSorted()).toEqual(['first', 'second']),
      };
    },
  ],
  [
    'a backup',
    'memory backup',
    async (place) => {
      await remember(place);
      return {
        args: ['memory', 'backup', 'copy.db'],
        check: async () => expect(await factsOf(place, '--store', 'copy.db')).toEqual(['the tests need redis']),
      };
    },
  ],
  [
    'facts of a moved project',
    'memory project move',
    async (place) => {
      await place.run(['memory', 'remember', 'the tests need redis', '--project', 'here']);
      return {
        args: ['memory', 'project', 'move', 'here', 'there'],
        check: async () => expect(await factsOf(place, '--project', 'there')).toEqual(['the tests need redis']),
      };
    },
  ],
  [
    'an asset',
    'knowledge add',
    async (place) => {
      place.put('x.md', assetText('Body.'));
      return { args: ['knowledge', 'add', 'x.md'], check: async () => has('Body.')(await assetOf(place)) };
    },
  ],
  [
    'a fact that is shared',
    'knowledge share',
    async (place) => {
      const { stdout } = await place.run(['memory', 'remember', 'Body of a fact.']);
      return {
        args: ['knowledge', 'share', stdout.trim(), '--name', 'x', '--area', 'p'],
        check: async () => has('Body of a fact.')(await assetOf(place)),
      };
    },
  ],
  [
    'an edited asset',
    'knowledge edit',
    async (place) => {
      place.env['EDITOR'] = 'sed -i s/Body/Text/';
      return onAsset(['edit', 'x'], has('Text.'))(place);
    },
  ],
  ['an asset of another type', 'knowledge convert', onAsset(['convert', 'x', 'adr'], has('type: adr'))],
  ['an asset of another name', 'knowledge rename', onAsset(['rename', 'x', 'y'], has('name: y'), 'p/y')],
  ['a verified asset', 'knowledge verify', onAsset(['verify', 'x'], has('verified'))],
  ['a deprecated asset', 'knowledge deprecate', onAsset(['deprecate', 'x'], has('deprecated'))],
  ['a removed asset', 'knowledge remove', onAsset(['remove', 'x'], isGone)],
  [
    'a report',
    'knowledge report',
    async (place) => {
      await addAsset(place);
      return {
        args: ['knowledge', 'report', 'x', 'wrong'],
        check: async () => expect(JSON.stringify(await place.json('knowledge', 'show', 'x'))).toContain('"wrong":1'),
      };
    },
  ],
  [
    'imported assets',
    'knowledge import',
    async (place) => {
      place.put('AGENTS.md', '# Rules\n\nUse tabs.\n');
      return {
        args: ['knowledge', 'import'],
        check: async () => has('Use tabs.')(await assetOf(place, 'general/project-AGENTS')),
      };
    },
  ],
  [
    'the index',
    'knowledge index',
    async (place) => {
      await addAsset(place);
      return {
        args: ['knowledge', 'index'],
        check: () => expect(place.text('../.local/share/cairn/knowledge/AGENTS-INDEX.md')).toContain('|pitfall|p|'),
      };
    },
  ],
  [
    'a closed gap',
    'knowledge gaps',
    async (place) => {
      const knowledge = createKnowledge({ directory: join(place.home, '.local/share/cairn/knowledge') });
      const gap = await knowledge.gaps.record('How do we rotate the keys?');
      await knowledge.close();
      return {
        args: ['knowledge', 'gaps', '--close', gap?.id ?? ''],
        check: async () => expect(await place.json('knowledge', 'gaps')).toMatchObject({ matches: [] }),
      };
    },
  ],
  [
    'a search, whose question may become a gap',
    'knowledge search',
    async (place) => {
      await addAsset(place);
      return { args: ['knowledge', 'search', 'nothing'], exitCode: 1, check: () => undefined };
    },
  ],
  [
    'a clone of the team store',
    'knowledge team init',
    async (place) => {
      const world = team();
      world.commit({ 'p/x.md': assetText('Theirs.') });
      return {
        args: ['knowledge', 'team', 'init', world.remote],
        check: async () => has('Theirs.')(await assetOf(place)),
      };
    },
  ],
  [
    'what the team changed',
    'knowledge team pull',
    async (place) => {
      const world = team();
      await place.run(['knowledge', 'team', 'init', world.remote]);
      world.commit({ 'p/x.md': assetText('Theirs.') });
      return { args: ['knowledge', 'team', 'pull'], check: async () => has('Theirs.')(await assetOf(place)) };
    },
  ],
  ['what was changed here', 'knowledge team push', sharing('push')],
  ['what was changed here', 'knowledge team sync', sharing('sync')],
  [
    'the state of the team store, which asks the remote',
    'knowledge team status',
    async (place) => {
      await unshared(place);
      return { args: ['knowledge', 'team', 'status', '--fetch'], check: () => undefined };
    },
  ],
  [
    'a resolved conflict',
    'knowledge team resolve',
    async (place) => {
      const world = await unshared(place);
      await place.run(['knowledge', 'team', 'push']);
      world.commit({ 'p/x.md': assetText('Theirs.') });
      await place.run(['knowledge', 'add', '--update', 'x'], assetText('Mine.'));
      await cairn(['knowledge', 'team', 'pull'], { cwd: place.project, env: place.env });
      return {
        args: ['knowledge', 'team', 'resolve', 'x', '--theirs'],
        check: async () => has('Theirs.')(await assetOf(place)),
      };
    },
  ],
  [
    'a hook and the skills',
    'hook install',
    async (place) => ({
      args: ['hook', 'install', 'codex', '--yes'],
      check: () => expect(codexFilesOf(place)).toBe(codexFiles.length),
    }),
  ],
  [
    'a removed hook and its skills',
    'hook remove',
    async (place) => {
      await place.run(['hook', 'install', 'codex', '--yes']);
      return { args: ['hook', 'remove', 'codex', '--yes'], check: () => expect(codexFilesOf(place)).toBe(0) };
    },
  ],
  [
    'a server in a configuration',
    'mcp install',
    async ({ text }) => ({
      args: ['mcp', 'install', 'claude-code', '--yes'],
      check: () => expect(text('.mcp.json')).toContain('"cairn"'),
    }),
  ],
  [
    'a server that is undone',
    'mcp install',
    async ({ run, text }) => {
      await run(['mcp', 'install', 'claude-code', '--yes']);
      return {
        args: ['mcp', 'install', 'claude-code', '--undo', '--yes'],
        check: () => expect(text('.mcp.json')).toBeUndefined(),
      };
    },
  ],
  [
    'the call of a client that reads no answers',
    'mcp',
    async ({ text }) => {
      const call = { name: 'write', arguments: { path: 'b.txt', content: 'b\n' } };
      const messages = [
        {
          id: 0,
          method: 'initialize',
          params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'test', version: '1' } },
        },
        { method: 'notifications/initialized' },
        { id: 1, method: 'tools/call', params: call },
      ];
      return {
        args: ['mcp'],
        input: messages.map((one) => `${JSON.stringify({ jsonrpc: '2.0', ...one })}\n`).join(''),
        check: () => expect(text('b.txt')).toBe('b\n'),
      };
    },
  ],
  [
    'a note',
    'notes add',
    async (place) => ({
      args: ['notes', 'add', 'flow', 'a note'],
      check: async () => expect(JSON.stringify(await place.json('notes', 'list', 'flow'))).toContain('a note'),
    }),
  ],
  [
    'a workflow',
    'workflow run',
    async (place) => {
      await scripted(place, steps({}));
      return {
        args: ['workflow', 'run', 'Count', '--no-tools'],
        check: async () => expect(await workflowsOf(place)).toMatchObject([{ status: 'done' }]),
      };
    },
  ],
  [
    'a resumed workflow',
    'workflow resume',
    onWorkflow(
      () => steps({ asks: true }),
      (id) => ['resume', id, 'three'],
      { status: 'done' },
    ),
  ],
  [
    'a workflow that failed before',
    'workflow retry',
    onWorkflow(
      () => steps({ failures: 4 }),
      (id) => ['retry', id],
      { status: 'done' },
    ),
  ],
  [
    'a cancelled workflow',
    'workflow cancel',
    onWorkflow(
      () => steps({ asks: true }),
      (id) => ['cancel', id],
      { status: 'cancelled' },
    ),
  ],
  [
    'edited steps',
    'workflow edit',
    async (place) => {
      const work = await onWorkflow(
        () => steps({ asks: true }),
        (id) => ['edit', id],
        { status: 'waiting' },
      )(place);
      place.env['EDITOR'] = 'sed -i "\\$a another step"';
      const [, , id = ''] = work.args;
      return {
        ...work,
        check: async () => {
          expect(JSON.stringify(await place.json('workflow', 'show', id))).toContain('another step');
        },
      };
    },
  ],
  [
    'the definition of an agent',
    'agents new',
    async ({ text }) => ({
      args: ['agents', 'new', 'helper', '--description', 'Helps', '--prompt', 'You help.'],
      check: () => expect(text('.cairn/agents/helper.md')).toContain('You help.'),
    }),
  ],
  [
    'the files and the session of a run',
    'agents run',
    async (place) => {
      mkdirSync(join(place.project, '.cairn/agents'), { recursive: true });
      place.put('.cairn/agents/helper.md', helper);
      await helped(place);
      return {
        args: ['agents', 'run', '--trust', '--allow', '*', 'helper', 'Write it.'],
        check: async () => {
          expect(place.text('b.txt')).toBe('new\n');
          expect(await place.json('agents', 'sessions')).toMatchObject({ matches: [{}] });
        },
      };
    },
  ],
  [
    'a cleared conversation',
    'agents clear',
    async (place) => {
      mkdirSync(join(place.project, '.cairn/agents'), { recursive: true });
      place.put('.cairn/agents/helper.md', helper);
      await helped(place);
      await place.run(['agents', 'run', '--trust', '--allow', '*', 'helper', 'Write it.']);
      return {
        args: ['agents', 'clear', 'helper'],
        check: async () => {
          const again = await cairn(['agents', 'clear', 'helper'], { cwd: place.project, env: place.env });
          expect(again).toMatchObject({ exitCode: 1 });
        },
      };
    },
  ],
];
