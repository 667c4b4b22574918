import { expect, test } from 'vitest';
import { runTasks } from './at-exit.ts';

test('at the exit, processes are killed before files are removed, and a task that throws stops no other one', () => {
  const done: string[] = [];
  const fail = (name: string): never => {
    done.push(name);
    throw new Error(name);
  };
  const remove = new Set([() => fail('remove 1'), () => void done.push('remove 2')]);
  const kill = new Set([() => fail('kill 1'), () => void done.push('kill 2')]);
  runTasks({ remove, kill });
  expect(done).toEqual(['kill 1', 'kill 2', 'remove 1', 'remove 2']);
});
