import process from 'node:process';
import { addAbortSignal, type Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { errorLine } from './terminal/answer.ts';
import { endingSignals, ExitCode, Interrupted } from './terminal/exit.ts';
import { inputKind } from './terminal/input.ts';
import { createOutput } from './terminal/output.ts';
import { agentCommand, commandName } from './terminal/own-command.ts';
import { run } from './run.ts';
import { sessionOwner } from './terminal/session-owner.ts';
import { openTerminal } from './terminal/terminal.ts';

const main = process.argv[1] ?? '';
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
    // A second signal: the run did not end in time.
    cleanUp();
    process.exit(reason.exitCode);
  });
}

// No error is known to arrive here. If one does, it is still one line, and the clean-up runs.
process.on('uncaughtException', (error) => {
  // First, because text on the picker's screen disappears with it.
  cleanUp();
  process.stderr.write(`${errorLine(error)}\n`, () => process.exit(ExitCode.Error));
});

// Each write reports its own error; the listeners keep the same error from ending the process with a stack trace.
for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined);

const inputStream = (): Readable => addAbortSignal(controller.signal, process.stdin);

process.exitCode = await run(process.argv.slice(2), {
  input: {
    kind: inputKind(0),
    stream: inputStream,
    read: () => buffer(inputStream()),
  },
  openTerminal: () => openTerminal(process.stdin, process.stderr),
  out: createOutput(process.stdout),
  err: createOutput(process.stderr),
  env: process.env,
  cwd: process.cwd(),
  command: () => commandName({ env: process.env, cwd: process.cwd(), main }),
  agentCommand: () => agentCommand({ env: process.env, node: process.execPath, main }),
  owner: () => sessionOwner(process.env),
  signal: controller.signal,
  onAbruptEnd: (one) => {
    cleanUps.add(one);
    return () => cleanUps.delete(one);
  },
});

// Every command waits for its output, so data that is left here has no reader. It would keep the process alive.
if (process.stdout.writableLength > 0 || process.stderr.writableLength > 0) process.exit();
