/** Agents at the command line, against a server that speaks the protocol of a model: `cairn agents run`, `context` and `clear`. */
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { createKnowledge } from '@cairn/knowledge';
import { createMemory } from '@cairn/memory';
import { sqlite } from '@cairn/memory/sqlite';
import { jsonSchema, streamText, tool } from 'ai';
import type { ModelMessage, ToolSet } from 'ai';
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import process from 'node:process';
import { describe, expect, onTestFinished, test } from 'vitest';
import { z } from 'zod';
import { cairn, cairnProcess, finished, startCairn, type CairnOptions, type CairnResult } from '../support/cli.ts';
import { busy, startModelServer, systemPromptOf, toolNamesOf, transcriptOf } from '../support/model-server.ts';
import type { ModelAnswer, ModelRequest, ModelScript, ModelServer } from '../support/model-server.ts';
import { hasRedis, startRedis } from '../support/redis-server.ts';
import { runInTerminal, type TerminalRun } from '../support/terminal.ts';
import { createTree, type Tree } from '../support/tree.ts';

interface Person {
  readonly project: string;
  readonly home: string;
  readonly server: ModelServer;
  readonly env: Readonly<Record<string, string>>;
  readonly agents: (args: readonly string[], options?: CairnOptions) => Promise<CairnResult>;
}

interface Setup {
  readonly project?: Tree;
  readonly env?: Readonly<Record<string, string>>;
  readonly key?: string;
  readonly models?: readonly string[];
}

function agent(name: string, more = ''): string {
  return `---\nname: ${name}\ndescription: About ${name}\n${more}---\nYou are ${name}.\n`;
}

/** Returns the arguments of a run that trusts the project, and allows every call. Other commands have no such options. */
function allowing([command = '', ...args]: readonly string[]): string[] {
  return command === 'run' ? [command, '--trust', '--allow', '*', ...args] : [command, ...args];
}

/** A person with a project, an agent `helper`, and a model server that answers by the script. */
async function person(script: ModelScript, { project = {}, env = {}, ...options }: Setup = {}): Promise<Person> {
  const server = await startModelServer(script, options);
  onTestFinished(() => server.close());
  const directory = createTree({
    project: { '.git/': {}, '.cairn/agents/helper.md': agent('helper'), ...project },
    'home/': {},
  });
  const [root, home] = [join(directory, 'project'), join(directory, 'home')];
  const all = { HOME: home, CAIRN_BASE_URL: server.url, CAIRN_MODEL: 'scripted', ...env };
  return {
    project: root,
    home,
    server,
    env: all,
    agents: (args, more = {}) => cairn(['agents', ...allowing(args)], { cwd: root, env: all, ...more }),
  };
}

/** Returns a request that the server has received, from 0. */
function requestAt({ requests }: ModelServer, index: number): ModelRequest {
  const request = requests[index];
  if (request === undefined) throw new Error(`the server has received ${requests.length} requests`);
  return request;
}

/** Returns the session that a run named. */
function sessionOf({ stderr }: CairnResult): string {
  return /session (session_\w+)/u.exec(stderr)?.[1] ?? '';
}

const modes = ['isolated', 'shared', 'fork', 'handback', 'selective', 'summarized'];

const STORE = '.local/share/cairn';

const schema = JSON.parse(readFileSync(new URL('../../packages/cli/schema/output.json', import.meta.url), 'utf8')) as {
  readonly $defs: Readonly<Record<string, object>>;
};
/** The part of the schema for a run that fails. */
const failedRun = z.fromJSONSchema({ ...schema.$defs['failedRun'], $defs: schema.$defs } as Parameters<
  typeof z.fromJSONSchema
>[0]);

