import { chmodSync, mkdtempSync, readFileSync, readdirSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { expect, onTestFinished, test } from 'vitest';
import { closePipe, openPipe } from './named-pipe.ts';

function temporaryDirectory(): string {
  const path = mkdtempSync(join(realpathSync(tmpdir()), 'cairn-test-'));
  onTestFinished(() => rmSync(path, { recursive: true, force: true }));
  return path;
}

const { signal } = new AbortController();

function program(content: string, mode: number = 0o755): string {
  const path = join(temporaryDirectory(), 'mkfifo');
  writeFileSync(path, `#!/bin/sh\n${content}\n`);
  chmodSync(path, mode);
  return path;
}

test('a mkfifo of PATH does not run, and the system’s one gets no variables', async () => {
  const directory = temporaryDirectory();
  const { PATH } = process.env;
  onTestFinished(() => void (process.env['PATH'] = PATH));
  const bin = join(program(`touch ${directory}/ran`), '..');
  process.env['PATH'] = `${bin}:${PATH}`;
  closePipe(await openPipe(join(directory, 'pipe'), { signal }));
  const printer = program(`env >${directory}/env; exec /usr/bin/mkfifo "$@"`);
  closePipe(await openPipe(join(directory, 'pipe'), { signal, programs: [printer] }));
  expect(readdirSync(directory)).toEqual(['env']);
  // The shell of the script sets PWD, and perhaps others.
  expect(readFileSync(join(directory, 'env'), 'utf8')).not.toMatch(/^(?:HOME|VITEST)=/mu);
});

test.each([
  ['is missing', () => '/no/such/mkfifo', {}, /^No command can run without \/no\/such\/mkfifo\. /u],
  ['may not run', () => program('', 0o644), {}, /^The system does not let this process start \S+ \(EACCES\)/u],
  ['fails', () => program('exit 1'), {}, /could not make a named pipe for the output of the command/u],
  ['hangs', () => program('exec sleep 1000'), { limitMs: 1 }, /did not end within 1 ms/u],
])('a mkfifo that %s is an error that states it, and leaves no descriptor open', async (_, make, options, message) => {
  const directory = temporaryDirectory();
  const programs = [make()];
  const before = readdirSync('/proc/self/fd').length;
  await expect(openPipe(join(directory, 'pipe'), { signal, programs, ...options })).rejects.toMatchObject({
    code: 'IO',
    message: expect.stringMatching(message) as string,
  });
  expect(readdirSync('/proc/self/fd').length).toBeLessThanOrEqual(before);
  expect(readdirSync(directory)).toEqual([]);
});

test('an abort ends a mkfifo that hangs', async () => {
  const abort = new AbortController();
  const reason = new Error('enough');
  const opened = openPipe(join(temporaryDirectory(), 'pipe'), {
    signal: abort.signal,
    programs: [program('exec sleep 1000')],
  });
  abort.abort(reason);
  await expect(opened).rejects.toBe(reason);
});
