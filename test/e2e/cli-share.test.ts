import { describe, expect, test } from 'vitest';
import process from 'node:process';
import { git } from '../support/tools.ts';
import { runInTerminal } from '../support/terminal.ts';
import { temporaryDirectory } from '../support/tree.ts';
import { newcomer, remember } from './newcomer.ts';

describe('cairn knowledge share', () => {
  test('makes an asset of a fact, once, and says how the team gets it', async () => {
    const cairn = newcomer();
    const fact = await remember(cairn, 'the tests need redis-server', '--tag', 'tests');
    const args = ['knowledge', 'share', fact];
    const id = 'general/the-tests-need-redis-server';
    expect(await cairn(args)).toEqual({
      exitCode: 0,
      signal: null,
      stdout: `${id}\n`,
      stderr: `cairn: shared as ${id}; 'cairn knowledge show ${id}' shows it, and the fact stays\ncairn: it is on this machine only: 'cairn knowledge team init <url>' shares assets in a git repository\n`,
    });
    const again = await cairn([...args, '--title', 'Other']);
    expect(again).toMatchObject({ exitCode: 0, stdout: `${id}\n` });
    expect(again.stderr).toMatch(`cairn: ${fact} is the asset ${id} already; nothing was changed\n`);
    const { matches } = JSON.parse((await cairn(['recall', 'redis', '--kind', 'asset', '--json'])).stdout) as {
      readonly matches: readonly object[];
    };
    expect(matches).toMatchObject([{ id, fact, tags: ['tests'], type: 'discovery', area: 'general' }]);
    expect((await cairn(['recall', 'redis', '--kind', 'asset'])).stdout).toContain(`asset ${id} note #tests: `);
  });

  test('with a team, the asset reaches it with the next push', async () => {
    const cairn = newcomer();
    const remote = temporaryDirectory();
    git(['init', '-q', '--bare'], remote);
    expect(await cairn(['knowledge', 'team', 'init', remote])).toMatchObject({ exitCode: 0 });
    const fact = await remember(cairn, 'the deploy key rotates on Fridays');
    const fields = ['--title', 'Deploy key', '--type', 'pitfall', '--area', 'ops/ci'];
    const shared = await cairn(['knowledge', 'share', fact, ...fields]);
    expect(shared).toMatchObject({ exitCode: 0, stdout: 'ops/ci/deploy-key\n' });
    expect(shared.stderr).toContain("the team gets it with 'cairn knowledge team push'");
    expect(await cairn(['knowledge', 'team', 'push'])).toMatchObject({ exitCode: 0 });
    const again = await cairn(['knowledge', 'share', fact]);
    expect(again.stderr).toBe(`cairn: ${fact} is the asset ops/ci/deploy-key already; nothing was changed\n`);
  });

  test('of a fact that may have a secret needs --allow-secret, and then the team gets it', async () => {
    const cairn = newcomer();
    const remote = temporaryDirectory();
    git(['init', '-q', '--bare'], remote);
    expect(await cairn(['knowledge', 'team', 'init', remote])).toMatchObject({ exitCode: 0 });
    const token = ['ghp', '_', 'x7Kq9ZtB2mWv4LpR8sNd6JfH3cYg1TaE5uQo'].join('');
    const fact = await remember(cairn, `the token is ${token}`, '--allow-secret');
    const refused = await cairn(['knowledge', 'share', fact]);
    expect(refused).toMatchObject({ exitCode: 2, stdout: '' });
    expect(refused.stderr).toContain('line 1, column 14: GitHub token');
    expect(refused.stderr).toContain('or use --allow-secret to give it to the team');
    const shared = await cairn(['knowledge', 'share', fact, '--allow-secret']);
    expect(shared).toMatchObject({ exitCode: 0, stdout: `general/${fact.replace('_', '-')}\n` });
    const pushed = await cairn(['knowledge', 'team', 'push']);
    expect(pushed).toMatchObject({ exitCode: 0 });
    expect(git(['log', '-p', '--all'], remote).toString()).toContain(`+the token is ${token}`);
    for (const { stderr, stdout } of [refused, shared, pushed]) expect(stdout + stderr).not.toContain(token);
  });

  test('again after the fact was changed says that the asset is older, and --update gives it the text', async () => {
    const cairn = newcomer();
    const fact = await remember(cairn, 'deploys run on Mondays');
    await cairn(['knowledge', 'share', fact]);
    await cairn(['memory', 'update', fact, '--text', 'deploys run on Fridays']);
    const id = 'general/deploys-run-on-mondays';
    const again = await cairn(['knowledge', 'share', fact]);
    expect([again.exitCode, again.stderr]).toEqual([
      1,
      expect.stringContaining(
        `the asset ${id} has an older text of ${fact}; nothing was changed: 'cairn knowledge share ${fact} --update' gives it the text of the fact\n`,
      ),
    ]);
    expect(JSON.parse((await cairn(['knowledge', 'share', fact, '--json'])).stdout)).toMatchObject({
      differs: 'older',
    });
    expect(await cairn(['knowledge', 'share', fact, '--update'])).toMatchObject({ exitCode: 0, stdout: `${id}\n` });
    expect((await cairn(['knowledge', 'show', id])).stdout).toMatch(/title: deploys run on Fridays[^]*Fridays\n$/u);
    await cairn(['knowledge', 'deprecate', id]);
    expect((await cairn(['knowledge', 'share', fact])).stderr).toContain(
      `${id} is deprecated, so searches do not find it; 'cairn knowledge deprecate ${id} --active' undoes that\n`,
    );
  });

  test('a forgotten fact that was shared names the asset that remains, and the command that erases it', async () => {
    const cairn = newcomer();
    const fact = await remember(cairn, 'deploys run on Mondays');
    await cairn(['knowledge', 'share', fact]);
    const id = 'general/deploys-run-on-mondays';
    const next = await remember(cairn, 'deploys run on Fridays', '--replaces', fact);
    await cairn(['knowledge', 'share', next, '--update']);
    const remains = `it is also the asset ${id}, which remains; 'cairn knowledge remove ${id}' erases it\n`;
    expect((await cairn(['memory', 'forget', next])).stderr).toContain(remains);
    const all = await cairn(['memory', 'forget', '--scope', 'project', '--yes']);
    expect(all.stderr).toContain(`assets that were made of facts remain: ${id}; 'cairn knowledge remove <asset>'`);
    await cairn(['knowledge', 'remove', id]);
    const other = await remember(cairn, 'zebras have stripes');
    expect((await cairn(['memory', 'forget', other])).stderr).not.toContain('asset');
  });

  test.each([
    ['an unknown fact', 'fact_none', /^cairn: Unknown fact "fact_none"/u],
    ['part of an id', 'fact_', /did you mean fact_\w+\?/u],
  ])('of %s is an error', async (_, id, message) => {
    const cairn = newcomer();
    await remember(cairn, 'one');
    expect(await cairn(['knowledge', 'share', id])).toMatchObject({
      exitCode: 2,
      stdout: '',
      stderr: expect.stringMatching(message) as string,
    });
  });

  test('without a memory says what to do, and creates none', async () => {
    const cairn = newcomer();
    const { exitCode, stderr } = await cairn(['knowledge', 'share', 'fact_a']);
    expect([exitCode, stderr]).toEqual([2, expect.stringContaining("'cairn memory remember <text>' keeps a fact")]);
  });

  test('rejects a secret, and a fact like an asset until --new', async () => {
    const cairn = newcomer();
    const secret = await remember(cairn, 'The key is AKIAIOSFODNN7QWERTYU', '--allow-secret');
    expect((await cairn(['knowledge', 'share', secret])).stderr).toMatch(/seems to have a secret/u);
    await cairn(
      ['knowledge', 'add', '--title', 'Deploy the web app on Fridays'],
      'Deploy the web app on Fridays only.',
    );
    const fact = await remember(cairn, 'Deploy the web app on Fridays');
    const refused = await cairn(['knowledge', 'share', fact, '--name', 'fridays']);
    expect(refused.exitCode).toBe(2);
    expect(refused.stderr).toContain('nothing was added; use --new to share it anyway');
    expect(await cairn(['knowledge', 'share', fact, '--name', 'fridays', '--new'])).toMatchObject({ exitCode: 0 });
  });
});

