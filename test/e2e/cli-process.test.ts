import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, linkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { pathToFileURL } from 'node:url';
import { describe, expect, test } from 'vitest';
import { cairnEntry, cairnProcess as cairn, finished, startCairn } from '../support/cli.ts';
import { createTree, fifo, file, temporaryDirectory } from '../support/tree.ts';

const nobody = 65_534;
const isRoot = process.getuid?.() === 0;
// Root reads everything, so these tests run as another user, who needs to be able to read this checkout.
const canRunUnprivileged =
  !isRoot ||
  spawnSync(process.execPath, [cairnEntry, '--version'], { uid: nobody, gid: nobody, cwd: '/' }).status === 0;

describe.skipIf(process.platform === 'win32')('without permission', () => {
  const uid = isRoot ? nobody : undefined;

  test('a directory that cannot be read is counted, the rest is searched, status 2', async (context) => {
    context.skip(!canRunUnprivileged, 'user 65534 cannot read this checkout');
    const cwd = createTree({ 'a.txt': 'hit\n', 'locked/b.txt': 'hit\n' });
    chmodSync(cwd, 0o755);
    chmodSync(join(cwd, 'locked'), 0o000);
    for (const args of [
      ['glob', '*.txt'],
      ['find', 'txt'],
      ['grep', 'hit', '-l'],
    ]) {
      const { stdout, stderr, exitCode } = await cairn(args, { cwd, uid });
      expect({ stdout, exitCode }, `cairn ${args.join(' ')}`).toEqual({ stdout: 'a.txt\n', exitCode: 2 });
      expect(stderr, `cairn ${args.join(' ')}`).toMatch(
        /^cairn: skipped 1 [^\n]+ because of a read error: locked; check the permissions\n$/u,
      );
    }
  });

  test('what cannot be read in one of several directories is counted and named with it', async (context) => {
    context.skip(!canRunUnprivileged, 'user 65534 cannot read this checkout');
    const cwd = createTree({ 'a/x.txt': '', 'b/x.txt': '', 'b/locked/x.txt': '' });
    chmodSync(cwd, 0o755);
    chmodSync(join(cwd, 'b/locked'), 0o000);
    const { stdout, stderr, exitCode } = await cairn(['find', 'x.txt', 'a', 'b'], { cwd, uid });
    expect({ stdout, exitCode }).toEqual({ stdout: 'a/x.txt\nb/x.txt\n', exitCode: 2 });
    expect(stderr).toContain('skipped 1 directory or entry because of a read error: b/locked;');
  });

  test.each([
    [['grep', 'foo', 'sub'], 'sub/locked'],
    [['grep', 'foo', 'sub/locked'], 'sub/locked'],
    [['grep', 'foo', 'sub/locked', 'sub'], 'sub/locked'],
    [['grep', '--files', './sub/'], 'sub/locked'],
    [['grep', '--files', 'sub/locked'], 'sub/locked'],
    [['glob', 'x', '--path', 'sub'], 'sub/locked'],
    [['glob', 'x', '--path', 'sub/locked'], 'sub/locked'],
    [['find', 'x', 'sub'], 'sub/locked'],
    [['find', 'x', 'sub/locked', 'sub'], 'sub/locked'],
    [['tree', 'sub'], 'sub/locked'],
    [['ls', 'sub', '--depth', '2'], 'locked'],
  ])('what cannot be read is named by its path from the current directory, status 2: %j', async (args, name) => {
    // The list of ls begins below its directory, and so do its names.
    const cwd = createTree({ 'sub/a.txt': 'foo\n', 'sub/locked/b.txt': 'foo\n' });
    chmodSync(cwd, 0o755);
    chmodSync(join(cwd, 'sub/locked'), 0o000);
    for (const json of [false, true]) {
      const ran = await cairn(json ? [...args, '--json'] : args, { cwd, uid });
      const { notices: listed, complete = false } = json ? JSON.parse(ran.stdout) : { notices: [ran.stderr] };
      const notices: string = listed.join('\n');
      expect({ exitCode: ran.exitCode, complete }).toEqual({ exitCode: 2, complete: false });
      expect(notices).toMatch(new RegExp(`read(?: error)?: ${name}(?:;|,|$)`, 'mu'));
    }
  });

  test('a file that cannot be read is counted and named by grep', async (context) => {
    context.skip(!canRunUnprivileged, 'user 65534 cannot read this checkout');
    const cwd = createTree({ 'a.txt': 'hit\n', 'b.txt': file('hit\n', { mode: 0o000 }) });
    chmodSync(cwd, 0o755);
    const { stdout, stderr, exitCode } = await cairn(['grep', 'hit'], { cwd, uid });
    expect({ stdout, exitCode }).toEqual({ stdout: 'a.txt:1:hit\n', exitCode: 2 });
    expect(stderr).toContain(
      'cairn: skipped 1 file or directory because of a read error: b.txt; check the permissions\n',
    );
  });

  test('the tour reports a tree that is not writable and continues', async (context) => {
    context.skip(!canRunUnprivileged, 'user 65534 cannot read this checkout');
    const cwd = createTree({ 'a.txt': 'nothing special\n' });
    chmodSync(cwd, 0o555);
    const { stdout, stderr, exitCode } = await cairn(['tour'], { cwd, uid });
    chmodSync(cwd, 0o755);
    expect({ stderr, exitCode }).toEqual({ stderr: '', exitCode: 0 });
    expect(stdout).toContain('Skipped: this directory is not writable (EACCES). Nothing was changed.');
    expect(stdout).toContain('Try next');
  });
});

