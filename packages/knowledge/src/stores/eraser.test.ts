import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { Eraser } from './eraser.ts';
import type { LocalStore } from './local-store.ts';
import { losesLines, removalOf, rowOf } from './record.ts';
import type { StoredAsset } from './record.ts';
import { parseAsset } from '../assets/markdown.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

function setUp() {
  let listener = (): void => undefined;
  const eraseReplaced = vi.fn<LocalStore['eraseReplaced']>(async () => undefined);
  const eraser = new Eraser({
    eraseReplaced,
    onChange: (given) => {
      listener = () => given(['a/b']);
      return () => void (listener = () => undefined);
    },
  });
  return { close: eraser.close.bind(eraser), eraseReplaced, change: () => listener() };
}

test('the changes of a minute are erased together', async () => {
  const { change, eraseReplaced } = setUp();
  for (let count = 0; count < 100; count++) change();
  await vi.advanceTimersByTimeAsync(59_000);
  expect(eraseReplaced).not.toHaveBeenCalled();
  change();
  await vi.advanceTimersByTimeAsync(1000);
  expect(eraseReplaced).toHaveBeenCalledTimes(1);
  change();
  await vi.advanceTimersByTimeAsync(60_000);
  expect(eraseReplaced).toHaveBeenCalledTimes(2);
});

test('closing erases what is left, unless the caller cannot wait, and does not fail', async () => {
  const first = setUp();
  first.eraseReplaced.mockRejectedValue(new Error('the disk is full'));
  first.change();
  await first.close({ erases: true });
  expect(first.eraseReplaced).toHaveBeenCalledTimes(1);
  const second = setUp();
  second.change();
  await second.close({ erases: false });
  second.change();
  await vi.advanceTimersByTimeAsync(120_000);
  expect(second.eraseReplaced).not.toHaveBeenCalled();
});

function rowWith(body: string, rest: Partial<StoredAsset> = {}): StoredAsset {
  const parsed = parseAsset(`---\nname: n\ntype: adr\ntitle: T\n---\n${body}`);
  return { ...rowOf(parsed, { createdMs: 1, changedMs: 1, origin: { kind: 'local' } }), ...rest };
}

test('a line of any text of a row counts as lost when no row in its place has it', () => {
  const row = rowWith('one\ntwo\n');
  const team = { hash: '', oid: '' };
  const removal = removalOf({ productLine: 'general', name: 'n' }, { team });
  const notes = { helpful: 0, wrong: 1, notes: ['a note'] };
  expect(losesLines([undefined], [row])).toBe(false);
  expect(losesLines([row], [rowWith('two\none\nthree\n')])).toBe(false);
  expect(losesLines([row], [rowWith('one two\n')])).toBe(true);
  expect(losesLines([row, undefined], [removal, row])).toBe(false);
  expect(losesLines([row], [removal])).toBe(true);
  expect(losesLines([rowWith('one', { reports: notes })], [rowWith('one')])).toBe(true);
  expect(losesLines([rowWith('one', { conflict: { theirs: 'b' } })], [rowWith('one')])).toBe(true);
  expect(losesLines([{ ...removal, conflict: { theirs: null } }], [rowWith('one')])).toBe(false);
});
