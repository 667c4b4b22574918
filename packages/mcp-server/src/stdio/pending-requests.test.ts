import { expect, test } from 'vitest';
import { PendingRequests } from './stream-transport.ts';

test('settles when every awaited request has settled', async () => {
  const requests = new PendingRequests();
  await requests.settled();
  requests.start(1, { awaited: true });
  requests.start('two', { awaited: true });
  requests.start('subscription', { awaited: false });
  let isSettled = false;
  const settled = requests.settled().then(() => (isSettled = true));
  requests.settle(1);
  await Promise.resolve();
  expect(isSettled).toBe(false);
  requests.settle('two');
  expect(await settled).toBe(true);
});

test('an id is in use until it is freed, also by another request', () => {
  const requests = new PendingRequests();
  expect(requests.start(1, { awaited: true })).toBe(true);
  expect(requests.start(1, { awaited: false })).toBe(false);
  expect(requests.start('1', { awaited: true })).toBe(true);
  requests.free(1);
  expect(requests.start(1, { awaited: true })).toBe(true);
});
