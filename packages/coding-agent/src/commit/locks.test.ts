import { getEventListeners } from 'node:events';
import { setImmediate } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { nodeFileOperations } from '../files/node-operations.ts';
import type { FileOperations } from '../files/operations.ts';
import { Locks } from './locks.ts';
import { StateDirectory } from './state-directory.ts';

/** Locks of places with these identities, and the places in the order in which they are locked. */
function locksOf(identities: Readonly<Record<string, string>>): { readonly locks: Locks; readonly locked: string[] } {
  const locked: string[] = [];
  const stat = { kind: 'directory', size: 0, mode: 0, uid: 0, links: 1, mtimeMs: 0 };
  const operations = {
    ...nodeFileOperations,
    stat: async (path: string) => ({ ...stat, identity: identities[path] ?? path }),
    lock: async (path: string) => {
      locked.push(path);
      return { release: async () => undefined };
    },
  } as unknown as FileOperations;
  return { locks: new Locks(operations, new StateDirectory(operations, [])), locked };
}

const nothing = async (): Promise<void> => undefined;

test.each([[['a', 'b']], [['b', 'a']]])('the places %j are locked in the order of all processes', async (paths) => {
  const { locks, locked } = locksOf({ a: '1:2', b: '1:1' });
  await locks.hold(paths, {}, nothing);
  expect(locked).toEqual(['b', 'a']);
});

test('a place with two names is locked once', async () => {
  const { locks, locked } = locksOf({ a: '1:1', b: '1:1' });
  await locks.hold(['a', 'b'], {}, nothing);
  expect(locked).toHaveLength(1);
});

test('calls of one process for the same place take turns', async () => {
  const { locks } = locksOf({});
  const steps: string[] = [];
  const call = (name: string): Promise<void> =>
    locks.hold(['a'], {}, async () => {
      steps.push(`${name} begins`);
      await setImmediate();
      steps.push(`${name} ends`);
    });
  await Promise.all([call('first'), call('second')]);
  expect(steps).toEqual(['first begins', 'first ends', 'second begins', 'second ends']);
});

test('a call leaves no listener on its signal', async () => {
  const { signal } = new AbortController();
  await locksOf({}).locks.hold(['a'], { signal }, nothing);
  expect(getEventListeners(signal, 'abort')).toEqual([]);
});