describe('run', () => {
  test('prints the answer, runs the tools, and names the session', async () => {
    const { server, project, env } = await person(
      [
        {
          text: 'First I read it.',
          toolCalls: [
            { name: 'read', input: { path: 'a.txt' } },
            { name: 'write', input: { path: 'b.txt', content: 'new\n' } },
          ],
        },
        { text: 'Done: one line.' },
      ],
      { project: { 'a.txt': 'one\n' } },
    );
    const result = await cairnProcess(['agents', 'run', '--trust', '--allow', '*', 'helper', 'Copy it.'], {
      cwd: project,
      env,
    });
    expect(result).toMatchObject({ exitCode: 0, stdout: 'Done: one line.\n' });
    expect(result.stderr).toMatch(
      /^cairn: 2 steps, [\d,]+ tokens read, \d+ written; session session_\w+: --resume continues it\n$/u,
    );
    expect(readFileSync(join(project, 'b.txt'), 'utf8')).toBe('new\n');
    expect(transcriptOf(requestAt(server, 1))).toEqual([
      'user: Copy it.',
      expect.stringMatching(/^assistant: First I read it\. call_1_1=read\(.*call_1_2=write\(/u),
      expect.stringContaining('one'),
      expect.stringContaining('b.txt'),
    ]);
  });

  test('finds, reads and keeps what the team knows, and is shown what is about the files that it reads', async () => {
    const body = 'Wait for the failover: 失败重试 with backoff.\n';
    const { server, home, agents } = await person(
      [
        { toolCalls: [{ name: 'search_knowledge', input: { query: '失败重试' } }] },
        { toolCalls: [{ name: 'get_asset', input: { name: 'redis' } }] },
        { toolCalls: [{ name: 'read', input: { path: 'src/cache.ts' } }] },
        {
          toolCalls: [
            { name: 'sink_asset', input: { name: 'printer', type: 'glossary', title: 'Toner', text: 'Blue.' } },
          ],
        },
        { text: 'Done.' },
      ],
      { project: { 'src/cache.ts': 'export {};\n' } },
    );
    const directory = join(home, '.local/share/cairn/knowledge');
    const knowledge = createKnowledge({ directory });
    await knowledge.store.add({ name: 'redis', type: 'reference', title: 'Redis', body, paths: ['src/**'] });
    await knowledge.close();
    expect(await agents(['run', 'helper', 'Do it.'])).toMatchObject({ exitCode: 0, stdout: 'Done.\n' });
    const [, , found, , read, , file, , kept] = transcriptOf(requestAt(server, 4));
    expect(found).toContain('name="redis"');
    expect(read).toContain('Wait for the failover');
    expect(file).toMatch(/Assets of the team about this file[^]*redis\|reference\|general/u);
    expect(kept).toContain('Added general/printer.');
    const after = createKnowledge({ directory });
    expect((await after.store.get('general/printer'))?.body).toContain('Blue.');
    expect(await after.usage.events()).toMatchObject([{ asset: 'general/redis', query: '失败重试' }]);
    await after.close();
  });

  test('--verbose reports on standard error what the tree in the prompts saved in this run', async () => {
    const script = [
      { toolCalls: [{ name: 'ls', input: { path: 'src' } }] },
      { toolCalls: [{ name: 'ls', input: {} }] },
      { text: 'Done.' },
    ];
    const { agents } = await person(script, { project: { 'src/a.ts': '', 'docs/a.md': '' } });
    const { stdout, stderr, exitCode } = await agents(['run', 'helper', 'Look around.', '--verbose']);
    expect([stdout, exitCode]).toEqual(['Done.\n', 0]);
    expect(stderr).toContain('cairn: ✓ Workspace cache stats:\n');
    expect(stderr).toMatch(/Directory tree: \d+ chars\n/u);
    expect(stderr).toContain('Cache hits: 0/2 (listings 0/2, reads 0/0)\n');
    expect(stderr).toContain(
      'saved calls: ~1 = agents (1) * 3 listings of an agent without the tree - listings made (2)',
    );
    expect(stderr).toMatch(/sectionTokens \(\d+\) \* requests \(3\)/u);
    expect((await agents(['run', 'helper', 'Again.'])).stderr).not.toContain('Workspace cache');
  });

  test('takes the name as @name, with options on either side of it', async () => {
    const { agents, server } = await person([{ text: 'a' }, { text: 'b' }, { text: 'c' }]);
    const runs = [
      ['run', '@helper', 'Go.'],
      ['run', '@helper', '--context-mode', 'shared', 'Go.'],
      ['run', '--context-mode', 'shared', '@helper', 'Go.'],
    ];
    const sessions: string[] = [];
    for (const args of runs) sessions.push(sessionOf(await agents(args)));
    expect(server.requests.map(transcriptOf)).toEqual([['user: Go.'], ['user: Go.'], ['user: Go.']]);
    for (const command of ['context', 'show'])
      expect(await agents([command, '@helper'])).toMatchObject({ exitCode: 0 });
    expect((await agents(['clear', '@helper', '--session', sessions[0] ?? ''])).stderr).toContain('removed 2 messages');
    expect(await agents(['run', '@@helper', 'Go.'])).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining('no agent "@helper"') as string,
    });
  });

  test('attaches the files that the prompt mentions; text from standard input is sent as it is', async () => {
    const { agents, server } = await person([{ text: 'a' }, { text: 'b' }], { project: { 'a.txt': 'the content\n' } });
    await agents(['run', 'helper', 'Read @a.txt']);
    expect(transcriptOf(requestAt(server, 0))[0]).toContain('the content');
    expect(await agents(['run', 'helper', '-'], { input: 'Read @a.txt\n\nand more\n' })).toMatchObject({
      exitCode: 0,
      stdout: 'b\n',
    });
    expect(transcriptOf(requestAt(server, 1))).toEqual(['user: Read @a.txt\n\nand more']);
  });

  test('attaches the files of an argument that ends with a line break', async () => {
    const { agents, server } = await person([{ text: 'a' }], { project: { 'a.txt': 'the content\n' } });
    await agents(['run', 'helper', 'Read @a.txt\n']);
    expect(transcriptOf(requestAt(server, 0))[0]).toContain('the content');
  });

  test('reads a piped prompt without an argument', async () => {
    const { agents, server } = await person([{ text: 'a' }]);
    expect(await agents(['run', 'helper'], { input: 'Hi\n' })).toMatchObject({ exitCode: 0, stdout: 'a\n' });
    expect(transcriptOf(requestAt(server, 0))).toEqual(['user: Hi']);
  });

  test('--resume continues a session after the directory of the project was renamed and moved in the memory', async () => {
    const { agents, project, env } = await person([{ text: 'One' }, { text: 'Two' }]);
    await agents(['run', 'helper', 'Hello']);
    const renamed = join(dirname(project), 'renamed');
    renameSync(project, renamed);
    const there = { cwd: renamed };
    const unknown = await agents(['run', 'helper', 'Again', '--resume'], there);
    expect([unknown.exitCode, unknown.stderr]).toEqual([2, expect.stringContaining('no session of this project')]);
    const moved = await cairnProcess(['memory', 'project', 'move', '../project', '.'], { cwd: renamed, env });
    expect(moved.stderr).toBe(`cairn: moved 1 session from ${project} to ${renamed}\n`);
    const { stdout, stderr } = await agents(['run', 'helper', 'Again', '--resume'], there);
    expect([stdout, stderr]).toEqual(['Two\n', expect.not.stringContaining('is new')]);
  });

  test('each run begins a session, --resume continues the newest one, and --session a named one', async () => {
    const { agents, server } = await person(({ number }) => ({ text: `Answer ${number}` }));
    const first = await agents(['run', 'helper', 'One']);
    const second = await agents(['run', 'helper', 'Two']);
    expect(sessionOf(first)).not.toBe(sessionOf(second));
    expect(transcriptOf(requestAt(server, 1))).toEqual(['user: Two']);
    const third = await agents(['run', 'helper', 'Three', '--resume']);
    expect(sessionOf(third)).toBe(sessionOf(second));
    expect(transcriptOf(requestAt(server, 2))).toEqual(['user: Two', 'assistant: Answer 2', 'user: Three']);
    await agents(['run', 'helper', 'Four', '--session', sessionOf(first)]);
    expect(transcriptOf(requestAt(server, 3))).toEqual(['user: One', 'assistant: Answer 1', 'user: Four']);
    const named = await agents(['run', 'helper', 'Five', '--session', 'work']);
    expect(named.stderr).toContain('cairn: there was no session work; it is new\n');
    expect((await agents(['run', 'helper', 'Six', '--session', 'work'])).stderr).not.toContain('it is new');
    expect(transcriptOf(requestAt(server, 5))).toEqual(['user: Five', 'assistant: Answer 5', 'user: Six']);
  });

  test('finds the project and its nearest instructions from a directory in it', async () => {
    const { agents, server, project } = await person([{ text: 'a' }], {
      project: { 'AGENTS.md': 'Use tabs.', 'src/AGENTS.md': 'Use spaces.' },
    });
    await agents(['run', 'helper', 'Hi'], { cwd: join(project, 'src') });
    expect(systemPromptOf(requestAt(server, 0))).toMatch(/^You are helper\.\n\n[^]*Use tabs\.[^]*Use spaces\./u);
  });

  test('--read-only offers no tool that changes something', async () => {
    const { agents, server } = await person([{ text: 'a' }]);
    await agents(['run', 'helper', 'Hi', '--read-only']);
    expect(toolNamesOf(requestAt(server, 0))).toContain('read');
    expect(toolNamesOf(requestAt(server, 0))).not.toContain('write');
  });

  test('the tools of the definition are enforced, and the texts follow --language', async () => {
    const { agents, server } = await person(
      [{ toolCalls: [{ name: 'delete', input: { path: 'a.txt' } }] }, { text: 'ok' }],
      {
        project: { 'a.txt': 'x', '.cairn/agents/reader.md': agent('reader', 'tools: [read]\n') },
      },
    );
    const { exitCode } = await agents(['run', 'reader', 'Hi', '--language', 'zh']);
    expect(exitCode).toBe(0);
    expect(toolNamesOf(requestAt(server, 0))).toEqual(['read']);
    expect(systemPromptOf(requestAt(server, 0))).toContain('上下文模式');
    expect(systemPromptOf(requestAt(server, 0))).not.toContain('Check the directory structure');
    expect(transcriptOf(requestAt(server, 1)).at(-1)).toContain('delete');
  });

  test('with --json prints one document', async () => {
    const { agents } = await person([
      { text: 'x', toolCalls: [{ name: 'read', input: { path: 'nowhere' } }] },
      { text: 'Answer' },
    ]);
    const { stdout, stderr, exitCode } = await agents(['run', 'helper', 'Hi', '--json', '--model', 'other']);
    expect([exitCode, stderr]).toEqual([0, '']);
    expect(JSON.parse(stdout)).toEqual({
      run: expect.stringMatching(/^run_/u) as string,
      session: expect.stringMatching(/^session_/u) as string,
      agent: 'helper',
      mode: 'isolated',
      model: 'other',
      finishReason: 'stop',
      text: 'Answer',
      steps: 2,
      usage: expect.objectContaining({ isComplete: true }) as object,
      calls: [
        {
          run: expect.any(String) as string,
          depth: 0,
          name: 'read',
          input: { path: 'nowhere' },
          isError: true,
          durationMs: expect.any(Number) as number,
        },
      ],
      notices: [expect.stringContaining('2 steps') as string],
    });
  });

  describe('a run that fails prints with --json what it did', () => {
    const read = { text: 'I read it.', toolCalls: [{ name: 'read', input: { path: 'nowhere' } }] };
    const done = {
      run: expect.stringMatching(/^run_/u) as string,
      session: expect.stringMatching(/^session_/u) as string,
      agent: 'helper',
      mode: 'isolated',
      model: 'scripted',
      calls: [
        {
          run: expect.any(String) as string,
          depth: 0,
          name: 'read',
          input: { path: 'nowhere' },
          isError: true,
          durationMs: expect.any(Number) as number,
        },
      ],
      usage: {
        inputTokens: expect.any(Number) as number,
        outputTokens: expect.any(Number) as number,
        cachedInputTokens: 0,
        isComplete: false,
      },
      notices: [expect.stringContaining('2 steps') as string],
    };

    test.each<[string, ModelAnswer, string, string]>([
      ['the server rejects a request', { status: 400, message: 'no' }, 'I read it.', 'MODEL_REFUSED'],
      ['an answer is too large', { text: ['Half', 'x'.repeat(9 * 1024 * 1024)] }, 'Half', 'TOO_LARGE'],
    ])('when %s', async (_, answer, text, code) => {
      const { agents } = await person([read, answer]);
      const { stdout, stderr, exitCode } = await agents(['run', 'helper', 'Hi', '--json', '--model', 'scripted']);
      expect([exitCode, stderr]).toEqual([2, '']);
      const document = JSON.parse(stdout) as { readonly usage: { readonly inputTokens: number } };
      const error = expect.objectContaining({ code }) as object;
      expect(document).toEqual({ ...done, finishReason: 'error', text, steps: 2, error });
      expect(document.usage.inputTokens).toBeGreaterThan(0);
      expect(() => failedRun.parse(document)).not.toThrow();
    });

    test('when it cannot begin', async () => {
      const { agents } = await person([]);
      const args = ['run', 'helper', 'word '.repeat(30_000), '--json', '--max-context-tokens', '1000'];
      const { stdout, exitCode } = await agents(args);
      expect(exitCode).toBe(2);
      const document: unknown = JSON.parse(stdout);
      expect(document).toMatchObject({
        agent: 'helper',
        steps: 0,
        text: '',
        calls: [],
        usage: { inputTokens: 0 },
        error: { code: 'TOO_LARGE' },
      });
      expect(() => failedRun.parse(document)).not.toThrow();
    });
  });

  test('a run that reaches a limit prints what there is, and fails', async () => {
    const { agents } = await person(() => ({ text: 'Working', toolCalls: [{ name: 'read', input: { path: '.' } }] }));
    const result = await agents(['run', 'helper', 'Hi', '--max-steps', '2']);
    expect(result).toMatchObject({ exitCode: 2, stdout: 'Working\n' });
    expect(result.stderr).toContain(
      'cairn: the run reached its limit of steps; continue it with --resume, or use a larger --max-steps\n',
    );
  });

  test('reports directories that could not be read, and warnings about the definition', async () => {
    const { agents, home } = await person(() => ({ text: 'a' }), {
      project: { '.claude/agents': 'a file', '.cairn/agents/helper.md': '---\nname: helper\n---\nYou are helper.\n' },
    });
    const { exitCode, stderr } = await agents(['run', 'helper', 'Hi']);
    expect(exitCode).toBe(0);
    expect(stderr).toContain('/.claude/agents: has a parent that is not a directory; ');
    expect(stderr).toContain("cairn: 1 warning about the definition; 'cairn agents show helper' shows it\n");
    expect(stderr).not.toContain(home);
    expect((await agents(['context', 'helper'])).stderr).toContain('1 warning about the definition');
  });

  test('reports that it repeats a request, and goes on', async () => {
    const { agents } = await person([busy(0), busy(0), { text: 'Back.' }]);
    const { exitCode, stdout, stderr } = await agents(['run', 'helper', 'Hi']);
    expect([exitCode, stdout]).toEqual([0, 'Back.\n']);
    const retry = expect.stringMatching(/^cairn: .*429.*; trying again in [\d.]+ s$/u) as string;
    expect(stderr.split('\n').slice(0, 2)).toEqual([retry, retry]);
  });

  test('a model that does not answer in time ends the run', async () => {
    const { agents } = await person([{ never: true }]);
    const result = await agents(['run', 'helper', 'Hi', '--timeout', '1']);
    expect(result).toMatchObject({ exitCode: 2, stdout: '' });
    expect(result.stderr).toContain(
      'cairn: the run reached its time limit; continue it with --resume, or use a longer --timeout\n',
    );
  });

  test('older turns that do not fit are left out with a notice, and a prompt that does not fit is rejected', async () => {
    const { agents, server } = await person(() => ({ text: 'word '.repeat(400) }));
    const more = ['--session', 's', '--max-context-tokens', '2000'];
    for (const prompt of ['One', 'Two', 'Three', 'Four']) await agents(['run', 'helper', prompt, ...more]);
    const { stderr } = await agents(['run', 'helper', 'Five', ...more]);
    expect(stderr).toMatch(/left out|leaves out|not shown/u);
    expect(transcriptOf(requestAt(server, 4)).join('\n')).not.toContain('user: One');
    const refused = await agents(['run', 'helper', '-', ...more], { input: 'word '.repeat(5000) });
    expect(refused).toMatchObject({ exitCode: 2, stdout: '' });
    expect(refused.stderr).toMatch(
      /^cairn: The prompt has about \d+ tokens, more than the budget of 2000\. .*--max-context-tokens/u,
    );
  });

  test('a mention that cannot be attached is reported', async () => {
    const { agents } = await person([{ text: 'a' }]);
    expect((await agents(['run', 'helper', 'Read @nope.txt'])).stderr).toContain('cairn: @nope.txt is not attached: ');
  });

  test('concurrent processes on one session lose nothing', async () => {
    const { agents, project, env } = await person(({ chat }) => {
      const last = chat.messages.at(-1)?.content;
      return { text: `Answer to ${typeof last === 'string' ? last : ''}` };
    });
    const prompts = ['One', 'Two', 'Three', 'Four'];
    const runs = await Promise.all(
      prompts.map((prompt) => {
        const args = [
          'agents',
          'run',
          '--trust',
          '--allow',
          '*',
          'helper',
          prompt,
          '--session',
          's',
          '--context-mode',
          'shared',
        ];
        return cairnProcess(args, { cwd: project, env });
      }),
    );
    expect(runs.map(({ exitCode }) => exitCode)).toEqual([0, 0, 0, 0]);
    const { stdout } = await agents(['context', 'helper', '--session', 's', '--context-mode', 'shared', '--json']);
    const { messages } = JSON.parse(stdout) as { messages: { role: string; content: unknown }[] };
    expect(messages).toHaveLength(8);
    const texts = messages.map(({ content }) => JSON.stringify(content));
    for (const prompt of prompts) {
      const at = texts.findIndex((text) => text.includes(prompt) && !text.includes('Answer'));
      expect(texts[at + 1]).toContain(`Answer to ${prompt}`);
    }
  });
});

