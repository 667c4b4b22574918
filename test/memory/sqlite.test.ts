/** Cases that only SQLite has: files that are locked, read-only, full, damaged or of another program. */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import process from 'node:process';
import { DatabaseSync } from 'node:sqlite';
import { fileURLToPath } from 'node:url';
import { createMemory, projectStorePath, userStorePath } from '@cairn/memory';
import { listsOf } from '@cairn/memory/testing';
import type { Memory } from '@cairn/memory';
import type { Draft } from '@cairn/memory/testing';
import { sqlite } from '@cairn/memory/sqlite';
import { describe, expect, onTestFinished, test } from 'vitest';
import { temporaryDirectory } from '../support/tree.ts';
import { manualClock } from './backends.ts';
import { filesWith } from './sqlite-files.ts';
import { draft, forever as rule } from './records.ts';

function open(path: string, options: Parameters<typeof sqlite>[0] = {}): Memory {
  const memory = createMemory({ backend: sqlite({ path, ...options }) });
  onTestFinished(() => memory.close());
  return memory;
}

const place = { stream: 's', group: 'g' };
const child = fileURLToPath(new URL('sqlite-child.ts', import.meta.url));

describe('a file', () => {
  test('is created with its directories, readable only for its owner, and ignored by git in a project', async () => {
    const root = temporaryDirectory();
    const path = projectStorePath(root);
    await open(path).messages.add(place, { content: 'x' });
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(statSync(`${path}-wal`).mode & 0o777).toBe(0o600);
    expect(statSync(`${root}/.cairn`).mode & 0o777).toBe(0o700);
    expect(readFileSync(`${root}/.cairn/.gitignore`, 'utf8')).toBe('*\n');
    // An existing directory is not changed.
    mkdirSync(`${root}/b/.cairn`, { recursive: true });
    await open(projectStorePath(`${root}/b`)).messages.add(place, { content: 'x' });
    expect(existsSync(`${root}/b/.cairn/.gitignore`)).toBe(false);
  });

  test.each([
    ['linux', {}, '/home/a/.local/share/cairn/memory.db'],
    ['linux', { XDG_DATA_HOME: '/data' }, '/data/cairn/memory.db'],
    ['linux', { XDG_DATA_HOME: 'relative' }, '/home/a/.local/share/cairn/memory.db'],
    ['darwin', {}, '/home/a/Library/Application Support/cairn/memory.db'],
  ] as const)('of a user lies where the system keeps data: %s %o', (platform, env, expected) => {
    expect(userStorePath({ platform, env, home: '/home/a' })).toBe(expected);
  });

  test('is not opened before the first call', () => {
    const path = `${temporaryDirectory()}/memory.db`;
    open(path);
    expect(existsSync(path)).toBe(false);
  });

  test('locked by another process: the call waits, then reports it', async () => {
    const path = `${temporaryDirectory()}/memory.db`;
    const memory = open(path, { busyTimeoutMs: 300 });
    await memory.messages.add(place, { content: 'a' });
    const other = new DatabaseSync(path);
    onTestFinished(() => other.close());
    other.exec('BEGIN IMMEDIATE');
    await expect(memory.messages.add(place, { content: 'b' })).rejects.toMatchObject({
      code: 'STORE_LOCKED',
      isDone: false,
      message: expect.stringContaining('busyTimeoutMs'),
    });
    // Reads do not wait.
    expect(await memory.messages.history(place)).toHaveLength(1);
    // Waiting does not block the process, and can be aborted.
    const controller = new AbortController();
    const waiting = open(path, { busyTimeoutMs: 60_000 }).messages.add(
      place,
      { content: 'c' },
      { signal: controller.signal },
    );
    controller.abort(new Error('enough'));
    await expect(waiting).rejects.toThrow('enough');
    const patient = open(path, { busyTimeoutMs: 60_000 }).messages.add(place, { content: 'd' });
    other.exec('COMMIT');
    await patient;
    expect((await memory.messages.history(place)).map(({ content }) => content)).toEqual(['d', 'a']);
  });

  test.each([
    ['text', 'not a database at all, but long enough to be one'.repeat(100)],
    ['the head of one', 'SQLite format 3\0'],
  ])('that is %s is rejected and left as it is', async (_, content) => {
    const path = `${temporaryDirectory()}/memory.db`;
    writeFileSync(path, content);
    await expect(open(path).messages.history(place)).rejects.toMatchObject({ code: 'CORRUPT_STORE', path });
    expect(readFileSync(path, 'utf8')).toBe(content);
  });

  test('of another program, or of a newer Cairn, is rejected and not changed', async () => {
    const path = `${temporaryDirectory()}/memory.db`;
    const other = new DatabaseSync(path);
    other.exec('CREATE TABLE theirs (a)');
    other.close();
    const before = readFileSync(path);
    await expect(open(path).messages.add(place, { content: 'x' })).rejects.toMatchObject({
      code: 'CORRUPT_STORE',
      message: expect.stringContaining('another program'),
    });
    expect(readFileSync(path)).toEqual(before);
    const own = `${temporaryDirectory()}/memory.db`;
    const memory = open(own);
    await memory.messages.add(place, { content: 'x' });
    await memory.close();
    const newer = new DatabaseSync(own);
    newer.exec('PRAGMA user_version = 99');
    newer.close();
    await expect(open(own).messages.history(place)).rejects.toMatchObject({
      message: expect.stringContaining('newer Cairn'),
    });
  });

  test('with damaged rows returns the others, and keeps the damaged ones', async () => {
    const path = `${temporaryDirectory()}/memory.db`;
    const memory = open(path);
    for (const content of 'abcd') await memory.messages.add(place, { content });
    const other = new DatabaseSync(path);
    other.exec(`UPDATE entries SET body = 'garbage' WHERE body LIKE '%"a"%'`);
    other.exec(`UPDATE entries SET body = x'00ff' WHERE body LIKE '%"b"%'`);
    other.close();
    expect((await memory.messages.history(place)).map(({ content }) => content)).toEqual(['d', 'c']);
    expect((await memory.unreadable()).map(({ key }) => key)).toEqual(['ai:memory:s:g', 'ai:memory:s:g']);
    await memory.messages.add(place, { content: 'e' });
    expect((await memory.messages.history(place)).map(({ content }) => content)).toEqual(['e', 'd', 'c']);
    expect((await memory.unreadable()).map(({ record }) => record).toSorted()).toEqual(["X'00FF'", 'garbage']);
    const again = new DatabaseSync(path);
    again.exec(`UPDATE entries SET body = CAST(x'7b22ff' AS TEXT) WHERE body LIKE '%"c"%'`);
    again.close();
    for (let round = 0; round < 3; round++) {
      expect((await memory.messages.history(place)).map(({ content }) => content)).toEqual(['e', 'd']);
      expect(await memory.unreadable()).toHaveLength(3);
    }
  });

  test('that is cut in the middle is reported as damaged, unlike an empty one', async () => {
    const path = `${temporaryDirectory()}/memory.db`;
    const memory = open(path);
    for (let index = 0; index < 50; index++)
      await memory.messages.add(place, { content: `${index} ${'x'.repeat(5000)}` });
    await memory.close();
    truncateSync(path, 8192);
    await expect(open(path).messages.history(place)).rejects.toMatchObject({ code: 'CORRUPT_STORE' });
  });

  test.each([
    ['3.51.2', false],
    ['3.46.1', false],
    ['2.99.99', false],
    [undefined, false],
    ['3.51.3', true],
    ['3.52.0', true],
    ['4.0.0', true],
  ])('is opened by SQLite %s: %s', async (version, isOpened) => {
    const memory = open(`${temporaryDirectory()}/memory.db`, { driver: async () => ({ DatabaseSync, version }) });
    const call = memory.messages.history(place).catch((error: unknown) => error);
    const refusal = expect.objectContaining({
      code: 'STORE_UNSUPPORTED',
      message: expect.stringMatching(/3\.51\.3.*Use Node 22\.22\.3, 24\.15\.0 or newer/u),
    });
    expect(await call).toEqual(isOpened ? [] : refusal);
  });

  test('cannot be opened by a Node without SQLite, and the error states it', async () => {
    const driver = (): Promise<never> => Promise.reject(new Error('No such built-in module: node:sqlite'));
    const memory = open(`${temporaryDirectory()}/memory.db`, { driver });
    await expect(memory.messages.history(place)).rejects.toMatchObject({ code: 'STORE_UNSUPPORTED' });
  });

  test('has WAL, full durability and a bounded log with many writers', async () => {
    const path = `${temporaryDirectory()}/memory.db`;
    const memories = Array.from({ length: 4 }, () => open(path, { busyTimeoutMs: 60_000 }));
    for (let round = 0; round < 150; round++) {
      const writes = memories.map((memory, index) =>
        memory.messages.add({ stream: 's', group: `${index}` }, { content: 'x'.repeat(20_000) }),
      );
      await Promise.all(writes);
    }
    expect(statSync(`${path}-wal`).size).toBeLessThan(20 * 1024 * 1024);
    const other = new DatabaseSync(path);
    onTestFinished(() => other.close());
    expect(other.prepare('PRAGMA journal_mode').get()).toEqual({ journal_mode: 'wal' });
    expect(other.prepare('PRAGMA auto_vacuum').get()).toEqual({ auto_vacuum: 2 });
    // Only the connection itself can report its setting.
    const made: DatabaseSync[] = [];
    class Seen extends DatabaseSync {
      constructor(...given: ConstructorParameters<typeof DatabaseSync>) {
        super(...given);
        made.push(this);
      }
    }
    await open(path, { driver: async () => ({ DatabaseSync: Seen, version: '4.0.0' }) }).messages.history(place);
    expect(made.map((own) => own.prepare('PRAGMA synchronous').get())).toEqual([{ synchronous: 2 }]);
  });

  test.skipIf(process.platform === 'win32')(
    'that was removed or replaced meanwhile is created again: no write goes to a removed file',
    async () => {
      const root = temporaryDirectory();
      const path = `${root}/deep/memory.db`;
      const memory = open(path);
      const contents = async (of: Memory): Promise<string[]> =>
        (await of.messages.history(place)).map(({ content }) => content);
      await memory.messages.add(place, { content: 'a' });
      rmSync(`${root}/deep`, { recursive: true });
      await memory.messages.add(place, { content: 'b' });
      const other = open(path);
      expect(await contents(other)).toEqual(['b']);
      await other.close();
      renameSync(`${root}/deep`, `${root}/aside`);
      expect(await contents(memory)).toEqual([]);
      await memory.messages.add(place, { content: 'c' });
      expect(await contents(open(path))).toEqual(['c']);
      expect(await contents(open(`${root}/aside/memory.db`))).toEqual(['b']);
    },
  );

  test('whose maintenance fails still has the write, and the write succeeds', async () => {
    class FailingMaintenance extends DatabaseSync {
      override prepare(...given: Parameters<DatabaseSync['prepare']>): ReturnType<DatabaseSync['prepare']> {
        if (given[0].includes('page_count')) throw Object.assign(new Error('disk I/O error'), { errcode: 10 });
        return super.prepare(...given);
      }
    }
    const driver = async (): Promise<{ DatabaseSync: typeof DatabaseSync; version: string }> => ({
      DatabaseSync: FailingMaintenance,
      version: '4.0.0',
    });
    const memory = createMemory({
      backend: sqlite({ path: `${temporaryDirectory()}/memory.db`, driver }),
      retention: { maxMessages: Infinity },
    });
    onTestFinished(() => memory.close());
    for (let index = 0; index < 130; index++) await memory.messages.add(place, { content: `${index}` });
    expect(await memory.messages.history(place)).toHaveLength(130);
  });

  test('reads the clock when the write runs, so that records are in the order of their times', async () => {
    const path = `${temporaryDirectory()}/memory.db`;
    let readings = 0;
    const clock = (): number => {
      readings += 1;
      return Date.now();
    };
    const memory = open(path, { busyTimeoutMs: 200, clock });
    await memory.messages.add(place, { content: 'a' });
    const other = new DatabaseSync(path);
    onTestFinished(() => other.close());
    other.exec('BEGIN IMMEDIATE');
    const before = readings;
    await expect(memory.messages.add(place, { content: 'b' })).rejects.toMatchObject({ code: 'STORE_LOCKED' });
    expect(readings).toBe(before);
    other.exec('COMMIT');
  });

  test('writes of an import only what it imports, in the places of their times', async () => {
    const backend = sqlite({ path: `${temporaryDirectory()}/memory.db` });
    onTestFinished(() => backend.close());
    const timed = (timeMs: number): Draft => ({ ...draft(`at ${timeMs}`), timeMs });
    const even = Array.from({ length: 1000 }, (_, index) => timed(1_000_000 + 2 * index));
    await listsOf(backend).append('ai:list', even, { rule });
    const before = await backend.page('ai:list', { order: 'written', limit: Infinity });
    // Older ones, some in between, and newer ones, in any order.
    const others = Array.from({ length: 1500 }, (_, index) => timed(999_001 + 2 * ((index * 7) % 1500)));
    for (let start = 0; start < others.length; start += 200) {
      await listsOf(backend).append('ai:list', others.slice(start, start + 200), { rule });
    }
    const added = await backend.page('ai:list', { order: 'written', after: before.sequence, limit: Infinity });
    expect([added.start, added.rows.length, added.count]).toEqual([before.start, 1500, 2500]);
    const known = before.rows.map(({ sequence }) => sequence);
    expect(await backend.rows('ai:list', known)).toEqual(before.rows);
    const times = (await listsOf(backend).list('ai:list')).map(
      (record) => (JSON.parse(record) as { time: number }).time,
    );
    expect(times).toEqual(times.toSorted((x, y) => y - x));
  });

  test('with a number that cannot be read is reported with a code', async () => {
    const path = `${temporaryDirectory()}/memory.db`;
    const backend = sqlite({ path });
    onTestFinished(() => backend.close());
    await listsOf(backend).append('ai:list', [draft('a')], { rule });
    const other = new DatabaseSync(path);
    other.exec('UPDATE keys SET records = 9223372036854775807');
    other.close();
    await expect(backend.keys('')).rejects.toMatchObject({ code: 'STORE_FAILED', path });
  });

  test('a call that reads sees one state, even when another process writes between its statements', async () => {
    const path = `${temporaryDirectory()}/memory.db`;
    const backend = sqlite({ path });
    onTestFinished(() => backend.close());
    const added = await listsOf(backend).append('ai:list', [draft('a'), draft('b')], { rule });
    await backend.close();
    class Interrupted extends DatabaseSync {
      override prepare(...given: Parameters<DatabaseSync['prepare']>): ReturnType<DatabaseSync['prepare']> {
        if (given[0].includes('FROM entries WHERE sequence')) {
          const other = new DatabaseSync(path);
          other.exec('DELETE FROM entries; DELETE FROM keys');
          other.close();
        }
        return super.prepare(...given);
      }
    }
    const driver = async (): Promise<{ DatabaseSync: typeof DatabaseSync; version: string }> => ({
      DatabaseSync: Interrupted,
      version: '4.0.0',
    });
    const reader = sqlite({ path, driver });
    onTestFinished(() => reader.close());
    const { count, rows } = await reader.page('ai:list', { order: 'written' });
    expect([count, rows.map(({ text }) => text)]).toEqual([2, added]);
    expect(await reader.keys('')).toEqual([]);
  });

  test('does not grow over a year of use, because expired data is removed', async () => {
    const path = `${temporaryDirectory()}/memory.db`;
    const clock = manualClock();
    const memory = open(path, { clock: clock.now });
    const sizes: number[] = [];
    for (let day = 0; day < 365; day++) {
      clock.add(86_400_000);
      // Each day has its own groups, which are not used again.
      for (let group = 0; group < 4; group++) {
        await memory.messages.add({ stream: 's', group: `${day} ${group}` }, { content: 'x'.repeat(3000) });
        await memory.storeNote(`${day} ${group}`, 'x'.repeat(3000), 'todo_0');
      }
      if (day % 73 === 72) sizes.push(statSync(path).size + statSync(`${path}-wal`).size);
    }
    const stats = await memory.stats();
    expect(stats.messages).toBeLessThanOrEqual(31 * 4);
    const [early = 0, ...later] = sizes;
    for (const size of later) expect(size).toBeLessThan(1.5 * early);
  });
});

