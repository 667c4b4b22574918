/**
 * The process of `cairn hook session-start`. Whatever happens it ends within a second with status 0: a host waits for it, and a
 * failure must not keep a session from starting. Then standard output is empty and standard error has the reason.
 */
import { existsSync } from 'node:fs';
import process from 'node:process';
import { keepCompiled } from '../../terminal/compile-cache.ts';

const controller = new AbortController();

function fail(reason: string): never {
  process.stderr.write(`cairn: ${reason}\n`);
  process.exit(0);
}

/** Programs that end at once with status 0, the fastest first. */
const ENDING: readonly (readonly [path: string, ...args: string[]])[] = [
  ['/usr/bin/true'],
  ['/bin/true'],
  [process.execPath, '--eval', ''],
];

/** Ends also while the system keeps a thread waiting, for example for a file of a server that is gone. */
function failLate(timeout: number): void {
  controller.abort();
  process.stderr.write(`cairn: the start of the session took longer than ${timeout} ms, so it has no knowledge\n`);
  // `process.exit` waits for all threads; another program in place of this one does not. A missing program would abort.
  const [path = '', ...args] = ENDING.find(([one]) => existsSync(one)) ?? [];
  try {
    process.execve?.(path, [path, ...args], {});
  } catch {
    // Windows has no such call.
  }
  process.exit(0);
}

async function failWith(error: unknown): Promise<void> {
  const { errorLine } = await import('../../terminal/answer.ts');
  fail(errorLine(error).replace(/^cairn: /u, ''));
}

// Those of SQLite and of `execve`: standard error is for the reason of a failure.
process.removeAllListeners('warning');
process.on('uncaughtException', (error) => void failWith(error));
// A reader that is gone needs no output.
process.stdout.on('error', () => process.exit(0));
process.stderr.on('error', () => undefined);

try {
  keepCompiled(process.env, process.platform);
  const { parseSettings, startSession } = await import('./session-start.ts');
  const { agentCommand } = await import('../../terminal/own-command.ts');
  const settings = parseSettings(process.argv.slice(4));
  const { timeout } = settings;
  setTimeout(() => failLate(timeout), Math.max(0, timeout - performance.now()));
  const output = await startSession(settings, {
    env: process.env,
    cwd: process.cwd(),
    command: () => agentCommand({ env: process.env, node: process.execPath, main: process.argv[1] ?? '' }),
    input: process.stdin,
    signal: controller.signal,
  });
  if (output === '') process.exit(0);
  process.stdout.write(output, () => process.exit(0));
} catch (error) {
  await failWith(error);
}
