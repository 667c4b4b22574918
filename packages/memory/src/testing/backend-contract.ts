/**
 * The requirements of a store, as cases for any test runner:
 *
 * ```ts
 * test.each(backendContract)('$name', ({ run }) => run(open));
 * ```
 */
import assert from 'node:assert/strict';
import type { Draft } from '../records/backend.ts';
import { limitsOf } from '../records/limits.ts';
import { createNamespace } from '../records/namespace.ts';
import { createReader } from '../records/reader.ts';
import { MemoryError } from '../errors.ts';
import { changesContract } from './changes-contract.ts';
import { contractCase, draft, forever, HOUR, hourly, note, notes, textsOf, timeOf } from './harness.ts';
import type { BackendHarness, ContractCase } from './harness.ts';

export { clockContract } from './changes-contract.ts';
export type { BackendHarness, ContractCase } from './harness.ts';

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
    assert.deepEqual(await backend.list(k, { rule: forever }), []);
    assert.deepEqual(await backend.keys(''), []);
  }),
  contractCase('records are listed newest first, with the time of the store', async ({ backend, advance }) => {
    const now = await backend.now();
    const [first] = await backend.append(k, [draft('one')], { rule: forever });
    assert.equal(timeOf(first), now);
    await advance(10);
    const added = await backend.append(k, [draft('two'), draft('three')], { rule: forever });
    assert.deepEqual(added.map(timeOf), [now + 10, now + 10]);
    const listed = await backend.list(k, { rule: forever });
    assert.deepEqual(textsOf(listed), ['three', 'two', 'one']);
    assert.deepEqual(listed, [added[1], added[0], first]);
  }),
  contractCase('a limit returns the newest records', async ({ backend }) => {
    await backend.append(
      k,
      ['a', 'b', 'c'].map((text) => draft(text)),
      { rule: forever },
    );
    assert.deepEqual(textsOf(await backend.list(k, { rule: forever, limit: 2 })), ['c', 'b']);
    assert.deepEqual(await backend.list(k, { rule: forever, limit: 0 }), []);
    assert.deepEqual(textsOf(await backend.list(k, { rule: forever, limit: 9 })), ['c', 'b', 'a']);
  }),
  contractCase('any text is returned unchanged', async ({ backend }) => {
    const texts = ['', '表格内容', '👩‍👩‍👧 \u0000 \n"\\', '"time":5}', '"time":5,"temporary":true}', '%s %25 $& \u2028'];
    for (const text of texts) await backend.append(k, [draft(text)], { rule: notes });
    assert.deepEqual(textsOf(await backend.list(k, { rule: forever })), texts.toReversed().slice(0, 5));
  }),
  contractCase('keys are independent', async ({ backend }) => {
    for (const key of ['ai:a', 'ai:ab', 'ai:a*', 'AI:A', 'ai:a%'])
      await backend.append(key, [draft(key)], { rule: forever });
    assert.deepEqual(textsOf(await backend.list('ai:a', { rule: forever })), ['ai:a']);
    assert.deepEqual(textsOf(await backend.list('ai:a*', { rule: forever })), ['ai:a*']);
    const listed = (await backend.keys('ai:a')).map(({ key }) => key).toSorted();
    assert.deepEqual(listed, ['ai:a', 'ai:a%', 'ai:a*', 'ai:ab']);
    assert.deepEqual(
      (await backend.keys('ai:a*')).map(({ key }) => key),
      ['ai:a*'],
    );
  }),
  contractCase('the newest records are kept, up to the maximum', async ({ backend }) => {
    for (const text of 'abcdefg') await backend.append(k, [draft(text)], { rule: hourly });
    assert.deepEqual(textsOf(await backend.list(k, { rule: hourly })), ['g', 'f', 'e', 'd', 'c']);
    await backend.append(
      k,
      [...'123456789'].map((text) => draft(text)),
      { rule: hourly },
    );
    assert.deepEqual(textsOf(await backend.list(k, { rule: hourly })), ['9', '8', '7', '6', '5']);
  }),
  contractCase('a rule can keep as many records as the list has, each kind counted apart', async ({ backend }) => {
    const present = { ...hourly, keepsPresent: true };
    const listed = async (): Promise<unknown> => textsOf(await backend.list(k, { rule: forever })).join('');
    await backend.append(
      k,
      [...[...'abcdefg'].map((text) => note(text, false)), ...[...'123456'].map((text) => note(text, true))],
      { rule: { ...hourly, maxRecords: 7, maxTemporaryRecords: 6 } },
    );
    await backend.append(k, [note('h', false)], { rule: present });
    assert.equal(await listed(), 'h654321gfedcb');
    await backend.append(k, [note('7', true), note('8', true)], { rule: present });
    assert.equal(await listed(), '87h6543gfedcb');
    await backend.append(k, [note('i', false)], { rule: hourly });
    assert.equal(await listed(), 'i87h654gfe');
    for (const text of 'ab') await backend.append('ai:short', [draft(text)], { rule: { ...present, maxRecords: 1 } });
    assert.deepEqual(textsOf(await backend.list('ai:short', { rule: forever })), ['b']);
  }),
  contractCase('a record expires after its lifetime, and the key with its last record', async (harness) => {
    const { backend, advance } = harness;
    await backend.append(k, [draft('old')], { rule: hourly });
    assertAbout(await expiryOf(harness, k), HOUR);
    await advance(HOUR / 2);
    await backend.append(k, [draft('young')], { rule: hourly });
    assertAbout(await expiryOf(harness, k), HOUR);
    await advance(HOUR / 2);
    assert.deepEqual(textsOf(await backend.list(k, { rule: hourly })), ['young']);
    assert.deepEqual(textsOf(await backend.list(k, { rule: hourly, limit: 1 })), ['young']);
    await advance(HOUR / 2);
    assert.deepEqual(await backend.list(k, { rule: hourly }), []);
    assert.deepEqual(await backend.keys(''), []);
  }),
  contractCase('records that are added in one call, in order or not, set the expiry of their key', async (harness) => {
    const { backend, advance } = harness;
    const now = await backend.now();
    await backend.append('new', [draft('a'), draft('b')], { rule: hourly });
    assertAbout(await expiryOf(harness, 'new'), HOUR);
    await backend.append('unordered', [draft('a', now), draft('b', now - 30 * 60_000)], { rule: hourly });
    assertAbout(await expiryOf(harness, 'unordered'), HOUR);
    await backend.append('old', [draft('a', now - 30 * 60_000), draft('b', now - 20 * 60_000)], { rule: hourly });
    assertAbout(await expiryOf(harness, 'old'), HOUR - 20 * 60_000);
    await backend.append('notes', [note('a', false), note('b', true)], { rule: notes });
    assertAbout(await expiryOf(harness, 'notes'), HOUR);
    // An older record does not shorten the expiry.
    await advance(1000);
    await backend.append('new', [draft('c', now - 50 * 60_000)], { rule: hourly });
    assertAbout(await expiryOf(harness, 'new'), HOUR - 1000);
  }),
  contractCase('without a limit nothing expires', async (harness) => {
    await harness.backend.append(k, [draft('kept')], { rule: forever });
    assert.equal(await expiryOf(harness, k), undefined);
    await harness.advance(1000 * 24 * HOUR);
    assert.deepEqual(textsOf(await harness.backend.list(k, { rule: forever })), ['kept']);
  }),
  contractCase('an unlimited rule removes the expiry of a key, and a limited one sets it again', async (harness) => {
    const { backend, advance } = harness;
    await backend.append(k, [draft('a')], { rule: hourly });
    await backend.append(k, [draft('b')], { rule: forever });
    assert.equal(await expiryOf(harness, k), undefined);
    await advance(60_000);
    await backend.append(k, [draft('c')], { rule: hourly });
    assertAbout(await expiryOf(harness, k), HOUR);
  }),
  contractCase('temporary records expire by their own time', async (harness) => {
    const { backend, advance } = harness;
    await backend.append(k, [note('short', true)], { rule: notes });
    assertAbout(await expiryOf(harness, k), 60_000);
    await advance(30_000);
    await backend.append(k, [note('later', true)], { rule: notes });
    await advance(30_000);
    assert.deepEqual(textsOf(await backend.list(k, { rule: notes })), ['later']);
    await advance(30_000);
    assert.deepEqual(await backend.list(k, { rule: notes }), []);
  }),
  contractCase('a temporary record never shortens a permanent one', async (harness) => {
    const { backend, advance } = harness;
    await backend.append(k, [note('long', false)], { rule: notes });
    await advance(60_000);
    await backend.append(k, [note('short', true)], { rule: notes });
    assertAbout(await expiryOf(harness, k), HOUR - 60_000);
    await advance(60_000);
    assert.deepEqual(textsOf(await backend.list(k, { rule: notes })), ['long']);
    // Temporary records are counted apart: they push out each other only.
    for (const text of 'abcdefg') await backend.append(k, [note(text, true)], { rule: notes });
    assert.deepEqual(textsOf(await backend.list(k, { rule: notes })), ['g', 'f', 'e', 'd', 'c', 'long']);
    assertAbout(await expiryOf(harness, k), HOUR - 120_000);
    for (const text of '123456') await backend.append(k, [note(text, false)], { rule: notes });
    assert.deepEqual(textsOf(await backend.list(k, { rule: notes })), [...'65432gfedc']);
  }),
  contractCase('an imported record is placed by its time', async ({ backend, advance }) => {
    const now = await backend.now();
    await backend.append(k, [draft('0')], { rule: forever });
    await advance(1000);
    await backend.append(k, [draft('1000')], { rule: forever });
    await backend.append(k, [draft('500', now + 500), draft('-5', now - 5), draft('1000b', now + 1000)], {
      rule: forever,
    });
    assert.deepEqual(textsOf(await backend.list(k, { rule: forever })), ['1000b', '1000', '500', '0', '-5']);
    await backend.append(k, [draft('new')], { rule: forever });
    assert.deepEqual(textsOf(await backend.list(k, { rule: forever, limit: 2 })), ['new', '1000b']);
  }),
  contractCase('a record that has already expired is not kept', async ({ backend }) => {
    const now = await backend.now();
    const added = await backend.append(k, [draft('over', now - 2 * HOUR)], { rule: hourly });
    assert.deepEqual(textsOf(added), ['over']);
    assert.deepEqual(await backend.list(k, { rule: hourly }), []);
    assert.deepEqual(await backend.keys(''), []);
  }),
  contractCase(
    'a clock that goes back changes neither the order nor the kept records',
    async ({ backend, advance }) => {
      await backend.append(k, [draft('a')], { rule: hourly });
      await advance(-10 * 60_000);
      await backend.append(k, [draft('b')], { rule: hourly });
      await advance(-10 * 60_000);
      await backend.append(k, [draft('c')], { rule: hourly });
      assert.deepEqual(textsOf(await backend.list(k, { rule: hourly })), ['c', 'b', 'a']);
      await advance(40 * 60_000);
      assert.deepEqual(textsOf(await backend.list(k, { rule: hourly })), ['c', 'b', 'a']);
    },
  ),
  contractCase('a record without a readable time is kept and listed', async ({ backend, advance }) => {
    const torn: Draft = { before: '{"text":"torn', after: '' };
    const [record] = await backend.append(k, [torn], { rule: notes });
    await backend.append(k, [draft('whole')], { rule: notes });
    assert.deepEqual((await backend.list(k, { rule: notes })).at(1), record);
    await advance(HOUR - 10_000);
    assert.deepEqual((await backend.list(k, { rule: notes })).at(1), record);
    assert.equal(await backend.remove(k, [record ?? '']), 1);
    assert.deepEqual(textsOf(await backend.list(k, { rule: notes })), ['whole']);
  }),
  contractCase('records are removed by their text, or all at once', async ({ backend }) => {
    const [a, b, c] = await backend.append(k, [draft('a'), draft('b'), draft('a')], { rule: forever });
    assert.equal(a, c);
    assert.equal(await backend.remove(k, [a ?? '', 'no such record']), 1);
    assert.deepEqual(new Set(await backend.list(k, { rule: forever })), new Set([a, b]));
    assert.equal(await backend.remove(k, 'all'), 2);
    assert.equal(await backend.remove(k, 'all'), 0);
    assert.equal(await backend.remove(k, [a ?? '']), 0);
    assert.deepEqual(await backend.keys(''), []);
  }),
  contractCase('a document is changed only when it is as expected', async ({ backend }) => {
    const swap = (expected: string | undefined, next: string | undefined): Promise<boolean> =>
      backend.swap(k, { expected, next, ttlMs: HOUR });
    assert.equal(await backend.read(k), undefined);
    assert.equal(await swap('nothing', 'x'), false);
    assert.equal(await swap(undefined, '{"a":"表"}'), true);
    assert.equal(await swap(undefined, 'x'), false);
    assert.equal(await backend.read(k), '{"a":"表"}');
    assert.equal(await swap('{"a":"表"}', ''), true);
    assert.equal(await backend.read(k), '');
    assert.equal(await swap('', undefined), true);
    assert.equal(await backend.read(k), undefined);
    assert.equal(await swap(undefined, undefined), true);
  }),
  contractCase('of several simultaneous changes of a document one succeeds', async ({ backend }) => {
    await backend.swap(k, { expected: undefined, next: '0', ttlMs: HOUR });
    const changes = Array.from({ length: 20 }, (_, index) =>
      backend.swap(k, { expected: '0', next: `${index + 1}`, ttlMs: HOUR }),
    );
    const made = (await Promise.all(changes)).map((done, index) => (done ? `${index + 1}` : '')).filter(Boolean);
    assert.deepEqual([await backend.read(k)], made);
  }),
  contractCase('a document expires after its lifetime, which each change renews', async (harness) => {
    const { backend, advance } = harness;
    await backend.swap(k, { expected: undefined, next: 'a', ttlMs: HOUR });
    await advance(HOUR - 1000);
    await backend.swap(k, { expected: 'a', next: 'b', ttlMs: HOUR });
    assertAbout(await expiryOf(harness, k), HOUR);
    await advance(HOUR - 10_000);
    assert.equal(await backend.read(k), 'b');
    await advance(10_000);
    assert.equal(await backend.read(k), undefined);
    assert.equal(await backend.swap(k, { expected: undefined, next: 'c', ttlMs: HOUR }), true);
  }),
  contractCase('a call for the other kind of value fails and changes nothing', async ({ backend }) => {
    await backend.append('list', [draft('a')], { rule: forever });
    await backend.swap('document', { expected: undefined, next: 'a', ttlMs: HOUR });
    const wrong = [
      () => backend.read('list'),
      () => backend.swap('list', { expected: undefined, next: 'b', ttlMs: HOUR }),
      () => backend.list('document', { rule: forever }),
      () => backend.append('document', [draft('b')], { rule: forever }),
      () => backend.remove('document', 'all'),
    ];
    for (const one of wrong)
      await assert.rejects(one, (error) => MemoryError.isInstance(error) && error.code === 'CORRUPT_RECORD');
    assert.deepEqual(textsOf(await backend.list('list', { rule: forever })), ['a']);
    assert.equal(await backend.read('document'), 'a');
  }),
  contractCase('keys are listed with their kind, size and expiry', async ({ backend }) => {
    await backend.append(
      'x:list',
      ['a', 'b', 'c'].map((text) => draft(text)),
      { rule: forever },
    );
    await backend.swap('x:document', { expected: undefined, next: 'a'.repeat(1000), ttlMs: HOUR });
    const infos = (await backend.keys('x:')).toSorted((a, b) => (a.key < b.key ? -1 : 1));
    assert.deepEqual(
      infos.map(({ key, kind, records }) => [key, kind, records]),
      [
        ['x:document', 'document', 1],
        ['x:list', 'list', 3],
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
      (await one.keys()).map(({ key, kind, records }) => [key, kind, records]),
      [
        ['key', 'document', 1],
        ['two:key', 'list', 2],
      ],
    );
    assert.equal(await one.forget(), 3);
    assert.deepEqual(await one.keys(), []);
    assert.equal(await two.read('key'), 'c');
  }),
  contractCase('simultaneous writes are all kept, in the order of the calls', async ({ backend }) => {
    const texts = Array.from({ length: 100 }, (_, index) => `${index}`);
    await Promise.all(texts.map((text) => backend.append(k, [draft(text)], { rule: forever })));
    assert.deepEqual(textsOf(await backend.list(k, { rule: forever })), texts.toReversed());
  }),
  contractCase('a text of 1 MiB is kept', async ({ backend }) => {
    const text = '表'.repeat(350_000);
    await backend.append(k, [draft(text)], { rule: notes });
    assert.deepEqual(textsOf(await backend.list(k, { rule: notes })), [text]);
  }),
  contractCase('a call with an aborted signal changes nothing and rejects with its reason', async ({ backend }) => {
    const reason = new Error('enough');
    const signal = AbortSignal.abort(reason);
    const calls = [
      () => backend.append(k, [draft('a')], { rule: forever, signal }),
      () => backend.list(k, { rule: forever, signal }),
      () => backend.remove(k, 'all', { signal }),
      () => backend.read(k, { signal }),
      () => backend.swap(k, { expected: undefined, next: 'a', ttlMs: HOUR }, { signal }),
      () => backend.keys('', { signal }),
      () => backend.now({ signal }),
    ];
    for (const call of calls) await assert.rejects(call, (error) => error === reason);
    assert.deepEqual(await backend.keys(''), []);
  }),
  contractCase('calls fail after the store was closed; closing twice succeeds', async ({ backend }) => {
    await backend.append(k, [draft('a')], { rule: forever });
    await backend.close();
    await backend.close();
    const closed = (error: unknown): boolean => MemoryError.isInstance(error) && error.code === 'STORE_CLOSED';
    await assert.rejects(() => backend.list(k, { rule: forever }), closed);
    await assert.rejects(() => backend.append(k, [draft('b')], { rule: forever }), closed);
  }),
  ...changesContract,
];