describe('what is rejected', () => {
  test.each([
    ['an unknown agent', ['helpr', 'Hi'], 'There is no agent "helpr". Did you mean helper?'],
    [
      'a mode that does not exist',
      ['helper', 'Hi', '--context-mode', 'open'],
      'invalid --context-mode "open"; use isolated, shared, fork, handback, selective or summarized',
    ],
    ['an empty prompt', ['helper', ' '], 'the prompt is empty; write what the agent is to do'],
    [
      'no session to resume',
      ['helper', 'Hi', '--resume'],
      'there is no session of this project to continue; leave out --resume to begin one',
    ],
    ['--session with --resume', ['helper', 'Hi', '--resume', '--session', 'x'], expect.stringContaining('--session')],
    ['too many steps', ['helper', 'Hi', '--max-steps', '0'], 'invalid --max-steps "0"; use a whole number from 1'],
  ])('%s', async (_, args, message) => {
    const { agents, server } = await person([]);
    const result = await agents(['run', ...args]);
    expect({ ...result, stderr: result.stderr.replace(/^cairn: /u, '').trimEnd() }).toMatchObject({
      exitCode: 2,
      stdout: '',
      stderr: message,
    });
    expect(server.requests).toHaveLength(0);
  });

  test('a broken definition', async () => {
    const { agents, project } = await person([], {
      project: { '.cairn/agents/bad.md': agent('bad', 'contextMode: open\n') },
    });
    expect(await agents(['run', 'bad', 'Hi'])).toMatchObject({
      exitCode: 2,
      stdout: '',
      stderr: `cairn: The definition of the agent bad is invalid: ${project}/.cairn/agents/bad.md:4: contextMode: invalid value "open"; use isolated, shared, fork, handback, selective, summarized. Correct the file, then try again.\n`,
    });
  });

  test('without a model it states how to name one and what works without; nothing is created', async () => {
    const { agents, home } = await person([], { env: { CAIRN_MODEL: '', CAIRN_BASE_URL: '' } });
    const result = await agents(['run', 'helper', 'Hi']);
    expect(result).toMatchObject({ exitCode: 2, stdout: '' });
    expect(result.stderr).toMatch(
      /^cairn: No model is configured\. .*CAIRN_MODEL.*CAIRN_BASE_URL.*--model and --base-url.*agents context/u,
    );
    expect(existsSync(join(home, STORE))).toBe(false);
    expect((await agents(['context', 'helper'])).exitCode).toBe(0);
    expect(existsSync(join(home, STORE))).toBe(false);
  });

  test('a key that the server rejects is reported without the key, and the turn is stored closed', async () => {
    const { agents } = await person([], { key: 'right', env: { CAIRN_API_KEY: 'secret-key' } });
    const result = await agents(['run', 'helper', 'Hi']);
    expect(result).toMatchObject({ exitCode: 2, stdout: '' });
    expect(result.stderr).toContain('CAIRN_API_KEY');
    expect(result.stderr).not.toContain('secret-key');
    expect((await agents(['run', 'helper', 'Hi', '--json'])).stdout).toContain('"code":"MODEL_DENIED"');
  });

  test.each([
    ['nothing listens there', 'http://127.0.0.1:9/v1', 'MODEL_UNAVAILABLE'],
    ['not a URL', 'http//localhost', 'INVALID_OPTION'],
  ])('a wrong URL: %s', async (_, url, code) => {
    const { agents } = await person([]);
    const { exitCode, stdout } = await agents(['run', 'helper', 'Hi', '--base-url', url, '--json']);
    expect(exitCode).toBe(2);
    expect(JSON.parse(stdout)).toMatchObject({ error: { code } });
  });

  test('an unknown model', async () => {
    const { agents } = await person([], { models: ['known'] });
    const { exitCode, stdout } = await agents(['run', 'helper', 'Hi', '--json']);
    expect(exitCode).toBe(2);
    expect(JSON.parse(stdout)).toMatchObject({ error: { code: 'MODEL_REFUSED' } });
  });
});

