/** The requirements of a store about tables, sequences and a clock that jumps. */
import assert from 'node:assert/strict';
import type { MemoryBackend, Row, RowChange } from '../records/backend.ts';
import type { Draft } from '../records/lists.ts';
import { contractCase, draft, drafts, forever, HOUR, hourly, note, notes, textsOf } from './harness.ts';
import type { ContractCase } from './harness.ts';

const k = 'ai:key';

/** All rows of a key by sequence, in pages of two. */
async function readAll(backend: MemoryBackend): Promise<Row[]> {
  const found: Row[] = [];
  for (;;) {
    const after = found.at(-1)?.sequence ?? 0;
    const { rows, hasMore } = await backend.page(k, { order: 'written', after, limit: 2 });
    for (const row of rows) {
      assert.ok(row.sequence > (found.at(-1)?.sequence ?? 0), 'sequences ascend');
      found.push(row);
    }
    if (!hasMore) return found;
  }
}

function texts(rows: readonly (Row | undefined)[]): unknown[] {
  return rows.map((row) => row && (JSON.parse(row.text) as { text: unknown }).text);
}

const put = (id: string, next: string | undefined, expected?: string, unique?: string): RowChange => {
  return { id, next, expected, unique };
};

export const tableContract: readonly ContractCase[] = [
  contractCase(
    'a page has the rows that were written after a sequence, wherever they are placed',
    async ({ backend, lists }) => {
      const missing = { start: 0, sequence: 0, count: 0, rows: [], hasMore: false };
      assert.deepEqual(await backend.page(k, { order: 'written' }), missing);
      assert.deepEqual(await backend.page(k, { order: 'newest' }), missing);
      const now = await backend.now();
      await lists.append(k, [draft('a'), draft('b')], { rule: forever });
      const first = await backend.page(k, { order: 'written' });
      assert.deepEqual([texts(first.rows), first.count, first.hasMore], [['a', 'b'], 2, false]);
      assert.equal(first.rows.at(-1)?.sequence, first.sequence);
      await lists.append(k, [draft('c'), draft('old', now - 1)], { rule: forever });
      const second = await backend.page(k, { order: 'written', after: first.sequence });
      assert.deepEqual([texts(second.rows), second.count, second.start], [['c', 'old'], 4, first.start]);
      assert.deepEqual(texts(await readAll(backend)), ['a', 'b', 'c', 'old']);
      assert.deepEqual(textsOf(await lists.list(k)), ['c', 'b', 'a', 'old']);
    },
  ),
  contractCase('an expired row is not one of the rows that are kept', async ({ backend, advance }) => {
    await backend.change(k, { rows: [{ id: 'stays', next: '{"text":"stays"}' }] });
    const short = Array.from({ length: 70 }, (_, index) => ({ id: `s${index}`, next: '{}', lifetimeMs: 1000 }));
    await backend.change(k, { rows: short });
    await advance(1001);
    const keep = [{ idPrefix: '', maxRows: 2 }];
    await backend.change(k, { rows: [{ id: 'new', next: '{"text":"new"}' }], keep });
    assert.deepEqual(texts((await backend.page(k, { order: 'newest' })).rows), ['new', 'stays']);
  }),
  contractCase('an id may have any character', async ({ backend }) => {
    const ids = ['a\0b', ':', '%7B', '{a}', '__proto__', '10', ''];
    await backend.change(k, { rows: ids.map((id) => put(id, '{}')) });
    assert.deepEqual(
      (await backend.page(k, { order: 'written' })).rows.map(({ id }) => id),
      ids,
    );
    assert.equal((await backend.rows(k, ids)).filter((row) => row !== undefined).length, ids.length);
  }),
  contractCase('a label lists its rows by time, and counts them', async ({ backend }) => {
    const now = await backend.now();
    const labelled = (id: string, labels: readonly string[], timeMs?: number): RowChange => {
      return { id, next: `{"text":"${id}"}`, labels, timeMs };
    };
    const rows = [
      labelled('a', ['x', 'y']),
      labelled('b', ['y']),
      labelled('old', ['x'], now - 5),
      labelled('c', ['x']),
    ];
    await backend.change(k, {
      rows: [...rows, put('none', '{"text":"none"}'), labelled('before 1970', ['x', 'x y'], -5)],
    });
    const list = async (label: string): Promise<unknown[]> => {
      const { rows: page, count, hasMore } = await backend.page(k, { order: 'newest', label });
      return [...texts(page), count, hasMore];
    };
    assert.deepEqual(await list('x'), ['c', 'a', 'old', 'before 1970', 4, false]);
    assert.deepEqual(await list('y'), ['b', 'a', 2, false]);
    assert.deepEqual(await list('x y'), ['before 1970', 1, false]);
    assert.deepEqual(await list('z'), [0, false]);
    // In pages, from a place in between, and without rows.
    const found: unknown[] = [];
    for (let before: Row | undefined; ;) {
      const page = await backend.page(k, { order: 'newest', label: 'x', before, limit: 1 });
      found.push(...texts(page.rows), page.hasMore);
      before = page.rows.at(-1);
      if (!page.hasMore) break;
    }
    assert.deepEqual(found, ['c', true, 'a', true, 'old', true, 'before 1970', false]);
    const since = { place: now - 4, sequence: 0 };
    assert.deepEqual(texts((await backend.page(k, { order: 'newest', label: 'x', before: since })).rows), [
      'old',
      'before 1970',
    ]);
    const none = await backend.page(k, { order: 'newest', label: 'x', limit: 0 });
    assert.deepEqual([none.rows, none.count, none.hasMore], [[], 4, true]);
  }),
  contractCase('a row that is changed or removed leaves its labels', async ({ backend }) => {
    const list = async (label: string): Promise<unknown[]> => {
      const { rows, count } = await backend.page(k, { order: 'newest', label });
      return [...rows.map(({ id }) => id), count];
    };
    await backend.change(k, { rows: ['a', 'b', 'c'].map((id) => ({ id, next: '{}', labels: ['x', 'y'] })) });
    await backend.change(k, { rows: [{ id: 'a', expected: '{}', next: '{}', labels: ['y', 'z'] }] });
    assert.deepEqual(
      [await list('x'), await list('y'), await list('z')],
      [
        ['c', 'b', 2],
        ['a', 'c', 'b', 3],
        ['a', 1],
      ],
    );
    await backend.change(k, { removes: ['b'] });
    await backend.change(k, { rows: [{ id: 'c', expected: '{}', next: undefined }] });
    assert.deepEqual([await list('x'), await list('y')], [[0], ['a', 1]]);
    // A change that is not made changes no label.
    await backend.change(k, { rows: [{ id: 'a', expected: 'other', next: '{}', labels: ['x'] }] });
    assert.deepEqual(await list('x'), [0]);
    await backend.change(k, { removes: 'all' });
    await backend.change(k, { rows: [{ id: 'd', next: '{}', labels: ['w'] }] });
    assert.deepEqual([await list('y'), await list('w')], [[0], ['d', 1]]);
  }),
  contractCase('an expired row is not in a page of its label', async ({ backend, advance }) => {
    const rows = ['a', 'b', 'c'].map((id) => ({ id, next: '{}', labels: ['x'], lifetimeMs: id === 'b' ? 1000 : HOUR }));
    await backend.change(k, { rows });
    await advance(1001);
    const page = await backend.page(k, { order: 'newest', label: 'x', limit: 2 });
    assert.deepEqual([page.rows.map(({ id }) => id), page.hasMore], [['c', 'a'], false]);
  }),
  contractCase('a limit is a whole number from 0', async ({ backend }) => {
    await backend.change(k, { rows: ['a', 'b', 'c'].map((id) => put(id, '{}')) });
    for (const [limit, length] of [
      [1.5, 1],
      [-1, 0],
    ] as const) {
      const { rows, hasMore } = await backend.page(k, { order: 'newest', limit });
      assert.deepEqual([rows.length, hasMore], [length, true]);
    }
  }),
  contractCase('pages of the newest rows follow each other, even in one millisecond', async ({ backend, lists }) => {
    const now = await backend.now();
    await lists.append(
      k,
      [...'abcdefg'].map((text, index) => draft(text, now - (index % 3))),
      { rule: forever },
    );
    const found: Row[] = [];
    for (let isLast = false; !isLast;) {
      const { rows, hasMore } = await backend.page(k, { order: 'newest', before: found.at(-1), limit: 2 });
      found.push(...rows);
      isLast = !hasMore;
    }
    assert.deepEqual(texts(found), [...'gdaebfc']);
  }),
  contractCase('a page ends after a mebibyte of text', async ({ backend, lists }) => {
    const text = 'x'.repeat(400 * 1024);
    for (let index = 0; index < 5; index++) {
      await lists.append(k, [draft(text)], { rule: forever });
    }
    for (const order of ['newest', 'written'] as const) {
      const { rows, hasMore, count } = await backend.page(k, { order });
      assert.deepEqual([rows.length, hasMore, count], [3, true, 5]);
    }
    assert.equal((await readAll(backend)).length, 5);
  }),
  contractCase('a row is read by its sequence until it is gone', async ({ backend, lists }) => {
    await lists.append(k, drafts('abcdefg'), { rule: hourly });
    const all = await readAll(backend);
    assert.deepEqual(texts(all), [...'cdefg']);
    const [c, d, e] = all;
    assert.ok(c && d && e);
    assert.equal(await lists.remove(k, [d.text]), 1);
    const read = await backend.rows(k, [e.sequence, d.sequence, c.id, c.sequence, 1_000_000]);
    assert.deepEqual(texts(read), ['e', undefined, 'c', 'c', undefined]);
    assert.deepEqual(read[3], c);
    const { count } = await backend.page(k, { order: 'written' });
    assert.equal(count, 4);
  }),
  contractCase('a record is written once under its id', async ({ advance, lists }) => {
    const once = (text: string): Draft => ({ ...draft(text), id: text });
    const append = (drafts: readonly Draft[]): Promise<string[]> => lists.append(k, drafts, { rule: hourly });
    const [first] = await append([once('a')]);
    await advance(1000);
    assert.deepEqual(await append([once('a')]), [first]);
    // A draft of the same call counts too, and the other drafts are written.
    const added = await append([draft('b'), once('ä表'), once('ä表'), once('a')]);
    assert.deepEqual([textsOf(added), added[3]], [['b', 'ä表', 'ä表', 'a'], first]);
    assert.deepEqual(textsOf(await lists.list(k)), ['ä表', 'b', 'a']);
    const both = await Promise.all(Array.from({ length: 10 }, () => append([once('c')])));
    assert.equal(new Set(both.flat()).size, 1);
    // A record that is gone does not count.
    await lists.remove(k, 'all');
    const [last] = await append([once('a')]);
    assert.notEqual(last, first);
    await advance(HOUR / 2);
    await append([draft('e')]);
    await advance(HOUR / 2);
    assert.notDeepEqual(await append([once('a')]), [last]);
    assert.deepEqual(textsOf(await lists.list(k)), ['a', 'e']);
  }),
  contractCase('a table that comes back has another start and higher sequences', async ({ backend, lists }) => {
    await lists.append(k, [draft('a')], { rule: forever });
    const before = await backend.page(k, { order: 'written' });
    await lists.remove(k, 'all');
    await lists.append(k, [draft('b')], { rule: forever });
    const after = await backend.page(k, { order: 'written', after: before.sequence });
    assert.ok(after.start > before.start);
    assert.deepEqual(texts(after.rows), ['b']);
  }),
  contractCase('removals need no text, and count', async ({ backend }) => {
    await backend.change(k, { rows: [put('a', '1'), put('b', '2'), put('c', '3')] });
    const result = await backend.change(k, { removes: ['a', 'none', 'b'], rows: [put('d', '4')] });
    assert.ok(result.isDone);
    assert.deepEqual([result.removed, result.rows.map(({ id, text }) => [id, text])], [2, [['d', '4']]]);
    assert.deepEqual(
      (await readAll(backend)).map(({ id }) => id),
      ['c', 'd'],
    );
    const all = await backend.change(k, { removes: 'all', rows: [put('e', '5')] });
    assert.ok(all.isDone);
    assert.deepEqual([all.removed, (await readAll(backend)).map(({ id }) => id)], [2, ['e']]);
  }),
  contractCase('a change of a table is made as a whole, or not at all', async ({ backend }) => {
    assert.deepEqual(await backend.rows(k, ['a']), [undefined]);
    const first = await backend.change(k, { rows: [put('a', '1'), put('b', '表')] });
    assert.equal(first.isDone, true);
    const rows = await backend.rows(k, ['b', 'none', 'a']);
    assert.deepEqual(
      rows.map((row) => row?.text),
      ['表', undefined, '1'],
    );
    assert.deepEqual(
      rows.map((row) => row?.id),
      ['b', undefined, 'a'],
    );
    const rejected = await backend.change(k, { rows: [put('c', '3'), put('a', '2', 'other')] });
    assert.deepEqual(rejected, { isDone: false, reason: 'changed', id: 'a' });
    assert.deepEqual(await backend.rows(k, ['c']), [undefined]);
    assert.deepEqual(await backend.change(k, { rows: [put('a', '2')] }), { isDone: false, reason: 'changed', id: 'a' });
    const changed = await backend.change(k, { rows: [put('a', '2', '1'), put('b', undefined, '表')] });
    assert.ok(changed.isDone && first.isDone && changed.sequence > first.sequence);
    const { rows: present, count, sequence } = await backend.page(k, { order: 'written' });
    const found = present.map(({ id, text }) => [id, text]);
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
  contractCase('a removal raises the sequence of a table, even if the row is missing', async ({ backend }) => {
    const removal = { removes: ['missing'], rows: [{ id: 'none', next: undefined }] };
    assert.deepEqual(await backend.change(k, removal), { isDone: true, sequence: 0, rows: [], removed: 0 });
    const written = await backend.change(k, { rows: [{ id: 'a', next: 'a' }] });
    assert.ok(written.isDone);
    const removed = await backend.change(k, removal);
    assert.ok(removed.isDone && removed.sequence > written.sequence);
    const late = { sequence: written.sequence, rows: [{ id: 'b', next: 'b' }] };
    assert.deepEqual(await backend.change(k, late), { isDone: false, reason: 'changed' });
    assert.equal((await backend.page(k, { order: 'newest' })).count, 1);
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
  contractCase('of several simultaneous changes of a row one succeeds', async ({ backend }) => {
    const changes = Array.from({ length: 20 }, (_, index) => backend.change(k, { rows: [put('a', `${index}`)] }));
    const made = (await Promise.all(changes)).flatMap(({ isDone }, index) => (isDone ? [`${index}`] : []));
    assert.deepEqual(
      (await backend.rows(k, ['a'])).map((row) => row?.text),
      made,
    );
  }),
  contractCase('removed text can be erased', async ({ backend, lists }) => {
    await lists.append(k, [draft('a')], { rule: forever });
    await lists.remove(k, 'all');
    assert.ok(['done', 'log'].includes(await backend.erase()));
  }),
];

/** Of stores that use the clock of the process: the server decides for Redis. */
export const clockContract: readonly ContractCase[] = [
  contractCase('a clock that jumps forward hides what it would expire, and deletes nothing', async (harness) => {
    const { backend, advance, lists } = harness;
    const DAY = 24 * HOUR;
    await lists.append('ai:list', [draft('a')], { rule: hourly });
    await lists.swap('ai:document', { expected: undefined, next: 'b', ttlMs: HOUR });
    await advance(40 * DAY);
    await lists.append('ai:other', [draft('c')], { rule: hourly });
    await lists.append('ai:list', [draft('later')], { rule: hourly });
    assert.deepEqual(textsOf(await lists.list('ai:list')), ['later']);
    assert.equal(await lists.read('ai:document'), undefined);
    await advance(-40 * DAY);
    assert.deepEqual(textsOf(await lists.list('ai:list')), ['later', 'a']);
    assert.equal(await lists.read('ai:document'), 'b');
    assert.equal(await backend.now({ trusted: true }), await backend.now());
    await advance(40 * DAY);
    await lists.append('ai:other', [draft('d')], { rule: hourly });
    assert.ok((await backend.now({ trusted: true })) < (await backend.now()));
    // The clock still agrees a day later.
    await advance(DAY);
    await lists.append('ai:other', [draft('e')], { rule: hourly });
    assert.equal(await backend.now({ trusted: true }), await backend.now());
    await lists.append('ai:list', [draft('f')], { rule: hourly });
    await advance(-41 * DAY);
    assert.deepEqual(textsOf(await lists.list('ai:list')), ['f']);
  }),
  contractCase('a record that is written after the clock went back is kept for its lifetime', async (harness) => {
    const { backend, advance, lists } = harness;
    await lists.append('ai:list', [note('early', true)], { rule: notes });
    await advance(-50 * 60_000);
    await lists.append('ai:list', [note('later', true)], { rule: notes });
    await advance(30_000);
    assert.deepEqual(textsOf(await lists.list('ai:list')), ['later', 'early']);
    assert.equal(await backend.now({ trusted: true }), await backend.now());
  }),
  contractCase('data that a jump of the clock hides is removed on request', async ({ advance, lists }) => {
    await lists.append('ai:list', [draft('a'), draft('b')], { rule: hourly });
    await advance(40 * 24 * HOUR);
    assert.equal(await lists.remove('ai:list', 'all'), 2);
    await advance(-40 * 24 * HOUR);
    assert.deepEqual(await lists.list('ai:list'), []);
  }),
];
