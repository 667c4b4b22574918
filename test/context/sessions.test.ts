/** Sessions in a store, and how export, import, statistics, forgetting and backups of a memory treat them. */
import type { UnifiedMessage } from '@cairn/context';
import {
  ContextManager,
  continueSession,
  listSessions,
  moveSessions,
  openContexts,
  removeSession,
  sessionOfOwner,
} from '@cairn/context';
import { createMemory } from '@cairn/memory';
import { listsOf } from '@cairn/memory/testing';
import { memory as inProcess } from '@cairn/memory/memory';
import { sqlite } from '@cairn/memory/sqlite';
import { spawnSync } from 'node:child_process';
import { chmodSync, readFileSync } from 'node:fs';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { describe, expect, onTestFinished, test } from 'vitest';
import { backendKinds, openMemory, START_MS, useBackends } from '../memory/backends.ts';
import { startScript } from '../memory/child-process.ts';
import { temporaryDirectory } from '../support/tree.ts';
import { openSession, storedMessages, turnOf, user, withFile } from './contexts.ts';

useBackends();

const KIB = 1024;
const child = fileURLToPath(new URL('histories-child.ts', import.meta.url));

describe.each(backendKinds)('sessions on $name', (kind) => {
  test.skipIf(kind.isSkipped)('are listed by project, the newest first, with their first message', async () => {
    const { memory, backend, advance } = await openMemory(kind, { project: '/home/me/app' });
    expect(await listSessions({ store: memory })).toEqual([]);
    const old = await openContexts({ store: memory, session: 'old: one' });
    await old.addMessage('b', user('of b'));
    await advance(1000);
    await old.addMessage('a', user(`\n  Build ${'a very '.repeat(20)}good app\nwith care`), 'shared');
    await advance(1000);
    const newer = await openContexts({ store: memory, session: '新' });
    await newer.addMessage('a', withFile(300 * KIB), 'shared');
    await newer.appendTurn('a', turnOf('x'), 'shared');
    await newer.appendTurn('z', turnOf('x'));
    await newer.appendTurn('c', turnOf('x'));
    await (await openContexts({ store: memory, session: 'nothing' })).refresh();
    await (await openContexts({ store: memory, session: 'elsewhere', project: '/home/me' })).addMessage('a', user('x'));
    const expected = [
      { session: '新', title: '', lastUsedAt: START_MS + 2000, messages: 13, agents: ['c', 'z'] },
      {
        session: 'old: one',
        title: `Build ${'a very '.repeat(20)}`.slice(0, 79) + '…',
        lastUsedAt: START_MS + 1000,
        messages: 2,
        agents: ['b'],
      },
    ];
    expect(await listSessions({ store: memory })).toEqual(expected);
    expect(await listSessions({ store: backend, project: '/home/me/app' })).toEqual(expected);
    expect(await listSessions({ store: backend })).toEqual([]);
  });

  test.skipIf(kind.isSkipped)('are removed with all that they have, and nothing else', async () => {
    const { memory } = await openMemory(kind);
    for (const session of ['s', 's2', 'other']) {
      const manager = await openContexts({ store: memory, session });
      for (const agent of ['a', 'b']) await manager.appendTurn(agent, [user(agent), withFile(300 * KIB)]);
      await manager.addMessage('a', user('x'), 'shared');
      await manager.writeSummary('a', { text: 'y', messages: 1 }, 'shared');
    }
    const open = await openSession(memory);
    expect(await removeSession({ store: memory, session: 's' })).toBe(true);
    expect(await removeSession({ store: memory, session: 's' })).toBe(false);
    expect((await listSessions({ store: memory })).map(({ session }) => session).toSorted()).toEqual(['other', 's2']);
    const keys = (await memory.namespace('contexts').keys()).map(({ key }) => key);
    expect(keys.filter((key) => key.includes(':s:'))).toEqual([]);
    expect(keys).toHaveLength(2 * (3 + 4 + 1) - 2 * 2);
    await open.refresh();
    expect([open.main.conversationHistory, open.getContext('a').conversationHistory]).toEqual([[], []]);
    await expect(removeSession({ store: memory, session: '' })).rejects.toMatchObject({ code: 'INVALID_NAME' });
  });

  test.skipIf(kind.isSkipped)('move to another project with all that they have', async () => {
    const { memory, advance } = await openMemory(kind);
    const [from, to] = ['/home/me/old: name', `/home/me/${'new/'.repeat(100)}`];
    const large = withFile(900 * KIB);
    for (const session of ['s', 'only']) {
      const manager = await openContexts({ store: memory, project: from, session });
      await manager.appendTurn('a', [user('see'), large], 'shared');
      await manager.writeSummary('a', { text: 'A summary.', messages: 2 }, 'shared');
      for (let turn = 0; turn < 10; turn++) await manager.appendTurn('a', turnOf(`${turn}`));
    }
    await advance(1000);
    await (await openContexts({ store: memory, project: to, session: 's' })).appendTurn('a', turnOf('last'));
    expect(await moveSessions({ store: memory, from, to: from })).toBe(0);
    expect(await moveSessions({ store: memory, from, to })).toBe(2);
    expect(await moveSessions({ store: memory, from, to })).toBe(0);
    expect(await listSessions({ store: memory, project: from })).toEqual([]);
    expect(await listSessions({ store: memory, project: to })).toMatchObject([
      { session: 's', messages: 46 },
      { session: 'only', messages: 42 },
    ]);
    const moved = await openContexts({ store: memory, project: to, session: 's' });
    expect(moved.problems).toEqual([]);
    expect(moved.main.conversationHistory).toStrictEqual([user('see'), large]);
    expect(await moved.readSummary('a', 'shared')).toEqual({ text: 'A summary.', messages: 2 });
    const names = [...Array.from({ length: 10 }, (_, turn) => `${turn}`), 'last'];
    expect(moved.getContext('a').conversationHistory).toEqual(names.flatMap(turnOf));
    const { keysWithoutEnd, namespaces } = await memory.stats();
    expect([keysWithoutEnd, namespaces.map(({ keys }) => keys)]).toEqual([0, [2 * (2 + 2 + 1)]]);
    await advance(91 * 86_400_000);
    expect(await memory.namespace('contexts').keys()).toEqual([]);
    await expect(moveSessions({ store: memory, from: '', to })).rejects.toMatchObject({ code: 'INVALID_NAME' });
  });

  test.skipIf(kind.isSkipped)('keep what is added while they are moved, and what is not readable', async () => {
    const { memory, backend } = await openMemory(kind);
    const [from, to] = ['/old', '/new'];
    const writer = await openContexts({ store: memory, project: from, session: 's' });
    await writer.appendTurn('a', turnOf('1'));
    const namespace = memory.namespace('contexts');
    const [key = ''] = (await namespace.keys()).map((info) => info.key);
    const rule = { maxRecords: 1e9, maxTemporaryRecords: 1e9, lifetimeMs: 1e9, temporaryLifetimeMs: 1e9 };
    await listsOf(backend).append(namespace.storeKey(key), [{ before: '{"torn":', after: '' }], { rule });
    const store: typeof memory = {
      ...memory,
      import: async (...args) => {
        const result = await memory.import(...args);
        await writer.appendTurn('a', turnOf('late'));
        return result;
      },
    };
    expect(await moveSessions({ store, from, to })).toBe(1);
    const moved = await openContexts({ store: memory, project: to, session: 's' });
    expect(moved.getContext('a').conversationHistory).toEqual(turnOf('1'));
    const left = await openContexts({ store: memory, project: from, session: 's' });
    expect(left.getContext('a').conversationHistory).toEqual(turnOf('late'));
    expect(left.problems).toHaveLength(1);
    expect(await moveSessions({ store: memory, from, to })).toBe(1);
    expect(await moveSessions({ store: memory, from, to })).toBe(0);
    await moved.refresh();
    expect(moved.getContext('a').conversationHistory).toEqual([...turnOf('1'), ...turnOf('late')]);
  });

  test.skipIf(kind.isSkipped)('are continued by their owner, and begun at once when it has none', async () => {
    const { memory, backend } = await openMemory(kind, { project: 'app' });
    const place = { store: memory, owner: 'terminal 1' };
    expect(await sessionOfOwner(place)).toBeUndefined();
    const begun = await Promise.all(Array.from({ length: 5 }, () => continueSession(place)));
    expect(begun.filter(({ isNew }) => isNew)).toHaveLength(1);
    const session = begun[0]?.session ?? '';
    expect(session).toMatch(/^session_\d+_[\da-f]{8}$/u);
    expect(new Set(begun.map((one) => one.session))).toEqual(new Set([session]));
    expect(await sessionOfOwner({ ...place, store: backend, project: 'app' })).toBe(session);
    // Others have others: another owner, another project.
    const others = [
      { ...place, owner: 'terminal 2' },
      { ...place, project: 'lib' },
    ];
    for (const other of others) expect(await continueSession(other)).toMatchObject({ isNew: true });
    const next = await continueSession({ ...place, isNew: true });
    expect([next.isNew, next.session === session, await continueSession(place)]).toEqual([
      true,
      false,
      { session: next.session, isNew: false },
    ]);
    // A session that is removed is not continued, one that is moved goes on.
    await (await openContexts({ store: memory, session: next.session })).addMessage('a', user('x'));
    expect(await moveSessions({ store: memory, from: 'app', to: 'moved' })).toBe(1);
    expect([await sessionOfOwner(place), await sessionOfOwner({ ...place, project: 'moved' })]).toEqual([
      undefined,
      next.session,
    ]);
    expect(await removeSession({ store: memory, session: next.session, project: 'moved' })).toBe(true);
    expect(await sessionOfOwner({ ...place, project: 'moved' })).toBeUndefined();
    expect(await listSessions({ store: memory })).toEqual([]);
    await expect(continueSession({ ...place, owner: '' })).rejects.toMatchObject({ code: 'INVALID_INPUT' });
  });

  test.skipIf(kind.isSkipped)('keep the text about each mode with the history of its agent', async () => {
    const { memory } = await openMemory(kind, { project: 'app' });
    const open = (): Promise<ContextManager> => openContexts({ store: memory, session: 's' });
    const [first, later] = [
      { hasHistory: false, hasMain: false },
      { hasHistory: true, hasMain: true },
    ];
    const one = await open();
    expect(await one.readModeText('a', 'shared')).toBeUndefined();
    await Promise.all([one.keepModeText('a', 'shared', first), one.keepModeText('a', 'isolated', later)]);
    await (await open()).keepModeText('b', 'fork', later);
    const other = await open();
    const kept = (): Promise<unknown[]> =>
      Promise.all([
        other.readModeText('a', 'shared'),
        other.readModeText('a'),
        other.readModeText('a', 'fork'),
        other.readModeText('b', 'fork'),
      ]);
    expect(await kept()).toEqual([first, later, undefined, later]);
    expect(await listSessions({ store: memory })).toEqual([]);
    await other.clearHistory('a', 'shared');
    expect(await kept()).toEqual([first, later, undefined, later]);
    await other.clearHistory('a');
    expect(await kept()).toEqual([undefined, undefined, undefined, later]);
    expect(await removeSession({ store: memory, session: 's' })).toBe(true);
    expect(await memory.namespace('contexts').keys()).toEqual([]);
    const alone = new ContextManager();
    await alone.keepModeText('a', 'shared', first);
    expect([await alone.readModeText('a', 'shared'), await alone.readModeText('a')]).toEqual([first, undefined]);
  });

  test.skipIf(kind.isSkipped)('are exported, and go on in another store', async () => {
    const { memory } = await openMemory(kind, { project: '/p' });
    const large = withFile(900 * KIB);
    const manager = await openSession(memory);
    for (let turn = 0; turn < 60; turn++) await manager.appendTurn('a', turnOf(`${turn}`));
    await manager.appendTurn('a', [user('see'), large], 'shared');
    await manager.writeSummary('a', { text: 'A summary.', messages: 1 }, 'shared');
    const lines = await Array.fromAsync(memory.export());

    const backend = inProcess({ clock: () => START_MS });
    const other = createMemory({ backend, project: '/p' });
    expect(await other.import(lines)).toMatchObject({ added: lines.length - 1, dropped: 0, problems: [] });
    const again = await openSession(other);
    expect(again.problems).toEqual([]);
    expect(again.getContext('a').conversationHistory).toEqual(manager.getContext('a').conversationHistory);
    expect(again.main.conversationHistory).toStrictEqual([user('see'), large]);
    expect(await again.readSummary('a', 'shared')).toEqual({ text: 'A summary.', messages: 1 });
    await again.appendTurn('a', turnOf('new'));
    await again.addMessage('a', large, 'shared');

    // Back again: five messages come, and the two chunks of the file, which were written again.
    const back = await Array.fromAsync(other.export());
    expect(await memory.import(back)).toMatchObject({ added: 7, dropped: 0, problems: [] });
    await manager.refresh();
    expect(manager.getContext('a').conversationHistory).toEqual(again.getContext('a').conversationHistory);
    expect(manager.main.conversationHistory).toStrictEqual([user('see'), large, large]);
    expect(manager.problems).toEqual([]);
  });

  test.skipIf(kind.isSkipped)('that an import adds to are in the order of their times', async () => {
    const { memory, advance } = await openMemory(kind);
    const other = await openMemory(kind.name === 'redis' ? (backendKinds[0] ?? kind) : kind);
    await (await openSession(other.memory)).appendTurn('a', turnOf('1'));
    await other.advance(2000);
    await (await openSession(other.memory)).appendTurn('a', turnOf('3'));
    const lines = await Array.fromAsync(other.memory.export());
    const manager = await openSession(memory);
    await advance(1000);
    await manager.appendTurn('a', turnOf('2'));
    await manager.refresh();
    await advance(2000);
    await manager.appendTurn('a', turnOf('4'));
    const { conversationHistory: before } = manager.getContext('a');
    await memory.import(lines);
    await manager.refresh();
    const expected = ['1', '2', '3', '4'].flatMap(turnOf);
    expect(manager.getContext('a').conversationHistory).toEqual(expected);
    expect(before).toEqual([...turnOf('2'), ...turnOf('4')]);
    expect(await storedMessages(memory, 'a')).toEqual(expected);
    await manager.appendTurn('a', turnOf('5'));
    await manager.refresh();
    await manager.refresh();
    expect(manager.getContext('a').conversationHistory).toEqual([...expected, ...turnOf('5')]);
  });

  test.skipIf(kind.isSkipped)('are part of the statistics, and forgotten with their namespace', async () => {
    const { memory } = await openMemory(kind);
    const manager = await openSession(memory);
    await manager.appendTurn('a', turnOf('1'));
    await manager.addMessage('a', withFile(300 * KIB), 'shared');
    const { namespaces, keysWithoutEnd, problems } = await memory.stats();
    expect(namespaces).toMatchObject([{ name: 'contexts', keys: 3, records: 6 }]);
    expect([keysWithoutEnd, problems]).toEqual([0, []]);
    expect(await memory.listGroups()).toEqual([]);
    expect(await memory.forget({ namespace: 'contexts' })).toMatchObject({ removed: 6 });
    await manager.addMessage('a', user('2'));
    await manager.refresh();
    expect(manager.getContext('a').conversationHistory).toEqual([user('2')]);
    expect(manager.main.conversationHistory).toEqual([]);
  });
});