/** Returns the body of the request that the text of a document makes. */
async function bodyOf(document: {
  readonly system: string;
  readonly messages: readonly ModelMessage[];
  readonly tools: readonly { readonly name: string; readonly description: string; readonly inputSchema: object }[];
}): Promise<string> {
  let body = '';
  const provider = createOpenAICompatible({
    name: 'model-server',
    baseURL: 'http://localhost/v1',
    includeUsage: true,
    fetch: (_, init) => {
      body = init?.body as string;
      return Promise.reject(new Error('sent'));
    },
  });
  const tools = document.tools.map(
    ({ name, description, inputSchema }) =>
      [name, tool({ description, inputSchema: jsonSchema(inputSchema) })] as const,
  );
  const stream = streamText({
    model: provider.chatModel('scripted'),
    instructions: document.system,
    messages: [...document.messages],
    tools: Object.fromEntries(tools) as ToolSet,
    toolChoice: 'auto',
    maxRetries: 0,
    onError: () => undefined,
  });
  await stream.consumeStream({ onError: () => undefined });
  return body;
}

describe('context', () => {
  const setup: Setup = {
    project: {
      'AGENTS.md': 'Use tabs.',
      'a.txt': 'one\n',
      '.cairn/agents/helper.md': agent('helper', 'sharePatterns: ["project uses *"]\nsummarizeAfter: 2\n'),
    },
  };
  test.each(modes)('shows the bytes that the next run sends, in the mode %s', async (mode) => {
    const { agents, server, project, env } = await person(({ number, chat }) => {
      const isFirst = chat.messages.at(-1)?.role === 'user';
      return isFirst && number < 6
        ? { text: 'I read it.', toolCalls: [{ name: 'read', input: { path: 'a.txt' } }] }
        : { text: `Answer ${number}.` };
    }, setup);
    const place = ['--session', 's'];
    await agents([
      'run',
      'helper',
      'Our project uses React. The weather is bad.',
      '--context-mode',
      'shared',
      ...place,
    ]);
    await agents(['run', 'helper', 'Our project uses Node.', '--context-mode', 'shared', ...place]);
    await agents(['run', 'helper', 'A task of its own.', ...place]);
    const asked = ['helper', 'And now? @a.txt', '--context-mode', mode, ...place];
    // Of one mode in processes of their own.
    const command = (args: readonly string[]): Promise<CairnResult> =>
      mode === 'fork' ? cairnProcess(['agents', ...args], { cwd: project, env }) : agents(args);
    const shown = await command(['context', ...asked, '--json']);
    expect([shown.exitCode, shown.stderr]).toEqual([0, '']);
    const number = server.requests.length;
    expect((await command(['run', ...asked])).exitCode).toBe(0);
    const document = JSON.parse(shown.stdout) as Parameters<typeof bodyOf>[0];
    const sent = requestAt(server, number);
    expect(systemPromptOf(sent)).toBe(document.system);
    expect(await bodyOf(document)).toBe(sent.body.toString());
    // The same text, for people.
    const { stdout } = await agents(['context', ...asked.slice(0, 1), ...asked.slice(2)]);
    expect(stdout).toContain(`\n== system prompt\n${document.system.slice(0, 100)}`);
  });

  test('shows what the first run sends, without a model and without a store', async () => {
    const { agents, server, home } = await person([{ text: 'a' }], setup);
    const shown = await agents(['context', 'helper', '--json'], { env: { HOME: home } });
    expect(shown.exitCode).toBe(0);
    await agents(['run', 'helper', 'Hi']);
    const document = JSON.parse(shown.stdout) as Parameters<typeof bodyOf>[0];
    expect(await bodyOf({ ...document, messages: [{ role: 'user', content: 'Hi' }] })).toBe(
      requestAt(server, 0).body.toString(),
    );
  });

  test('shows the index of the knowledge of the user, unless it is left out', async () => {
    const { agents, home, project } = await person([], setup);
    // Its tech stack lists the assets of a product line, and others only by their number.
    writeFileSync(join(project, 'package.json'), '{"dependencies": {"redis": "5.0.0"}}');
    const knowledge = createKnowledge({ directory: join(home, '.local/share/cairn/knowledge') });
    const title = 'Redis failover';
    await knowledge.store.add({
      name: 'redis',
      productLine: 'infra/redis',
      type: 'reference',
      title,
      body: '# Wait\n',
    });
    await knowledge.store.add({
      name: 'kafka',
      productLine: 'exchange',
      type: 'pitfall',
      title: 'Kafka',
      body: '# K\n',
    });
    await knowledge.close();
    const { stdout } = await agents(['context', 'helper']);
    expect(stdout).toContain('\nredis|reference|infra/redis|Redis failover||0\n');
    expect(stdout).toContain('Not listed: 1 asset of other product lines (exchange 1).');
    expect(stdout).toMatch(/^ {2}system .*, knowledge \d+/mu);
    const { stdout: without } = await agents(['context', 'helper', '--no-knowledge']);
    expect(without).not.toContain('Redis failover');
    expect(stdout).toContain('get_asset');
    expect(without).not.toContain('get_asset');
  });

  test('lists the tokens by part, and what is left out', async () => {
    const { agents } = await person(() => ({ text: 'Answer.' }), {
      project: {
        'AGENTS.md': 'x'.repeat(9000),
        '.cairn/agents/helper.md': agent('helper', 'contextWindow: 2\ntools: [read]\n'),
      },
    });
    for (const prompt of ['One', 'Two', 'Three']) await agents(['run', 'helper', prompt, '--session', 's']);
    const { stdout, stderr } = await agents(['context', 'helper', '--session', 's']);
    const [title, ...rows] = stdout.split('\n\n')[0]?.split('\n') ?? [];
    expect(title).toMatch(/^helper, mode isolated, session s: about [\d,]+ tokens, [\d.]+ (?:B|[KM]iB)$/u);
    expect(rows).toEqual([
      expect.stringMatching(
        /^ {2}system {4}[\d,]+: agent \d+, project [\d,]+, workspace \d+, mode \d+, left-out \d+$/u,
      ),
      expect.stringMatching(/^ {2}shows {5}facts nothing, knowledge nothing, tree \d+, instructions [\d,]+$/u),
      expect.stringMatching(/^ {2}messages {2}\d+: 2 messages$/u),
      expect.stringMatching(/^ {2}tools {5}\d+: read \d+$/u),
      expect.stringMatching(/^ {2}left out {2}4 messages of the agent, \d+ tokens \(window\)$/u),
    ]);
    expect(stderr).toContain('The project instructions leave out');
    expect(stdout).toContain('\n== message 1: user\nThree\n');
    expect(stdout).toContain('\n== tool read\n');
  });

  test('lists each part that can be left out, shown or not, and --without leaves parts out of the run too', async () => {
    const { agents, server } = await person([{ text: 'a' }, { text: 'b' }], {
      project: {
        'AGENTS.md': 'Always test.\n',
        '.cairn/agents/alone.md': agent('alone', 'shows: []\n'),
        '.cairn/agents/bad.md': agent('bad', 'shows: [files]\n'),
      },
    });
    const showsLine = async (args: readonly string[]): Promise<string> =>
      /^ {2}shows {5}(.*)$/mu.exec((await agents(['context', ...args])).stdout)?.[1] ?? '';
    expect(await showsLine(['helper'])).toMatch(/^facts nothing, knowledge nothing, tree \d+, instructions \d+$/u);
    expect(await showsLine(['helper', '--without', 'facts,tree', '--without', 'knowledge'])).toMatch(
      /^facts not shown \(--without\), knowledge not shown \(--without\), tree not shown \(--without\), instructions \d+$/u,
    );
    const none = ['facts', 'knowledge', 'tree', 'instructions'].map((part) => `${part} not shown (the definition)`);
    expect(await showsLine(['alone'])).toBe(none.join(', '));
    expect(await showsLine(['alone', '--no-knowledge'])).toBe(none.join(', '));
    const { shows } = JSON.parse((await agents(['context', 'helper', '--json', '--no-knowledge'])).stdout) as {
      shows: object[];
    };
    expect(shows[1]).toEqual({ part: 'knowledge', tokens: 0, hiddenBy: 'option' });

    await agents(['run', 'alone', 'Go.']);
    await agents(['run', 'helper', 'Go.', '--without', 'instructions']);
    const [alone, helper] = server.requests as [ModelRequest, ModelRequest];
    expect(systemPromptOf(alone)).not.toMatch(/Always test|workspace/iu);
    expect(systemPromptOf(alone)).toContain('You are alone.');
    expect(systemPromptOf(helper)).not.toContain('Always test');
    expect(toolNamesOf(helper)).toContain('recall');
    expect(toolNamesOf(alone)).not.toContain('recall');

    expect(await agents(['run', 'helper', 'Go.', '--without', 'files'])).toMatchObject({ exitCode: 2 });
    expect((await agents(['show', 'bad'])).stderr).toContain(
      'bad.md:4: shows: invalid value ["files"]; use a list of facts, knowledge, tree, instructions, or [] for none of them',
    );
    expect((await agents(['show', 'alone'])).stdout).toContain('shows: none\n');
    const made = ['new', 'c', '--description', 'd', '--prompt', 'p', '--shows', 'none', '--read-only', '--json'];
    expect(JSON.parse((await agents(made)).stdout)).toMatchObject({ shows: [], permissions: 'plan' });
    expect((await agents(['context', 'c'])).stdout).not.toContain('== tool write');
  });

  test('an unknown agent is rejected with near names', async () => {
    const { agents } = await person([]);
    expect(await agents(['context', 'helpe'])).toMatchObject({
      exitCode: 2,
      stdout: '',
      stderr: 'cairn: There is no agent "helpe". Did you mean helper?\n',
    });
  });
});

