#!/usr/bin/env node
import process from 'node:process';
import { BrokenPipe, endingSignals, Interrupted } from './exit.ts';
import { createOutput } from './output.ts';
import { run } from './run.ts';

const controller = new AbortController();
const cleanUps = new Set<() => void>();

for (const signal of endingSignals) {
  process.on(signal, () => {
    const reason = new Interrupted(signal);
    if (!controller.signal.aborted) {
      controller.abort(reason);
      return;
    }
    // A second Ctrl-C: the run did not end by itself in time.
    for (const cleanUp of cleanUps) cleanUp();
    process.exit(reason.exitCode);
  });
}

// Each write reports its own error; the listeners keep the same error from ending the process with a stack trace.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE') controller.abort(new BrokenPipe('nobody reads the output any more', { cause: error }));
});
process.stderr.on('error', () => undefined);

process.exitCode = await run(process.argv.slice(2), {
  out: createOutput(process.stdout),
  err: createOutput(process.stderr),
  env: process.env,
  cwd: process.cwd(),
  signal: controller.signal,
  onAbruptEnd: (cleanUp) => {
    cleanUps.add(cleanUp);
    return () => cleanUps.delete(cleanUp);
  },
});