describe.skipIf(process.platform === 'win32')('in a terminal', () => {
  const shows = (text: string) => (rows: string[]) => rows.some((row) => row.includes(text));

  test('share asks for title, type and area, with defaults', async () => {
    const cairn = newcomer();
    const fact = await remember(cairn, 'the tests need redis-server');
    const run = runInTerminal(['knowledge', 'share', fact], {
      cwd: cairn.home,
      env: { HOME: cairn.home },
      columns: 150,
    });
    await run.until(shows('Title [the tests need redis-server]:'), 'the title');
    run.type('\r');
    await run.until(shows('Type, one of note, pitfall'), 'the type');
    // The first answer is not a type, so it is asked again.
    run.type('recipe\rpitfall\r');
    await run.until(shows('Area [general]:'), 'the area');
    run.type('ops\r');
    const { exitCode, stdout } = await run.end;
    expect([exitCode, stdout.trim()]).toEqual([0, 'ops/the-tests-need-redis-server']);
  });

  test('add asks for everything that is missing', async () => {
    const cairn = newcomer();
    const run = runInTerminal(['knowledge', 'add'], { cwd: cairn.home, env: { HOME: cairn.home }, columns: 150 });
    await run.until(shows('Title, one line:'), 'the title');
    run.type('\rRedis failover\r');
    await run.until(shows('Type, one of'), 'the type');
    run.type('\r');
    await run.until(shows('Area [general]:'), 'the area');
    run.type('\r');
    await run.until(shows('Text, one line'), 'the text');
    run.type('Wait 30 s.\r');
    const { exitCode, stdout } = await run.end;
    expect([exitCode, stdout.trim()]).toEqual([0, 'general/redis-failover']);
    expect((await cairn(['knowledge', 'show', 'redis-failover'])).stdout).toContain('type: discovery');
  });

  test('an end of the terminal shares nothing', async () => {
    const cairn = newcomer();
    const fact = await remember(cairn, 'the tests need redis-server');
    const run = runInTerminal(['knowledge', 'share', fact], {
      cwd: cairn.home,
      env: { HOME: cairn.home },
      columns: 150,
    });
    await run.until(shows('Title'), 'the title');
    run.type('\u0004');
    expect((await run.end).exitCode).toBe(2);
    expect((await cairn(['knowledge', 'list'])).exitCode).toBe(1);
  });
});