describe('the modes', () => {
  test('isolated does not see the main conversation, shared does', async () => {
    const { agents, server } = await person(({ number }) => ({ text: `Answer ${number}` }));
    const place = ['--session', 's'];
    await agents(['run', 'helper', 'Our project uses React', '--context-mode', 'shared', ...place]);
    await agents(['run', 'helper', 'Write a component', ...place]);
    await agents(['run', 'helper', 'Write a component', '--context-mode', 'shared', ...place]);
    expect(transcriptOf(requestAt(server, 1))).toEqual(['user: Write a component']);
    expect(transcriptOf(requestAt(server, 2)).join('\n')).toContain('React');
    expect(transcriptOf(requestAt(server, 2)).join('\n')).not.toContain('Answer 2');
  });

  test('handback adds its answer to the main conversation', async () => {
    const { agents, server } = await person(({ number }) => ({ text: `Answer ${number}` }));
    await agents(['run', 'helper', 'Begin', '--context-mode', 'handback', '--session', 's']);
    await agents(['run', 'helper', 'And?', '--context-mode', 'shared', '--session', 's']);
    expect(transcriptOf(requestAt(server, 1)).join('\n')).toContain('Answer 1');
  });
});

describe('the precedence of the mode', () => {
  const named = [undefined, ...modes];
  const rows = named.flatMap((defined) =>
    named.map((given) => [defined, given, given ?? defined ?? 'isolated'] as const),
  );

  test('the argument decides, then the definition, then isolated', async () => {
    const files = named.map((mode) => [
      `${mode ?? 'none'}.md`,
      agent(mode ?? 'none', mode === undefined ? '' : `contextMode: ${mode}\n`),
    ]);
    const root = createTree({ '.cairn/agents': Object.fromEntries(files) as Tree });
    // One process for all of them: only the arguments differ.
    for (const [defined, given, expected] of rows) {
      const args = [
        'agents',
        'context',
        defined ?? 'none',
        '--json',
        ...(given === undefined ? [] : ['--context-mode', given]),
      ];
      const { stdout } = await cairn(args, { cwd: root, env: { HOME: root } });
      expect(JSON.parse(stdout), `${defined} ${given}`).toMatchObject({ mode: expected });
    }
  });
});

