import { decodeKeys, finishKeys, type Key } from './keys.ts';

/** An Esc that nothing follows within this time is the key, not the start of a sequence. */
const ESCAPE_MS = 40;
const PASTE_START = '\u001b[200~';

export interface KeyReader {
  feed(text: string): void;
  /** Drops an unfinished key. */
  stop(): void;
}

export function createKeyReader(press: (key: Key) => void): KeyReader {
  let pending = '';
  let timer: NodeJS.Timeout | undefined;
  let waiting: NodeJS.Immediate | undefined;
  let isStopped = false;
  const stopWaiting = (): void => {
    clearTimeout(timer);
    clearImmediate(waiting);
  };
  const pressAll = (keys: readonly Key[]): void => {
    for (const key of keys) if (!isStopped) press(key);
  };
  return {
    feed: (text) => {
      stopWaiting();
      const { keys, rest } = decodeKeys(pending + text);
      pending = rest;
      pressAll(keys);
      if (rest === '' || isStopped) return;
      timer = setTimeout(() => {
        // What arrived while the process was busy is read before this, and clears it.
        waiting = setImmediate(() => {
          // A long paste may pause; its end is still to come.
          if (!rest.startsWith(PASTE_START)) pending = '';
          pressAll(finishKeys(rest));
        });
      }, ESCAPE_MS);
    },
    stop: () => {
      isStopped = true;
      stopWaiting();
    },
  };
}
