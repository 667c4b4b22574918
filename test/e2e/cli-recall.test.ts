import { createKnowledge, recall } from '@cairn/knowledge';
import { createKnowledgeToolSet } from '@cairn/knowledge/tools';
import { createMemory, projectOf } from '@cairn/memory';
import { sqlite } from '@cairn/memory/sqlite';
import { memoryToolSet } from '@cairn/memory/tools';
import { createToolSession } from '@cairn/tool';
import fc from 'fast-check';
import { existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { finished, startCairn } from '../support/cli.ts';
import { temporaryDirectory } from '../support/tree.ts';
import { messages, newcomer, remember, time } from './newcomer.ts';
import type { Newcomer } from './newcomer.ts';

const data = '.local/share/cairn';

async function addAsset(cairn: Newcomer, name: string, title: string, body: string): Promise<void> {
  const { exitCode, stderr } = await cairn(
    ['knowledge', 'add', '--new', '--name', name, '--type', 'pitfall', '--title', title],
    body,
  );
  expect(exitCode, stderr).toBe(0);
}

describe('cairn recall', () => {
  test('of a newcomer says what to do, and creates nothing', async () => {
    const cairn = newcomer();
    for (const args of [['recall'], ['recall', 'what', 'do', 'the', 'tests', 'need']]) {
      expect(await cairn(args)).toMatchObject({
        exitCode: 1,
        stdout: '',
        stderr:
          "cairn: nothing is kept yet: 'cairn memory remember <text>' keeps a fact, and 'cairn recall <question>' finds it\n",
      });
    }
    expect(existsSync(join(cairn.home, data))).toBe(false);
    const { exitCode, stdout } = await cairn(['recall', 'x', '--json']);
    expect([exitCode, JSON.parse(stdout)]).toEqual([1, expect.objectContaining({ matches: [], complete: true })]);
  });

  test('finds facts, assets and messages with one question, whose words need no quotes', async () => {
    const cairn = newcomer();
    const fact = await remember(cairn, 'the tests need redis-server', '--tag', 'tests');
    await addAsset(cairn, 'redis-failover', 'Redis failover', 'The tests need a retry\nafter 30 s.\n');
    await cairn(['memory', 'import'], messages(['monday', 'user', 'which redis do the tests need']));
    const found = await cairn(['recall', 'redis', 'tests', 'need']);
    expect(found).toMatchObject({ exitCode: 0, stderr: '' });
    const lines = found.stdout.split('\n');
    const expected = [
      new RegExp(`^${time} fact ${fact} project #tests: the tests need redis-server$`, 'u'),
      new RegExp(`^${time} asset general/redis-failover pitfall: Redis failover$`, 'u'),
      new RegExp(`^${time} message message_monday0 user: which redis do the tests need$`, 'u'),
      /^ {4}The tests need a retry$/u,
      /^ {4}after 30 s\.$/u,
    ];
    for (const line of expected) expect(lines).toContainEqual(expect.stringMatching(line));
    const ids = async (...args: string[]): Promise<unknown[]> => {
      const { stdout } = await cairn(['recall', ...args, '--json']);
      return (JSON.parse(stdout) as { matches: { id: string }[] }).matches.map(({ id }) => id);
    };
    expect(await ids('redis', '--kind', 'asset')).toEqual(['general/redis-failover']);
    expect(await ids('redis', '--kind', 'message')).toEqual(['message_monday0']);
    expect(await ids('redis', '--tag', 'TESTS')).toEqual([fact]);
    expect(await ids('redis', '--since', '2100-01-01')).toEqual([]);
    // A list has what was kept on purpose.
    expect(new Set(await ids())).toEqual(new Set([fact, 'general/redis-failover']));
    expect(await ids('--limit', '1', '--offset', '1')).toHaveLength(1);
    const first = await cairn(['recall', '--limit', '1']);
    expect(first).toMatchObject({ exitCode: 0, stderr: 'cairn: there are more: use --offset 1\n' });
  });

  test('states what it searched when nothing is found, and what else to try', async () => {
    const cairn = newcomer();
    await remember(cairn, 'the tests need redis-server');
    expect(await cairn(['recall', 'zebra'])).toMatchObject({
      exitCode: 1,
      stderr:
        "cairn: nothing found in 1 fact, 0 assets and 0 messages; try other words, or list all with 'cairn recall'\n",
    });
    expect((await cairn(['recall', 'redis', '--tag', 'none'])).stderr).toContain('try other words or fewer options');
    expect((await cairn(['recall', 'redis', '--offset', '9'])).stderr).toContain('nothing more at --offset 9');
  });

  test.each([
    [['--kind', 'gap'], /invalid --kind "gap"; use fact, asset or message/u],
    [['--limit', '51'], /invalid --limit/u],
    [['--since', 'soon'], /soon/u],
    [['--kind', 'message', '--tag', 'a'], /Only facts and assets have tags/u],
    [['--frob'], /unknown option "--frob".*text to search for, put -- before it/u],
  ])('rejects %j with exit status 2', async (args, message) => {
    const cairn = newcomer();
    await remember(cairn, 'one');
    expect(await cairn(['recall', 'x', ...args])).toMatchObject({
      exitCode: 2,
      stdout: '',
      stderr: expect.stringMatching(message) as string,
    });
  });

  test('a store that cannot be read costs a notice and the exit status, not the rest of the answer', async () => {
    const cairn = newcomer();
    const fact = await remember(cairn, 'the tests need redis-server');
    await addAsset(cairn, 'redis', 'Redis', 'Redis is here.');
    const away = cairn.elsewhere(cairn.home, { CAIRN_REDIS_URL: 'redis://127.0.0.1:1' });
    expect(await away(['recall', 'redis', '--since', '7d'])).toMatchObject({
      exitCode: 2,
      stdout: expect.stringContaining('asset general/redis') as string,
      stderr: expect.stringMatching(
        /^cairn: The answer has no facts and no messages of past sessions, because/u,
      ) as string,
    });
    const damaged = join(cairn.home, data, 'knowledge');
    for (const name of readdirSync(damaged)) rmSync(join(damaged, name), { recursive: true });
    writeFileSync(join(damaged, 'knowledge.db'), 'not a store '.repeat(1000));
    expect(await cairn(['recall', 'redis'])).toMatchObject({
      exitCode: 2,
      stdout: expect.stringContaining(fact) as string,
      stderr: expect.stringMatching(/^cairn: The answer has no assets, because they could not be read/u) as string,
    });
  });

  test.each([
    ['of a store', ['--store', 'own.db']],
    ['of another project', ['--project', 'acme']],
    ['for one agent only', ['--stream', 'desk 1']],
  ])('finds a fact %s by the command that remember prints', async (_, options) => {
    const cairn = newcomer();
    const { stderr } = await cairn(['memory', 'remember', 'the tests need redis', ...options]);
    const [, command = ''] = /cairn: '(cairn [^\n]*?)' finds it; 'cairn knowledge share /u.exec(stderr) ?? [];
    const words = (command.match(/'[^']*'|[^ ]+/gu) ?? []).map((word) => word.replaceAll("'", ''));
    const args = words.slice(1).map((word) => (word === '<words>' ? 'redis' : word));
    expect(await cairn(args), command).toMatchObject({
      exitCode: 0,
      stdout: expect.stringContaining('the tests need redis') as string,
    });
  });

  test('names a store that does not exist', async () => {
    const cairn = newcomer();
    await remember(cairn, 'the tests need redis');
    const { exitCode, stderr } = await cairn(['recall', 'redis', '--store', 'none.db']);
    expect([exitCode, stderr]).toEqual([1, 'cairn: there is no memory at none.db\n']);
  });

  test('ends quietly when its reader leaves, as with head', async () => {
    const cairn = newcomer();
    for (let index = 0; index < 5; index++) await remember(cairn, `${index} ${'redis '.repeat(30_000)}`);
    const child = startCairn(['recall', 'redis', '--json'], { cwd: cairn.home, env: { HOME: cairn.home } });
    child.stdout?.once('data', () => child.stdout?.destroy());
    expect(await finished(child)).toMatchObject({ exitCode: 0, stderr: '' });
  });
});

const words = ['deploy', 'key', 'redis', 'rotate', 'friday', 'queue'] as const;
const someWords = fc.array(fc.constantFrom(...words), { minLength: 1, maxLength: 4 }).map((all) => all.join(' '));

test('the command, the tool and the library give the same hits', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.uniqueArray(someWords, { minLength: 1, maxLength: 3 }),
      fc.uniqueArray(someWords, { maxLength: 3 }),
      fc.array(someWords, { maxLength: 3 }),
      fc.array(fc.oneof(someWords, fc.constant('')), { minLength: 2, maxLength: 2 }),
      async (facts, assets, contents, questions) => {
        const home = temporaryDirectory();
        mkdirSync(join(home, data, 'knowledge'), { recursive: true });
        const memory = createMemory({
          backend: sqlite({ path: join(home, data, 'memory.db') }),
          project: await projectOf(home),
        });
        const knowledge = createKnowledge({ directory: join(home, data, 'knowledge'), learn: false, env: {} });
        onTestFinished(() => Promise.all([memory.close(), knowledge.close()]).then(() => undefined));
        for (const text of facts) await memory.facts.remember(text);
        for (const [index, title] of assets.entries()) {
          await knowledge.store.add({ name: `a${index}`, type: 'reference', title, body: `${title} ${index}` });
        }
        for (const content of contents) await memory.messages.add({ stream: 'agent', group: 'g' }, { content });
        const context = {
          roots: [home] as const,
          naming: 'default',
          readOnly: false,
          session: createToolSession(),
          signal: new AbortController().signal,
        };
        await createKnowledgeToolSet({ open: () => Promise.resolve(knowledge) }).open(context);
        const { tools } = await memoryToolSet({ open: () => Promise.resolve(memory) }).open(context);
        for (const query of questions) {
          const { hits } = await recall({ memory, knowledge, query });
          const keys = hits.map(({ kind, id, score, isSimilar = false }) => ({ kind, id, score, similar: isSimilar }));
          const called = await tools['recall']?.execute({ query });
          expect(called?.details).toMatchObject({ hits: hits.map(({ kind, id, score }) => ({ kind, id, score })) });
          const { stdout } = await newcomer({}, home)(['recall', query, '--json']);
          const { matches } = JSON.parse(stdout) as { readonly matches: readonly (typeof keys)[number][] };
          expect(matches.map(({ kind, id, score, similar }) => ({ kind, id, score, similar }))).toEqual(keys);
        }
      },
    ),
    { numRuns: 12 },
  );
});