describe('a reader that goes away', () => {
  test('ends the run quietly', async () => {
    const cwd = createTree(
      Object.fromEntries(
        Array.from({ length: 3000 }, (_, index) => [`a-rather-long-file-name-to-fill-the-pipe-${index}.txt`, '']),
      ),
    );
    const child = startCairn(['glob', '*'], { cwd });
    const ended = finished(child);
    // Closed before the first byte: every write finds a broken pipe.
    child.stdout?.destroy();
    const { stderr, exitCode, signal } = await ended;
    expect({ stderr, exitCode, signal }).toEqual({ stderr: '', exitCode: 0, signal: null });
  });

  test.skipIf(process.platform !== 'linux').each([
    ['ends the search', []],
    ['is not needed to end a search that has its matches', ['--limit', '1']],
  ])('%s: most files are not read', async (_, options) => {
    const cwd = createTree({ a: 'needle\nneedle\n', b0000: `${'-'.repeat(1023)}\n`.repeat(4096) });
    // One file under many names takes the space of one.
    for (let number = 1; number < 1500; number++) {
      linkSync(join(cwd, 'b0000'), join(cwd, `b${String(number).padStart(4, '0')}`));
    }
    const preload = `data:text/javascript,import { readFileSync } from 'node:fs';
      process.on('exit', () => process.stderr.write(readFileSync('/proc/self/io', 'latin1')));`;
    // With a thread for each of many processors, it would be over before it could be ended.
    const env = { FS_SCAN_THREADS: '2' };
    const child = startCairn(['grep', 'needle', ...options], { cwd, env, preload: preload.replaceAll('\n', ' ') });
    const ended = finished(child);
    if (options.length === 0) child.stdout?.destroy();
    const { stderr, exitCode } = await ended;
    const [, bytes = '?'] = /^rchar: (\d+)\n/mu.exec(stderr) ?? [];
    expect(exitCode).toBe(0);
    expect(Number(bytes), stderr).toBeLessThan(3 * 1024 ** 3);
  });

  test('ends the tour, and its file is gone', async () => {
    const cwd = createTree({ 'a.txt': 'x\n' });
    const child = startCairn(['tour'], { cwd });
    const ended = finished(child);
    child.stdout?.destroy();
    const { stderr, exitCode } = await ended;
    expect({ stderr, exitCode }).toEqual({ stderr: '', exitCode: 0 });
    expect((await cairn(['glob', '*', '--no-ignore'], { cwd })).stdout).toBe('a.txt\n');
  });
});

