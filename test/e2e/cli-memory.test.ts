import {
  chmodSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { describe, expect, test } from 'vitest';
import { hasRedis, startRedis } from '../support/redis-server.ts';
import { sqlite } from '@cairn/memory/sqlite';
import { cairn, finished, startCairn } from '../support/cli.ts';
import type { CairnResult } from '../support/cli.ts';
import { git } from '../support/tools.ts';
import { temporaryDirectory } from '../support/tree.ts';

/** Runs cairn for somebody with a home of their own, in a directory. */
interface Newcomer {
  (args: readonly string[], input?: string): Promise<CairnResult>;
  readonly home: string;
  /** The same person in another directory, or with other variables. */
  readonly elsewhere: (cwd: string, env?: Readonly<Record<string, string>>) => Newcomer;
}

function newcomer(
  env: Readonly<Record<string, string>> = {},
  home: string = temporaryDirectory(),
  cwd = home,
): Newcomer {
  const run = (args: readonly string[], input?: string): Promise<CairnResult> =>
    cairn(args, { cwd, env: { HOME: home, TMPDIR: home, ...env }, input });
  return Object.assign(run, {
    home,
    elsewhere: (other: string, more: Readonly<Record<string, string>> = {}) =>
      newcomer({ ...env, ...more }, home, other),
  });
}

const time = String.raw`\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ`;

/** Stores a fact and returns its id. */
async function remember(cairn: Newcomer, text: string, ...options: readonly string[]): Promise<string> {
  const { stdout, stderr } = await cairn(['memory', 'remember', text, ...options]);
  expect(stdout, stderr).toMatch(/^fact_\w+\n$/u);
  return stdout.trim();
}

/** The lines of an import with messages of past sessions. */
function messages(...given: readonly (readonly [group: string, role: string, content: string])[]): string {
  const now = Date.now();
  return given
    .map(([group, role, content], index) => {
      const message = { id: `message_${group}${index}`, role, content, time: now - 60_000 + index };
      return `${JSON.stringify({ kind: 'message', stream: 'agent', group, ...message })}\n`;
    })
    .join('');
}

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
    expect(added.stderr).toBe(
      `cairn: stored in ${cairn.home}/.local/share/cairn/memory.db for the project ${cairn.home}, until it is forgotten\n`,
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

  test('an equal fact is stored once, and similar ones are named', async () => {
    const cairn = newcomer();
    const id = await remember(cairn, 'Deploy the web app on Fridays');
    const again = await cairn(['memory', 'remember', ' deploy the  web app on fridays.']);
    expect(again).toMatchObject({
      exitCode: 0,
      stdout: `${id}\n`,
      stderr: expect.stringContaining('not stored again'),
    });
    const similar = await cairn(['memory', 'remember', 'Deploy the web app on Mondays']);
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

  test('what replaces a fact keeps its scope, and an option that says otherwise is refused', async () => {
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
    expect(stderr).toContain('/commands/memory/recall.ts');
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

  test('a start block too small for a line is refused by the name of the option', async () => {
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

  test('a secret is refused, unless it is allowed', async () => {
    const cairn = newcomer();
    const text = 'the key is AKIAIOSFODNN7QWERTYU';
    const refused = await cairn(['memory', 'remember', text]);
    expect(refused).toMatchObject({ exitCode: 2, stdout: '', stderr: expect.stringContaining('--allow-secret') });
    expect(refused.stderr).not.toContain('AKIA');
    expect(await cairn(['memory', 'remember', text, '--allow-secret'])).toMatchObject({ exitCode: 0 });
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
    [
      ['memory', 'remember', ''],
      2,
      'cairn: The content of the fact is empty. Use a string with at least one character.\n',
    ],
    [['memory', 'remember', 'x', '--scope', 'team'], 2, /invalid --scope "team"; use project or user/u],
    [['memory', 'remember', 'x', '--tag', ''], 2, /--tag is empty/u],
    [['memory', 'remember', 'x', '--stream', ''], 2, /stream "" is empty/u],
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
  ])('%j is refused in one line', async (args, exitCode, stderr) => {
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
    await backend.append('ai:memory:agent:g', [{ before: '{"odd":true,"time":', after: '}' }], { rule });
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

describe.skipIf(process.platform === 'win32')('cairn memory edit', () => {
  /** An editor: a script that gets the file as $1. */
  function editor(script: string): Readonly<Record<string, string>> {
    const path = join(temporaryDirectory(), 'my editor');
    writeFileSync(path, `#!/bin/sh\n${script}\n`, { mode: 0o755 });
    return { EDITOR: `'${path}' --wait`, VISUAL: '' };
  }

  /** The file that an answer names. */
  function keptFile({ stderr }: CairnResult): string {
    return /the edited text is in (\S+\.md)/u.exec(stderr)?.[1] ?? '';
  }

  const setEdit = (expression: string): string => `sed -i '${expression}' "$2"`;

  test('changes, adds and archives facts by what was edited', async () => {
    const cairn = newcomer();
    const [one, two] = [await remember(cairn, 'Deploy on Fridays'), await remember(cairn, 'The tests need redis')];
    const changed = cairn.elsewhere(cairn.home, editor(setEdit('s/Fridays/Mondays/')));
    expect(await changed(['memory', 'edit'])).toMatchObject({
      exitCode: 0,
      stderr: 'cairn: added 0, updated 1, archived 0\n',
    });
    expect((await cairn(['memory', 'show', one])).stdout).toContain('Deploy on Mondays');
    expect((await cairn(['memory', 'show', two])).stdout).not.toContain('until');
    expect(readdirSync(cairn.home).filter((name) => name.startsWith('cairn-memory-'))).toEqual([]);
  });

  test('an unchanged or emptied file changes nothing', async () => {
    const cairn = newcomer();
    const id = await remember(cairn, 'Deploy on Fridays');
    for (const [script, message] of [
      ['true', 'the text was not changed; nothing was done'],
      [': > "$2"', 'the text is empty; nothing was done'],
      ['rm "$2"', 'nothing was done'],
    ] as const) {
      const result = await cairn.elsewhere(cairn.home, editor(script))(['memory', 'edit']);
      expect(result).toMatchObject({ exitCode: 1, stdout: '', stderr: expect.stringContaining(message) });
    }
    expect((await cairn(['memory', 'list'])).stdout).toContain(id);
  });

  test.each([
    [
      'fails',
      'sed -i s/Fridays/Mondays/ "$2"; exit 3',
      /failed with status 3; nothing was changed; the edited text is in/u,
    ],
    [
      'is killed',
      'sed -i s/Fridays/Mondays/ "$2"; kill -KILL $$',
      /(?:ended by SIGKILL|status 137); nothing was changed; the edited text is in/u,
    ],
  ])('an editor that %s changes nothing, and its text is kept', async (_, script, message) => {
    const cairn = newcomer();
    const id = await remember(cairn, 'Deploy on Fridays');
    const result = await cairn.elsewhere(cairn.home, editor(script))(['memory', 'edit']);
    expect(result).toMatchObject({ exitCode: 2, stdout: '', stderr: expect.stringMatching(message) });
    expect(readFileSync(keptFile(result), 'utf8')).toContain('Mondays');
    expect((await cairn(['memory', 'show', id])).stdout).toContain('Fridays');
  });

  test('an editor with another encoding changes nothing, and its text is kept', async () => {
    const cairn = newcomer();
    const id = await remember(cairn, '部署在周五');
    const script = `printf '\\n## new\\n\\ncaf\\351\\n' >> "$2"`;
    const result = await cairn.elsewhere(cairn.home, editor(script))(['memory', 'edit']);
    expect(result).toMatchObject({
      exitCode: 2,
      stdout: '',
      stderr: expect.stringMatching(/is not valid UTF-8; nothing was changed; the edited text is in .*convert it/u),
    });
    const file = keptFile(result);
    expect(await cairn(['memory', 'edit', '--apply', file])).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining('is not valid UTF-8'),
    });
    writeFileSync(file, readFileSync(file, 'latin1').replace('caf\u00e9', 'cafe'), 'latin1');
    expect(await cairn(['memory', 'edit', '--apply', file])).toMatchObject({ exitCode: 0 });
    expect((await cairn(['memory', 'list'])).stdout).toMatch(
      new RegExp(`: cafe\\n.*${id} project: 部署在周五\\n$`, 'u'),
    );
  });

  test('an interruption while the editor runs changes nothing, and its text is kept', async () => {
    const cairn = newcomer();
    const id = await remember(cairn, 'Deploy on Fridays');
    const script = 'sed -i s/Fridays/Mondays/ "$2"; kill -INT "$(ps -o ppid= -p $PPID)" 2>/dev/null || kill -INT $PPID';
    const child = startCairn(['memory', 'edit'], {
      cwd: cairn.home,
      env: { HOME: cairn.home, TMPDIR: cairn.home, ...editor(script) },
    });
    const result = await finished(child);
    expect(result).toMatchObject({
      exitCode: 130,
      stderr: expect.stringContaining('interrupted; nothing was changed'),
    });
    expect(readFileSync(keptFile(result), 'utf8')).toContain('Mondays');
    expect((await cairn(['memory', 'show', id])).stdout).toContain('Fridays');
  });

  test('an editor that does not exist, and none at all, are errors that state what to do', async () => {
    const cairn = newcomer();
    await remember(cairn, 'x');
    expect(await cairn.elsewhere(cairn.home, { EDITOR: 'no-such-editor' })(['memory', 'edit'])).toMatchObject({
      exitCode: 2,
      stderr: expect.stringMatching(
        /the editor no-such-editor was not found; nothing was changed; set VISUAL or EDITOR/u,
      ),
    });
    expect(await cairn.elsewhere(cairn.home, { EDITOR: '', VISUAL: '' })(['memory', 'edit'])).toMatchObject({
      exitCode: 2,
      stderr: expect.stringMatching(/no terminal for an editor.*set EDITOR, or use 'cairn memory update'/u),
    });
  });

  test('a refused text is kept, and applied after it is corrected', async () => {
    const cairn = newcomer();
    const id = await remember(cairn, 'Deploy on Fridays');
    const refused = await cairn.elsewhere(
      cairn.home,
      editor(setEdit('s/Fridays/AKIAIOSFODNN7QWERTYU/')),
    )(['memory', 'edit']);
    expect(refused).toMatchObject({ exitCode: 2, stdout: '' });
    const file = keptFile(refused);
    expect(refused.stderr).toContain(`cairn memory edit --apply ${file}`);
    writeFileSync(file, readFileSync(file, 'utf8').replace('AKIAIOSFODNN7QWERTYU', 'Mondays'));
    expect(await cairn(['memory', 'edit', '--apply', file])).toMatchObject({ exitCode: 0 });
    expect((await cairn(['memory', 'show', id])).stdout).toContain('Mondays');
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
