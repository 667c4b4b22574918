import { spawn, spawnSync } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  chownSync,
  lstatSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Worker } from 'node:worker_threads';
import { copyAttributes, exchangeFiles, lockPath, renameNoReplace, replaceFile } from '@cairn/natives/files';
import { describe, expect, onTestFinished, test } from 'vitest';
import { attributesOf, hasAttributes, setAttributes } from '../support/attributes.ts';
import { createTree, temporaryDirectory } from '../support/tree.ts';

const child = fileURLToPath(new URL('files-child.ts', import.meta.url));
const isRoot = process.getuid?.() === 0;
const isLinux = process.platform === 'linux';
/** The permission to bind low ports, in the form of the system. */
const CAPABILITY = '0100000200040000000000000000000000000000';
/** The user `nobody`. */
const OTHER = 65_534;

interface Running {
  readonly process: ChildProcess;
  /** Settles with the first line of the output. */
  readonly line: Promise<unknown>;
}

/** Starts the child; it is killed when the test is over. */
function start(args: readonly string[], uid?: number): Running {
  const running = spawn(process.execPath, [child, ...args], {
    stdio: ['pipe', 'pipe', 'inherit'],
    ...(uid === undefined ? {} : { uid, gid: uid, cwd: '/' }),
  });
  onTestFinished(async () => {
    if (running.exitCode !== null || running.signalCode !== null) return;
    running.kill('SIGKILL');
    await once(running, 'exit');
  });
  const line = once(running.stdout.setEncoding('utf8'), 'data').then(([text]) => JSON.parse(String(text)) as unknown);
  return { process: running, line };
}

function run(args: readonly string[], uid?: number): Promise<unknown> {
  return start(args, uid).line;
}

async function kill(running: Running): Promise<void> {
  running.process.kill('SIGKILL');
  await once(running.process, 'exit');
}

/** The number of threads and open descriptors of this process; 0 where the system does not list them. */
function inUse(): number {
  if (!isLinux) return 0;
  return readdirSync('/proc/self/task').length + readdirSync('/proc/self/fd').length;
}

async function codeOf(call: Promise<unknown>): Promise<unknown> {
  return call.then(
    () => undefined,
    (error: NodeJS.ErrnoException) => error.code,
  );
}

