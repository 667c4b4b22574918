/**
 * The requirements of a store, as cases for any test runner:
 *
 * ```ts
 * test.each(backendContract)('$name', ({ run }) => run(open));
 * ```
 */
import assert from 'node:assert/strict';
import type { Draft } from '../records/lists.ts';
import { limitsOf } from '../records/limits.ts';
import { createNamespace } from '../records/namespace.ts';
import { createReader } from '../records/reader.ts';
import { MemoryError } from '../errors.ts';
import { postingsContract } from './postings-contract.ts';
import { tableContract } from './table-contract.ts';
import { contractCase, draft, drafts, forever, HOUR, hourly, note, notes, textsOf, timeOf } from './harness.ts';
import type { BackendHarness, ContractCase } from './harness.ts';

export { clockContract } from './table-contract.ts';
export { listsOf } from './harness.ts';
export type { BackendHarness, ContractCase, Lists } from './harness.ts';
export type { Draft, ListRule } from '../records/lists.ts';

async function expiryOf({ backend }: BackendHarness, key: string): Promise<number | undefined> {
  const info = (await backend.keys(key)).find((one) => one.key === key);
  assert.ok(info, `${key} is listed`);
  return info.expiresInMs;
}

/** A lifetime may be shorter by the duration of the call. */
function assertAbout(actual: number | undefined, expected: number): void {
  assert.ok(actual !== undefined && actual <= expected && actual > expected - 5000, `${actual} is about ${expected}`);
}

const k = 'ai:memory:chat:group_123';

