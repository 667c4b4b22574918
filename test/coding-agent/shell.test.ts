import { createShellTool } from '@cairn/coding-agent';
import type { ShellCommand, ShellDecision } from '@cairn/coding-agent';
import { textOf } from '@cairn/tool';
import { existsSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { describe, expect, onTestFinished, test } from 'vitest';
import { runNode } from '../support/run-node.ts';
import { createTree, temporaryDirectory } from '../support/tree.ts';
import { approve, createShell, isRunning, kill, partsOf, pidIn, until, type ShellBench } from './shell-bench.ts';
import { call, details, failure } from './support.ts';

describe('a command', () => {
  test.each([
    ['echo one; echo two >&2; echo three', 'one\ntwo\nthree', 0],
    ['echo one >/dev/stderr; echo two >/dev/stdout', 'one\ntwo', 0],
    ['pwd; basename "$PWD"', undefined, 0],
    ['echo no; exit 7', 'no', 7],
    ['no-such-program-1', undefined, 127],
    ['cat; echo end', 'end', 0],
    ['test -t 0 || test -t 1 || echo no terminal', 'no terminal', 0],
    ['(: </dev/tty) 2>/dev/null || echo none', 'none', 0],
    ["printf '%s' 'no line end'", 'no line end', 0],
    ['echo "quotes \' \\" $((1 + 2))" | tr a-z A-Z', 'QUOTES \' " 3', 0],
  ])('%s', async (command, output, exitCode) => {
    const { shell, root } = createShell();
    const result = await shell.execute({ command });
    expect(details(result)).toMatchObject({
      command,
      cwd: root,
      exitCode,
      timedOut: false,
      isHeld: false,
      dryRun: false,
    });
    expect(partsOf(result).output).toBe(output ?? partsOf(result).output);
    expect(textOf(result)).toMatch(new RegExp(`^Exit code ${exitCode} after \\d+ ms\\.\\n`, 'u'));
  });

  test('runs in the root, which a link may name', async () => {
    const root = createTree({ real: { a: '' } });
    symlinkSync('real', join(root, 'link'));
    const shell = createShellTool({ root: join(root, 'link'), stateDirectory: temporaryDirectory(), approve });
    expect(partsOf(await shell.execute({ command: 'pwd; ls' })).output).toBe(`${join(root, 'real')}\na`);
  });

  test('without output leaves no file, and the answer states it', async () => {
    const { shell, outputs } = createShell();
    const result = await shell.execute({ command: ':' });
    expect(textOf(result)).toMatch(/^Exit code 0 after \d+ ms\.\nNo output\.$/u);
    expect(details(result)).toMatchObject({ outputBytes: 0, outputFile: undefined, outputFileBytes: 0 });
    expect(readdirSync(join(outputs, readdirSync(outputs)[0] ?? ''))).toEqual([]);
  });

  test('that a signal ends is answered with the signal', async () => {
    const { shell } = createShell();
    const result = await shell.execute({ command: 'echo before; kill -SEGV $$' });
    expect(details(result)).toMatchObject({ exitCode: undefined, signal: 'SIGSEGV' });
    expect(textOf(result)).toMatch(/^Ended by SIGSEGV after /u);
    expect(partsOf(result).output).toBe('before');
  });

  test.each([
    ['/bin/bash', '/bin/bash'],
    ['/bin/sh', '/bin/sh'],
    ['bash', '/bin/sh'],
    ['/no/such/shell', '/bin/sh'],
    ['/bin', '/bin/sh'],
    ['/etc/passwd', '/bin/sh'],
    ['/bin/false', '/bin/sh'],
    ['/usr/sbin/nologin', '/bin/sh'],
    ['', '/bin/sh'],
    [undefined, '/bin/sh'],
  ])('with SHELL %s runs in %s', async (given, used) => {
    const { shell } = createShell({}, { env: { PATH: process.env['PATH'], SHELL: given } });
    const result = await shell.execute({ command: 'readlink -f /proc/$$/exe; readlink -f "$0"' });
    expect(details(result)).toMatchObject({ exitCode: 0, shell: used });
  });

  test('runs in parallel with others, each with its own output', async () => {
    const { shell } = createShell();
    const results = await Promise.all(
      Array.from({ length: 12 }, (_, index) =>
        shell.execute({ command: `echo ${index}; seq 20000; echo end ${index}` }),
      ),
    );
    const files = results.map((result) => readFileSync(details(result).outputFile ?? '', 'utf8'));
    expect(files.map((text) => text.split('\n').at(-2))).toEqual(results.map((_, index) => `end ${index}`));
    expect(files.map((text) => text.split('\n', 1)[0])).toEqual(results.map((_, index) => `${index}`));
  });
});

describe('an approval', () => {
  test('sees the command, the directory, the shell and the time limit, and cannot change them', async () => {
    const seen: ShellCommand[] = [];
    const { shell, root } = createShell(
      {},
      {
        approve: (asked) => {
          seen.push(asked);
          expect(() => Object.assign(asked, { command: 'touch changed' })).toThrow(TypeError);
          return { approved: true };
        },
      },
    );
    await shell.execute({ command: 'echo a' });
    await shell.execute({ command: 'echo b', timeout: 5000 });
    expect(seen).toEqual([
      { command: 'echo a', cwd: root, shell: '/bin/bash', timeoutMs: 120_000 },
      { command: 'echo b', cwd: root, shell: '/bin/bash', timeoutMs: 5000 },
    ]);
  });

  test.each([
    ['a rejection', { approved: false }],
    ['nothing', undefined],
    ['null', null],
    ['true', true],
    ['a text', 'yes'],
    ['a truthy value', { approved: 1 }],
    ['another field', { allowed: true }],
    ['a rejected object of a list', [{ approved: true }]],
  ])('that answers with %s starts nothing', async (_, answer) => {
    const { shell, root } = createShell({}, { approve: () => answer as never });
    const result = await shell.execute({ command: 'touch started' });
    expect(failure(result)).toMatch(
      /^NOT_APPROVED: The command was not approved and did not run\. Nothing was changed\./u,
    );
    expect(readdirSync(root)).toEqual([]);
  });

  test('may reject with a reason, which the model reads on lines of its own and without control characters', async () => {
    const reason = 'use pnpm\nnot npm\u001b[2J\u202e';
    const { shell } = createShell({}, { approve: async () => ({ approved: false, reason }) });
    const text = failure(await shell.execute({ command: 'npm i' }));
    expect(text).toContain('did not run: use pnpm\nnot npm\\u001b[2J\\u202e. Nothing was changed.');
  });

  test('that fails starts nothing, and the call fails with its error', async () => {
    const error = new Error('the terminal is closed');
    const { shell, root } = createShell({}, { approve: () => Promise.reject(error) });
    await expect(shell.execute({ command: 'touch started' })).rejects.toBe(error);
    expect(readdirSync(root)).toEqual([]);
  });

  test('is not waited for after an abort, and starts nothing when it comes later', async () => {
    const abort = new AbortController();
    let allow: ((decision: ShellDecision) => void) | undefined;
    const { shell, root } = createShell(
      {},
      {
        approve: (_, { signal }) => {
          queueMicrotask(() => abort.abort(new Error('enough')));
          return new Promise((resolve) => {
            allow = resolve;
            signal.addEventListener('abort', () => writeFileSync(join(root, 'seen-abort'), ''));
          });
        },
      },
    );
    await expect(call(shell, { command: 'touch started' }, abort.signal)).rejects.toThrow('enough');
    allow?.({ approved: true });
    await new Promise((resolve) => void setImmediate(resolve));
    expect(readdirSync(root)).toEqual(['seen-abort']);
  });

  test.each([
    ['throws', () => expect.unreachable()],
    ['rejects', () => Promise.reject(new Error('late'))],
  ])('that aborts the call and then %s leaves no unhandled rejection', async (_, fail) => {
    const seen: unknown[] = [];
    const note = (reason: unknown): void => void seen.push(reason);
    process.on('unhandledRejection', note);
    onTestFinished(() => void process.off('unhandledRejection', note));
    const abort = new AbortController();
    const { shell, root } = createShell(
      {},
      {
        approve: () => {
          abort.abort(new Error('enough'));
          return fail();
        },
      },
    );
    await expect(call(shell, { command: 'touch started' }, abort.signal)).rejects.toThrow('enough');
    await new Promise((resolve) => void setImmediate(resolve));
    expect(seen).toEqual([]);
    expect(readdirSync(root)).toEqual([]);
  });

  test('is not asked for a call that was aborted before, for invalid parameters, or for a dry run', async () => {
    const { shell } = createShell({}, { approve: () => expect.unreachable() });
    await expect(call(shell, { command: 'ls' }, AbortSignal.abort(new Error('before')))).rejects.toThrow('before');
    const dry = await shell.execute({ command: 'ls' }, { dryRun: true });
    expect(textOf(dry)).toBe('Would have asked whether the command may run.');
    expect(details(dry)).toMatchObject({ command: 'ls', dryRun: true, outputBytes: 0 });
    for (const [input, says] of [
      [{}, 'missing parameter command'],
      [{ command: '' }, 'invalid parameter command'],
      [{ command: '  \n' }, 'The command is empty'],
      [{ command: 'a\0b' }, 'The command has a character that no command can have'],
      [{ command: 'echo \ud800' }, 'The command has a character that no command can have'],
      [{ command: 'ls', timeout: 120 }, 'invalid parameter timeout'],
      [{ command: 'ls', timeout: 600_001 }, 'invalid parameter timeout'],
      [{ command: 'ls', timeout: 1.5 }, 'invalid parameter timeout'],
      [{ command: 'ls', cwd: '/' }, 'unknown parameter cwd'],
      [{ command: ['ls'] }, 'invalid parameter command'],
    ] as const) {
      expect(failure(await call(shell, input)), JSON.stringify(input)).toContain(says);
    }
  });

  test.each([
    ['no approve', {}, 'approve'],
    ['an approve that is not a function', { approve: true }, 'approve'],
    ['a relative outputDirectory', { approve, outputDirectory: 'out' }, 'outputDirectory'],
    ['an unknown option', { approve, allow: [] }, 'allow'],
  ])('is required: %s is an invalid option', (_, options, option) => {
    const create = (): unknown => createShellTool({ root: '/nowhere', ...options } as never);
    expect(create).toThrow(expect.objectContaining({ code: 'INVALID_OPTION', option }));
  });
});

test('Windows is not supported', () => {
  const platform = Object.getOwnPropertyDescriptor(process, 'platform') as PropertyDescriptor;
  onTestFinished(() => void Object.defineProperty(process, 'platform', platform));
  Object.defineProperty(process, 'platform', { ...platform, value: 'win32' });
  const create = (): unknown => createShellTool({ root: '/nowhere', approve });
  expect(create).toThrow(expect.objectContaining({ code: 'UNSUPPORTED' }));
});

describe('an end before the command ends', () => {
  // Each one ends only by force.
  const stubborn: readonly (readonly [name: string, command: string])[] = [
    ['a shell that ignores SIGTERM', 'trap "" TERM; echo $$ >pid; echo out; while :; do sleep 1; done'],
    ['a child that ignores SIGTERM', `bash -c 'trap "" TERM; echo $$ >pid; echo out; while :; do sleep 1; done'`],
    ['a child in the background', `bash -c 'trap "" TERM; echo $$ >pid; echo out; while :; do sleep 1; done' & wait`],
    ['a stopped child', `bash -c 'echo $$ >pid; echo out; kill -STOP $$'; sleep 100`],
  ];

  test.each(stubborn)('by the time limit ends %s', async (_, command) => {
    const { shell, root } = createShell();
    const result = await shell.execute({ command, timeout: 1000 });
    expect(details(result)).toMatchObject({ timedOut: true, isHeld: false });
    expect(textOf(result)).toMatch(/^Timed out after 1 s, and was ended: ended by SIG(?:TERM|KILL)\. A longer/u);
    expect(partsOf(result).output).toMatch(/^out/u);
    await until(() => !isRunning(pidIn(root)));
  });

  test.each(stubborn)('by an abort ends %s before the call rejects', async (_, command) => {
    const abort = new AbortController();
    const { shell, root } = createShell();
    const running = call(shell, { command }, abort.signal);
    await until(() => existsSync(join(root, 'pid')) && readFileSync(join(root, 'pid'), 'utf8').endsWith('\n'));
    abort.abort(new Error('enough'));
    await expect(running).rejects.toThrow('enough');
    await until(() => !isRunning(pidIn(root)));
  });

  test('by the end of the session ends the command and removes the outputs', async () => {
    const { shell, root, outputs, end } = createShell();
    const cut = details(await shell.execute({ command: 'seq 20000' })).outputFile ?? '';
    expect(existsSync(cut)).toBe(true);
    const running = shell.execute({ command: 'echo $$ >pid; while :; do sleep 1; done' });
    await until(() => existsSync(join(root, 'pid')) && readFileSync(join(root, 'pid'), 'utf8').endsWith('\n'));
    end();
    const result = await running;
    expect(failure(result)).toBe('CLOSED: The session has ended, and the command was ended. Start a new session.');
    expect(result.isError && result.details.changed).toBe(true);
    expect(isRunning(pidIn(root))).toBe(false);
    expect(readdirSync(outputs)).toEqual([]);
    expect(failure(await shell.execute({ command: 'touch late' }))).toMatch(
      /^CLOSED: The session has ended\. Nothing/u,
    );
    expect(existsSync(join(root, 'late'))).toBe(false);
  });

  test.each([
    ['before', (end: () => void) => end()],
    ['with', (end: () => void) => queueMicrotask(end)],
    ['just after', (end: () => void) => setImmediate(end)],
  ])('of the session %s the answer of an approval starts nothing, or ends the command', async (_, when) => {
    const bench: ShellBench = createShell(
      {},
      {
        approve: () => {
          when(() => bench.end());
          return { approved: true };
        },
      },
    );
    expect(failure(await bench.shell.execute({ command: 'sleep 100' }))).toMatch(/^CLOSED: /u);
    expect(readdirSync(bench.outputs)).toEqual([]);
  });

  test('of the process ends running commands and removes the outputs', () => {
    const root = createTree({});
    const outputs = temporaryDirectory();
    const code = `
      import { createShellTool } from '@cairn/coding-agent';
      import { existsSync, readFileSync } from 'node:fs';
      const options = ${JSON.stringify({ root, outputDirectory: outputs, stateDirectory: temporaryDirectory() })};
      const shell = createShellTool({ ...options, approve: () => ({ approved: true }) });
      const { details } = await shell.execute({ command: 'seq 20000' });
      void shell.execute({ command: 'echo $$ >pid; while :; do sleep 1; done' });
      const pid = options.root + '/pid';
      while (!existsSync(pid) || !readFileSync(pid, 'utf8').endsWith('\\n')) await new Promise((done) => setImmediate(done));
      report([existsSync(details.outputFile)]);
      process.exit();`;
    expect(runNode(code, {})).toEqual([true]);
    expect(readdirSync(outputs)).toEqual([]);
    expect(isRunning(pidIn(root))).toBe(false);
  });
});

describe('a process that outlives its command', () => {
  test('in the background keeps running, the answer does not wait for it, and its later output is kept', async () => {
    const { shell, root, end } = createShell();
    const command = `bash -c 'echo $$ >pid; echo early; until [ -e go ]; do sleep 0.01; done; echo late; touch done' & until [ -e pid ]; do :; done`;
    const result = await shell.execute({ command });
    expect(details(result)).toMatchObject({ exitCode: 0, isHeld: true, timedOut: false });
    const { outputFile = '' } = details(result);
    expect(textOf(result)).toContain(
      `[a process that the command started still runs and holds the output; its later output goes to ${outputFile}]`,
    );
    writeFileSync(join(root, 'go'), '');
    await until(() => existsSync(join(root, 'done')));
    await until(() => readFileSync(outputFile, 'utf8') === 'early\nlate\n');
    end();
    expect(existsSync(outputFile)).toBe(false);
  });

  test('as a daemon that ignores SIGTERM does not keep a call from its end after the time limit', async () => {
    const { shell, root } = createShell();
    const daemon = `setsid bash -c 'trap "" TERM; echo $$ >pid; while :; do sleep 1; done' & wait`;
    const result = await shell.execute({ command: daemon, timeout: 1000 });
    onTestFinished(() => kill(pidIn(root)));
    expect(details(result)).toMatchObject({ timedOut: true, isHeld: true });
    expect(textOf(result)).toContain('[a process that the command started still runs');
    // It left the group: only a sandbox would end it.
    expect(isRunning(pidIn(root))).toBe(true);
  });

  test('as a daemon that writes without end does not keep a call from its end', async () => {
    const { shell, root } = createShell();
    const result = await shell.execute({
      command: `setsid bash -c 'echo $$ >pid; yes' & until [ -s pid ]; do :; done`,
    });
    onTestFinished(() => kill(pidIn(root)));
    expect(details(result)).toMatchObject({ exitCode: 0, isHeld: true });
  });

  test('without the output is not noticed', async () => {
    const { shell, root } = createShell();
    const command = `setsid bash -c 'echo $$ >pid; while :; do sleep 1; done' >/dev/null 2>&1 & until [ -s pid ]; do :; done`;
    const result = await shell.execute({ command });
    onTestFinished(() => kill(pidIn(root)));
    expect(details(result)).toMatchObject({ exitCode: 0, isHeld: false });
  });

  test('does not keep this process from its end', () => {
    const root = createTree({});
    const code = `
      import { createShellTool } from '@cairn/coding-agent';
      const options = ${JSON.stringify({ root, outputDirectory: temporaryDirectory(), stateDirectory: temporaryDirectory() })};
      const shell = createShellTool({ ...options, approve: () => ({ approved: true }) });
      const { details } = await shell.execute({ command: 'echo $$; sleep 300 & echo $! >pid' });
      report([details.isHeld]);`;
    expect(runNode(code, {})).toEqual([true]);
    kill(pidIn(root));
  });
});