describe.skipIf(process.platform === 'win32')('when the system rejects', () => {
  interface Answer {
    readonly code?: string;
    readonly message?: string;
  }

  /** Runs calls in a process of another user, to whom permissions apply. */
  async function asOther(path: string, what: 'read' | 'write'): Promise<Answer> {
    const user = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {};
    const running = spawn(process.execPath, [child, path, what], {
      stdio: ['ignore', 'pipe', 'inherit'],
      ...user,
      env: { PATH: '' },
    });
    let text = '';
    running.stdout.setEncoding('utf8').on('data', (more: string) => (text += more));
    await once(running, 'close');
    return JSON.parse(text) as Answer;
  }

  test('a directory that is not writable is reported', async () => {
    const root = temporaryDirectory();
    chmodSync(root, 0o555);
    expect(await asOther(`${root}/memory.db`, 'write')).toMatchObject({
      code: 'STORE_DENIED',
      message: expect.stringContaining(root),
    });
    expect(await asOther(`${root}/deep/memory.db`, 'write')).toMatchObject({ code: 'STORE_DENIED' });
    expect(existsSync(`${root}/memory.db`)).toBe(false);
  });

  test('a file that is not writable keeps its data', async () => {
    const root = temporaryDirectory();
    const path = `${root}/memory.db`;
    const memory = open(path);
    await memory.messages.add(place, { content: 'kept' });
    await memory.close();
    chmodSync(path, 0o444);
    chmodSync(root, 0o555);
    expect(await asOther(path, 'write')).toMatchObject({ code: 'STORE_DENIED' });
    chmodSync(root, 0o755);
    chmodSync(path, 0o600);
    expect(await open(path).messages.history(place)).toMatchObject([{ content: 'kept' }]);
  });

  test('a path below a file, or a directory instead of a file, is reported', async () => {
    const root = temporaryDirectory();
    writeFileSync(`${root}/file`, '');
    await expect(open(`${root}/file/memory.db`).messages.history(place)).rejects.toMatchObject({
      code: 'STORE_FAILED',
    });
    await expect(open(root).messages.history(place)).rejects.toMatchObject({ code: 'STORE_FAILED' });
    await expect(open('/proc/nowhere/memory.db').messages.history(place)).rejects.toMatchObject({
      code: expect.stringMatching(/^STORE_/u),
    });
  });

  test('a full disk rejects the whole write, and acknowledged writes are present', async (context) => {
    const root = temporaryDirectory();
    const mounted = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=2m', 'tmpfs', root], { encoding: 'utf8' });
    if (mounted.status !== 0) return context.skip(`no small disk can be mounted here: ${mounted.stderr}`);
    const path = `${root}/memory.db`;
    const memory = createMemory({ backend: sqlite({ path }), retention: { maxMessages: Infinity } });
    onTestFinished(async () => {
      await memory.close();
      spawnSync('umount', [root]);
    });
    const kept: string[] = [];
    let refusal: unknown;
    for (let index = 0; refusal === undefined && index < 400; index++) {
      const content = `${index} ${'x'.repeat(20_000)}`;
      await memory.messages.add(place, { content }).then(
        () => kept.push(content),
        (error: unknown) => {
          refusal = error;
        },
      );
    }
    expect(refusal).toMatchObject({ code: 'STORE_FULL', message: expect.stringContaining('disk is full') });
    expect(kept.length).toBeGreaterThan(5);
    expect((await memory.messages.history(place)).map(({ content }) => content)).toEqual(kept.toReversed());
    return undefined;
  });

  test('on a full disk erasing is pending, and done once there is space', async (context) => {
    const root = temporaryDirectory();
    const mounted = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=4m', 'tmpfs', root], { encoding: 'utf8' });
    if (mounted.status !== 0) return context.skip(`no small disk can be mounted here: ${mounted.stderr}`);
    const path = `${root}/memory.db`;
    const backend = sqlite({ path });
    onTestFinished(async () => {
      await backend.close();
      // A file that was erased stays open.
      spawnSync('umount', ['--lazy', root]);
    });
    const drafts = Array.from({ length: 60 }, (_, index) => draft(`${index} ${'x'.repeat(20_000)}`));
    await listsOf(backend).append('ai:list', [draft('REMOVED')], { rule });
    await listsOf(backend).append('ai:list', drafts, { rule });
    const [removed = ''] = (await listsOf(backend).list('ai:list')).slice(-1);
    await listsOf(backend).remove('ai:list', [removed]);
    writeFileSync(`${root}/filler`, '');
    for (let size = 4 * 1024 * 1024; size > 0; size -= 16_384) {
      try {
        writeFileSync(`${root}/filler`, Buffer.alloc(size));
        break;
      } catch {
        // It does not fit.
      }
    }
    expect(await backend.erase()).toBe('pending');
    rmSync(`${root}/filler`);
    expect(await backend.erase()).toBe('done');
    expect(filesWith(path, 'REMOVED')).toEqual([]);
    expect(await listsOf(backend).list('ai:list')).toHaveLength(60);
    return undefined;
  });
});
