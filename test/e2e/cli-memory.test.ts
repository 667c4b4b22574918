import { mkdirSync, renameSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { describe, expect, test } from 'vitest';
import { hasRedis, startRedis } from '../support/redis-server.ts';
import { cairn, finished, startCairn } from '../support/cli.ts';
import { git } from '../support/tools.ts';
import { temporaryDirectory } from '../support/tree.ts';
import { messages, newcomer, remember, time } from './newcomer.ts';
import type { Newcomer } from './newcomer.ts';

describe('cairn memory', () => {
  test.skipIf(process.platform === 'win32')('a memory that cannot be opened is not reported as missing', async () => {
    const cwd = temporaryDirectory();
    symlinkSync('loop.db', join(cwd, 'loop.db'));
    const found = await cairn(['memory', 'search', 'x', '--store', 'loop.db', '--json'], { cwd });
    expect(found).toMatchObject({ exitCode: 2, stderr: '' });
    expect(JSON.parse(found.stdout)).toMatchObject({
      error: { code: expect.stringMatching(/^STORE_/u), changed: false },
    });
  });

  test('a newcomer stores a fact, finds it, and learns where it is', async () => {
    const cairn = newcomer();
    const empty = await cairn(['memory', 'list']);
    expect(empty).toMatchObject({ exitCode: 1, stdout: '' });
    expect(empty.stderr).toMatch(
      /^cairn: there is no memory at .*\/\.local\/share\/cairn\/memory\.db; 'cairn memory remember <text>' creates it\n$/u,
    );
    const added = await cairn(['memory', 'remember', 'the tests need redis-server', '--tag', 'tests']);
    expect(added).toMatchObject({ exitCode: 0, stdout: expect.stringMatching(/^fact_\w+\n$/u) });
    const id = added.stdout.trim();
    expect(added.stderr).toBe(
      `cairn: stored in ${cairn.home}/.local/share/cairn/memory.db for the project ${cairn.home}, until it is forgotten\ncairn: 'cairn recall' finds it; 'cairn knowledge share ${id}' shares it with the team\n`,
    );
    await cairn(['memory', 'add'], '表格内容\n在这里\n');
    const found = await cairn(['memory', 'recall', 'redis']);
    expect(found).toMatchObject({ exitCode: 0, stderr: '' });
    expect(found.stdout).toMatch(new RegExp(`^${time} fact_\\w+ project #tests: the tests need redis-server\n$`, 'u'));
    expect((await cairn(['memory', 'search', '表格'])).stdout).toMatch(
      new RegExp(`^${time} fact_\\w+ project: 表格内容\n {4}在这里\n$`, 'u'),
    );
    const nothing = await cairn(['memory', 'search', 'zzz']);
    expect(nothing).toMatchObject({
      exitCode: 1,
      stdout: '',
      stderr: expect.stringContaining('nothing found in 2 facts and 0 messages'),
    });
    expect((await cairn(['memory', 'stats'])).stdout).toMatch(
      /^sqlite at .*memory\.db\n2 facts\n0 messages in 0 groups/u,
    );
  });

  test('an equal fact is stored once, and one that it seems to disagree with and similar ones are named', async () => {
    const cairn = newcomer();
    const id = await remember(cairn, 'Deploy the web app on Fridays');
    const again = await cairn(['memory', 'remember', ' deploy the  web app on fridays.']);
    expect(again).toMatchObject({
      exitCode: 0,
      stdout: `${id}\n`,
      stderr: expect.stringContaining('not stored again'),
    });
    const other = await cairn(['memory', 'remember', 'Deploy the web app on Mondays']);
    expect(other.stderr).toContain(`seems to disagree with ${id}; if it is outdated, use 'cairn memory forget ${id}'`);
    const similar = await cairn(['memory', 'remember', 'Deploy the web app on Fridays after lunch']);
    expect(similar.stderr).toContain(`similar: ${id}; if it is outdated, use 'cairn memory forget ${id}'`);
  });

  test('facts are listed in pages, by tag, scope and time', async () => {
    const cairn = newcomer();
    for (const [text, ...options] of [
      ['one', '--tag', 'count', '--tag', 'low'],
      ['two', '--tag', 'count'],
      ['mine', '--scope', 'user'],
      ['of the desktop', '--stream', 'desktop'],
    ] as const)
      await remember(cairn, text, ...options);
    const texts = async (...options: readonly string[]): Promise<readonly (string | undefined)[]> => {
      const { stdout } = await cairn(['memory', 'list', '--json', ...options]);
      return (JSON.parse(stdout) as { readonly matches: readonly { readonly text?: string }[] }).matches.map(
        ({ text }) => text,
      );
    };
    expect(await texts()).toEqual(['of the desktop', 'mine', 'two', 'one']);
    expect(await texts('--limit', '2', '--offset', '1')).toEqual(['mine', 'two']);
    expect(await texts('--tag', 'count')).toEqual(['two', 'one']);
    expect(await texts('--tag', 'count,low')).toEqual(['one']);
    expect(await texts('--scope', 'user')).toEqual(['mine']);
    expect(await texts('--stream', 'chat')).toEqual(['mine', 'two', 'one']);
    expect(await texts('--since', '1h')).toHaveLength(4);
    expect(await texts('--until', '1h')).toEqual([]);
    const page = await cairn(['memory', 'list', '--limit', '3']);
    expect(page.stderr).toBe('cairn: facts 1 to 3 of 4; for the next use --offset 3\n');
    const json = await cairn(['memory', 'list', '--limit', '3', '--json']);
    expect(JSON.parse(json.stdout)).toMatchObject({ shown: 3, totalMatches: 4, complete: false, stopReason: 'limit' });
    expect(await cairn(['memory', 'list', '--offset', '9'])).toMatchObject({
      exitCode: 1,
      stderr: expect.stringContaining('there are only 4 facts'),
    });
  });

  test('a fact is shown with its history, changed, archived, restored, replaced and forgotten by its id', async () => {
    const cairn = newcomer();
    const id = await remember(cairn, 'Deploy on Fridays');
    expect(
      (await cairn(['memory', 'update', id, '--text', 'Deploy on Mondays', '--tag', 'deploy', '--pin'])).stdout,
    ).toContain(`${id} project #deploy (pinned): Deploy on Mondays`);
    const shown = await cairn(['memory', 'show', id]);
    expect(shown.stdout).toMatch(
      /: Deploy on Mondays\n {4}source: cli\n {4}until \S+ \(update\): Deploy on Fridays\n$/u,
    );
    expect((await cairn(['memory', 'archive', id])).stderr).toContain(`'cairn memory restore ${id}' undoes it`);
    expect(await cairn(['memory', 'recall', 'deploy'])).toMatchObject({ exitCode: 1 });
    expect((await cairn(['memory', 'list', '--archived'])).stdout).toContain('(archived)');
    expect(await cairn(['memory', 'restore', id])).toMatchObject({ exitCode: 0, stderr: `cairn: restored ${id}\n` });
    const next = await remember(cairn, 'Deploy on Tuesdays', '--replaces', id);
    expect((await cairn(['memory', 'show', id])).stdout).toContain(`(replaced by ${next})`);
    expect((await cairn(['memory', 'recall', 'deploy'])).stdout).not.toContain('Mondays');
    const forgotten = await cairn(['memory', 'forget', next]);
    expect(forgotten).toMatchObject({ exitCode: 0, stderr: expect.stringContaining(`forgot ${next}; the text is`) });
    expect(forgotten.stderr).toContain(`it had replaced ${id}, which the store still has`);
    expect(await cairn(['memory', 'forget', next])).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining("'cairn memory list' shows the ids"),
    });
  });

  test('what replaces a fact keeps its scope, and an option that says otherwise is rejected', async () => {
    const cairn = newcomer();
    const id = await remember(cairn, 'Deploy on Fridays');
    for (const option of [['--scope', 'user'], ['--stream', 'desktop'], ['--shared']]) {
      expect(await cairn(['memory', 'remember', 'x', '--replaces', id, ...option])).toMatchObject({
        exitCode: 2,
        stdout: '',
        stderr: expect.stringMatching(/keeps its scope and its stream; leave out --scope, --stream and --shared/u),
      });
    }
    expect((await cairn(['memory', 'list'])).stdout).toContain('Deploy on Fridays');
  });

  test('a part of an id is answered with the whole one', async () => {
    const cairn = newcomer();
    const id = await remember(cairn, 'Deploy on Fridays');
    for (const command of ['show', 'archive', 'restore', 'forget']) {
      expect(await cairn(['memory', command, id.slice(0, 9)])).toMatchObject({
        exitCode: 2,
        stdout: '',
        stderr: expect.stringContaining(`did you mean ${id}?`),
      });
    }
    expect(await cairn(['memory', 'remember', 'x', '--replaces', id.slice(0, 9)])).toMatchObject({
      stderr: expect.stringContaining(`did you mean ${id}?`),
    });
    expect((await cairn(['memory', 'list'])).stdout).toContain(id);
  });

  test('facts belong to the repository, with all its worktrees; those of the user are for all projects', async () => {
    const cairn = newcomer();
    const repository = join(cairn.home, 'app');
    mkdirSync(join(repository, 'src'), { recursive: true });
    const env = { HOME: cairn.home, GIT_CONFIG_NOSYSTEM: '1' };
    const author = ['-c', 'user.name=a', '-c', 'user.email=a@b'];
    git(['init', '-q'], repository, { env });
    git([...author, 'commit', '-q', '--allow-empty', '-m', 'x'], repository, { env });
    git(['worktree', 'add', '-q', '../tree'], repository, { env });
    const inRepository = cairn.elsewhere(join(repository, 'src'));
    await remember(inRepository, 'the app needs redis');
    await remember(inRepository, 'the user likes redis', '--scope', 'user');
    const found = async (one: Newcomer): Promise<string> => (await one(['memory', 'recall', 'redis'])).stdout;
    expect(await found(cairn.elsewhere(join(cairn.home, 'tree')))).toContain('the app');
    expect(await found(cairn)).not.toContain('the app');
    expect(await found(cairn)).toContain('the user');
    expect((await cairn(['memory', 'recall', 'redis', '--project', repository])).stdout).toContain('the app');
    expect((await cairn(['memory', 'recall', 'redis', '--project', './app/src'])).stdout).toContain('the app');
    expect((await cairn(['memory', 'recall', 'redis', '--project', 'app/src'])).stdout).toContain('the app');
    expect((await cairn(['memory', 'recall', 'redis', '--project', 'app'])).stdout).not.toContain('the app');
    expect((await cairn(['memory', 'remember', 'x', '--project', 'acme/shop'])).stderr).toContain('project acme/shop,');
    await cairn(['memory', 'forget', '--scope', 'project', '--project', 'acme/shop', '--yes']);
    expect((await cairn(['memory', 'project', 'list'])).stdout).toBe(`${repository}: 1 fact\n`);
    renameSync(repository, join(cairn.home, 'application'));
    const moved = cairn.elsewhere(join(cairn.home, 'application'));
    expect(await found(moved)).not.toContain('the app');
    expect((await moved(['memory', 'project', 'move', '../app', '.'])).stderr).toBe(
      `cairn: moved 1 fact from ${repository} to ${join(cairn.home, 'application')}\n`,
    );
    expect(await found(moved)).toContain('the app');
    expect(await moved(['memory', 'project', 'move', '../app', '.'])).toMatchObject({ exitCode: 1 });
  });

  test('recall finds messages of past sessions after the facts, in all groups of the stream', async () => {
    const cairn = newcomer();
    await cairn(
      ['memory', 'import'],
      messages(['monday', 'user', 'please deploy'], ['friday', 'tool', 'the deploy failed']),
    );
    await remember(cairn, 'Deploy on Fridays', '--tag', 'deploy');
    const all = (await cairn(['memory', 'recall', 'deploy'])).stdout.split('\n');
    expect(all[0]).toContain('project #deploy: Deploy on Fridays');
    expect(all).toHaveLength(4);
    const kinds = async (...options: readonly string[]): Promise<readonly unknown[]> => {
      const { stdout } = await cairn(['memory', 'recall', 'deploy', '--json', ...options]);
      return (
        JSON.parse(stdout) as { readonly matches: readonly { readonly kind: string; readonly group?: string }[] }
      ).matches.map(({ kind, group }) => group ?? kind);
    };
    expect(await kinds('--group', 'monday')).toEqual(['monday']);
    expect(await kinds('--role', 'tool')).toEqual(['friday']);
    expect(await kinds('--tag', 'deploy')).toEqual(['fact']);
    expect(await kinds('--scope', 'user')).toEqual([]);
    expect(await kinds('--until', '1d')).toEqual([]);
    const first = await cairn(['memory', 'recall', 'deploy', '--limit', '1']);
    expect(first.stderr).toBe('cairn: there are more: use --offset 1\n');
    expect((await cairn(['memory', 'groups'])).stdout).toMatch(/^agent\/(friday|monday): 1 message, .*\nagent\//u);
    expect((await cairn(['memory', 'messages', '--group', 'friday'])).stdout).toContain('tool: the deploy failed');
    expect((await cairn(['memory', 'show', 'message_friday1'])).stdout).toContain(
      'tool in agent/friday: the deploy failed',
    );
  });

  test('a message is shown whole by any id, such as that of a request', async () => {
    const cairn = newcomer();
    await cairn(['memory', 'import'], messages(['g', 'user', 'please deploy']).replace('message_g0', 'request-7'));
    expect((await cairn(['memory', 'recall', 'deploy'])).stdout).toContain('request-7');
    expect((await cairn(['memory', 'show', 'request-7'])).stdout).toContain('user in agent/g: please deploy');
    expect(await cairn(['memory', 'show', 'request-8'])).toMatchObject({ exitCode: 2, stdout: '' });
  });

  test('an offset after the last result, and another stream, are not reported as a store without the words', async () => {
    const cairn = newcomer();
    await cairn(['memory', 'import'], messages(['g', 'user', 'please deploy']));
    expect((await cairn(['memory', 'recall', 'deploy', '--offset', '5'])).stderr).toBe(
      'cairn: nothing more at --offset 5; use a smaller one\n',
    );
    expect((await cairn(['memory', 'recall', 'deploy', '--stream', 'chat'])).stderr).toMatch(
      /^cairn: nothing found in 0 facts and 0 messages of the stream chat in /u,
    );
  });

  test('a remark about the query is printed once', async () => {
    const cairn = newcomer();
    await remember(cairn, 'Deploy on Fridays');
    await cairn(['memory', 'import'], messages(['g', 'user', 'please deploy']));
    const { stderr } = await cairn(['memory', 'recall', '!!!']);
    expect(stderr.match(/The query has no letter/gu)).toHaveLength(1);
  });

  test('a search loads neither the schemas of imports nor the tools', async () => {
    const cairn = newcomer();
    await remember(cairn, 'Deploy on Fridays');
    const preload = join(cairn.home, 'hook.mjs');
    const print = 'load(url, context, next) { process._rawDebug(url); return next(url, context); }';
    writeFileSync(preload, `import { registerHooks } from 'node:module';\nregisterHooks({ ${print} });\n`);
    const args = ['memory', 'search', 'deploy'];
    const { stdout, stderr } = await finished(
      startCairn(args, { cwd: cairn.home, env: { HOME: cairn.home }, preload }),
    );
    expect(stdout).toContain('Deploy on Fridays');
    expect(stderr).toContain('/commands/memory/search.ts');
    expect(stderr.split('\n').filter((url) => /\/zod\/|memory\/src\/tools|maintenance\/import/u.test(url))).toEqual([]);
  });

  test('a long fact is cut in lists to the part with the words, and shown whole by its id', async () => {
    const cairn = newcomer();
    const text = `${'a '.repeat(5000)}zebra ${'b '.repeat(5000)}`.trim();
    const { stdout } = await cairn(['memory', 'remember'], text);
    const id = stdout.trim();
    const found = (await cairn(['memory', 'recall', 'zebra'])).stdout;
    expect(found.length).toBeLessThan(1300);
    expect(found).toContain('zebra');
    expect(found).toContain(`[${text.length} characters: cairn memory show ${id}]`);
    expect((await cairn(['memory', 'show', id])).stdout).toContain(text);
  });

  test('a start block too small for a line is rejected by the name of the option', async () => {
    expect(await newcomer()(['memory', 'start', '--chars', '199'])).toMatchObject({
      exitCode: 2,
      stderr: 'cairn: invalid --chars "199"; use a whole number of characters from 200\n',
    });
  });

  test('the start block has the pinned and the newest facts, and is empty without a memory', async () => {
    const cairn = newcomer();
    expect(await cairn(['memory', 'start'])).toMatchObject({ exitCode: 0, stdout: '' });
    const id = await remember(cairn, 'Deploy on Fridays', '--pin');
    await remember(cairn, 'newer');
    const block = await cairn(['memory', 'start']);
    expect(block).toMatchObject({ exitCode: 0, stderr: '' });
    expect(block.stdout.indexOf(id)).toBeGreaterThan(0);
    expect(block.stdout.indexOf('newer')).toBeGreaterThan(block.stdout.indexOf('Fridays'));
    expect(block.stdout.length).toBeLessThanOrEqual(2001);
    expect((await cairn(['memory', 'start'])).stdout).toBe(block.stdout);
    expect(JSON.parse((await cairn(['memory', 'start', '--json'])).stdout)).toMatchObject({
      text: block.stdout.trimEnd(),
    });
    expect((await cairn(['memory', 'start', '--language', 'zh'])).stdout).not.toBe(block.stdout);
  });
});

