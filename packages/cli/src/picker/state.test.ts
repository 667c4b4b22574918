import { expect, test, vi } from 'vitest';
import { NameFeed } from './name-feed.ts';
import { PickState, type PickResult } from './state.ts';
import type { Found, PickItem } from './source.ts';

const itemOf = (path: string): PickItem => ({ path, shownPath: path, isDirectory: false, text: path, ranges: [] });

interface Deferred<T> {
  readonly promise: Promise<T>;
  readonly resolve: (value: T) => void;
}

function deferred<T>(): Deferred<T> {
  const result: { resolve: (value: T) => void } = { resolve: () => undefined };
  const promise = new Promise<T>((resolve) => {
    result.resolve = resolve;
  });
  return { promise, resolve: result.resolve };
}

/** A stream that yields the text given to `end`, and ends. */
function openStream(): {
  readonly end: (text: string) => void;
  readonly stream: ConstructorParameters<typeof NameFeed>[0];
} {
  const { promise, resolve } = deferred<string>();
  async function* parts(): AsyncGenerator<Uint8Array> {
    yield Buffer.from(await promise);
  }
  return { end: resolve, stream: Object.assign(parts(), { destroy: () => undefined }) };
}

test('Enter chooses the first name although the list ends during the search of the empty list', async () => {
  const { end, stream } = openStream();
  const feed = new NameFeed(stream);
  const searches: (() => void)[] = [];
  const began = { wake: (): void => undefined };
  const result = deferred<PickResult>();
  const state = new PickState({
    mode: 'find',
    query: '',
    source: {
      names: feed,
      warmUp: () => undefined,
      search: () => {
        const items = feed.list.names.map(itemOf);
        const { promise, resolve } = deferred<Found>();
        searches.push(() => resolve({ items, summary: '' }));
        began.wake();
        return promise;
      },
    },
    tools: new Promise(() => undefined),
    draw: () => undefined,
    rows: () => 24,
    end: result.resolve,
  });
  state.start();
  state.press({ kind: 'choose' });
  end('first.ts\nsecond.ts\n');
  await vi.waitUntil(() => feed.isComplete);
  const next = new Promise<void>((resolve) => (began.wake = resolve));
  searches[0]?.();
  await next;
  searches[1]?.();
  expect(await result.promise).toEqual({ kind: 'chosen', item: itemOf('first.ts') });
  state.stop();
});