describe.skipIf(!hasRedis)('with a Redis', () => {
  test('the project needs a name; with one, sessions are continued', async () => {
    const redis = await startRedis();
    onTestFinished(() => redis.stop());
    const { agents, server } = await person(({ number }) => ({ text: `Answer ${number}` }), {
      env: { CAIRN_REDIS_URL: redis.url },
    });
    expect(await agents(['run', 'helper', 'One'])).toMatchObject({
      exitCode: 2,
      stderr: 'cairn: a Redis may be shared by machines, so the project has no name of its own; use --project <name>\n',
    });
    await agents(['run', 'helper', 'One', '--project', 'app']);
    await agents(['run', 'helper', 'Other', '--project', 'other']);
    await agents(['run', 'helper', 'Two', '--project', 'app', '--resume']);
    expect(transcriptOf(requestAt(server, 2))).toEqual(['user: One', 'assistant: Answer 1', 'user: Two']);
  });
});

describe('sessions', () => {
  test('are listed with time, messages, agents and title, the newest first, and removed by name', async () => {
    const who = await person([{ text: 'a' }, { text: 'b' }, { text: 'c' }], {
      project: { '.cairn/agents/other.md': agent('other') },
    });
    const { agents, home } = who;
    const none = { exitCode: 1, stdout: '', stderr: "cairn: there are no sessions; 'cairn agents run' begins one\n" };
    expect(await agents(['sessions'])).toMatchObject(none);
    expect(existsSync(join(home, STORE))).toBe(false);
    await agents(['run', 'helper', 'First question\nand more', '--session', 'first']);
    await agents(['run', 'other', 'Second', '--session', 'first']);
    await agents(['run', 'helper', 'Of main', '--session', 'second', '--context-mode', 'shared']);
    const { stdout, exitCode } = await agents(['sessions']);
    expect(exitCode).toBe(0);
    const time = String.raw`\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ`;
    const [second = '', first = '', ...rest] = stdout.split('\n');
    expect(second).toMatch(new RegExp(`^second ${time}, 2 messages, main: Of main$`, 'u'));
    expect(first).toMatch(new RegExp(`^first ${time}, 4 messages, helper, other: (?:First question|Second)$`, 'u'));
    expect(rest).toEqual(['']);
    const { stdout: json } = await agents(['sessions', '--json']);
    expect(JSON.parse(json)).toMatchObject({
      matches: [
        { session: 'second', title: 'Of main', messages: 2, agents: [], lastUsedAt: expect.any(Number) },
        { session: 'first', messages: 4, agents: ['helper', 'other'] },
      ],
      shown: 2,
      complete: true,
    });
    expect(await agents(['sessions', '--remove', 'first2'])).toMatchObject({
      exitCode: 2,
      stderr: 'cairn: there is no session first2; did you mean first?\n',
    });
    expect(await agents(['sessions', '--remove', 'first'])).toMatchObject({
      exitCode: 0,
      stdout: '',
      stderr: 'cairn: removed first with 4 messages\n',
    });
    expect((await agents(['sessions'])).stdout).toBe(`${second}\n`);
    expect((await agents(['run', 'helper', 'Go on', '--resume'])).stderr).toContain('session second');
  });
});

