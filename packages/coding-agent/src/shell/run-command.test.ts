import type { ChildProcess } from 'node:child_process';
import { EventEmitter } from 'node:events';
import { mkdtempSync, readdirSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { expect, onTestFinished, test } from 'vitest';
import { CommandOutput } from './command-output.ts';
import { OutputDirectory } from './output-directory.ts';
import { runCommand, type RunOptions } from './run-command.ts';

const { signal } = new AbortController();

async function optionsOf(start?: unknown): Promise<RunOptions> {
  const parent = mkdtempSync(join(realpathSync(tmpdir()), 'cairn-test-'));
  const directory = new OutputDirectory({ parent, onMade: () => undefined });
  onTestFinished(() => {
    directory.close();
    rmSync(parent, { recursive: true });
  });
  const { pipe, createFile } = await directory.open(signal);
  const output = new CommandOutput(createFile);
  return { env: process.env, pipe, output, signal, start: start as RunOptions['start'] };
}

const asked = { command: 'echo a', cwd: '/', shell: '/bin/sh', timeoutMs: 10_000 };

function failing(code: string, isLate: boolean): () => ChildProcess {
  return () => {
    const error = Object.assign(new Error(`spawn /bin/sh ${code}`), { code });
    if (!isLate) throw error;
    const child = new EventEmitter() as ChildProcess;
    process.nextTick(() => child.emit('error', error));
    return child;
  };
}

test.each([
  ['EAGAIN', true, 'IO', 'The system cannot start another process (EAGAIN). Try again when other commands have ended.'],
  ['EMFILE', true, 'IO', 'The system cannot start another process (EMFILE)'],
  ['ENOMEM', false, 'IO', 'The system cannot start another process (ENOMEM)'],
  ['E2BIG', false, 'TOO_LARGE', 'is longer than the system accepts'],
  ['EACCES', true, 'PERMISSION', 'The shell /bin/sh cannot be accessed'],
  ['ENOENT', true, 'NOT_FOUND', 'The shell /bin/sh does not exist'],
  ['EIO', false, 'IO', 'The shell /bin/sh could not be accessed (EIO)'],
])('a start that fails with %s leaves no descriptor open', async (code, isLate, reason, message) => {
  const before = readdirSync('/proc/self/fd').length;
  const options = await optionsOf(failing(code, isLate));
  await expect(runCommand(asked, options)).rejects.toMatchObject({
    code: reason,
    message: expect.stringContaining(message) as string,
    changed: false,
  });
  await new Promise((resolve) => void setImmediate(resolve));
  expect(readdirSync('/proc/self/fd').length).toBeLessThanOrEqual(before);
});

test('an abort before the start starts nothing', async () => {
  const options = await optionsOf(() => expect.unreachable());
  const reason = new Error('enough');
  await expect(runCommand(asked, { ...options, signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
});

test.each([
  ['/bin/sh', '-x; echo ok'],
  ['/bin/bash', '-x; echo ok'],
  ['/bin/sh', '+x; echo ok'],
  ['/bin/bash', '+x; echo ok'],
])('in %s, the command %j is not an option of the shell', async (shell, command) => {
  const options = await optionsOf();
  expect(await runCommand({ ...asked, shell, command }, options)).toMatchObject({ exitCode: 0 });
  expect(options.output.head().toString()).toMatch(/: command not found\nok\n$|: not found\nok\n$/u);
});

test('a command that waits on nothing else has its output when it ends', async () => {
  const options = await optionsOf();
  expect(await runCommand(asked, options)).toMatchObject({
    exitCode: 0,
    timedOut: false,
    aborted: false,
    held: undefined,
  });
  expect(options.output.head().toString()).toBe('a\n');
});
