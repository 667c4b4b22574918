/** Commands without a reader of their output: every one that changes something, and some of the others. */
import { spawn } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { describe, expect, test } from 'vitest';
// The command line has no exports: a program starts it.
// oxlint-disable-next-line no-restricted-imports
import { loadCommands } from '../../packages/cli/src/registry.ts';
import { cairnEntry, cleanEnv } from '../support/cli.ts';
import { runInTerminal } from '../support/terminal.ts';
import { createTree, fifo } from '../support/tree.ts';
import { codexFiles, codexFilesOf, placeOf, remember, writingCommands } from './writing-commands.ts';
import type { Place } from './writing-commands.ts';

type Stream = 'stdout' | 'stderr';

/** Returns a descriptor to write to: a pipe whose reader is gone. */
function brokenPipe(): number {
  const path = join(createTree({ pipe: fifo() }), 'pipe');
  const reader = openSync(path, 'r+');
  const writer = openSync(path, 'w');
  closeSync(reader);
  return writer;
}

interface Lost {
  readonly exitCode: number | null;
  /** What the other stream received. */
  readonly text: string;
}

/** Runs cairn in a process of its own, with one stream or both that are not read. */
async function withoutReader(
  stream: Stream | 'both',
  args: readonly string[],
  place: Place,
  input = '',
): Promise<Lost> {
  const pipe = brokenPipe();
  const child = spawn(process.execPath, [cairnEntry, ...args], {
    cwd: place.project,
    env: cleanEnv(place.env),
    stdio: ['pipe', stream === 'stderr' ? 'pipe' : pipe, stream === 'stdout' ? 'pipe' : pipe],
  });
  closeSync(pipe);
  let text = '';
  for (const other of [child.stdout, child.stderr]) {
    other?.setEncoding('utf8').on('data', (more: string) => (text += more));
  }
  child.stdin?.on('error', () => undefined);
  child.stdin?.end(input);
  const exitCode = await new Promise<number | null>((resolve) => child.on('close', resolve));
  return { exitCode, text };
}

test('every command of the registry that changes something is in the table', async () => {
  const writing = (await loadCommands([])).filter(([, , effect]) => effect === 'writes').map(([name]) => name);
  expect(writing.length).toBeGreaterThan(30);
  expect(writing.toSorted()).toEqual([...new Set(writingCommands.map(([, command]) => command))].toSorted());
});

test.skipIf(process.platform === 'win32').each(writingCommands)(
  'without a reader, %s: the effect of `cairn %s` is whole, and the status reports it',
  async (_, __, prepare) => {
    const place = placeOf();
    const { args, input, exitCode = 0, check } = await prepare(place);
    expect((await withoutReader('both', args, place, input)).exitCode).toBe(exitCode);
    await check();
  },
);

describe.skipIf(process.platform === 'win32').each(['stdout', 'stderr'] as const)(
  'without a reader of %s',
  (stream) => {
    test('a command that fails reports it on the stream that is left', async () => {
      const lost = await withoutReader(stream, ['edit', 'a.txt', '--old', 'x', '--new', 'y', '--json'], placeOf());
      expect(lost.exitCode).toBe(2);
      expect(lost.text).toContain(stream === 'stdout' ? 'cairn: ' : '"code":"NO_MATCH"');
    });

    test('a search has the status that it has with a reader, or 0 without one', async () => {
      const place = placeOf();
      expect((await withoutReader(stream, ['grep', 'old'], place)).exitCode).toBe(0);
      expect((await withoutReader(stream, ['grep', 'nothing'], place)).exitCode).toBe(1);
      expect((await withoutReader(stream, ['memory', 'list'], place)).exitCode).toBe(1);
    });
  },
);

test.skipIf(process.platform === 'win32')('an export without a reader of its notices is complete', async () => {
  const place = placeOf();
  await remember(place);
  const lost = await withoutReader('stderr', ['memory', 'export'], place);
  expect(lost).toEqual({ exitCode: 0, text: expect.stringContaining('redis') as string });
});

test.skipIf(process.platform === 'win32')('an export without a reader is an error', async () => {
  const place = placeOf();
  await remember(place);
  expect(await withoutReader('stdout', ['memory', 'export'], place)).toEqual({
    exitCode: 2,
    text: 'cairn: the output is not complete, because its reader closed the pipe; read it to its end, or write it to a file\n',
  });
});

test.skipIf(process.platform === 'win32')('a change is not asked for when it could not be shown', async () => {
  const place = placeOf();
  const script = 'mkfifo pipe && exec 3<>pipe 4>pipe 3<&- && exec "$NODE" "$CAIRN" "$@" >&4';
  const run = runInTerminal(['hook', 'install', 'codex'], { cwd: place.project, env: place.env, columns: 200, script });
  const { exitCode } = await run.end;
  expect(run.rows().join('\n')).toContain('were not changed: the change could not be shown; show it with --dry-run');
  expect([exitCode, codexFilesOf(place)]).toEqual([2, 0]);
});

test.skipIf(process.platform !== 'linux')('a full disk does not stop a change, and is reported after it', async () => {
  const place = placeOf();
  const full = openSync('/dev/full', 'w');
  const child = spawn(process.execPath, [cairnEntry, 'hook', 'install', 'codex', '--yes'], {
    cwd: place.project,
    env: cleanEnv(place.env),
    stdio: ['ignore', full, 'pipe'],
  });
  closeSync(full);
  let text = '';
  child.stderr?.setEncoding('utf8').on('data', (more: string) => (text += more));
  const exitCode = await new Promise((resolve) => child.on('close', resolve));
  expect([exitCode, codexFilesOf(place)]).toEqual([2, codexFiles.length]);
  expect(text).toMatch(
    /^cairn: cannot write the output: ENOSPC.*; the command itself ended with status 0, and only its output is lost$/mu,
  );
});

describe.skipIf(process.platform === 'win32')('a terminal that ends at a question', () => {
  const questions: readonly (readonly [string, readonly string[], RegExp, string])[] = [
    ['an installation of a hook', ['hook', 'install', 'codex'], /Write these 4 files\?/u, '.codex/hooks.json'],
    ['an installation of a server', ['mcp', 'install', 'claude-code'], /Write this to/u, '.mcp.json'],
    ['a new agent', ['agents', 'new', 'helper'], /When to use it/u, '.cairn/agents/helper.md'],
  ];
  test.each(questions)('%s: nothing is changed, and the status is not 0', async (_, args, question, path) => {
    for (const end of ['\u0004', undefined]) {
      const place = placeOf();
      const run = runInTerminal(args, { cwd: place.project, env: place.env, columns: 200 });
      await run.until((rows) => rows.some((row) => question.test(row)), 'the question');
      if (end === undefined) run.kill('SIGHUP');
      else run.type(end);
      const { exitCode } = await run.end;
      expect(exitCode, end ?? 'hang up').not.toBe(0);
      expect(place.text(path)).toBeUndefined();
    }
  });
});