describe('a file of SQLite', () => {
  const secret = 'A-SECRET-THAT-IS-CLEARED';

  test('has no text of a history that was cleared, including its large parts', async () => {
    const path = `${temporaryDirectory()}/memory.db`;
    const manager = await openSession(sqlite({ path }));
    await manager.appendTurn('a', [user(secret), user(`${secret}${'x'.repeat(300 * KIB)}`)], 'shared');
    await manager.appendTurn('a', turnOf('kept'));
    await manager.writeSummary('a', { text: secret, messages: 1 }, 'shared');
    const bytesOf = (): string => ['', '-wal'].map((suffix) => readFileSync(`${path}${suffix}`, 'latin1')).join('');
    expect(bytesOf()).toContain(secret);
    await manager.clearHistory('a', 'shared');
    expect(bytesOf()).not.toContain(secret);
    expect(bytesOf()).toContain('kept done');
    await manager.close();
  });

  test('on a full disk rejects whole turns, and its histories have what it has', async (context) => {
    const root = temporaryDirectory();
    const mounted = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=2m', 'tmpfs', root], { encoding: 'utf8' });
    if (mounted.status !== 0) return context.skip(`no small disk can be mounted here: ${mounted.stderr}`);
    const memory = createMemory({ backend: sqlite({ path: `${root}/memory.db` }) });
    onTestFinished(async () => {
      await memory.close();
      spawnSync('umount', ['--lazy', root]);
    });
    const manager = await openSession(memory);
    const kept: UnifiedMessage[] = [];
    let refusal: unknown;
    for (let index = 0; refusal === undefined && index < 200; index++) {
      const turn = [user(`${index} ${'x'.repeat(20_000)}`), ...turnOf(`${index}`)];
      await manager.appendTurn('a', turn).then(
        () => kept.push(...turn),
        (error: unknown) => {
          refusal = error;
        },
      );
    }
    expect(refusal).toMatchObject({ code: 'STORE_FULL' });
    expect(kept.length).toBeGreaterThan(25);
    expect(manager.getContext('a').conversationHistory).toEqual(kept);
    await expect(manager.addMessage('a', withFile(1000 * KIB))).rejects.toMatchObject({ code: 'STORE_FULL' });
    await manager.refresh();
    expect(manager.getContext('a').conversationHistory).toEqual(kept);
    expect(await storedMessages(memory, 'a')).toEqual(kept);
    return undefined;
  });

  test('that this user cannot write shows its histories, and rejects turns', async () => {
    const directory = temporaryDirectory();
    const path = `${directory}/memory.db`;
    const manager = await openSession(sqlite({ path }));
    await manager.appendTurn('p', turnOf('kept 0'), 'shared');
    await manager.close();
    chmodSync(path, 0o444);
    chmodSync(directory, 0o555);
    const other = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {};
    const { ended, lines } = startScript(child, ['sqlite', path, 'p', '1'], { env: { PATH: '' }, ...other });
    expect(await ended).toMatchObject({ code: 1, stderr: expect.stringContaining('STORE_DENIED') });
    expect(lines).toEqual(['ready', 'rejected: 4 messages']);
    chmodSync(directory, 0o755);
  });

  test('is copied with its sessions', async () => {
    const directory = temporaryDirectory();
    const memory = createMemory({ backend: sqlite({ path: `${directory}/memory.db` }) });
    onTestFinished(() => memory.close());
    await (await openSession(memory)).appendTurn('a', [user('see'), withFile(300 * KIB)]);
    await memory.backup(`${directory}/copy.db`);
    const copy = createMemory({ backend: sqlite({ path: `${directory}/copy.db` }) });
    onTestFinished(() => copy.close());
    expect(await storedMessages(copy, 'a')).toStrictEqual([user('see'), withFile(300 * KIB)]);
  });
});
