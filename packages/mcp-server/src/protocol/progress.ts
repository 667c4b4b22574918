import { escapeControls } from '@cairn/tool/paths';
import { truncateLine } from '@cairn/tool/prompt';
import type { ServerContext } from '@modelcontextprotocol/server';

/** The default time before the first progress notification of a call, and between two of them. Milliseconds. */
export const PROGRESS_INTERVAL_MS = 1000;

const MAX_MESSAGE_CHARACTERS = 200;

/**
 * Runs a call and, when the client asked for progress, notifies it at each interval, which restarts the client's time-out.
 * The duration of a call is unknown, so a notification has the seconds that passed and no total,
 * and what the call reported last.
 */
export async function withProgress<T>(
  { name, intervalMs, context }: { name: string; intervalMs: number; context: ServerContext },
  run: (report: ((message: string) => void) | undefined) => Promise<T>,
): Promise<T> {
  const { _meta, notify, signal } = context.mcpReq;
  const progressToken = _meta?.progressToken;
  if (progressToken === undefined) return run(undefined);
  let doing = '';
  const startMs = performance.now();
  const timer = setInterval(() => {
    if (signal.aborted) return;
    const progress = Math.round(performance.now() - startMs) / 1000;
    const message = `${name} has been running for ${progress.toFixed(0)} s${doing === '' ? '' : `: ${doing}`}`;
    // Sending the answer reports a client that has disconnected.
    notify({ method: 'notifications/progress', params: { progressToken, progress, message } }).catch(() => undefined);
  }, intervalMs);
  try {
    return await run((message) => {
      doing = truncateLine(escapeControls(message), MAX_MESSAGE_CHARACTERS);
    });
  } finally {
    clearInterval(timer);
  }
}
