import process from 'node:process';
import { expect, test } from 'vitest';
import { atExit } from './at-exit.ts';

test('at the exit, processes are killed before files are removed, and a task that throws stops no other one', () => {
  const before = process.listeners('exit');
  const done: string[] = [];
  const fail = (name: string): never => {
    done.push(name);
    throw new Error(name);
  };
  const forget = [
    atExit('remove', () => fail('remove 1')),
    atExit('kill', () => fail('kill 1')),
    atExit('remove', () => void done.push('remove 2')),
    atExit('kill', () => void done.push('kill 2')),
  ];
  const [listener, ...others] = process.listeners('exit').filter((one) => !before.includes(one));
  expect(others).toEqual([]);
  listener?.(0);
  expect(done).toEqual(['kill 1', 'kill 2', 'remove 1', 'remove 2']);
  for (const one of forget) one();
  expect(process.listeners('exit')).toEqual(before);
});
