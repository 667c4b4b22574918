/** The requirements of a store about tables, sequences and a clock that jumps. */
import assert from 'node:assert/strict';
import { MemoryError } from '../errors.ts';
import type { Draft, MemoryBackend, RowChange } from '../records/backend.ts';
import { contractCase, draft, forever, HOUR, hourly, note, notes, textsOf } from './harness.ts';
import type { ContractCase } from './harness.ts';

const k = 'ai:key';

/** All records of a key by sequence, in pages of two. */
async function readAll(backend: MemoryBackend, key: string): Promise<Map<number, string>> {
  const found = new Map<number, string>();
  let after = 0;
  for (;;) {
    const { records } = await backend.changes(key, { after, limit: 2 });
    for (const { sequence, record } of records) {
      assert.ok(sequence > after, 'sequences ascend');
      found.set(sequence, record);
      after = sequence;
    }
    if (records.length < 2) return found;
  }
}

const put = (id: string, next: string | undefined, expected?: string, unique?: string): RowChange => {
  return { id, next, expected, unique };
};

export const changesContract: readonly ContractCase[] = [
  contractCase('the changes of a list are its records by sequence, wherever they are placed', async ({ backend }) => {
    assert.deepEqual(await backend.changes(k), { epoch: '', sequence: 0, count: 0, records: [] });
    const now = await backend.now();
    await backend.append(k, [draft('a'), draft('b')], { rule: forever });
    const first = await backend.changes(k);
    assert.deepEqual(textsOf(first.records.map(({ record }) => record)), ['a', 'b']);
    assert.equal(first.count, 2);
    assert.equal(first.records.at(-1)?.sequence, first.sequence);
    await backend.append(k, [draft('c')], { rule: forever });
    const { epoch, sequence: after } = first;
    const second = await backend.changes(k, { epoch, after });
    // The added record is a change, or all records are changes of another epoch.
    const added = second.epoch === epoch ? ['c'] : ['a', 'b', 'c'];
    assert.deepEqual(textsOf(second.records.map(({ record }) => record)), added);
    // The same for a record that is placed in the middle.
    await backend.append(k, [draft('old', now - 1)], { rule: forever });
    const third = await backend.changes(k, { epoch: second.epoch, after: second.sequence });
    const expected = third.epoch === second.epoch ? ['old'] : ['old', 'a', 'b', 'c'];
    assert.deepEqual(new Set(textsOf(third.records.map(({ record }) => record))), new Set(expected));
    assert.deepEqual(textsOf(await backend.list(k, { rule: forever })), ['c', 'b', 'a', 'old']);
    assert.deepEqual(new Set(textsOf([...(await readAll(backend, k)).values()])), new Set(['old', 'a', 'b', 'c']));
    const between = await backend.changes(k, { epoch: third.epoch, after: 1, upTo: 2 });
    assert.ok(between.records.every(({ sequence }) => sequence === 2));
  }),
  contractCase(
    'a long list keeps its epoch while records are added, and oldest ones are removed',
    async ({ backend }) => {
      const rule = { ...forever, maxRecords: 300 };
      const texts = Array.from({ length: 300 }, (_, index) => `${index}`);
      await backend.append(
        k,
        texts.map((text) => draft(text)),
        { rule },
      );
      const { epoch, sequence: after } = await backend.changes(k);
      for (const text of ['a', 'b', 'c']) await backend.append(k, [draft(text)], { rule });
      const { records, ...second } = await backend.changes(k, { epoch, after });
      assert.deepEqual(second, { epoch, sequence: after + 3, count: 300 });
      assert.deepEqual(textsOf(records.map(({ record }) => record)), ['a', 'b', 'c']);
      assert.deepEqual(textsOf(await backend.list(k, { rule, limit: 4 })), ['c', 'b', 'a', '299']);
    },
  ),
  contractCase('a record is fetched by its sequence until it is gone', async ({ backend }) => {
    await backend.append(
      k,
      [...'abcdefg'].map((text) => draft(text)),
      { rule: hourly },
    );
    const { epoch, count } = await backend.changes(k);
    assert.equal(count, 5);
    const all = await readAll(backend, k);
    assert.deepEqual(textsOf([...all.values()]), [...'cdefg']);
    const [c, d, e] = [...all.keys()];
    const [, recordOfD = ''] = [...all.values()];
    assert.equal(await backend.remove(k, [recordOfD]), 1);
    const fetched = await backend.fetch(k, epoch, [e ?? 0, d ?? 0, c ?? 0, 1_000_000]);
    const after = await backend.changes(k);
    const isSame = after.epoch === epoch;
    assert.deepEqual(
      fetched.map((record) => record && textsOf([record])[0]),
      isSame ? ['e', undefined, 'c', undefined] : [undefined, undefined, undefined, undefined],
    );
    const { epoch: own, sequences } = await backend.sequences(k);
    assert.deepEqual([own, sequences.length, after.count], [after.epoch, 4, 4]);
    assert.deepEqual([...(await readAll(backend, k)).keys()], sequences);
    assert.deepEqual(await backend.fetch(k, 'another epoch', sequences), [undefined, undefined, undefined, undefined]);
  }),
  contractCase('a draft is not written when the list has a record with its start', async ({ backend, advance }) => {
    const once = (text: string): Draft => ({ ...draft(text), unlessStart: `{"text":${JSON.stringify(text)},` });
    const [first] = await backend.append(k, [once('a')], { rule: hourly });
    await advance(1000);
    assert.deepEqual(await backend.append(k, [once('a')], { rule: hourly }), [first]);
    // Also a draft of the same call counts, and the other drafts are written.
    const added = await backend.append(k, [draft('b'), once('ä表'), once('ä表'), once('a')], { rule: hourly });
    assert.deepEqual([textsOf(added), added[3]], [['b', 'ä表', 'ä表', 'a'], first]);
    assert.deepEqual(textsOf(await backend.list(k, { rule: hourly })), ['ä表', 'b', 'a']);
    const both = await Promise.all(Array.from({ length: 10 }, () => backend.append(k, [once('c')], { rule: hourly })));
    assert.equal(new Set(both.flat()).size, 1);
    // Of several records the newest is returned, and a record that is gone does not count.
    await backend.append(k, [draft('c')], { rule: hourly });
    await advance(HOUR / 2);
    const [, newest] = await backend.append(k, [draft('d'), draft('c')], { rule: hourly });
    assert.deepEqual(await backend.append(k, [once('c')], { rule: hourly }), [newest]);
    await backend.remove(k, 'all');
    const [last] = await backend.append(k, [once('a')], { rule: hourly });
    assert.notEqual(last, first);
    await advance(HOUR / 2);
    await backend.append(k, [draft('e')], { rule: hourly });
    await advance(HOUR / 2);
    assert.notDeepEqual(await backend.append(k, [once('a')], { rule: hourly }), [last]);
    assert.deepEqual(textsOf(await backend.list(k, { rule: hourly })), ['a', 'e']);
  }),
  contractCase('a key that comes back has another epoch', async ({ backend }) => {
    await backend.append(k, [draft('a')], { rule: forever });
    const { epoch } = await backend.changes(k);
    await backend.remove(k, 'all');
    await backend.append(k, [draft('b')], { rule: forever });
    assert.notEqual((await backend.changes(k)).epoch, epoch);
  }),
  contractCase('a change of a table is made as a whole, or not at all', async ({ backend }) => {
    assert.deepEqual(await backend.rows(k, ['a']), [undefined]);
    const first = await backend.change(k, { rows: [put('a', '1'), put('b', '表')] });
    assert.equal(first.isDone, true);
    const rows = await backend.rows(k, ['b', 'none', 'a']);
    assert.deepEqual(
      rows.map((row) => row?.record),
      ['表', undefined, '1'],
    );
    assert.deepEqual(
      rows.map((row) => row?.id),
      ['b', undefined, 'a'],
    );
    const refused = await backend.change(k, { rows: [put('c', '3'), put('a', '2', 'other')] });
    assert.deepEqual(refused, { isDone: false, reason: 'changed', id: 'a' });
    assert.deepEqual(await backend.rows(k, ['c']), [undefined]);
    assert.deepEqual(await backend.change(k, { rows: [put('a', '2')] }), { isDone: false, reason: 'changed', id: 'a' });
    const changed = await backend.change(k, { rows: [put('a', '2', '1'), put('b', undefined, '表')] });
    assert.ok(changed.isDone && first.isDone && changed.sequence > first.sequence);
    const { records, count, sequence } = await backend.changes(k);
    const found = records.map(({ id, record }) => [id, record]);
    assert.deepEqual([found, count, sequence], [[['a', '2']], 1, changed.sequence]);
  }),
  contractCase('a change of a table can require its sequence', async ({ backend }) => {
    const first = await backend.change(k, { rows: [put('a', '1')], sequence: 0 });
    assert.ok(first.isDone);
    assert.deepEqual(await backend.change(k, { rows: [put('b', '1')], sequence: 0 }), {
      isDone: false,
      reason: 'changed',
    });
    assert.equal((await backend.change(k, { rows: [put('b', '1')], sequence: first.sequence })).isDone, true);
  }),
  contractCase('a unique text belongs to one row', async ({ backend }) => {
    await backend.change(k, { rows: [put('a', '1', undefined, 'hash')] });
    const taken = { isDone: false, reason: 'taken', id: 'a' };
    assert.deepEqual(await backend.change(k, { rows: [put('b', '1', undefined, 'hash')] }), taken);
    // The row may keep it, give it up, and another one take it, in one step or in two.
    assert.equal((await backend.change(k, { rows: [put('a', '2', '1', 'hash')] })).isDone, true);
    assert.equal(
      (await backend.change(k, { rows: [put('a', '3', '2'), put('b', '1', undefined, 'hash')] })).isDone,
      true,
    );
    assert.deepEqual(await backend.change(k, { rows: [put('c', '1', undefined, 'hash')] }), { ...taken, id: 'b' });
    assert.equal((await backend.change(k, { rows: [put('b', undefined, '1')] })).isDone, true);
    assert.equal((await backend.change(k, { rows: [put('c', '1', undefined, 'hash')] })).isDone, true);
    const twice = [put('d', '1', undefined, 'other'), put('e', '1', undefined, 'other')];
    assert.deepEqual(await backend.change(k, { rows: twice }), { isDone: false, reason: 'taken', id: 'd' });
    // The row that takes it comes before the one that gives it up.
    const handed = [put('f', '1', undefined, 'hash'), put('c', '2', '1')];
    assert.equal((await backend.change(k, { rows: handed })).isDone, true);
    assert.deepEqual(await backend.change(k, { rows: [put('g', '1', undefined, 'hash')] }), { ...taken, id: 'f' });
  }),
  contractCase('a table replaces a document in one step', async ({ backend }) => {
    await backend.swap(k, { expected: undefined, next: 'document', ttlMs: HOUR });
    const rows = [put('a', '1')];
    await assert.rejects(
      () => backend.change(k, { rows }),
      (error) => MemoryError.isInstance(error) && error.code === 'CORRUPT_RECORD',
    );
    assert.deepEqual(await backend.change(k, { rows, replaces: 'other' }), { isDone: false, reason: 'changed' });
    assert.equal((await backend.change(k, { rows, replaces: 'document' })).isDone, true);
    const [info] = await backend.keys(k);
    assert.deepEqual([info?.kind, info?.records, info?.expiresInMs], ['table', 1, undefined]);
    assert.equal(await backend.remove(k, 'all'), 1);
    assert.deepEqual(await backend.keys(k), []);
  }),
  contractCase('of several simultaneous changes of a row one succeeds', async ({ backend }) => {
    const changes = Array.from({ length: 20 }, (_, index) => backend.change(k, { rows: [put('a', `${index}`)] }));
    const made = (await Promise.all(changes)).flatMap(({ isDone }, index) => (isDone ? [`${index}`] : []));
    assert.deepEqual(
      (await backend.rows(k, ['a'])).map((row) => row?.record),
      made,
    );
  }),
  contractCase('removed text can be erased', async ({ backend }) => {
    await backend.append(k, [draft('a')], { rule: forever });
    await backend.remove(k, 'all');
    assert.ok(['done', 'log'].includes(await backend.erase()));
  }),
];

