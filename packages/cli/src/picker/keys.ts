export type Key =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'choose' | 'leave' | 'interrupt' | 'switch' | 'erase' | 'erase-word' | 'erase-all' }
  | { readonly kind: 'up' | 'down' | 'page-up' | 'page-down' | 'first' | 'last' };

type SimpleKind = Exclude<Key['kind'], 'text'>;

const controls: Readonly<Record<string, SimpleKind>> = {
  '\r': 'choose',
  '\t': 'switch',
  '\u0003': 'interrupt',
  '\u0008': 'erase',
  '\u007f': 'erase',
  '\u0017': 'erase-word',
  '\u0015': 'erase-all',
  '\u0010': 'up',
  '\u000b': 'up',
  '\u000e': 'down',
  '\n': 'down',
  '\u0007': 'leave',
  '\u0011': 'leave',
};

const sequences: Readonly<Record<string, SimpleKind>> = {
  '[A': 'up',
  '[B': 'down',
  OA: 'up',
  OB: 'down',
  '[5~': 'page-up',
  '[6~': 'page-down',
  '[H': 'first',
  '[F': 'last',
  OH: 'first',
  OF: 'last',
  '[1~': 'first',
  '[4~': 'last',
};

// oxlint-disable-next-line no-control-regex -- the terminal's own sequences begin with a control character
const sequence = /^\u001b(\[[\u0030-\u003f]*[\u0020-\u002f]*[\u0040-\u007e]|O[\u0040-\u007e])/u;
// oxlint-disable-next-line no-control-regex -- Alt and a key, such as Alt-B; Ctrl-C stays Ctrl-C
const withAlt = /^\u001b[^\u0003\u001b]/u;
// oxlint-disable-next-line no-control-regex -- an unfinished sequence
const unfinished = /^\u001b(?:\[[\u0030-\u003f]*[\u0020-\u002f]*|O)?$/u;
// oxlint-disable-next-line no-control-regex -- text is everything else
const plain = /^[^\u0000-\u001f\u007f]+/u;
// oxlint-disable-next-line no-control-regex -- a query is one line
const pastedControls = /[\u0000-\u001f\u007f]+/gu;
const pasteStart = '\u001b[200~';
const pasteEnd = '\u001b[201~';

export interface DecodedKeys {
  readonly keys: readonly Key[];
  readonly rest: string;
}

/** Decodes the input of a terminal. Keys without a meaning are dropped. */
export function decodeKeys(input: string): DecodedKeys {
  const keys: Key[] = [];
  let rest = input;
  while (rest !== '' && !unfinished.test(rest)) {
    if (rest.startsWith(pasteStart)) {
      const end = rest.indexOf(pasteEnd);
      if (end === -1) break;
      // A line end in pasted text is not Enter.
      const text = rest.slice(pasteStart.length, end).replaceAll(pastedControls, ' ').trim();
      if (text !== '') keys.push({ kind: 'text', text });
      rest = rest.slice(end + pasteEnd.length);
      continue;
    }
    const escaped = sequence.exec(rest);
    const text = plain.exec(rest)?.[0];
    if (escaped) {
      const kind = sequences[escaped[1] ?? ''];
      if (kind) keys.push({ kind });
      rest = rest.slice(escaped[0].length);
    } else if (withAlt.test(rest)) {
      const [key = ''] = rest.slice(1);
      if (controls[key] === 'erase') keys.push({ kind: 'erase-word' });
      rest = rest.slice(1 + key.length);
    } else if (text !== undefined) {
      keys.push({ kind: 'text', text });
      rest = rest.slice(text.length);
    } else {
      const kind = rest.startsWith('\u001b') ? 'leave' : controls[rest.charAt(0)];
      if (kind) keys.push({ kind });
      rest = rest.slice(1);
    }
  }
  return { keys, rest };
}

/** Returns the key that an unfinished rest means when nothing follows: Esc, or none. */
export function finishKeys(rest: string): readonly Key[] {
  return rest === '\u001b' ? [{ kind: 'leave' }] : [];
}

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
