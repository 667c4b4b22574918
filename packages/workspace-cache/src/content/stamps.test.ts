import { expect, test } from 'vitest';
import type { FileStat } from '@cairn/coding-agent';
import { isSameStamp, Stamps } from './stamps.ts';

const stamp: FileStat = {
  identity: '1:2',
  kind: 'file',
  size: 3,
  mode: 0o644,
  uid: 0,
  links: 1,
  mtimeMs: 1,
  mtimeNs: 1_000_000_001n,
  ctimeNs: 2_000_000_002n,
};

test.each([
  ['identity', '1:3'],
  ['kind', 'directory'],
  ['size', 4],
  ['mtimeNs', 1_000_000_002n],
  ['ctimeNs', 2_000_000_003n],
])('another %s makes another stamp', (name, value) => {
  expect(isSameStamp(stamp, { ...stamp })).toBe(true);
  expect(isSameStamp(stamp, { ...stamp, [name]: value })).toBe(false);
});

test.each([
  ['two ticks after the change', { ctimeNs: 5_000_000_001n }, 0, 5_021, true],
  ['one tick after the change', { ctimeNs: 5_000_000_001n }, 0, 5_010, false],
  ['when a write may take longer', { ctimeNs: 5_000_000_001n }, 200, 5_200, false],
  ['after a write that took long', { ctimeNs: 5_000_000_001n }, 200, 5_221, true],
  ['where times are whole seconds', { mtimeNs: 5_000_000_000n, ctimeNs: 5_000_000_000n }, 0, 6_999, false],
  ['where times are whole seconds, later', { mtimeNs: 5_000_000_000n, ctimeNs: 5_000_000_000n }, 0, 7_001, true],
  ['when the clock was set back', { ctimeNs: 5_000_000_001n }, 0, 4_000, false],
])('%s: whether a state is settled', async (_when, times, marginMs, atMs, expected) => {
  expect(await new Stamps().isSettled(import.meta.dirname, { ...stamp, ...times }, atMs, marginMs)).toBe(expected);
});