/** Of stores that use the clock of the process: the server decides for Redis. */
export const clockContract: readonly ContractCase[] = [
  contractCase('a clock that jumps forward hides what it would expire, and deletes nothing', async (harness) => {
    const { backend, advance } = harness;
    const DAY = 24 * HOUR;
    await backend.append('ai:list', [draft('a')], { rule: hourly });
    await backend.swap('ai:document', { expected: undefined, next: 'b', ttlMs: HOUR });
    await advance(40 * DAY);
    await backend.append('ai:other', [draft('c')], { rule: hourly });
    await backend.append('ai:list', [draft('later')], { rule: hourly });
    assert.deepEqual(textsOf(await backend.list('ai:list', { rule: hourly })), ['later']);
    assert.equal(await backend.read('ai:document'), undefined);
    await advance(-40 * DAY);
    assert.deepEqual(textsOf(await backend.list('ai:list', { rule: hourly })), ['later', 'a']);
    assert.equal(await backend.read('ai:document'), 'b');
    assert.equal(await backend.trustedNow(), await backend.now());
    await advance(40 * DAY);
    await backend.append('ai:other', [draft('d')], { rule: hourly });
    assert.ok((await backend.trustedNow()) < (await backend.now()));
    // The clock still agrees a day later.
    await advance(DAY);
    await backend.append('ai:other', [draft('e')], { rule: hourly });
    assert.equal(await backend.trustedNow(), await backend.now());
    await backend.append('ai:list', [draft('f')], { rule: hourly });
    await advance(-41 * DAY);
    assert.deepEqual(textsOf(await backend.list('ai:list', { rule: hourly })), ['f']);
  }),
  contractCase('a record that is written after the clock went back is kept for its lifetime', async (harness) => {
    const { backend, advance } = harness;
    await backend.append('ai:list', [note('early', true)], { rule: notes });
    await advance(-50 * 60_000);
    await backend.append('ai:list', [note('later', true)], { rule: notes });
    await advance(30_000);
    assert.deepEqual(textsOf(await backend.list('ai:list', { rule: notes })), ['later', 'early']);
    assert.equal(await backend.trustedNow(), await backend.now());
  }),
  contractCase('data that a jump of the clock hides is removed on request', async ({ backend, advance }) => {
    await backend.append('ai:list', [draft('a'), draft('b')], { rule: hourly });
    await advance(40 * 24 * HOUR);
    assert.equal(await backend.remove('ai:list', 'all'), 2);
    await advance(-40 * 24 * HOUR);
    assert.deepEqual(await backend.list('ai:list', { rule: hourly }), []);
  }),
];
