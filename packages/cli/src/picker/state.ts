import type { CodingTools } from '@cairn/coding-agent';
import { errorLine } from '../terminal/answer.ts';
import { layoutOf, type PickView } from './frame.ts';
import type { Key } from './keys.ts';
import { readPreview, type PickItem, type PickMode, type PickSource } from './source.ts';

export type PickResult =
  | { readonly kind: 'chosen'; readonly item: PickItem }
  | { readonly kind: 'left' }
  | { readonly kind: 'interrupted' };

export interface PickStateOptions {
  readonly mode: PickMode;
  readonly query: string;
  readonly source: PickSource;
  readonly tools: Promise<CodingTools>;
  readonly draw: (view: PickView) => void;
  readonly rows: () => number;
  readonly end: (result: PickResult) => void;
}

const SEARCHING = 'searching …';

/** Runs tasks; a new one replaces the one before, whose outcome is dropped. */
class Latest {
  #current: AbortController | undefined;

  run(task: (signal: AbortSignal) => Promise<void>, failed: (error: unknown) => void): void {
    this.stop();
    const mine = (this.#current = new AbortController());
    task(mine.signal).catch((error: unknown) => {
      if (!mine.signal.aborted) failed(error);
    });
  }

  stop(): void {
    this.#current?.abort();
  }
}

/** The state of a picker: the query, its matches and the selection. Knows neither terminal nor keyboard. */
export class PickState {
  readonly #options: PickStateOptions;
  readonly #searching = new Latest();
  readonly #previewing = new Latest();
  #view: PickView;
  /** Whether the items belong to the query. */
  #isAnswered = false;
  /** Whether Enter was pressed before the items were there; the first one is then chosen. */
  #choosesNext = false;
  #isSearching = false;
  /** Whether names arrived after the running search began. */
  #isStale = false;

  constructor(options: PickStateOptions) {
    this.#options = options;
    const { mode, query, source } = options;
    const canSwitch = source.names === undefined;
    this.#view = { mode, query, canSwitch, items: [], selected: 0, top: 0, summary: SEARCHING, preview: undefined };
  }

  start(): void {
    this.#change({});
    this.#options.source.names?.start(() => {
      if (this.#isSearching) this.#isStale = true;
      else this.#ask({ isForMoreNames: true });
    });
    this.#ask();
  }

  redraw(): void {
    this.#change({});
    this.#showPreview();
  }

  stop(): void {
    this.#searching.stop();
    this.#previewing.stop();
    this.#options.source.names?.stop();
  }

  press(key: Key): void {
    this.#choosesNext = key.kind === 'choose' && !this.#canChoose;
    const { query } = this.#view;
    switch (key.kind) {
      case 'text':
        return this.#retype(query + key.text);
      case 'erase':
        return this.#retype([...query].slice(0, -1).join(''));
      case 'erase-word':
        return this.#retype(query.replace(/[^\s/]*[\s/]*$/u, ''));
      case 'erase-all':
        return this.#retype('');
      case 'switch':
        return this.#switchMode();
      case 'choose':
        return this.#canChoose ? this.#choose() : undefined;
      case 'leave':
        return this.#options.end({ kind: 'left' });
      case 'interrupt':
        return this.#options.end({ kind: 'interrupted' });
      case 'up':
      case 'down':
      case 'page-up':
      case 'page-down':
      case 'first':
      case 'last':
        return this.#select(this.#target(key.kind));
    }
  }

  /** Whether the items are those of the query, and no first item is to come. */
  get #canChoose(): boolean {
    return this.#isAnswered && (this.#view.items.length > 0 || !this.#expectsNames);
  }

  /** Whether names are still to come, or came after the items were found. */
  get #expectsNames(): boolean {
    const { names } = this.#options.source;
    return names !== undefined && (!names.isComplete || this.#isSearching || this.#isStale);
  }

  #target(kind: 'up' | 'down' | 'page-up' | 'page-down' | 'first' | 'last'): number {
    const { selected, items } = this.#view;
    const page = Math.max(1, layoutOf(this.#options.rows()).list - 1);
    const targets = {
      up: selected - 1,
      down: selected + 1,
      'page-up': selected - page,
      'page-down': selected + page,
      first: 0,
      last: items.length - 1,
    };
    return targets[kind];
  }

  #change(changes: Partial<PickView>): void {
    const next = { ...this.#view, ...changes };
    const minTop = Math.max(0, next.selected - layoutOf(this.#options.rows()).list + 1);
    this.#view = { ...next, top: Math.min(Math.max(next.top, minTop), next.selected) };
    this.#options.draw(this.#view);
  }

  #fail(error: unknown): void {
    this.#change({ summary: errorLine(error).replace(/^cairn: /u, '') });
  }

  #select(index: number): void {
    const selected = Math.max(0, Math.min(this.#view.items.length - 1, index));
    if (selected === this.#view.selected) return;
    this.#change({ selected });
    this.#showPreview();
  }

  #retype(query: string): void {
    if (query === this.#view.query) return;
    this.#change({ query, summary: SEARCHING });
    this.#ask();
  }

  #switchMode(): void {
    if (!this.#view.canSwitch) return;
    this.#previewing.stop();
    const mode = this.#view.mode === 'find' ? 'grep' : 'find';
    this.#change({ mode, items: [], selected: 0, preview: undefined, summary: SEARCHING });
    this.#ask();
  }

  #choose(): void {
    const item = this.#view.items[this.#view.selected];
    if (item !== undefined) this.#options.end({ kind: 'chosen', item });
  }

  #ask({ isForMoreNames }: { readonly isForMoreNames: boolean } = { isForMoreNames: false }): void {
    const { mode, query } = this.#view;
    // The items are still those of the query while it is asked for more names.
    this.#isAnswered &&= isForMoreNames;
    this.#isSearching = true;
    this.#isStale = false;
    this.#searching.run(
      async (signal) => {
        const found = await this.#options.source.search(query, { mode, signal });
        if (signal.aborted) return;
        this.#isAnswered = true;
        this.#isSearching = false;
        this.#change({ ...found, ...(isForMoreNames ? this.#placeIn(found.items) : { selected: 0, top: 0 }) });
        this.#showPreview();
        if (this.#choosesNext && this.#canChoose) this.#choose();
        this.#choosesNext &&= !this.#canChoose;
        if (this.#isStale) this.#ask({ isForMoreNames: true });
      },
      (error) => {
        this.#choosesNext = false;
        this.#isSearching = false;
        this.#change({ items: [], selected: 0, preview: undefined });
        this.#fail(error);
      },
    );
  }

  /** Returns where the selected item is among new ones. The first stays the first, which is the best match. */
  #placeIn(items: readonly PickItem[]): Pick<PickView, 'selected' | 'top'> {
    const { selected, items: before, top } = this.#view;
    const path = before[selected]?.path;
    const found = selected === 0 ? 0 : items.findIndex((item) => item.path === path);
    return { selected: Math.max(0, found), top: Math.min(top, Math.max(0, found)) };
  }

  #showPreview(): void {
    const item = this.#view.items[this.#view.selected];
    const rows = layoutOf(this.#options.rows()).preview;
    this.#previewing.run(
      async (signal) => {
        const isShown = item !== undefined && rows > 0;
        const isFromList = this.#options.source.names !== undefined;
        const tools = await this.#options.tools;
        const preview = isShown ? await readPreview(tools, item, { rows, signal, isFromList }) : undefined;
        if (!signal.aborted) this.#change({ preview });
      },
      (error) => this.#fail(error),
    );
  }
}