export const backendContract: readonly ContractCase[] = [
  contractCase('a list without records is empty', async ({ backend, lists }) => {
    assert.deepEqual(await lists.list(k), []);
    assert.deepEqual(await backend.keys(''), []);
  }),
  contractCase('records are listed newest first, with the time of the store', async ({ backend, advance, lists }) => {
    const now = await backend.now();
    const [first] = await lists.append(k, [draft('one')], { rule: forever });
    assert.equal(timeOf(first), now);
    await advance(10);
    const added = await lists.append(k, [draft('two'), draft('three')], { rule: forever });
    assert.deepEqual(added.map(timeOf), [now + 10, now + 10]);
    const listed = await lists.list(k);
    assert.deepEqual(textsOf(listed), ['three', 'two', 'one']);
    assert.deepEqual(listed, [added[1], added[0], first]);
  }),
  contractCase('a limit returns the newest records', async ({ lists }) => {
    await lists.append(k, drafts('abc'), { rule: forever });
    assert.deepEqual(textsOf(await lists.list(k, { limit: 2 })), ['c', 'b']);
    assert.deepEqual(await lists.list(k, { limit: 0 }), []);
    assert.deepEqual(textsOf(await lists.list(k, { limit: 9 })), ['c', 'b', 'a']);
  }),
  contractCase('any text is returned unchanged', async ({ lists }) => {
    const texts = ['', '表格内容', '👩‍👩‍👧 \u0000 \n"\\', '"time":5}', '"time":5,"temporary":true}', '%s %25 $& \u2028'];
    for (const text of texts) await lists.append(k, [draft(text)], { rule: notes });
    assert.deepEqual(textsOf(await lists.list(k)), texts.toReversed().slice(0, 5));
  }),
  contractCase('keys are independent', async ({ backend, lists }) => {
    for (const key of ['ai:a', 'ai:ab', 'ai:a*', 'AI:A', 'ai:a%'])
      await lists.append(key, [draft(key)], { rule: forever });
    assert.deepEqual(textsOf(await lists.list('ai:a')), ['ai:a']);
    assert.deepEqual(textsOf(await lists.list('ai:a*')), ['ai:a*']);
    const listed = (await backend.keys('ai:a')).map(({ key }) => key).toSorted();
    assert.deepEqual(listed, ['ai:a', 'ai:a%', 'ai:a*', 'ai:ab']);
    assert.deepEqual(
      (await backend.keys('ai:a*')).map(({ key }) => key),
      ['ai:a*'],
    );
  }),
  contractCase('the newest records are kept, up to the maximum', async ({ lists }) => {
    for (const text of 'abcdefg') await lists.append(k, [draft(text)], { rule: hourly });
    assert.deepEqual(textsOf(await lists.list(k)), ['g', 'f', 'e', 'd', 'c']);
    await lists.append(k, drafts('123456789'), { rule: hourly });
    assert.deepEqual(textsOf(await lists.list(k)), ['9', '8', '7', '6', '5']);
  }),
  contractCase('a rule can keep as many records as the list has, each kind counted apart', async ({ lists }) => {
    const present = { ...hourly, keepsPresent: true };
    const listed = async (): Promise<unknown> => textsOf(await lists.list(k)).join('');
    await lists.append(
      k,
      [...[...'abcdefg'].map((text) => note(text, false)), ...[...'123456'].map((text) => note(text, true))],
      { rule: { ...hourly, maxRecords: 7, maxTemporaryRecords: 6 } },
    );
    await lists.append(k, [note('h', false)], { rule: present });
    assert.equal(await listed(), 'h654321gfedcb');
    await lists.append(k, [note('7', true), note('8', true)], { rule: present });
    assert.equal(await listed(), '87h6543gfedcb');
    await lists.append(k, [note('i', false)], { rule: hourly });
    assert.equal(await listed(), 'i87h654gfe');
    for (const text of 'ab') await lists.append('ai:short', [draft(text)], { rule: { ...present, maxRecords: 1 } });
    assert.deepEqual(textsOf(await lists.list('ai:short')), ['b']);
  }),
  contractCase('a record expires after its lifetime, and the key with its last record', async (harness) => {
    const { backend, advance, lists } = harness;
    await lists.append(k, [draft('old')], { rule: hourly });
    assertAbout(await expiryOf(harness, k), HOUR);
    await advance(HOUR / 2);
    await lists.append(k, [draft('young')], { rule: hourly });
    assertAbout(await expiryOf(harness, k), HOUR);
    await advance(HOUR / 2);
    assert.deepEqual(textsOf(await lists.list(k)), ['young']);
    assert.deepEqual(textsOf(await lists.list(k, { limit: 1 })), ['young']);
    await advance(HOUR / 2);
    assert.deepEqual(await lists.list(k), []);
    assert.deepEqual(await backend.keys(''), []);
  }),
  contractCase('records that are added in one call, in order or not, set the expiry of their key', async (harness) => {
    const { backend, advance, lists } = harness;
    const now = await backend.now();
    await lists.append('new', [draft('a'), draft('b')], { rule: hourly });
    assertAbout(await expiryOf(harness, 'new'), HOUR);
    await lists.append('unordered', [draft('a', now), draft('b', now - 30 * 60_000)], { rule: hourly });
    assertAbout(await expiryOf(harness, 'unordered'), HOUR);
    await lists.append('old', [draft('a', now - 30 * 60_000), draft('b', now - 20 * 60_000)], {
      rule: hourly,
    });
    assertAbout(await expiryOf(harness, 'old'), HOUR - 20 * 60_000);
    await lists.append('notes', [note('a', false), note('b', true)], { rule: notes });
    assertAbout(await expiryOf(harness, 'notes'), HOUR);
    // An older record does not shorten the expiry.
    await advance(1000);
    await lists.append('new', [draft('c', now - 50 * 60_000)], { rule: hourly });
    assertAbout(await expiryOf(harness, 'new'), HOUR - 1000);
  }),
  contractCase('without a limit nothing expires', async (harness) => {
    await harness.lists.append(k, [draft('kept')], { rule: forever });
    assert.equal(await expiryOf(harness, k), undefined);
    await harness.advance(1000 * 24 * HOUR);
    assert.deepEqual(textsOf(await harness.lists.list(k)), ['kept']);
  }),
  contractCase('a row without an end removes the expiry of its key', async (harness) => {
    const { advance, lists } = harness;
    await lists.append(k, [draft('a')], { rule: hourly });
    await lists.append(k, [draft('b')], { rule: forever });
    assert.equal(await expiryOf(harness, k), undefined);
    await advance(60_000);
    await lists.append(k, [draft('c')], { rule: hourly });
    assert.equal(await expiryOf(harness, k), undefined);
    await advance(HOUR);
    assert.deepEqual(textsOf(await lists.list(k)), ['b']);
  }),
  contractCase('temporary records expire by their own time', async (harness) => {
    const { advance, lists } = harness;
    await lists.append(k, [note('short', true)], { rule: notes });
    assertAbout(await expiryOf(harness, k), 60_000);
    await advance(30_000);
    await lists.append(k, [note('later', true)], { rule: notes });
    await advance(30_000);
    assert.deepEqual(textsOf(await lists.list(k)), ['later']);
    await advance(30_000);
    assert.deepEqual(await lists.list(k), []);
  }),
  contractCase('a temporary record never shortens a permanent one', async (harness) => {
    const { advance, lists } = harness;
    await lists.append(k, [note('long', false)], { rule: notes });
    await advance(60_000);
    await lists.append(k, [note('short', true)], { rule: notes });
    assertAbout(await expiryOf(harness, k), HOUR - 60_000);
    await advance(60_000);
    assert.deepEqual(textsOf(await lists.list(k)), ['long']);
    // Temporary records are counted apart: they push out each other only.
    for (const text of 'abcdefg') await lists.append(k, [note(text, true)], { rule: notes });
    assert.deepEqual(textsOf(await lists.list(k)), ['g', 'f', 'e', 'd', 'c', 'long']);
    assertAbout(await expiryOf(harness, k), HOUR - 120_000);
    for (const text of '123456') await lists.append(k, [note(text, false)], { rule: notes });
    assert.deepEqual(textsOf(await lists.list(k)), [...'65432gfedc']);
  }),
  contractCase('an imported record is placed by its time', async ({ backend, advance, lists }) => {
    const now = await backend.now();
    await lists.append(k, [draft('0')], { rule: forever });
    await advance(1000);
    await lists.append(k, [draft('1000')], { rule: forever });
    await lists.append(k, [draft('500', now + 500), draft('-5', now - 5), draft('1000b', now + 1000)], {
      rule: forever,
    });
    assert.deepEqual(textsOf(await lists.list(k)), ['1000b', '1000', '500', '0', '-5']);
    await lists.append(k, [draft('new')], { rule: forever });
    assert.deepEqual(textsOf(await lists.list(k, { limit: 2 })), ['new', '1000b']);
  }),
  contractCase('a record that has already expired is not kept', async ({ backend, lists }) => {
    const now = await backend.now();
    const added = await lists.append(k, [draft('over', now - 2 * HOUR)], { rule: hourly });
    assert.deepEqual(textsOf(added), ['over']);
    assert.deepEqual(await lists.list(k), []);
    assert.deepEqual(await backend.keys(''), []);
  }),
  contractCase('a clock that goes back changes neither the order nor the kept records', async ({ advance, lists }) => {
    await lists.append(k, [draft('a')], { rule: hourly });
    await advance(-10 * 60_000);
    await lists.append(k, [draft('b')], { rule: hourly });
    await advance(-10 * 60_000);
    await lists.append(k, [draft('c')], { rule: hourly });
    assert.deepEqual(textsOf(await lists.list(k)), ['c', 'b', 'a']);
    await advance(40 * 60_000);
    assert.deepEqual(textsOf(await lists.list(k)), ['c', 'b', 'a']);
  }),
  contractCase('a record without a readable time is kept and listed', async ({ advance, lists }) => {
    const torn: Draft = { before: '{"text":"torn', after: '' };
    const [record] = await lists.append(k, [torn], { rule: notes });
    await lists.append(k, [draft('whole')], { rule: notes });
    assert.deepEqual((await lists.list(k)).at(1), record);
    await advance(HOUR - 10_000);
    assert.deepEqual((await lists.list(k)).at(1), record);
    assert.equal(await lists.remove(k, [record ?? '']), 1);
    assert.deepEqual(textsOf(await lists.list(k)), ['whole']);
  }),
  contractCase('records are removed by their text, or all at once', async ({ backend, lists }) => {
    const [a, b, c] = await lists.append(k, [draft('a'), draft('b'), draft('a')], { rule: forever });
    assert.equal(a, c);
    assert.equal(await lists.remove(k, [a ?? '', 'no such record']), 1);
    assert.deepEqual(new Set(await lists.list(k)), new Set([a, b]));
    assert.equal(await lists.remove(k, 'all'), 2);
    assert.equal(await lists.remove(k, 'all'), 0);
    assert.equal(await lists.remove(k, [a ?? '']), 0);
    assert.deepEqual(await backend.keys(''), []);
  }),
  contractCase('a document is changed only when it is as expected', async ({ lists }) => {
    const swap = (expected: string | undefined, next: string | undefined): Promise<boolean> =>
      lists.swap(k, { expected, next, ttlMs: HOUR });
    assert.equal(await lists.read(k), undefined);
    assert.equal(await swap('nothing', 'x'), false);
    assert.equal(await swap(undefined, '{"a":"表"}'), true);
    assert.equal(await swap(undefined, 'x'), false);
    assert.equal(await lists.read(k), '{"a":"表"}');
    assert.equal(await swap('{"a":"表"}', ''), true);
    assert.equal(await lists.read(k), '');
    assert.equal(await swap('', undefined), true);
    assert.equal(await lists.read(k), undefined);
    assert.equal(await swap(undefined, undefined), true);
  }),
  contractCase('of several simultaneous changes of a document one succeeds', async ({ lists }) => {
    await lists.swap(k, { expected: undefined, next: '0', ttlMs: HOUR });
    const changes = Array.from({ length: 20 }, (_, index) =>
      lists.swap(k, { expected: '0', next: `${index + 1}`, ttlMs: HOUR }),
    );
    const made = (await Promise.all(changes)).map((done, index) => (done ? `${index + 1}` : '')).filter(Boolean);
    assert.deepEqual([await lists.read(k)], made);
  }),
  contractCase('a document expires after its lifetime, which each change renews', async (harness) => {
    const { advance, lists } = harness;
    await lists.swap(k, { expected: undefined, next: 'a', ttlMs: HOUR });
    await advance(HOUR - 1000);
    await lists.swap(k, { expected: 'a', next: 'b', ttlMs: HOUR });
    assertAbout(await expiryOf(harness, k), HOUR);
    await advance(HOUR - 10_000);
    assert.equal(await lists.read(k), 'b');
    await advance(10_000);
    assert.equal(await lists.read(k), undefined);
    assert.equal(await lists.swap(k, { expected: undefined, next: 'c', ttlMs: HOUR }), true);
  }),
  contractCase('keys are listed with their size and expiry', async ({ backend, lists }) => {
    await lists.append('x:list', drafts('abc'), { rule: forever });
    await lists.swap('x:document', { expected: undefined, next: 'a'.repeat(1000), ttlMs: HOUR });
    const infos = (await backend.keys('x:')).toSorted((a, b) => (a.key < b.key ? -1 : 1));
    assert.deepEqual(
      infos.map(({ key, records }) => [key, records]),
      [
        ['x:document', 1],
        ['x:list', 3],
      ],
    );
    assert.ok((infos[0]?.bytes ?? 1000) >= 1000);
    assert.equal(infos[1]?.expiresInMs, undefined);
    assertAbout(infos[0]?.expiresInMs, HOUR);
  }),
  contractCase('a namespace has keys of its own, for lists and for documents', async ({ backend }) => {
    const limits = limitsOf();
    const reader = createReader(backend, () => undefined);
    const [one, two] = ['one', 'one:two'].map((name) => createNamespace({ backend, reader, limits }, name));
    assert.ok(one && two);
    await one.append('two:key', [{ text: 'a' }, { text: 'b' }]);
    assert.equal(await two.swap('key', { expected: undefined, next: 'c' }), true);
    assert.equal(await one.swap('key', { expected: undefined, next: 'd' }), true);
    assert.deepEqual(
      (await one.list('two:key')).map(({ value }) => value),
      [{ text: 'b' }, { text: 'a' }],
    );
    assert.equal(await two.read('key'), 'c');
    assert.deepEqual(
      (await one.keys()).map(({ key, records }) => [key, records]),
      [
        ['key', 1],
        ['two:key', 2],
      ],
    );
    assert.equal(await one.forget(), 3);
    assert.deepEqual(await one.keys(), []);
    assert.equal(await two.read('key'), 'c');
  }),
  contractCase('simultaneous writes are all kept, in the order of the calls', async ({ lists }) => {
    const texts = Array.from({ length: 100 }, (_, index) => `${index}`);
    await Promise.all(texts.map((text) => lists.append(k, [draft(text)], { rule: forever })));
    assert.deepEqual(textsOf(await lists.list(k)), texts.toReversed());
  }),
  contractCase('a text of 1 MiB is kept', async ({ lists }) => {
    const text = '表'.repeat(350_000);
    await lists.append(k, [draft(text)], { rule: notes });
    assert.deepEqual(textsOf(await lists.list(k)), [text]);
  }),
  contractCase(
    'a call with an aborted signal changes nothing and rejects with its reason',
    async ({ backend, lists }) => {
      const reason = new Error('enough');
      const signal = AbortSignal.abort(reason);
      const calls = [
        () => lists.append(k, [draft('a')], { rule: forever, signal }),
        () => lists.list(k, { signal }),
        () => lists.remove(k, 'all', { signal }),
        () => lists.read(k, { signal }),
        () => lists.swap(k, { expected: undefined, next: 'a', ttlMs: HOUR }, { signal }),
        () => backend.keys('', { signal }),
        () => backend.now({ signal }),
      ];
      for (const call of calls) await assert.rejects(call, (error) => error === reason);
      assert.deepEqual(await backend.keys(''), []);
    },
  ),
  contractCase('calls fail after the store was closed; closing twice succeeds', async ({ backend, lists }) => {
    await lists.append(k, [draft('a')], { rule: forever });
    await backend.close();
    await backend.close();
    const closed = (error: unknown): boolean => MemoryError.isInstance(error) && error.code === 'STORE_CLOSED';
    await assert.rejects(() => lists.list(k), closed);
    await assert.rejects(() => lists.append(k, [draft('b')], { rule: forever }), closed);
  }),
  ...tableContract,
  ...postingsContract,
];