describe('cairn notes and cairn workflow', () => {
  test('notes are added and listed', async () => {
    const cairn = newcomer();
    expect((await cairn(['notes', 'add', 'build', 'first'])).stderr).toBe('cairn: stored for build, for 30 minutes\n');
    expect((await cairn(['notes', 'add', 'build', '--permanent', '--source', 'todo_0'], 'second\n')).stderr).toContain(
      '3 days',
    );
    expect((await cairn(['notes', 'list', 'build'])).stdout).toMatch(
      /^\S+ todo_0 \(permanent\): second\n\S+ cli: first\n$/u,
    );
    expect((await cairn(['notes', 'list'])).stdout).toMatch(/^build: 2 notes, \d+ B, for 3 days\n$/u);
    expect(await cairn(['notes', 'list', 'other'])).toMatchObject({ exitCode: 1, stdout: '' });
  });

  test('workflows are listed and shown', async () => {
    const cairn = newcomer();
    const record = {
      kind: 'workflow',
      id: 'workflow_1703123456789_abc123',
      goal: '帮我做一个表格',
      todos: [
        { id: 'todo_0', content: '询问', status: 'done', result: { rows: 3 } },
        { id: 'todo_1', content: '创建', status: 'pending' },
      ],
      streamName: 'chat-desktop',
    };
    await cairn(['memory', 'import'], JSON.stringify(record));
    await cairn(['notes', 'add', record.id, 'asked']);
    expect((await cairn(['workflow', 'list'])).stdout).toMatch(
      /^workflow_1703123456789_abc123 running, 1 of 2 done, .*chat-desktop: 帮我做一个表格\n$/u,
    );
    expect((await cairn(['workflow', 'show', record.id])).stdout).toMatch(
      /^goal: 帮我做一个表格\nstream: chat-desktop\nstatus: running.*\ntodo_0 done: 询问\n {4}result: \{"rows":3\}\ntodo_1 pending: 创建\nnote of cli, .*: asked\n$/u,
    );
    const question = { todoId: 'todo_1', text: '几行?', time: 1_703_123_456_789 };
    const waiting = { ...record, id: 'workflow_1', status: 'waiting', reason: 'asks', question, groupId: 'g' };
    await cairn(['memory', 'import'], JSON.stringify(waiting));
    expect((await cairn(['workflow', 'show', 'workflow_1'])).stdout).toMatch(
      /\nstatus: waiting, .*\nreason: asks\nquestion of 2023-12-21T01:50:56Z: 几行\?\ntodo_0/u,
    );
  });
});

