import type { ServerContext } from '@modelcontextprotocol/server';

/** How long a call may take before it is told that it is under way, and how often after that. Milliseconds. */
export const PROGRESS_INTERVAL_MS = 1000;

/**
 * Runs a call and, when the client asked to be told, says from time to time that it is under way, so that the client's
 * time-out starts anew. How much is left is not known beforehand, so only the seconds that passed are told, and no total.
 */
export async function withProgress<T>(
  {
    name,
    intervalMs,
    context,
  }: { readonly name: string; readonly intervalMs: number; readonly context: ServerContext },
  run: () => Promise<T>,
): Promise<T> {
  const { _meta, notify, signal } = context.mcpReq;
  const progressToken = _meta?.progressToken;
  if (progressToken === undefined) return run();
  const startMs = performance.now();
  const timer = setInterval(() => {
    if (signal.aborted) return;
    const progress = Math.round(performance.now() - startMs) / 1000;
    const message = `${name} has been at work for ${progress.toFixed(0)} s`;
    // A client that has gone is noticed where its answer is sent.
    notify({ method: 'notifications/progress', params: { progressToken, progress, message } }).catch(() => undefined);
  }, intervalMs);
  try {
    return await run();
  } finally {
    clearInterval(timer);
  }
}
