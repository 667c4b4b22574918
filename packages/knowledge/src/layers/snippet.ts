import { excerptOf } from '@cairn/retrieval';
import { setImmediate } from 'node:timers/promises';

const AROUND = 50;
/** UTF-16 code units, a few milliseconds. */
const UNITS_PER_TURN = 32 * 1024;

/** Returns the beginning of a string that a query found by its name, title or tags. */
function beginningOf(body: string): string {
  const characters = Array.from(body.slice(0, 8 * AROUND).trim());
  if (body.trim().length <= 2 * AROUND) return characters.join('');
  return `${characters
    .slice(0, 2 * AROUND)
    .join('')
    .trimEnd()}…`;
}

/**
 * Returns the part of a Markdown body that a query found, with 50 characters on each side, as they are in the body. `…` marks where
 * the body goes on. Without a hit in the body, returns its beginning.
 */
export async function snippetOfBody(body: string, query: string, signal?: AbortSignal): Promise<string> {
  const steps = excerptOf(body, query, { around: AROUND });
  let units = 0;
  for (;;) {
    const { done, value } = steps.next();
    if (done === true) {
      if (value === undefined) return beginningOf(body);
      const { from, to } = value;
      return `${from > 0 ? '…' : ''}${body.slice(from, to)}${to < body.length ? '…' : ''}`;
    }
    units += value;
    if (units < UNITS_PER_TURN) continue;
    units = 0;
    await setImmediate();
    signal?.throwIfAborted();
  }
}
