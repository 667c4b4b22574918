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
import { contractCase, draft, forever, HOUR, hourly, listsOf, note, notes, textsOf, timeOf } from './harness.ts';
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
  contractCase('a list without records is empty', async ({ backend }) => {
    assert.deepEqual(await listsOf(backend).list(k), []);
    assert.deepEqual(await backend.keys(''), []);
  }),
  contractCase('records are listed newest first, with the time of the store', async ({ backend, advance }) => {
    const now = await backend.now();
    const [first] = await listsOf(backend).append(k, [draft('one')], { rule: forever });
    assert.equal(timeOf(first), now);
    await advance(10);
    const added = await listsOf(backend).append(k, [draft('two'), draft('three')], { rule: forever });
    assert.deepEqual(added.map(timeOf), [now + 10, now + 10]);
    const listed = await listsOf(backend).list(k);
    assert.deepEqual(textsOf(listed), ['three', 'two', 'one']);
    assert.deepEqual(listed, [added[1], added[0], first]);
  }),
  contractCase('a limit returns the newest records', async ({ backend }) => {
    await listsOf(backend).append(
      k,
      ['a', 'b', 'c'].map((text) => draft(text)),
      { rule: forever },
    );
    assert.deepEqual(textsOf(await listsOf(backend).list(k, { limit: 2 })), ['c', 'b']);
    assert.deepEqual(await listsOf(backend).list(k, { limit: 0 }), []);
    assert.deepEqual(textsOf(await listsOf(backend).list(k, { limit: 9 })), ['c', 'b', 'a']);
  }),
  contractCase('any text is returned unchanged', async ({ backend }) => {
    const texts = ['', '表格内容', '👩‍👩‍👧 \u0000 \n"\\', '"time":5}', '"time":5,"temporary":true}', '%s %25 $& \u2028'];
    for (const text of texts) await listsOf(backend).append(k, [draft(text)], { rule: notes });
    assert.deepEqual(textsOf(await listsOf(backend).list(k)), texts.toReversed().slice(0, 5));
  }),
  contractCase('keys are independent', async ({ backend }) => {
    for (const key of ['ai:a', 'ai:ab', 'ai:a*', 'AI:A', 'ai:a%'])
      await listsOf(backend).append(key, [draft(key)], { rule: forever });
    assert.deepEqual(textsOf(await listsOf(backend).list('ai:a')), ['ai:a']);
    assert.deepEqual(textsOf(await listsOf(backend).list('ai:a*')), ['ai:a*']);
    const listed = (await backend.keys('ai:a')).map(({ key }) => key).toSorted();
    assert.deepEqual(listed, ['ai:a', 'ai:a%', 'ai:a*', 'ai:ab']);
    assert.deepEqual(
      (await backend.keys('ai:a*')).map(({ key }) => key),
      ['ai:a*'],
    );
  }),
  contractCase('the newest records are kept, up to the maximum', async ({ backend }) => {
    for (const text of 'abcdefg') await listsOf(backend).append(k, [draft(text)], { rule: hourly });
    assert.deepEqual(textsOf(await listsOf(backend).list(k)), ['g', 'f', 'e', 'd', 'c']);
    await listsOf(backend).append(
      k,
      [...'123456789'].map((text) => draft(text)),
      { rule: hourly },
    );
    assert.deepEqual(textsOf(await listsOf(backend).list(k)), ['9', '8', '7', '6', '5']);
  }),
  contractCase('a rule can keep as many records as the list has, each kind counted apart', async ({ backend }) => {
    const present = { ...hourly, keepsPresent: true };
    const listed = async (): Promise<unknown> => textsOf(await listsOf(backend).list(k)).join('');
    await listsOf(backend).append(
      k,
      [...[...'abcdefg'].map((text) => note(text, false)), ...[...'123456'].map((text) => note(text, true))],
      { rule: { ...hourly, maxRecords: 7, maxTemporaryRecords: 6 } },
    );
    await listsOf(backend).append(k, [note('h', false)], { rule: present });
    assert.equal(await listed(), 'h654321gfedcb');
    await listsOf(backend).append(k, [note('7', true), note('8', true)], { rule: present });
    assert.equal(await listed(), '87h6543gfedcb');
    await listsOf(backend).append(k, [note('i', false)], { rule: hourly });
    assert.equal(await listed(), 'i87h654gfe');
    for (const text of 'ab')
      await listsOf(backend).append('ai:short', [draft(text)], { rule: { ...present, maxRecords: 1 } });
    assert.deepEqual(textsOf(await listsOf(backend).list('ai:short')), ['b']);
  }),
  contractCase('a record expires after its lifetime, and the key with its last record', async (harness) => {
    const { backend, advance } = harness;
    await listsOf(backend).append(k, [draft('old')], { rule: hourly });
    assertAbout(await expiryOf(harness, k), HOUR);
    await advance(HOUR / 2);
    await listsOf(backend).append(k, [draft('young')], { rule: hourly });
    assertAbout(await expiryOf(harness, k), HOUR);
    await advance(HOUR / 2);
    assert.deepEqual(textsOf(await listsOf(backend).list(k)), ['young']);
    assert.deepEqual(textsOf(await listsOf(backend).list(k, { limit: 1 })), ['young']);
    await advance(HOUR / 2);
    assert.deepEqual(await listsOf(backend).list(k), []);
    assert.deepEqual(await backend.keys(''), []);
  }),
  contractCase('records that are added in one call, in order or not, set the expiry of their key', async (harness) => {
    const { backend, advance } = harness;
    const now = await backend.now();
    await listsOf(backend).append('new', [draft('a'), draft('b')], { rule: hourly });
    assertAbout(await expiryOf(harness, 'new'), HOUR);
    await listsOf(backend).append('unordered', [draft('a', now), draft('b', now - 30 * 60_000)], { rule: hourly });
    assertAbout(await expiryOf(harness, 'unordered'), HOUR);
    await listsOf(backend).append('old', [draft('a', now - 30 * 60_000), draft('b', now - 20 * 60_000)], {
      rule: hourly,
    });
    assertAbout(await expiryOf(harness, 'old'), HOUR - 20 * 60_000);
    await listsOf(backend).append('notes', [note('a', false), note('b', true)], { rule: notes });
    assertAbout(await expiryOf(harness, 'notes'), HOUR);
    // An older record does not shorten the expiry.
    await advance(1000);
    await listsOf(backend).append('new', [draft('c', now - 50 * 60_000)], { rule: hourly });
    assertAbout(await expiryOf(harness, 'new'), HOUR - 1000);
  }),
  contractCase('without a limit nothing expires', async (harness) => {
    await listsOf(harness.backend).append(k, [draft('kept')], { rule: forever });
    assert.equal(await expiryOf(harness, k), undefined);
    await harness.advance(1000 * 24 * HOUR);
    assert.deepEqual(textsOf(await listsOf(harness.backend).list(k)), ['kept']);
  }),
  contractCase('a row without an end removes the expiry of its key', async (harness) => {
    const { backend, advance } = harness;
    await listsOf(backend).append(k, [draft('a')], { rule: hourly });
    await listsOf(backend).append(k, [draft('b')], { rule: forever });
    assert.equal(await expiryOf(harness, k), undefined);
    await advance(60_000);
    await listsOf(backend).append(k, [draft('c')], { rule: hourly });
    assert.equal(await expiryOf(harness, k), undefined);
    await advance(HOUR);
    assert.deepEqual(textsOf(await listsOf(backend).list(k)), ['b']);
  }),
  contractCase('temporary records expire by their own time', async (harness) => {
    const { backend, advance } = harness;
    await listsOf(backend).append(k, [note('short', true)], { rule: notes });
    assertAbout(await expiryOf(harness, k), 60_000);
    await advance(30_000);
    await listsOf(backend).append(k, [note('later', true)], { rule: notes });
    await advance(30_000);
    assert.deepEqual(textsOf(await listsOf(backend).list(k)), ['later']);
    await advance(30_000);
    assert.deepEqual(await listsOf(backend).list(k), []);
  }),
  contractCase('a temporary record never shortens a permanent one', async (harness) => {
    const { backend, advance } = harness;
    await listsOf(backend).append(k, [note('long', false)], { rule: notes });
    await advance(60_000);
    await listsOf(backend).append(k, [note('short', true)], { rule: notes });
    assertAbout(await expiryOf(harness, k), HOUR - 60_000);
    await advance(60_000);
    assert.deepEqual(textsOf(await listsOf(backend).list(k)), ['long']);
    // Temporary records are counted apart: they push out each other only.
    for (const text of 'abcdefg') await listsOf(backend).append(k, [note(text, true)], { rule: notes });
    assert.deepEqual(textsOf(await listsOf(backend).list(k)), ['g', 'f', 'e', 'd', 'c', 'long']);
    assertAbout(await expiryOf(harness, k), HOUR - 120_000);
    for (const text of '123456') await listsOf(backend).append(k, [note(text, false)], { rule: notes });
    assert.deepEqual(textsOf(await listsOf(backend).list(k)), [...'65432gfedc']);
  }),
  contractCase('an imported record is placed by its time', async ({ backend, advance }) => {
    const now = await backend.now();
    await listsOf(backend).append(k, [draft('0')], { rule: forever });
    await advance(1000);
    await listsOf(backend).append(k, [draft('1000')], { rule: forever });
    await listsOf(backend).append(k, [draft('500', now + 500), draft('-5', now - 5), draft('1000b', now + 1000)], {
      rule: forever,
    });
    assert.deepEqual(textsOf(await listsOf(backend).list(k)), ['1000b', '1000', '500', '0', '-5']);
    await listsOf(backend).append(k, [draft('new')], { rule: forever });
    assert.deepEqual(textsOf(await listsOf(backend).list(k, { limit: 2 })), ['new', '1000b']);
  }),
  contractCase('a record that has already expired is not kept', async ({ backend }) => {
    const now = await backend.now();
    const added = await listsOf(backend).append(k, [draft('over', now - 2 * HOUR)], { rule: hourly });
    assert.deepEqual(textsOf(added), ['over']);
    assert.deepEqual(await listsOf(backend).list(k), []);
    assert.deepEqual(await backend.keys(''), []);
  }),
  contractCase(
    'a clock that goes back changes neither the order nor the kept records',
    async ({ backend, advance }) => {
      await listsOf(backend).append(k, [draft('a')], { rule: hourly });
      await advance(-10 * 60_000);
      await listsOf(backend).append(k, [draft('b')], { rule: hourly });
      await advance(-10 * 60_000);
      await listsOf(backend).append(k, [draft('c')], { rule: hourly });
      assert.deepEqual(textsOf(await listsOf(backend).list(k)), ['c', 'b', 'a']);
      await advance(40 * 60_000);
      assert.deepEqual(textsOf(await listsOf(backend).list(k)), ['c', 'b', 'a']);
    },
  ),
  contractCase('a record without a readable time is kept and listed', async ({ backend, advance }) => {
    const torn: Draft = { before: '{"text":"torn', after: '' };
    const [record] = await listsOf(backend).append(k, [torn], { rule: notes });
    await listsOf(backend).append(k, [draft('whole')], { rule: notes });
    assert.deepEqual((await listsOf(backend).list(k)).at(1), record);
    await advance(HOUR - 10_000);
    assert.deepEqual((await listsOf(backend).list(k)).at(1), record);
    assert.equal(await listsOf(backend).remove(k, [record ?? '']), 1);
    assert.deepEqual(textsOf(await listsOf(backend).list(k)), ['whole']);
  }),
  contractCase('records are removed by their text, or all at once', async ({ backend }) => {
    const [a, b, c] = await listsOf(backend).append(k, [draft('a'), draft('b'), draft('a')], { rule: forever });
    assert.equal(a, c);
    assert.equal(await listsOf(backend).remove(k, [a ?? '', 'no such record']), 1);
    assert.deepEqual(new Set(await listsOf(backend).list(k)), new Set([a, b]));
    assert.equal(await listsOf(backend).remove(k, 'all'), 2);
    assert.equal(await listsOf(backend).remove(k, 'all'), 0);
    assert.equal(await listsOf(backend).remove(k, [a ?? '']), 0);
    assert.deepEqual(await backend.keys(''), []);
  }),
  contractCase('a document is changed only when it is as expected', async ({ backend }) => {
    const swap = (expected: string | undefined, next: string | undefined): Promise<boolean> =>
      listsOf(backend).swap(k, { expected, next, ttlMs: HOUR });
    assert.equal(await listsOf(backend).read(k), undefined);
    assert.equal(await swap('nothing', 'x'), false);
    assert.equal(await swap(undefined, '{"a":"表"}'), true);
    assert.equal(await swap(undefined, 'x'), false);
    assert.equal(await listsOf(backend).read(k), '{"a":"表"}');
    assert.equal(await swap('{"a":"表"}', ''), true);
    assert.equal(await listsOf(backend).read(k), '');
    assert.equal(await swap('', undefined), true);
    assert.equal(await listsOf(backend).read(k), undefined);
    assert.equal(await swap(undefined, undefined), true);
  }),
  contractCase('of several simultaneous changes of a document one succeeds', async ({ backend }) => {
    await listsOf(backend).swap(k, { expected: undefined, next: '0', ttlMs: HOUR });
    const changes = Array.from({ length: 20 }, (_, index) =>
      listsOf(backend).swap(k, { expected: '0', next: `${index + 1}`, ttlMs: HOUR }),
    );
    const made = (await Promise.all(changes)).map((done, index) => (done ? `${index + 1}` : '')).filter(Boolean);
    assert.deepEqual([await listsOf(backend).read(k)], made);
  }),
  contractCase('a document expires after its lifetime, which each change renews', async (harness) => {
    const { backend, advance } = harness;
    await listsOf(backend).swap(k, { expected: undefined, next: 'a', ttlMs: HOUR });
    await advance(HOUR - 1000);
    await listsOf(backend).swap(k, { expected: 'a', next: 'b', ttlMs: HOUR });
    assertAbout(await expiryOf(harness, k), HOUR);
    await advance(HOUR - 10_000);
    assert.equal(await listsOf(backend).read(k), 'b');
    await advance(10_000);
    assert.equal(await listsOf(backend).read(k), undefined);
    assert.equal(await listsOf(backend).swap(k, { expected: undefined, next: 'c', ttlMs: HOUR }), true);
  }),
  contractCase('keys are listed with their size and expiry', async ({ backend }) => {
    await listsOf(backend).append(
      'x:list',
      ['a', 'b', 'c'].map((text) => draft(text)),
      { rule: forever },
    );
    await listsOf(backend).swap('x:document', { expected: undefined, next: 'a'.repeat(1000), ttlMs: HOUR });
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
  contractCase('simultaneous writes are all kept, in the order of the calls', async ({ backend }) => {
    const texts = Array.from({ length: 100 }, (_, index) => `${index}`);
    await Promise.all(texts.map((text) => listsOf(backend).append(k, [draft(text)], { rule: forever })));
    assert.deepEqual(textsOf(await listsOf(backend).list(k)), texts.toReversed());
  }),
  contractCase('a text of 1 MiB is kept', async ({ backend }) => {
    const text = '表'.repeat(350_000);
    await listsOf(backend).append(k, [draft(text)], { rule: notes });
    assert.deepEqual(textsOf(await listsOf(backend).list(k)), [text]);
  }),
  contractCase('a call with an aborted signal changes nothing and rejects with its reason', async ({ backend }) => {
    const reason = new Error('enough');
    const signal = AbortSignal.abort(reason);
    const calls = [
      () => listsOf(backend).append(k, [draft('a')], { rule: forever, signal }),
      () => listsOf(backend).list(k, { signal }),
      () => listsOf(backend).remove(k, 'all', { signal }),
      () => listsOf(backend).read(k, { signal }),
      () => listsOf(backend).swap(k, { expected: undefined, next: 'a', ttlMs: HOUR }, { signal }),
      () => backend.keys('', { signal }),
      () => backend.now({ signal }),
    ];
    for (const call of calls) await assert.rejects(call, (error) => error === reason);
    assert.deepEqual(await backend.keys(''), []);
  }),
  contractCase('calls fail after the store was closed; closing twice succeeds', async ({ backend }) => {
    await listsOf(backend).append(k, [draft('a')], { rule: forever });
    await backend.close();
    await backend.close();
    const closed = (error: unknown): boolean => MemoryError.isInstance(error) && error.code === 'STORE_CLOSED';
    await assert.rejects(() => listsOf(backend).list(k), closed);
    await assert.rejects(() => listsOf(backend).append(k, [draft('b')], { rule: forever }), closed);
  }),
  ...tableContract,
  ...postingsContract,
];