test.skipIf(process.platform !== 'linux')('a full disk is an error of one line', async () => {
  const cwd = createTree({ 'a.txt': 'x\n' });
  const script = `exec "${process.execPath}" "${cairnEntry}" glob '*' > /dev/full`;
  const { stderr, status } = spawnSync('/bin/sh', ['-c', script], { cwd, encoding: 'utf8' });
  expect(stderr).toMatch(/^cairn: cannot write the output: ENOSPC[^\n]*\n$/u);
  expect(status).toBe(2);
});

/**
 * A module that, once the tour has written its file, prints a line and waits until `gate`, a FIFO, has been written to.
 * A signal sent in between is handled while the file exists.
 */
function holdTour(): { preload: string; gate: string } {
  const directory = createTree({ gate: fifo() });
  const gate = join(directory, 'gate');
  const module = join(directory, 'hold.mjs');
  const source = `
    import fs from 'node:fs';
    import { syncBuiltinESMExports } from 'node:module';
    const { writeFileSync } = fs;
    fs.writeFileSync = (path, ...rest) => {
      writeFileSync(path, ...rest);
      if (!String(path).includes('cairn-tour-')) return;
      fs.writeSync(2, 'created');
      fs.readFileSync(${JSON.stringify(gate)});
    };
    syncBuiltinESMExports();
  `;
  writeFileSync(module, source);
  return { preload: pathToFileURL(module).href, gate };
}

describe.skipIf(process.platform === 'win32')('a signal', () => {
  const signals: readonly (readonly [signal: NodeJS.Signals, exitCode: number])[] = [
    ['SIGINT', 130],
    ['SIGTERM', 143],
    ['SIGHUP', 129],
  ];
  test.each(signals)('%s during the tour removes its file and ends with %i', async (signal, exitCode) => {
    const cwd = createTree({ 'a.txt': 'x\n' });
    const { preload, gate } = holdTour();
    const child = startCairn(['tour'], { cwd, preload });
    const ended = finished(child);
    if (child.stderr === null) throw new Error('the streams are piped');
    await once(child.stderr, 'data');
    child.kill(signal);
    writeFileSync(gate, '');
    const { stdout, ...result } = await ended;
    expect(result).toEqual({ stderr: 'created', exitCode, signal: null });
    expect(stdout).not.toContain('Try next');
    expect((await cairn(['glob', '*', '--no-ignore'], { cwd })).stdout).toBe('a.txt\n');
  });

  test('aborts the running search and ends with 130, without a word', async () => {
    // The signal is there before the search begins, and the search is long enough not to be over at once.
    const cwd = createTree({ 'large.txt': 'abcdefghij klmnopqrst\n'.repeat(2_000_000) });
    const file = join(temporaryDirectory(), 'interrupt.mjs');
    writeFileSync(
      file,
      `
      const on = process.on.bind(process);
      process.on = (event, listener) => {
        on(event, listener);
        if (event === 'SIGTERM') process.kill(process.pid, 'SIGINT');
        return process;
      };
      `,
    );
    const { stdout, stderr, exitCode } = await cairn(['grep', '(\\w+)k.*z', '--timeout', '60000'], {
      cwd,
      preload: pathToFileURL(file).href,
    });
    expect({ stdout, stderr, exitCode }).toEqual({ stdout: '', stderr: '', exitCode: 130 });
  });
});

test('warnings about experimental features of Node are left out, others are not', async () => {
  const emit = (name: string, text: string): string => `process.emitWarning('${text}', '${name}');`;
  const sqlite = emit('ExperimentalWarning', 'SQLite is an experimental feature and might change at any time');
  const types = emit('ExperimentalWarning', 'Type Stripping is an experimental feature and might change at any time');
  const preloaded = `${types} setImmediate(() => { ${sqlite} ${emit('DeprecationWarning', 'another warning')} });`;
  const preload = `data:text/javascript,${encodeURIComponent(preloaded)}`;
  const { stdout, stderr } = await cairn(['glob', '*'], { cwd: createTree({ 'a.txt': '' }), preload });
  expect(stdout).toBe('a.txt\n');
  expect(stderr).toMatch(/^\(node:\d+\) DeprecationWarning: another warning\n/u);
  expect(stderr).not.toContain('ExperimentalWarning');
});
