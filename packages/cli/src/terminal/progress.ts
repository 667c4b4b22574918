import type { CommandContext } from './command-context.ts';
import { fitText } from './text.ts';

const delayMs = 300;
const intervalMs = 120;
const eraseLine = '\r\u001b[2K';
const frames = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏'] as const;

/** Runs `work` and, in a terminal after 300 ms, shows one line with its time, which is gone when the work ends. */
export async function withProgress<T>(
  context: CommandContext,
  label: string,
  work: (end: () => Promise<void>) => Promise<T>,
): Promise<T> {
  const { err } = context;
  if (!err.isTerminal || context.env['TERM'] === 'dumb') return work(async () => undefined);
  const startedMs = performance.now();
  let drawn = 0;
  const draw = (): void => {
    const elapsedMs = performance.now() - startedMs;
    if (elapsedMs < delayMs) return;
    const frame = frames[drawn % frames.length] ?? '';
    drawn += 1;
    const line = fitText(`${frame} ${label}, ${(elapsedMs / 1000).toFixed(1)} s; Ctrl-C stops it`, err.width - 1);
    // Other writes end the run when the terminal is closed; a failed progress line is not an error.
    err.write(`${eraseLine}${line}`).catch(() => undefined);
  };
  const timer = setInterval(draw, intervalMs);
  const end = async (): Promise<void> => {
    clearInterval(timer);
    if (drawn > 0) await err.write(eraseLine).catch(() => undefined);
    drawn = 0;
  };
  try {
    return await work(end);
  } finally {
    await end();
  }
}
