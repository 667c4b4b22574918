import { readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { describe, expect, test } from 'vitest';
import { hasRedis, startRedis } from '../support/redis-server.ts';
import { cairn } from '../support/cli.ts';
import type { CairnResult } from '../support/cli.ts';
import { temporaryDirectory } from '../support/tree.ts';

/** Somebody with a home of their own. */
function newcomer(
  env: Readonly<Record<string, string>> = {},
): (args: readonly string[], input?: string) => Promise<CairnResult> {
  const home = temporaryDirectory();
  return (args, input) => cairn(args, { cwd: home, env: { HOME: home, TMPDIR: home, ...env }, input });
}

const line = String.raw`\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ message_\w{12} user: `;

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

  test('a newcomer stores a memory, finds it, and learns where it is', async () => {
    const cairn = newcomer();
    const empty = await cairn(['memory', 'list']);
    expect(empty).toMatchObject({ exitCode: 1, stdout: '' });
    expect(empty.stderr).toMatch(
      /^cairn: there is no memory at .*\/\.local\/share\/cairn\/memory\.db; 'cairn memory add <text>' creates it\n$/u,
    );
    const added = await cairn(['memory', 'add', 'the tests need redis-server']);
    expect(added).toMatchObject({ exitCode: 0, stdout: expect.stringMatching(/^message_\w{12}\n$/u) });
    expect(added.stderr).toMatch(
      /^cairn: stored in .*memory\.db, for 30 days, among the newest 50 of agent\/default\n$/u,
    );
    await cairn(['memory', 'add'], '表格内容\n在这里\n');
    const found = await cairn(['memory', 'search', 'redis']);
    expect(found).toMatchObject({ exitCode: 0, stderr: '' });
    expect(found.stdout).toMatch(new RegExp(`^${line}the tests need redis-server\n$`, 'u'));
    expect((await cairn(['memory', 'search', '表格'])).stdout).toMatch(
      new RegExp(`^${line}表格内容\n {4}在这里\n$`, 'u'),
    );
    const nothing = await cairn(['memory', 'search', 'zzz']);
    expect(nothing).toMatchObject({
      exitCode: 1,
      stdout: '',
      stderr: expect.stringContaining('the memory has 2 messages in 1 group of 1 stream'),
    });
    expect((await cairn(['memory', 'show'])).stdout.split('\n')).toHaveLength(4);
    expect((await cairn(['memory', 'show', '--limit', '1'])).stdout).toContain('表格内容');
    expect((await cairn(['memory', 'list'])).stdout).toMatch(/^agent\/default: 2 messages, \d+ B, for 30 days\n$/u);
    expect((await cairn(['memory', 'stats'])).stdout).toMatch(
      /^sqlite at .*memory\.db\n2 messages in 1 group of 1 stream\n/u,
    );
  });

  test('what is exported is imported elsewhere, and forgotten here', async () => {
    const cairn = newcomer();
    await cairn(['memory', 'add', 'one', '--stream', 'chat', '--group', 'g']);
    await cairn(['memory', 'add', 'two', '--stream', 'chat', '--group', 'h', '--role', 'assistant']);
    const { stdout } = await cairn(['memory', 'export']);
    expect(stdout.split('\n')).toHaveLength(4);
    const imported = await cairn(['memory', 'import', '--project'], stdout);
    expect(imported).toMatchObject({ exitCode: 0, stderr: 'cairn: imported 2 of 2 lines\n' });
    expect((await cairn(['memory', 'export', '--project'])).stdout).toBe(stdout);
    expect((await cairn(['memory', 'import', '--project'], stdout)).stderr).toBe(
      'cairn: imported 0 of 2 lines; 2 already existed\n',
    );
    expect(await cairn(['memory', 'forget', '--stream', 'chat', '--group', 'g'])).toMatchObject({
      exitCode: 0,
      stderr: 'cairn: deleted 1 message\n',
    });
    expect(await cairn(['memory', 'forget', '--stream', 'chat', '--group', 'g'])).toMatchObject({ exitCode: 1 });
    expect((await cairn(['memory', 'list', '--json'])).stdout).toContain('"group":"h"');
    expect((await cairn(['memory', 'list', '--json'])).stdout).not.toContain('"group":"g"');
  });

  test('the file of the memory server is imported', async () => {
    const cairn = newcomer();
    const file = '{"type":"entity","name":"Ann","entityType":"person","observations":["likes tea"]}\n';
    expect(await cairn(['memory', 'import'], file)).toMatchObject({
      exitCode: 0,
      stderr: 'cairn: imported 1 of 1 line\n',
    });
    expect((await cairn(['memory', 'stats'])).stdout).toContain('1 knowledge graph\n');
  });

  test('import restores an exported file with any characters, and refuses a file that is not text', async () => {
    const cairn = newcomer();
    const path = `${temporaryDirectory()}/memory.jsonl`;
    const content = 'one\u2028two\u2029three\u0085four\rfive';
    await cairn(['memory', 'add', content]);
    const { stdout } = await cairn(['memory', 'export']);
    writeFileSync(path, `\uFEFF${stdout.replaceAll('\n', '\r\n')}`);
    expect(await cairn(['memory', 'import', path, '--project'])).toMatchObject({ exitCode: 0 });
    expect((await cairn(['memory', 'export', '--project'])).stdout).toBe(stdout);
    writeFileSync(path, Buffer.from(stdout.replace('one', '\u00ff'), 'latin1'));
    expect(await cairn(['memory', 'import', path, '--store', 'other.db'])).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining('memory.jsonl is not valid UTF-8'),
    });
  });

  test.each([
    [['memory', 'stats'], { backend: 'sqlite', messages: 0, unreadable: [] }],
    [['memory', 'forget', '--stream', 'a'], { removed: 0 }],
    [['memory', 'list'], { matches: [], shown: 0, totalMatches: 0, complete: true }],
  ])('%j --json has its usual form when there is no memory', async (args, document) => {
    const { exitCode, stdout } = await newcomer()([...args, '--json']);
    expect(exitCode).toBe(1);
    expect(JSON.parse(stdout)).toMatchObject(document);
  });

  test('an export of a memory that is not there is empty, and with --json nothing is on standard error', async () => {
    expect(await newcomer()(['memory', 'export', '--json'])).toMatchObject({ exitCode: 1, stdout: '', stderr: '' });
    expect(await newcomer()(['memory', 'export'])).toMatchObject({ exitCode: 1, stdout: '' });
  });

  test('add reports how much it keeps, and keeps no more', async () => {
    const cairn = newcomer();
    for (const text of ['a', 'b', 'c']) await cairn(['memory', 'add', text, '--keep', '2', '--days', '7']);
    expect((await cairn(['memory', 'show', '--json'])).stdout).toMatch(/"content":"c".*"content":"b"/u);
    const { stderr } = await cairn(['memory', 'add', 'd', '--keep', '2', '--days', '7']);
    expect(stderr).toContain('for 7 days, among the newest 2');
  });

  test.each([
    [
      ['memory', 'add', ''],
      2,
      'cairn: The content of the message is empty. Use a string with at least one character.\n',
    ],
    [['memory', 'add', 'x', '--role', 'boss'], 2, /Invalid role "boss"/u],
    [['memory', 'add', 'x', '--stream', ''], 2, /stream "" is empty/u],
    [['memory', 'forget'], 2, /--stream is missing/u],
    [['memory', 'ad'], 2, /did you mean "add"\? \(see 'cairn memory --help'\)/u],
    [['memory', 'search'], 2, /missing argument <query>/u],
    [['memory', 'list', '--backend', 'redis'], 2, /use --url, or set CAIRN_REDIS_URL/u],
    [['memory', 'list', '--backend', 'mongo'], 2, /invalid --backend "mongo"; use sqlite or redis/u],
    [['memory', 'list', '--backend', 'redis', '--store', 'x'], 2, /--store and --project work only with SQLite/u],
    [['memory', 'list', '--url', 'http://x'], 2, /redis:\/\/user:password@host/u],
    [['memory', 'import', 'missing.jsonl'], 2, /missing\.jsonl/u],
    [['memory', 'add', 'x', '--store', '/proc/x/memory.db'], 2, /\[memory:sqlite\]/u],
    [['workflow', 'show', 'nope', '--project'], 1, /there is no memory at/u],
  ])('%j is refused in one line', async (args, exitCode, stderr) => {
    const result = await newcomer()(args);
    expect(result).toMatchObject({ exitCode, stdout: '' });
    expect(result.stderr.trimEnd().split('\n')).toHaveLength(1);
    expect(result.stderr).toMatch(stderr);
  });

  test('a failure with --json is a document', async () => {
    const cairn = newcomer();
    await cairn(['memory', 'add', 'x']);
    const { exitCode, stdout, stderr } = await cairn(['workflow', 'show', 'nope', '--json']);
    expect({ exitCode, stderr }).toEqual({ exitCode: 2, stderr: '' });
    expect(JSON.parse(stdout)).toMatchObject({ error: { code: 'UNKNOWN_WORKFLOW', changed: false } });
  });

  test('a damaged file is reported and left unchanged', async () => {
    const home = temporaryDirectory();
    writeFileSync(`${home}/memory.db`, 'no database'.repeat(100));
    const result = await newcomer()(['memory', 'add', 'x', '--store', `${home}/memory.db`]);
    expect(result).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining('is not a memory file of Cairn, or is damaged'),
    });
    expect(readFileSync(`${home}/memory.db`, 'utf8')).toBe('no database'.repeat(100));
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
  });
});

describe.skipIf(!hasRedis || process.platform === 'win32')('with a Redis', () => {
  test('the memory is in the Redis of CAIRN_REDIS_URL, or of --url', async () => {
    const server = await startRedis();
    try {
      const cairn = newcomer({ CAIRN_REDIS_URL: server.url });
      await cairn(['memory', 'add', 'the tests need redis-server']);
      expect((await cairn(['memory', 'search', 'redis'])).stdout).toContain('the tests need redis-server');
      expect((await newcomer()(['memory', 'stats', '--url', server.url])).stdout).toMatch(
        /^redis at 127\.0\.0\.1:\d+\n1 message /u,
      );
      // A file that is named is meant.
      expect((await cairn(['memory', 'list', '--project'])).stderr).toContain('there is no memory at');
      await server.halt();
      const away = await cairn(['memory', 'list']);
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
