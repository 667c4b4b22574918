import process from 'node:process';
import { expect, onTestFinished, test, vi } from 'vitest';
import { endGroup } from './process-group.ts';

test('on a machine that is so busy that a poll takes a second, SIGKILL comes after two of them', async () => {
  let nowMs = 0;
  const clock = vi.spyOn(performance, 'now').mockImplementation(() => (nowMs += 1000));
  const kill = vi.spyOn(process, 'kill').mockReturnValue(true);
  onTestFinished(() => {
    clock.mockRestore();
    kill.mockRestore();
  });
  await endGroup(123);
  expect(kill.mock.calls).toEqual([
    [-123, 'SIGTERM'],
    [-123, 0],
    [-123, 'SIGKILL'],
  ]);
});