describe('a lock', () => {
  test('excludes other locks of the same directory or file in this process', async () => {
    const root = createTree({ file: 'x', d: {} });
    for (const path of [join(root, 'd'), join(root, 'file')]) {
      const first = await lockPath(path);
      expect(await lockPath(path, { timeoutMs: 0 })).toBeUndefined();
      expect(await lockPath(path, { timeoutMs: 20 })).toBeUndefined();
      const waiting = lockPath(path);
      first?.release();
      first?.release();
      const second = await waiting;
      expect(second).toBeDefined();
      second?.release();
    }
  });

  test('does not exclude a lock of the directory above or of a file in it', async () => {
    const root = createTree({ d: { file: 'x' } });
    const locks = await Promise.all(['', 'd', 'd/file'].map((path) => lockPath(join(root, path), { timeoutMs: 0 })));
    expect(locks.map((lock) => lock !== undefined)).toEqual([true, true, true]);
    for (const lock of locks) lock?.release();
  });

  test('lets eight processes count without an error', async () => {
    const root = createTree({ d: {}, number: '0' });
    const args = ['count', join(root, 'd'), join(root, 'number'), '150'];
    const children = Array.from({ length: 8 }, () => start(args).process);
    const ends = await Promise.all(children.map((one) => once(one, 'exit')));
    expect(ends.map(([code]) => code as unknown)).toEqual(Array.from({ length: 8 }, () => 0));
    expect(readFileSync(join(root, 'number'), 'utf8')).toBe('1200');
  });

  test('ends with the process that holds it, even when a child of that process lives on', async () => {
    const root = createTree({ d: {} });
    const holder = start(['hold', join(root, 'd')]);
    expect(await holder.line).toBe('held');
    expect(await lockPath(join(root, 'd'), { timeoutMs: 0 })).toBeUndefined();
    const waiting = lockPath(join(root, 'd'));
    await kill(holder);
    const lock = await waiting;
    expect(lock).toBeDefined();
    lock?.release();
  });

  test('ends with the worker thread that holds it', async () => {
    const root = temporaryDirectory();
    const code = `
      import { parentPort } from 'node:worker_threads';
      import { lockPath } from ${JSON.stringify(import.meta.resolve('@cairn/natives/files'))};
      await lockPath(${JSON.stringify(root)});
      parentPort.postMessage('held');
      setInterval(() => {}, 1000);`;
    const worker = new Worker(new URL(`data:text/javascript,${encodeURIComponent(code)}`));
    await once(worker, 'message');
    expect(await lockPath(root, { timeoutMs: 0 })).toBeUndefined();
    await worker.terminate();
    const lock = await lockPath(root);
    lock?.release();
  });

  test('does not end with a garbage collection', () => {
    const root = temporaryDirectory();
    const code = `
      import { lockPath } from '@cairn/natives/files';
      await lockPath(${JSON.stringify(root)});
      for (let round = 0; round < 5; round++) {
        gc();
        await new Promise(setImmediate);
      }
      process.exitCode = (await lockPath(${JSON.stringify(root)}, { timeoutMs: 0 })) === undefined ? 0 : 1;`;
    const args = ['--expose-gc', '--input-type=module', '--eval', code];
    const { status, stderr } = spawnSync(process.execPath, args, { cwd: import.meta.dirname, encoding: 'utf8' });
    expect(stderr).toBe('');
    expect(status).toBe(0);
  });

  test('is not taken after an abort, and the wait leaves no thread and no descriptor', async () => {
    const root = temporaryDirectory();
    const lock = await lockPath(root);
    const before = inUse();
    const controllers = Array.from({ length: 20 }, () => new AbortController());
    const waits = controllers.map(({ signal }) => lockPath(root, { signal }));
    controllers.forEach((controller, index) => controller.abort(new Error(`reason ${index}`)));
    const ends = await Promise.allSettled(waits);
    expect(ends.map((end) => (end.status === 'rejected' ? (end.reason as Error).message : 'locked'))).toEqual(
      controllers.map((_, index) => `reason ${index}`),
    );
    lock?.release();
    const next = await lockPath(root, { timeoutMs: 0 });
    expect(next).toBeDefined();
    next?.release();
    // A thread ends shortly after its promise has settled; Node starts a few of its own.
    await expect.poll(inUse).toBeLessThan(before + 10);
  });

  test('is rejected before it begins when the signal has aborted', async () => {
    const root = temporaryDirectory();
    const reason = new Error('too late');
    await expect(lockPath(root, { signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
  });

  test('is that of the directory that has the name now, when the name changed during the wait', async () => {
    const root = createTree({ d: {}, moved: {} });
    const [path, moved] = [join(root, 'd'), join(root, 'moved')];
    const old = await lockPath(path);
    const waiting = lockPath(path);
    // Until the wait has begun on the old directory: one attempt of another call takes as long.
    await lockPath(path, { timeoutMs: 30 });
    // In one step: a wait that finds no directory of the name fails.
    await exchangeFiles(path, moved);
    const lock = await waiting;
    expect(await lockPath(path, { timeoutMs: 0 })).toBeUndefined();
    expect(await lockPath(moved, { timeoutMs: 0 })).toBeUndefined();
    old?.release();
    const free = await lockPath(moved, { timeoutMs: 0 });
    expect(free).toBeDefined();
    free?.release();
    lock?.release();
  });

  test('fails when the name disappears during the wait', async () => {
    const root = createTree({ d: {} });
    const path = join(root, 'd');
    const old = await lockPath(path);
    const waiting = codeOf(lockPath(path));
    await lockPath(path, { timeoutMs: 30 });
    rmSync(path, { recursive: true });
    expect(await waiting).toBe('ENOENT');
    old?.release();
  });

  test('fails with the code of the system', async () => {
    const root = createTree({ file: 'x' });
    symlinkSync('file', join(root, 'link'));
    expect(await codeOf(lockPath(join(root, 'missing')))).toBe('ENOENT');
    expect(await codeOf(lockPath(join(root, 'file/below')))).toBe('ENOTDIR');
    expect(await codeOf(lockPath(join(root, 'link')))).toBe('ELOOP');
    expect(await codeOf(lockPath(join(root, 'nul\0')))).toBe('EINVAL');
  });

  test.runIf(isRoot && isLinux)('excludes other users, who may read the directory', async () => {
    const root = createTree({ open: {}, closed: {} });
    for (const name of ['', 'open']) chmodSync(join(root, name), 0o755);
    chmodSync(join(root, 'closed'), 0o711);
    const lock = await lockPath(join(root, 'open'));
    expect(await run(['try', join(root, 'open')], OTHER)).toBe(false);
    lock?.release();
    expect(await run(['try', join(root, 'open')], OTHER)).toBe(true);
    expect(await run(['try', join(root, 'closed')], OTHER)).toBe('EACCES');
  });
});

describe('replaceFile', () => {
  test('exchanges the names and keeps the permissions', async () => {
    const root = createTree({ temporary: 'new', target: 'old' });
    const [temporary, target] = [join(root, 'temporary'), join(root, 'target')];
    chmodSync(target, 0o751);
    chmodSync(temporary, 0o600);
    expect(await replaceFile(temporary, target)).toEqual({ outcome: 'exchanged' });
    expect([readFileSync(target, 'utf8'), readFileSync(temporary, 'utf8')]).toEqual(['new', 'old']);
    expect(statSync(target).mode & 0o7777).toBe(0o751);
    expect(await exchangeFiles(temporary, target)).toBe(true);
    expect([readFileSync(target, 'utf8'), readFileSync(temporary, 'utf8')]).toEqual(['old', 'new']);
  });

  test('a rename without replacement fails when the name exists', async () => {
    const root = createTree({ a: 'a', b: 'b', d: {} });
    const [a, b, c] = ['a', 'b', 'c'].map((name) => join(root, name)) as [string, string, string];
    expect(await codeOf(renameNoReplace(a, b))).toBe('EEXIST');
    expect(await codeOf(renameNoReplace(a, join(root, 'd')))).toBe('EEXIST');
    expect(await codeOf(renameNoReplace(c, b))).toBe('ENOENT');
    expect(await renameNoReplace(a, c)).toBe(true);
    expect(readdirSync(root).toSorted()).toEqual(['b', 'c', 'd']);
  });

  test.runIf(isLinux)('works on paths through an open directory', async () => {
    const root = createTree({ d: { temporary: 'new', target: 'old' } });
    const { open } = await import('node:fs/promises');
    const handle = await open(join(root, 'd'), 0o10000000 | 0o200000);
    renameSync(join(root, 'd'), join(root, 'moved'));
    const held = `/proc/self/fd/${handle.fd}`;
    try {
      expect(await copyAttributes(`${held}/target`, `${held}/temporary`)).toBeUndefined();
      expect(await replaceFile(`${held}/temporary`, `${held}/target`)).toEqual({ outcome: 'exchanged' });
    } finally {
      await handle.close();
    }
    expect(readFileSync(join(root, 'moved/target'), 'utf8')).toBe('new');
  });

  test('does not create a target that is gone, nor follow a link, nor cross file systems', async () => {
    const root = createTree({ temporary: 'new', real: 'old', d: {} });
    const temporary = join(root, 'temporary');
    symlinkSync('real', join(root, 'link'));
    expect(await codeOf(replaceFile(temporary, join(root, 'missing')))).toBe('ENOENT');
    expect(await codeOf(replaceFile(temporary, join(root, 'link')))).toBe('ELOOP');
    expect(await codeOf(replaceFile(join(root, 'missing'), join(root, 'real')))).toBe('ENOENT');
    expect(lstatSync(join(root, 'link')).isSymbolicLink()).toBe(true);
    expect(readFileSync(join(root, 'real'), 'utf8')).toBe('old');
    expect(readdirSync(root).toSorted()).toEqual(['d', 'link', 'real', 'temporary']);
  });

  test.runIf(isRoot && isLinux)('rejects, and changes nothing, when the owner cannot be kept', async () => {
    const root = createTree({ temporary: 'new', target: 'old' });
    chmodSync(root, 0o777);
    const [temporary, target] = [join(root, 'temporary'), join(root, 'target')];
    chownSync(temporary, OTHER, OTHER);
    chmodSync(target, 0o666);
    const refused = await run(['replace', temporary, target], OTHER);
    expect(refused).toEqual({
      outcome: 'refused',
      reason: 'the owner 0:0 cannot be set: Operation not permitted (os error 1)',
    });
    expect([readFileSync(target, 'utf8'), readFileSync(temporary, 'utf8')]).toEqual(['old', 'new']);
    expect(await run(['copy', target, temporary], OTHER)).toContain('the owner 0:0 cannot be set');
  });

  test.runIf(isRoot && isLinux)('names the extended attribute that cannot be kept', async ({ skip }) => {
    const root = createTree({ temporary: 'new', target: 'old' });
    chmodSync(root, 0o777);
    const [temporary, target] = [join(root, 'temporary'), join(root, 'target')];
    for (const path of [temporary, target]) chownSync(path, OTHER, OTHER);
    if (!hasAttributes(target)) return skip('extended attributes cannot be set here');
    setAttributes(target, { 'security.capability': CAPABILITY });
    expect(await run(['copy', target, temporary], OTHER)).toBe(
      'the extended attribute security.capability cannot be set: Operation not permitted (os error 1)',
    );
    expect(await replaceFile(temporary, target)).toEqual({ outcome: 'exchanged' });
    expect(attributesOf(target)).toEqual(attributesOf(temporary));
    return undefined;
  });

  test('leaves both files whole when the process is killed', async () => {
    for (let round = 0; round < 10; round++) {
      const root = createTree({ target: 'old ' });
      chmodSync(join(root, 'target'), 0o754);
      const running = start(['replace-for-ever', root]);
      await running.line;
      await kill(running);
      const content = readFileSync(join(root, 'target'), 'utf8');
      const [number = ''] = content.split(' ');
      expect(content).toBe(`${number} `.repeat(2000));
      expect(statSync(join(root, 'target')).mode & 0o7777).toBe(0o754);
    }
  });

  test('never lets a reader miss the file', async () => {
    const root = createTree({ target: 'old ' });
    const running = start(['replace-for-ever', root]);
    await running.line;
    for (let read = 0; read < 5000; read++) {
      const content = readFileSync(join(root, 'target'), 'utf8');
      const [number = ''] = content.split(' ');
      expect(content.length).toBe((number.length + 1) * 2000);
    }
  });

  test('settles while twenty calls wait for a lock', async () => {
    const root = createTree({ temporary: 'new', target: 'old' });
    const lock = await lockPath(root);
    const waits = Array.from({ length: 20 }, () => lockPath(root));
    const [temporary, target] = [join(root, 'temporary'), join(root, 'target')];
    expect(await replaceFile(temporary, target)).toEqual({ outcome: 'exchanged' });
    writeFileSync(temporary, 'x');
    lock?.release();
    await Promise.all(waits.map(async (wait) => (await wait)?.release()));
  });
});
