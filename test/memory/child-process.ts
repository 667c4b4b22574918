/** Processes that tests start, line by line. */
import { spawn } from 'node:child_process';
import type { ChildProcess, SpawnOptions } from 'node:child_process';
import { once } from 'node:events';
import process from 'node:process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

/** The environment of this process. The sources are TypeScript: caching their compilation makes each process start much faster. */
export const childEnv: NodeJS.ProcessEnv = {
  ...process.env,
  NODE_COMPILE_CACHE: fileURLToPath(new URL('../../node_modules/.cache/cairn-compile', import.meta.url)),
};

/** A process with its output. */
export interface RunningProcess {
  readonly child: ChildProcess;
  /** The lines that it has printed so far. */
  readonly lines: readonly string[];
  /** Waits until the process has printed this number of lines, or has ended. */
  readonly printed: (count: number) => Promise<void>;
  /** Ends the standard input, which a process may wait for. */
  readonly end: () => Promise<void>;
  readonly ended: Promise<{
    readonly code: number | null;
    readonly signal: NodeJS.Signals | null;
    readonly stderr: string;
  }>;
}

/** Starts a script. The options replace the environment, or name another user. */
export function startScript(
  script: string,
  args: readonly string[],
  options: Pick<SpawnOptions, 'env' | 'uid' | 'gid'> = {},
): RunningProcess {
  const running = spawn(process.execPath, [script, ...args], {
    env: childEnv,
    ...options,
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  running.stdin.on('error', () => undefined);
  const lines: string[] = [];
  let stderr = '';
  running.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text));
  const waiting = new Set<() => void>();
  createInterface({ input: running.stdout }).on('line', (line) => {
    lines.push(line);
    for (const wake of waiting) wake();
  });
  const closed = once(running, 'close');
  const ended = closed.then(([code, signal]) => ({
    code: code as number | null,
    signal: signal as NodeJS.Signals | null,
    stderr,
  }));
  return {
    child: running,
    lines,
    printed: async (count) => {
      const enough = new Promise<void>((resolve) => {
        const wake = (): void => {
          if (lines.length >= count) resolve();
        };
        waiting.add(wake);
        wake();
      });
      await Promise.race([enough, closed]);
    },
    end: async () => {
      running.stdin.end();
      await ended;
    },
    ended,
  };
}
