import type { ResourceChange, ResourceProvider } from '@cairn/tool';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { ResourceNotices } from './resource-notices.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

interface Source {
  readonly provider: ResourceProvider;
  readonly announce: (...changes: readonly ResourceChange[]) => void;
  readonly listeners: () => number;
}

/** Makes a provider that announces what a test tells it to. */
function createSource(scheme: string = 'x'): Source {
  const listeners = new Set<(change: ResourceChange) => void>();
  return {
    provider: {
      list: async () => ({ resources: [] }),
      read: async () => undefined,
      changes: {
        announces: (uri) => uri.startsWith(`${scheme}:`),
        onChange: (listener) => {
          listeners.add(listener);
          return () => void listeners.delete(listener);
        },
      },
    },
    announce: (...changes) => {
      for (const change of changes) for (const listener of listeners) listener(change);
    },
    listeners: () => listeners.size,
  };
}

interface Bench extends Source {
  readonly notices: ResourceNotices;
  readonly heard: string[];
  readonly ending: AbortController;
}

function createBench(): Bench {
  const source = createSource();
  const ending = new AbortController();
  const notices = new ResourceNotices([source.provider], { intervalMs: 1000, signal: ending.signal });
  const heard: string[] = [];
  notices.listen({ updated: (uri) => heard.push(uri), listChanged: () => heard.push('list') });
  return { ...source, notices, heard, ending };
}

const update = (uri: string, below: boolean = false): ResourceChange => ({ kind: 'resource-update', uri, below });
const list: ResourceChange = { kind: 'list-change' };

test('a URI is announced when one of the providers announces it', () => {
  const { signal } = new AbortController();
  const providers = [createSource('x').provider, createSource('y').provider];
  const notices = new ResourceNotices(providers, { intervalMs: 1, signal });
  expect(['x:1', 'y:1', 'z:1'].map((uri) => notices.announces(uri))).toEqual([true, true, false]);
});

test('only subscribed resources are reported, and changes of the list in any case', () => {
  const { notices, announce, heard } = createBench();
  notices.subscribe(['x:a']);
  announce(update('x:a'), update('x:b'), list);
  vi.advanceTimersByTime(0);
  expect(heard).toEqual(['list', 'x:a']);
});

test('a burst is one notification at its beginning and one at its end', () => {
  const { notices, announce, heard } = createBench();
  notices.subscribe(['x:a']);
  for (let count = 0; count < 100; count += 1) {
    announce(update('x:a'));
    vi.advanceTimersByTime(9);
  }
  expect(heard).toEqual(['x:a']);
  vi.advanceTimersByTime(100);
  expect(heard).toEqual(['x:a', 'x:a']);
  vi.advanceTimersByTime(10_000);
  expect(heard).toHaveLength(2);
  announce(update('x:a'));
  vi.advanceTimersByTime(0);
  expect(heard).toHaveLength(3);
});

test('a change of a directory reaches the resources below it, and no others', () => {
  const { notices, announce, heard } = createBench();
  notices.subscribe(['x:a', 'x:a/b', 'x:a/b/c', 'x:ab']);
  announce(update('x:a', true));
  vi.advanceTimersByTime(0);
  expect(heard).toEqual(['x:a', 'x:a/b', 'x:a/b/c']);
});

test('a resource that is subscribed twice counts until both subscriptions have ended', () => {
  const { notices, announce, heard } = createBench();
  const [first, second] = [notices.subscribe(['x:a']), notices.subscribe(['x:a', 'x:a'])];
  first();
  first();
  announce(update('x:a'));
  vi.advanceTimersByTime(1000);
  expect(heard).toEqual(['x:a']);
  announce(update('x:a'));
  // Even for a change that was not sent yet.
  second();
  vi.advanceTimersByTime(1000);
  expect(heard).toHaveLength(1);
});

test('nothing is sent after the session has ended', () => {
  const { notices, announce, heard, ending, listeners } = createBench();
  notices.subscribe(['x:a']);
  announce(update('x:a'), list);
  ending.abort();
  vi.advanceTimersByTime(1000);
  expect([heard, listeners(), vi.getTimerCount()]).toEqual([[], 0, 0]);
});

test('a listener that was removed hears nothing more', () => {
  const { notices, announce, heard } = createBench();
  const other: string[] = [];
  const stop = notices.listen({ updated: () => undefined, listChanged: () => other.push('list') });
  stop();
  announce(list);
  vi.advanceTimersByTime(0);
  expect([heard, other]).toEqual([['list'], []]);
});
