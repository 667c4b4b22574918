import type { CodingTools } from '@cairn/coding-agent';
import type { Paint } from '../terminal/output.ts';
import type { Terminal } from '../terminal/terminal.ts';
import { frameOf } from './frame.ts';
import { createKeyReader } from './keys.ts';
import { Screen } from './screen.ts';
import { PickState, type PickResult, type PickStateOptions } from './state.ts';

export interface PickOptions extends Pick<PickStateOptions, 'mode' | 'query' | 'source'> {
  readonly paint: Paint;
  /** Loads the tools for the preview. Called once, during the first scan, so that the first keys need not wait for it. */
  readonly loadTools: () => Promise<CodingTools>;
  readonly signal: AbortSignal;
}

/** Lets a user choose. Gives the terminal back in every case; the caller prints the choice. */
export function runPicker(terminal: Terminal, options: PickOptions): Promise<PickResult> {
  const { mode, query, paint, signal, source, loadTools } = options;
  signal.throwIfAborted();
  const screen = new Screen(terminal);
  const life = new AbortController();
  source.warmUp(life.signal);
  return new Promise<PickResult>((resolve, reject) => {
    const finish = (settle: () => void): void => {
      if (life.signal.aborted) return;
      life.abort();
      keys.stop();
      signal.removeEventListener('abort', onAbort);
      state.stop();
      screen.close();
      settle();
    };
    const onAbort = (): void => finish(() => reject(signal.reason as Error));
    const tools = loadTools();
    // A failure is reported by the preview.
    tools.catch(() => undefined);
    const state = new PickState({
      mode,
      query,
      source,
      tools,
      draw: (view) => {
        if (life.signal.aborted) return;
        screen.draw(frameOf(view, { columns: terminal.columns, rows: terminal.rows, paint }));
      },
      rows: () => terminal.rows,
      end: (result) => finish(() => resolve(result)),
    });
    const keys = createKeyReader((key) => state.press(key));
    terminal.onInput((text) => keys.feed(text));
    terminal.onResize(() => {
      screen.forget();
      state.redraw();
    });
    terminal.onEnd(() => finish(() => resolve({ kind: 'interrupted' })));
    signal.addEventListener('abort', onAbort, { once: true });
    state.start();
  });
}