describe('clear', () => {
  test('removes the conversation of an agent, and never the main one', async () => {
    const { agents, server } = await person(({ number }) => ({ text: `Answer ${number}` }));
    const place = ['--session', 's'];
    await agents(['run', 'helper', 'Own', ...place]);
    await agents(['run', 'helper', 'Main', '--context-mode', 'shared', ...place]);
    expect(await agents(['clear', 'helper'])).toMatchObject({
      exitCode: 0,
      stdout: '',
      stderr: 'cairn: removed 2 messages of helper from s\n',
    });
    await agents(['run', 'helper', 'Again', ...place]);
    expect(transcriptOf(requestAt(server, 2))).toEqual(['user: Again']);
    await agents(['run', 'helper', 'Again', '--context-mode', 'shared', ...place]);
    expect(transcriptOf(requestAt(server, 3)).join('\n')).toContain('Main');
    expect(await agents(['clear', '--main', ...place, '--json'])).toMatchObject({
      exitCode: 0,
      stdout: '{"session":"s","removed":4,"notices":["removed 4 messages of the main conversation from s"]}\n',
    });
    await agents(['run', 'helper', 'Last', '--context-mode', 'shared', ...place]);
    expect(transcriptOf(requestAt(server, 4))).toEqual(['user: Last']);
    await agents(['run', 'helper', 'Last', ...place]);
    expect(transcriptOf(requestAt(server, 5))).toContain('user: Again');
  });

  test('removes a conversation by either Unicode form of the names of agent and session', async () => {
    const [composed, decomposed] = ['r\u00e9viseur', 're\u0301viseur'];
    const { agents } = await person(() => ({ text: 'a' }), {
      project: { [`.cairn/agents/${composed}.md`]: agent(composed) },
    });
    await agents(['run', decomposed, 'Hi', '--session', composed]);
    await agents(['run', composed, 'Hi', '--session', decomposed]);
    expect(await agents(['clear', decomposed, '--session', decomposed])).toMatchObject({
      exitCode: 0,
      stderr: `cairn: removed 4 messages of ${composed} from ${composed}\n`,
    });
  });

  test('removes what is not readable, too', async () => {
    const { agents, home } = await person(() => ({ text: 'a' }));
    await agents(['run', 'helper', 'Hi', '--session', 's']);
    const keysOf = async (change: boolean): Promise<string[]> => {
      const memory = createMemory({ backend: sqlite({ path: join(home, STORE, 'memory.db') }) });
      const namespace = memory.namespace('contexts');
      // The other key is the text about the mode, which the clear removes too.
      const all = (await namespace.keys()).map(({ key }) => key);
      const keys = change ? all.filter((key) => key.startsWith('history:')) : all;
      if (change) for (const key of keys) await namespace.remove(key, await namespace.list(key));
      if (change) await namespace.append(keys[0] ?? '', [{ turn: 'a', index: 0, count: 2, message: {} }]);
      await memory.close();
      return keys;
    };
    expect(await keysOf(true)).toHaveLength(1);
    const { exitCode, stderr } = await agents(['clear', 'helper', '--session', 's']);
    expect([exitCode, stderr]).toEqual([0, 'cairn: removed 0 messages and what was not readable of helper from s\n']);
    expect(await keysOf(false)).toEqual([]);
  });

  test('states that there is nothing to remove, and rejects names that mean nothing', async () => {
    const { agents, home } = await person(() => ({ text: 'a' }));
    expect(await agents(['clear', 'helper'])).toMatchObject({
      exitCode: 1,
      stderr: 'cairn: this project has no session; nothing was removed\n',
    });
    expect(existsSync(join(home, STORE))).toBe(false);
    await agents(['run', 'helper', 'Hi', '--session', 's']);
    expect(await agents(['clear', '--main'])).toMatchObject({
      exitCode: 1,
      stderr: 'cairn: the main conversation has no messages in s; nothing was removed\n',
    });
    expect(await agents(['clear', 'helpr'])).toMatchObject({
      exitCode: 2,
      stderr: 'cairn: There is no agent "helpr". Did you mean helper?\n',
    });
    expect(await agents(['clear'])).toMatchObject({
      exitCode: 2,
      stderr: 'cairn: neither an agent nor --main is named; name an agent, or use --main for the main conversation\n',
    });
    expect((await agents(['clear', 'helper', '--main'])).exitCode).toBe(2);
    expect((await agents(['clear', 'helper', '--session', 'other'])).stderr).toContain('there is no session other');
  });
});

