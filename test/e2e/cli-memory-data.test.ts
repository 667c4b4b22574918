import { listsOf } from '@cairn/memory/testing';
import { chmodSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { describe, expect, test } from 'vitest';
import { sqlite } from '@cairn/memory/sqlite';
import { finished, startCairn } from '../support/cli.ts';
import type { CairnResult } from '../support/cli.ts';
import { temporaryDirectory } from '../support/tree.ts';
import { messages, newcomer, remember } from './newcomer.ts';

describe('the data of cairn memory', () => {
  test('what is exported is imported elsewhere, and forgotten here', async () => {
    const cairn = newcomer();
    const other = ['--store', '.cairn/memory.db'];
    await remember(cairn, 'one fact');
    await cairn(['memory', 'import'], messages(['g', 'user', 'one'], ['h', 'assistant', 'two']));
    const { stdout } = await cairn(['memory', 'export']);
    const imported = await cairn(['memory', 'import', ...other], stdout);
    expect(imported).toMatchObject({ exitCode: 0, stderr: 'cairn: imported 3 of 3 lines\n' });
    expect((await cairn(['memory', 'export', ...other])).stdout).toBe(stdout);
    expect((await cairn(['memory', 'recall', 'fact', ...other])).stdout).toContain('one fact');
    expect((await cairn(['memory', 'import', ...other], stdout)).stderr).toBe(
      'cairn: imported 0 of 3 lines; 3 already existed\n',
    );
    expect(await cairn(['memory', 'forget', '--stream', 'agent', '--group', 'g'])).toMatchObject({
      exitCode: 0,
      stderr: expect.stringMatching(/^cairn: deleted 1 message; the text is /u),
    });
    expect(await cairn(['memory', 'forget', '--stream', 'agent', '--group', 'g'])).toMatchObject({ exitCode: 1 });
    expect((await cairn(['memory', 'groups', '--json'])).stdout).toContain('"group":"h"');
    expect((await cairn(['memory', 'groups', '--json'])).stdout).not.toContain('"group":"g"');
    const markdown = await cairn(['memory', 'export', '--format', 'markdown']);
    expect(markdown).toMatchObject({ exitCode: 0, stderr: '', stdout: expect.stringContaining('one fact') });
    expect((await cairn(['memory', 'export', '--format', 'markdown', '--scope', 'project'])).stdout).toBe(
      markdown.stdout,
    );
    expect(await cairn(['memory', 'export', '--format', 'markdown', '--scope', 'user'])).toMatchObject({ exitCode: 1 });
    expect(await cairn(['memory', 'forget', '--scope', 'project'])).toMatchObject({ exitCode: 2 });
    expect((await cairn(['memory', 'forget', '--scope', 'project', '--yes'])).stderr).toMatch(
      /^cairn: deleted 1 fact;/u,
    );
    const refused = await cairn(['memory', 'forget', '--everything', '--json']);
    expect(refused).toMatchObject({ exitCode: 2 });
    expect(JSON.parse(refused.stdout)).toMatchObject({ error: { code: 'CONFIRMATION_NEEDED', changed: false } });
    expect(await cairn(['memory', 'forget', '--everything', '--yes'])).toMatchObject({ exitCode: 0 });
    expect(await cairn(['memory', 'export'])).toMatchObject({ exitCode: 1, stdout: '' });
  });

  test('a backup is a memory, and never replaces a file', async () => {
    const cairn = newcomer();
    await remember(cairn, 'Deploy on Fridays');
    const copied = await cairn(['memory', 'backup', 'copy.db']);
    expect(copied).toMatchObject({ exitCode: 0, stdout: `${cairn.home}/copy.db\n` });
    expect((await cairn(['memory', 'recall', 'deploy', '--store', 'copy.db'])).stdout).toContain('Fridays');
    expect(await cairn(['memory', 'backup', 'copy.db'])).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining('copy.db'),
    });
  });

  test('a secret is rejected, unless it is allowed', async () => {
    const cairn = newcomer();
    const text = 'the key is AKIAIOSFODNN7QWERTYU';
    const refused = await cairn(['memory', 'remember', text]);
    expect(refused).toMatchObject({ exitCode: 2, stdout: '', stderr: expect.stringContaining('--allow-secret') });
    expect(refused.stderr).not.toContain('AKIA');
    expect(await cairn(['memory', 'remember', text, '--allow-secret'])).toMatchObject({ exitCode: 0 });
  });

  test('import keeps as many messages, for as long, as --keep and --days state', async () => {
    const cairn = newcomer();
    const many = messages(...Array.from({ length: 60 }, (_, index) => ['g', 'user', `message ${index}`] as const));
    const count = async (): Promise<number> =>
      (await cairn(['memory', 'messages', '--group', 'g'])).stdout.split('\n').length - 1;
    expect(await cairn(['memory', 'import', '--keep', '55'], many)).toMatchObject({ exitCode: 2 });
    expect(await count()).toBe(55);
    await cairn(['memory', 'import', '--keep', '60'], many);
    expect(await count()).toBe(60);
    // These messages are of the year 2023.
    const old = many.replaceAll(/"time":\d+/gu, '"time":1700000000000').replaceAll('"group":"g"', '"group":"old"');
    await cairn(['memory', 'import'], old);
    expect((await cairn(['memory', 'messages', '--group', 'old'])).stdout).toBe('');
    const kept = await cairn(['memory', 'import', '--days', '36500', '--keep', '60'], old);
    expect(kept).toMatchObject({ exitCode: 0, stderr: expect.stringContaining('imported 60 of 60 lines') as string });
    expect(kept.stderr).toContain('messages older than 30 days are found only by programs that keep them as long');
    expect((await cairn(['memory', 'groups'])).stdout).toContain('agent/old: 60 messages');
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

  test('import restores an exported file with any characters, and rejects a file that is not text', async () => {
    const cairn = newcomer();
    const path = `${temporaryDirectory()}/memory.jsonl`;
    const other = ['--store', '.cairn/memory.db'];
    await remember(cairn, 'one\u2028two\u2029three\u0085four\rfive');
    const { stdout } = await cairn(['memory', 'export']);
    writeFileSync(path, `\uFEFF${stdout.replaceAll('\n', '\r\n')}`);
    expect(await cairn(['memory', 'import', path, ...other])).toMatchObject({ exitCode: 0 });
    expect((await cairn(['memory', 'export', ...other])).stdout).toBe(stdout);
    writeFileSync(path, Buffer.from(stdout.replace('one', '\u00ff'), 'latin1'));
    expect(await cairn(['memory', 'import', path, '--store', 'other.db'])).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining('memory.jsonl is not valid UTF-8'),
    });
  });

  test.each([
    [['memory', 'stats'], { backend: 'sqlite', messages: 0, facts: 0, unreadable: [] }],
    [['memory', 'forget', '--stream', 'a'], { removed: 0 }],
    [['memory', 'forget', 'fact_x'], { removed: 0 }],
    [['memory', 'list'], { matches: [], shown: 0, totalMatches: 0, complete: true }],
    [['memory', 'groups'], { matches: [], shown: 0, totalMatches: 0, complete: true }],
    [['memory', 'show', 'fact_x'], {}],
    [['memory', 'backup', 'x.db'], { bytes: 0 }],
    [['memory', 'project', 'move', 'a', 'b'], { moved: 0 }],
  ])('%j --json has its usual form when there is no memory', async (args, document) => {
    const { exitCode, stdout } = await newcomer()([...args, '--json']);
    expect(exitCode).toBe(1);
    expect(JSON.parse(stdout)).toMatchObject(document);
  });

  test.each([['show'], ['update', '--text', 'x'], ['archive'], ['restore'], ['forget']])(
    'cairn memory %s of a memory that is not there creates no file',
    async (command, ...options) => {
      const cairn = newcomer();
      for (const json of [[], ['--json']]) {
        const { exitCode, stdout, stderr } = await cairn(['memory', command, 'fact_x', ...options, ...json]);
        expect({ exitCode, output: `${stdout}${stderr}` }).toMatchObject({
          exitCode: 1,
          output: expect.stringContaining('there is no memory at'),
        });
      }
      expect(readdirSync(cairn.home)).toEqual([]);
    },
  );

  test('an export of a memory that is not there is empty, and with --json nothing is on standard error', async () => {
    expect(await newcomer()(['memory', 'export', '--json'])).toMatchObject({ exitCode: 1, stdout: '', stderr: '' });
    expect(await newcomer()(['memory', 'export'])).toMatchObject({ exitCode: 1, stdout: '' });
  });

  test.each([
    [['memory', 'remember', ''], 2, 'cairn: The content of the fact is empty. Write at least one character.\n'],
    [['memory', 'remember', 'x', '--scope', 'team'], 2, /invalid --scope "team"; use project or user/u],
    [['memory', 'remember', 'x', '--tag', ''], 2, /--tag is empty/u],
    [['memory', 'remember', 'x', '--stream', ''], 2, /--stream is empty/u],
    [['memory', 'recall', 'x', '--tag', 'a', '--group', 'g'], 2, /--scope and --tag select facts/u],
    [['memory', 'update', 'fact_x'], 2, /nothing to change is given/u],
    [['memory', 'forget'], 2, /nothing to forget is named/u],
    [['memory', 'forget', '--group', 'g'], 2, /--stream is missing/u],
    [['memory', 'forget', 'fact_x', '--everything'], 2, /use one of them/u],
    [['memory', 'list', '--limit', '0'], 2, /--limit/u],
    [['memory', 'ad'], 2, /did you mean "add"\? \(see 'cairn memory --help'\)/u],
    [['memory', 'search'], 2, /missing argument <query>/u],
    [['memory', 'list', '--backend', 'redis'], 2, /use --url, or set CAIRN_REDIS_URL/u],
    [['memory', 'list', '--backend', 'mongo'], 2, /invalid --backend "mongo"; use sqlite or redis/u],
    [['memory', 'list', '--backend', 'redis', '--store', 'x'], 2, /--store works only with SQLite/u],
    [['memory', 'list', '--url', 'http://x'], 2, /redis:\/\/user:password@host/u],
    [['memory', 'import', 'missing.jsonl'], 2, /missing\.jsonl/u],
    [['memory', 'remember', 'x', '--store', '/proc/x/memory.db'], 2, /\[memory:sqlite\]/u],
    [['workflow', 'show', 'nope'], 1, /there is no memory at/u],
    // Earlier versions chose the file of the project so.
    [
      ['memory', 'list', '--project'],
      2,
      /--project <identity> names the project of facts; for a file in the project use --store \.cairn\/memory\.db/u,
    ],
    [['workflow', 'list', '--project'], 2, /unknown option "--project"; .*use --store \.cairn\/memory\.db/u],
  ])('%j is rejected in one line', async (args, exitCode, stderr) => {
    const result = await newcomer()(args);
    expect(result).toMatchObject({ exitCode, stdout: '' });
    expect(result.stderr.trimEnd().split('\n')).toHaveLength(1);
    expect(result.stderr).toMatch(stderr);
  });

  test('a failure with --json is a document', async () => {
    const cairn = newcomer();
    await remember(cairn, 'x');
    const { exitCode, stdout, stderr } = await cairn(['workflow', 'show', 'nope', '--json']);
    expect({ exitCode, stderr }).toEqual({ exitCode: 2, stderr: '' });
    expect(JSON.parse(stdout)).toMatchObject({ error: { code: 'UNKNOWN_WORKFLOW', changed: false } });
  });

  test('a damaged file is reported and left unchanged', async () => {
    const home = temporaryDirectory();
    writeFileSync(`${home}/memory.db`, 'no database'.repeat(100));
    const result = await newcomer()(['memory', 'remember', 'x', '--store', `${home}/memory.db`]);
    expect(result).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining('is not a memory file of Cairn, or is damaged'),
    });
    expect(readFileSync(`${home}/memory.db`, 'utf8')).toBe('no database'.repeat(100));
  });

  test.skipIf(process.getuid?.() !== 0)('a store that may only be read is searched, and not changed', async () => {
    const cairn = newcomer();
    const path = join(cairn.home, 'shared.db');
    const id = await remember(cairn, 'Deploy on Fridays', '--store', path, '--scope', 'user');
    chmodSync(path, 0o444);
    for (const name of readdirSync(cairn.home)) if (name.startsWith('shared.db-')) rmSync(join(cairn.home, name));
    chmodSync(cairn.home, 0o555);
    const asNobody = (...args: readonly string[]): Promise<CairnResult> =>
      finished(startCairn(['memory', ...args, '--store', path], { cwd: cairn.home, env: { HOME: '/' }, uid: 65_534 }));
    expect(await asNobody('recall', 'deploy')).toMatchObject({ exitCode: 0, stdout: expect.stringContaining(id) });
    expect(await asNobody('list')).toMatchObject({ exitCode: 0 });
    chmodSync(path, 0o400);
    expect((await asNobody('list')).stderr).toMatch(/shared\.db is not readable by this user\. Use another file/u);
    chmodSync(cairn.home, 0o500);
    expect((await asNobody('list')).stderr).toMatch(/shared\.db is not accessible to this user\. Use another file/u);
    chmodSync(cairn.home, 0o555);
    chmodSync(path, 0o444);
    for (const args of [
      ['remember', 'x', '--scope', 'user'],
      ['archive', id],
      ['forget', id],
    ]) {
      const refused = await asNobody(...args, '--json');
      expect(refused, args.join(' ')).toMatchObject({ exitCode: 2, stderr: '' });
      expect(JSON.parse(refused.stdout)).toMatchObject({ error: { code: 'STORE_DENIED', changed: false } });
    }
  });

  test('a record that cannot be read is reported, exported raw and removed only on request', async () => {
    const cairn = newcomer();
    const id = await remember(cairn, 'Deploy on Fridays');
    await cairn(['memory', 'import'], messages(['g', 'user', 'hello']));
    const backend = sqlite({ path: join(cairn.home, '.local/share/cairn/memory.db') });
    const rule = { maxRecords: 9, maxTemporaryRecords: 9, lifetimeMs: Infinity, temporaryLifetimeMs: Infinity };
    await listsOf(backend).append('ai:memory:agent:g', [{ before: '{"odd":true,"time":', after: '}' }], { rule });
    await backend.close();
    const stats = await cairn(['memory', 'stats']);
    expect(stats.stdout).toContain('1 unreadable record');
    const shown = await cairn(['memory', 'messages', '--group', 'g']);
    expect(shown).toMatchObject({ exitCode: 2, stdout: expect.stringContaining('hello') });
    expect(shown.stderr).toMatch(/^cairn: cannot read a record of ai:memory:agent:g; it stays in place/u);
    expect((await cairn(['memory', 'export'])).stdout).toContain('odd');
    expect(await cairn(['memory', 'forget', '--unreadable'])).toMatchObject({ exitCode: 0 });
    expect((await cairn(['memory', 'stats'])).stdout).not.toContain('unreadable');
    expect((await cairn(['memory', 'list'])).stdout).toContain(id);
  });
});