describe.skipIf(!hasRedis || process.platform === 'win32')('with a Redis', () => {
  test('the memory is in the Redis of CAIRN_REDIS_URL, or of --url', async () => {
    const server = await startRedis();
    try {
      const cairn = newcomer({ CAIRN_REDIS_URL: server.url });
      // A path of one machine means nothing on another.
      expect(await cairn(['memory', 'remember', 'x'])).toMatchObject({
        exitCode: 2,
        stdout: '',
        stderr: expect.stringMatching(/may be shared by machines.*use --project <name>, or --scope user/u),
      });
      await remember(cairn, 'the tests need redis-server', '--project', 'app');
      // A name may have a slash, and means the same in every directory.
      await remember(cairn, 'the shop needs redis', '--project', 'acme/shop');
      mkdirSync(join(cairn.home, 'acme/shop'), { recursive: true });
      for (const one of [cairn, cairn.elsewhere(temporaryDirectory())]) {
        expect((await one(['memory', 'recall', 'shop', '--project', 'acme/shop'])).stdout).toContain('the shop needs');
      }
      await cairn(['memory', 'forget', '--scope', 'project', '--project', 'acme/shop', '--yes']);
      await remember(cairn, 'the user likes redis', '--scope', 'user');
      // A fact of the user needs no project to be replaced.
      const old = await remember(cairn, 'the user likes coffee', '--scope', 'user');
      await cairn(['memory', 'forget', await remember(cairn, 'the user likes tea', '--replaces', old)]);
      await cairn(['memory', 'forget', old]);
      const found = await cairn(['memory', 'search', 'redis', '--project', 'app']);
      expect(found.stdout).toContain('the tests need redis-server');
      const ofUser = await cairn(['memory', 'search', 'redis']);
      expect(ofUser.stdout).not.toContain('the tests');
      expect(ofUser.stderr).toContain('only facts of the user');
      expect((await newcomer()(['memory', 'stats', '--url', server.url])).stdout).toMatch(
        /^redis at 127\.0\.0\.1:\d+\n2 facts\n/u,
      );
      expect(await cairn(['memory', 'backup', 'x.db'])).toMatchObject({
        exitCode: 2,
        stderr: expect.stringContaining('no file to copy'),
      });
      // A file that is named is meant.
      expect((await cairn(['memory', 'list', '--store', 'x.db'])).stderr).toContain('there is no memory at');
      await server.halt();
      const away = await cairn(['memory', 'groups']);
      expect(away).toMatchObject({
        exitCode: 2,
        stdout: '',
        stderr: expect.stringContaining('did not answer within 2000 ms'),
      });
    } finally {
      await server.stop();
    }
  });
});