describe('an end before the end', () => {
  test('Ctrl-C ends with 130, and the session keeps the closed turn', async () => {
    const who = await person(({ number }) =>
      number === 1
        ? { text: 'I read it.', toolCalls: [{ name: 'read', input: { path: '.' } }] }
        : number === 2
          ? { never: true }
          : { text: 'Back.' },
    );
    const child = startCairn(['agents', 'run', '--trust', '--allow', '*', 'helper', 'Begin', '--session', 's'], {
      cwd: who.project,
      env: who.env,
    });
    child.stdin?.end();
    const end = finished(child);
    await who.server.arrived(2);
    child.kill('SIGINT');
    const { exitCode, stderr } = await end;
    expect(exitCode).toBe(130);
    expect(stderr).toContain('session s: --resume continues it');
    expect(await who.agents(['run', 'helper', 'Go on', '--resume'])).toMatchObject({ exitCode: 0, stdout: 'Back.\n' });
    const lines = transcriptOf(requestAt(who.server, 2));
    expect(lines[0]).toBe('user: Begin');
    expect(lines[1]).toContain('read(');
    expect(lines.at(-1)).toBe('user: Go on');
  });

  test('Ctrl-C prints with --json what was done', async () => {
    const who = await person([
      { text: 'I read it.', toolCalls: [{ name: 'read', input: { path: '.' } }] },
      { never: true },
    ]);
    const child = startCairn(
      ['agents', 'run', '--trust', '--allow', '*', 'helper', 'Begin', '--session', 's', '--json'],
      {
        cwd: who.project,
        env: who.env,
      },
    );
    child.stdin?.end();
    const end = finished(child);
    await who.server.arrived(2);
    child.kill('SIGINT');
    const { exitCode, stdout } = await end;
    expect(exitCode).toBe(130);
    const expected = { finishReason: 'aborted', session: 's', text: 'I read it.', calls: [{ name: 'read' }] };
    expect(JSON.parse(stdout)).toMatchObject(expected);
  });

  test('SIGTERM ends with 143, also while a tool works, and no call stays open', async () => {
    const who = await person([
      {
        toolCalls: [
          { name: 'grep', input: { pattern: 'x' } },
          { name: 'read', input: { path: '.' } },
        ],
      },
      { never: true },
      { text: 'Back.' },
    ]);
    const child = startCairn(['agents', 'run', '--trust', '--allow', '*', 'helper', 'Begin', '--session', 's'], {
      cwd: who.project,
      env: who.env,
    });
    child.stdin?.end();
    const end = finished(child);
    await who.server.arrived(1);
    child.kill('SIGTERM');
    expect((await end).exitCode).toBe(143);
    const { stdout } = await who.agents(['context', 'helper', '--session', 's', '--json']);
    const { messages } = JSON.parse(stdout) as {
      messages: { content: string | { type: string; toolCallId?: string }[] }[];
    };
    const parts = messages.flatMap(({ content }) => (typeof content === 'string' ? [] : content));
    const ids = (type: string) => parts.filter((part) => part.type === type).map(({ toolCallId }) => toolCallId);
    expect(ids('tool-result')).toEqual(ids('tool-call'));
  });

  test('a closed pipe ends the run without an error', async () => {
    const who = await person(() => ({ text: 'x'.repeat(100_000) }));
    const child = startCairn(['agents', 'run', '--trust', '--allow', '*', 'helper', 'Hi', '--session', 's'], {
      cwd: who.project,
      env: who.env,
    });
    child.stdin?.end();
    child.stdout?.destroy();
    expect((await finished(child)).exitCode).toBe(0);
    const { stdout } = await who.agents(['context', 'helper', '--session', 's', '--json']);
    expect((JSON.parse(stdout) as { messages: unknown[] }).messages).toHaveLength(2);
  });
});

describe.skipIf(process.platform === 'win32')('in a terminal', () => {
  const script = 'exec "$NODE" "$CAIRN" "$@"';
  const run = (who: Person, ...args: readonly string[]): TerminalRun =>
    runInTerminal(['agents', ...allowing(['run', ...args])], { cwd: who.project, env: who.env, columns: 100, script });

  test('streams the answer, shows the calls of tools, and escapes what could control the terminal', async () => {
    const who = await person(
      [
        {
          text: 'I read it.',
          toolCalls: [
            { name: 'read', input: { path: 'a.txt' } },
            { name: 'read', input: { path: 'b\u001b[2J.txt' } },
          ],
        },
        { text: ['One ', '\u001b[31mred', '\nTwo 😀'] },
      ],
      { project: { 'a.txt': 'x\n' } },
    );
    const terminal = run(who, 'helper', 'Hi');
    const { exitCode } = await terminal.end;
    expect(exitCode).toBe(0);
    const rows = terminal.rows().filter((row) => row !== '');
    expect(rows).toEqual([
      'I read it.',
      '> read {"path":"a.txt"}',
      String.raw`> read {"path":"b\u001b[2J.txt"}`,
      expect.stringMatching(/^> read failed: /u),
      String.raw`One \u001b[31mred`,
      'Two 😀',
      expect.stringMatching(/^cairn: 2 steps/u),
      ...(rows.length > 7 ? [rows[7]] : []),
    ]);
  });

  test('shows the runs that an agent delegates', async () => {
    const who = await person(
      ({ chat }) => {
        const isNested = JSON.stringify(chat.messages).includes('You are reader');
        const isFirst = chat.messages.at(-1)?.role === 'user';
        if (isNested)
          return isFirst ? { toolCalls: [{ name: 'read', input: { path: 'a.txt' } }] } : { text: 'Nested answer' };
        return isFirst
          ? { toolCalls: [{ name: 'agent', input: { agent: 'reader', prompt: 'Read it' } }] }
          : { text: 'Done' };
      },
      { project: { 'a.txt': 'x', '.cairn/agents/reader.md': agent('reader', 'tools: [read]\n') } },
    );
    const terminal = run(who, 'helper', 'Hi');
    expect((await terminal.end).exitCode).toBe(0);
    const rows = terminal.rows().filter((row) => row !== '');
    expect(rows.slice(0, 4)).toEqual([
      expect.stringMatching(/^> agent \{.*"reader"/u),
      '  > agent reader (isolated) begins',
      '  > read {"path":"a.txt"}',
      'Done',
    ]);
    expect(rows.join('\n')).not.toContain('Nested answer');
  });

  test('shows that it waits, and Ctrl-C ends it', async () => {
    const who = await person([{ never: true }]);
    const terminal = run(who, 'helper', 'Hi');
    await terminal.until((rows) => rows.some((row) => row.includes('waiting for the model')), 'the waiting line');
    terminal.type('\u0003');
    expect((await terminal.end).exitCode).toBe(130);
    expect(terminal.rows().some((row) => row.includes('waiting'))).toBe(false);
  });

  test('a prompt is needed there', async () => {
    const who = await person([]);
    const terminal = run(who, 'helper');
    expect((await terminal.end).exitCode).toBe(2);
    expect(terminal.rows().join('\n')).toContain('give the prompt as an argument, or pipe it');
  });
});
