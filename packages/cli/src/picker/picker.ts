import type { CodingTools } from '@cairn/coding-agent';
import { errorLine } from '../terminal/answer.ts';
import type { Paint } from '../terminal/output.ts';
import type { Terminal } from '../terminal/terminal.ts';
import { frameOf, layoutOf } from './frame.ts';
import type { PickView } from './frame.ts';
import { search, warmUp } from './items.ts';
import type { PickItem, PickMode, PickScope } from './items.ts';
import { decodeKeys, finishKeys } from './keys.ts';
import type { Key } from './keys.ts';
import { createLatest } from './latest.ts';
import { readPreview } from './preview.ts';
import { openScreen } from './screen.ts';

/** How a picker begins. */
export interface PickOptions {
  readonly mode: PickMode;
  readonly query: string;
  readonly scope: PickScope;
  readonly paint: Paint;
  /** For the preview. Called once, while the tree is scanned: loading them later would hold up the first keys. */
  readonly loadTools: () => Promise<CodingTools>;
  readonly signal: AbortSignal;
}

/** How it ended. */
export type PickResult =
  | { readonly kind: 'chosen'; readonly item: PickItem }
  | { readonly kind: 'left' }
  | { readonly kind: 'interrupted' };

/** After so long, Esc is the key and not the beginning of another one. */
const ESCAPE_MS = 40;

const SEARCHING = 'searching …';

/** The state behind the screen: what was typed, what it found, what is selected. */
function createPicker(
  {
    draw,
    size,
    end,
  }: { draw: (view: PickView) => void; size: () => { readonly rows: number }; end: (result: PickResult) => void },
  { mode: firstMode, query: firstQuery, scope, loadTools }: PickOptions,
): { press: (key: Key) => void; redraw: () => void; stop: () => void } {
  const searching = createLatest();
  const previewing = createLatest();
  let view: PickView = {
    mode: firstMode,
    query: firstQuery,
    items: [],
    selected: 0,
    top: 0,
    summary: SEARCHING,
    preview: undefined,
  };
  /** Whether the items are those of what was typed, and whether the first of them is to be chosen once they are. */
  let isAnswered = false;
  let choosesNext = false;

  const change = (changes: Partial<PickView>): void => {
    const next = { ...view, ...changes };
    const lowest = Math.max(0, next.selected - layoutOf(size().rows).list + 1);
    view = { ...next, top: Math.min(Math.max(next.top, lowest), next.selected) };
    draw(view);
  };
  const fail = (error: unknown): void => change({ summary: errorLine(error).replace(/^cairn: /u, '') });

  const showPreview = (): void => {
    const item = view.items[view.selected];
    const rows = layoutOf(size().rows).preview;
    previewing.run(async (signal) => {
      const shown =
        item === undefined || rows === 0 ? undefined : await readPreview(await tools, item, { rows, signal });
      if (!signal.aborted) change({ preview: shown });
    }, fail);
  };
  const choose = (): void => {
    const item = view.items[view.selected];
    if (item === undefined) return;
    end({ kind: 'chosen', item });
  };
  const ask = (): void => {
    const { mode, query } = view;
    isAnswered = false;
    searching.run(
      async (signal) => {
        const found = await search(mode, query, { ...scope, signal });
        if (signal.aborted) return;
        isAnswered = true;
        change({ ...found, selected: 0, top: 0 });
        showPreview();
        if (choosesNext) choose();
        choosesNext = false;
      },
      (error) => {
        choosesNext = false;
        change({ items: [], selected: 0, preview: undefined });
        fail(error);
      },
    );
  };
  const retype = (query: string): void => {
    if (query === view.query) return;
    change({ query, summary: SEARCHING });
    ask();
  };
  const switchMode = (): void => {
    previewing.stop();
    const mode = view.mode === 'find' ? 'grep' : 'find';
    change({ mode, items: [], selected: 0, preview: undefined, summary: SEARCHING });
    ask();
  };
  const select = (index: number): void => {
    const selected = Math.max(0, Math.min(view.items.length - 1, index));
    if (selected === view.selected) return;
    change({ selected });
    showPreview();
  };

  const press = (key: Key): void => {
    const page = Math.max(1, layoutOf(size().rows).list - 1);
    choosesNext = key.kind === 'choose' && !isAnswered;
    switch (key.kind) {
      case 'text':
        return retype(view.query + key.text);
      case 'erase':
        return retype([...view.query].slice(0, -1).join(''));
      case 'erase-word':
        return retype(view.query.replace(/[^\s/]*[\s/]*$/u, ''));
      case 'erase-all':
        return retype('');
      case 'switch':
        return switchMode();
      case 'up':
        return select(view.selected - 1);
      case 'down':
        return select(view.selected + 1);
      case 'page-up':
        return select(view.selected - page);
      case 'page-down':
        return select(view.selected + page);
      case 'first':
        return select(0);
      case 'last':
        return select(view.items.length - 1);
      case 'choose':
        return isAnswered ? choose() : undefined;
      case 'leave':
        return end({ kind: 'left' });
      case 'interrupt':
        return end({ kind: 'interrupted' });
    }
  };
  change({});
  ask();
  const tools = loadTools();
  // A failure is shown where they are needed.
  tools.catch(() => undefined);
  return {
    press,
    redraw: () => {
      change({});
      showPreview();
    },
    stop: () => {
      searching.stop();
      previewing.stop();
    },
  };
}

/** Lets somebody choose. The terminal is given back however it ends; the caller prints the choice. */
export function runPicker(terminal: Terminal, options: PickOptions): Promise<PickResult> {
  const { paint, signal, scope } = options;
  signal.throwIfAborted();
  const screen = openScreen(terminal);
  const life = new AbortController();
  warmUp({ ...scope, signal: life.signal });
  return new Promise<PickResult>((resolve, reject) => {
    let pending = '';
    let timer: NodeJS.Timeout | undefined;
    const finish = (settle: () => void): void => {
      if (life.signal.aborted) return;
      life.abort();
      clearTimeout(timer);
      signal.removeEventListener('abort', stopped);
      picker.stop();
      screen.close();
      settle();
    };
    const stopped = (): void => finish(() => reject(signal.reason as Error));
    const picker = createPicker(
      {
        draw: (view) => {
          if (!life.signal.aborted)
            screen.draw(frameOf(view, { columns: terminal.columns, rows: terminal.rows, paint }));
        },
        size: () => terminal,
        end: (result) => finish(() => resolve(result)),
      },
      options,
    );
    const press = (keys: readonly Key[]): void => {
      for (const key of keys) if (!life.signal.aborted) picker.press(key);
    };
    terminal.onInput((text) => {
      clearTimeout(timer);
      const { keys, rest } = decodeKeys(pending + text);
      pending = rest;
      press(keys);
      if (rest === '' || life.signal.aborted) return;
      timer = setTimeout(() => {
        if (!rest.startsWith('\u001b[200~')) pending = '';
        press(finishKeys(rest));
      }, ESCAPE_MS);
    });
    terminal.onResize(() => {
      screen.forget();
      picker.redraw();
    });
    terminal.onEnd(() => finish(() => resolve({ kind: 'interrupted' })));
    signal.addEventListener('abort', stopped, { once: true });
  });
}
