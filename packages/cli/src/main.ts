#!/usr/bin/env node
import process from 'node:process';
import { addAbortSignal } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { errorLine } from './terminal/answer.ts';
import { BrokenPipe, endingSignals, ExitCode, Interrupted } from './terminal/exit.ts';
import { createOutput } from './terminal/output.ts';
import { run } from './run.ts';
import { openTerminal } from './terminal/terminal.ts';

const controller = new AbortController();
const cleanUps = new Set<() => void>();

function cleanUp(): void {
  for (const one of cleanUps) one();
}

for (const signal of endingSignals) {
  process.on(signal, () => {
    const reason = new Interrupted(signal);
    if (!controller.signal.aborted) {
      controller.abort(reason);
      return;
    }
    // A second Ctrl-C: the run did not end by itself in time.
    cleanUp();
    process.exit(reason.exitCode);
  });
}

// Nothing is known to end up here; if something does, it is still one line, and nothing is left behind.
process.on('uncaughtException', (error) => {
  // First: what is written on a screen that is then left is never read.
  cleanUp();
  process.stderr.write(`${errorLine(error)}\n`, () => process.exit(ExitCode.Error));
});

// Each write reports its own error; the listeners keep the same error from ending the process with a stack trace.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE') controller.abort(new BrokenPipe('nobody reads the output any more', { cause: error }));
});
process.stderr.on('error', () => undefined);

process.exitCode = await run(process.argv.slice(2), {
  input: {
    isTerminal: process.stdin.isTTY,
    read: () => buffer(addAbortSignal(controller.signal, process.stdin)),
  },
  openTerminal: () => openTerminal(process.stdin, process.stderr),
  out: createOutput(process.stdout),
  err: createOutput(process.stderr),
  env: process.env,
  cwd: process.cwd(),
  signal: controller.signal,
  onAbruptEnd: (one) => {
    cleanUps.add(one);
    return () => cleanUps.delete(one);
  },
});

// What is still to be written is what nobody reads: every command waits for its output, and `mcp` as long as it promises to.
// It would keep the process alive until its reader goes.
if (process.stdout.writableLength > 0 || process.stderr.writableLength > 0) process.exit();
