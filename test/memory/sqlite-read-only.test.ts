/** Files and directories that this user cannot write: they are read, and no file is created or changed. */
import { listsOf } from '@cairn/memory/testing';
import { chmodSync, readdirSync, readFileSync, statSync } from 'node:fs';
import process from 'node:process';
import { sqlite } from '@cairn/memory/sqlite';
import { describe, expect, onTestFinished, test } from 'vitest';
import { temporaryDirectory } from '../support/tree.ts';
import { manualClock, START_MS } from './backends.ts';
import { runAsOther, startProcess } from './sqlite-files.ts';
import { draft, forever as rule } from './records.ts';

const lineOf = (...texts: string[]): string =>
  JSON.stringify(['ai:list', texts.map((text) => `{"text":"${text}","time":${START_MS}}`)]);

async function createStore(path: string): Promise<void> {
  const backend = sqlite({ path, clock: manualClock().now });
  await listsOf(backend).append('ai:list', [draft('kept')], { rule });
  await backend.close();
}

describe.skipIf(process.platform === 'win32')('a user without permission to write', () => {
  test.each([
    ['the file', 0o444, 0o755],
    ['the directory', 0o644, 0o555],
    ['both', 0o444, 0o555],
  ])('%s reads the store, and changes nothing', async (_, fileMode, directoryMode) => {
    const root = temporaryDirectory();
    const path = `${root}/memory.db`;
    await createStore(path);
    chmodSync(path, fileMode);
    chmodSync(root, directoryMode);
    const [before, files] = [readFileSync(path), readdirSync(root)];
    expect(await runAsOther('list', path)).toEqual([lineOf('kept'), 'STORE_DENIED']);
    expect(readdirSync(root)).toEqual(files);
    expect(readFileSync(path)).toEqual(before);
    expect(statSync(path).mode & 0o777).toBe(fileMode);
    chmodSync(root, 0o755);
  });

  test('reads the log of an owner that has the file open', async () => {
    const root = temporaryDirectory();
    const path = `${root}/memory.db`;
    await createStore(path);
    const backend = sqlite({ path, clock: manualClock().now });
    onTestFinished(() => backend.close());
    await listsOf(backend).append('ai:list', [draft('in the log')], { rule });
    for (const suffix of ['', '-wal', '-shm']) chmodSync(`${path}${suffix}`, 0o644);
    chmodSync(root, 0o555);
    expect(await runAsOther('list', path)).toEqual([lineOf('in the log', 'kept'), 'STORE_DENIED']);
    chmodSync(root, 0o755);
  });

  test('reads while the owner writes without a pause', async () => {
    const root = temporaryDirectory();
    const path = `${root}/memory.db`;
    await createStore(path);
    const owner = startProcess('append', path);
    await owner.printed(1);
    for (const suffix of ['', '-wal', '-shm']) chmodSync(`${path}${suffix}`, 0o644);
    chmodSync(root, 0o555);
    const lines = await runAsOther('list', path);
    expect(lines.map((line) => line.slice(0, 12))).toEqual(['["ai:list",[', '["ai:other",', 'STORE_DENIED']);
    owner.child.kill('SIGKILL');
    await owner.ended;
    chmodSync(root, 0o755);
  });

  test('notices what the owner writes between two calls', async () => {
    const root = temporaryDirectory();
    const path = `${root}/memory.db`;
    await createStore(path);
    chmodSync(path, 0o644);
    chmodSync(root, 0o555);
    const reader = startProcess('watch', path, process.getuid?.() === 0 ? '65534' : '');
    await reader.printed(1);
    chmodSync(root, 0o755);
    const backend = sqlite({ path, clock: manualClock().now });
    await listsOf(backend).append('ai:list', [draft('later')], { rule });
    await backend.close();
    chmodSync(path, 0o644);
    chmodSync(root, 0o555);
    reader.child.stdin?.write('again\n');
    await reader.printed(2);
    await reader.end();
    expect(reader.lines).toEqual([lineOf('kept'), lineOf('later', 'kept')]);
    chmodSync(root, 0o755);
  });
});

test.skipIf(process.platform === 'win32')(
  'a file that others can read is made private when its owner opens it',
  async () => {
    const path = `${temporaryDirectory()}/memory.db`;
    await createStore(path);
    chmodSync(path, 0o644);
    const backend = sqlite({ path });
    onTestFinished(() => backend.close());
    await listsOf(backend).append('ai:list', [draft('b')], { rule });
    for (const suffix of ['', '-wal', '-shm']) expect(statSync(`${path}${suffix}`).mode & 0o777).toBe(0o600);
  },
);

test.skipIf(process.platform !== 'linux')(
  'opening a file does not end the locks that another store of the process holds',
  async () => {
    const path = `${temporaryDirectory()}/memory.db`;
    const first = sqlite({ path });
    onTestFinished(() => first.close());
    await listsOf(first).append('ai:list', [draft('a')], { rule });
    const { ino } = statSync(path);
    const locks = (): string[] =>
      readFileSync('/proc/locks', 'utf8')
        .split('\n')
        .filter((line) => line.includes(` ${process.pid} `) && line.includes(`:${ino} `))
        .map((line) => line.replace(/^\d+: /u, ''));
    const before = locks();
    expect(before).toHaveLength(1);
    const second = sqlite({ path });
    await listsOf(second).append('ai:list', [draft('b')], { rule });
    await second.backup?.(`${path}.backup`);
    await second.close();
    expect(locks()).toEqual(before);
  },
);
