import { createMemory } from '@cairn/memory';
import { listsOf } from '@cairn/memory/testing';
import type { Namespace, NamespaceChanges } from '@cairn/memory';
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { backendKinds, openMemory, START_MS, useBackends } from './backends.ts';
import { forever as endless } from './records.ts';

useBackends();

const DAY = 86_400_000;

/** The histories of a context, as a package above memory keeps them. */
function historiesOf(namespace: Namespace): {
  readonly say: (agent: string, text: string) => Promise<unknown>;
  readonly texts: (agent: string) => Promise<unknown[]>;
  readonly rename: (agent: string, title: string) => Promise<boolean>;
} {
  return {
    say: (agent, text) => namespace.append(`turns/${agent}`, [{ role: 'user', text }]),
    texts: async (agent) => (await namespace.list(`turns/${agent}`)).map(({ value }) => value['text']),
    rename: async (agent, title) => {
      const before = await namespace.read(`title/${agent}`);
      return namespace.swap(`title/${agent}`, { expected: before, next: title });
    },
  };
}

describe.each(backendKinds)('a namespace on $name', (kind) => {
  test.skipIf(kind.isSkipped)('keeps lists and documents that memory itself does not see', async () => {
    const { memory } = await openMemory(kind);
    const histories = historiesOf(memory.namespace('context'));
    await histories.say('agent-1', 'hello');
    await histories.say('agent-1', 'world');
    expect(await histories.rename('agent-1', 'A greeting')).toBe(true);
    expect(await histories.texts('agent-1')).toEqual(['world', 'hello']);
    expect(await histories.texts('agent-2')).toEqual([]);
    expect(await memory.namespace('context').read('title/agent-1')).toBe('A greeting');
    expect(await memory.listGroups()).toEqual([]);
    expect(await memory.listNotes()).toEqual([]);
    expect(await memory.workflows.list()).toEqual([]);
    expect(memory.namespace('context').storeKey('a:b')).toBe('ai:namespace:context:a%3Ab');
  });

  test.skipIf(kind.isSkipped)('keeps as many records for as long as its owner states', async () => {
    const { memory, advance } = await openMemory(kind);
    const usage = memory.namespace('usage', { maxRecords: 2, lifetimeMs: DAY });
    for (const hit of ['a', 'b', 'c']) await usage.append('hits', [{ hit }]);
    await usage.swap('total', { expected: undefined, next: '3' });
    expect((await usage.list('hits')).map(({ value }) => value)).toEqual([{ hit: 'c' }, { hit: 'b' }]);
    expect((await usage.list('hits', { limit: 1 }))[0]).toMatchObject({ value: { hit: 'c' }, time: START_MS });
    await advance(DAY);
    expect(await usage.list('hits')).toEqual([]);
    expect(await usage.read('total')).toBeUndefined();
    expect(await usage.keys()).toEqual([]);
  });

  test.skipIf(kind.isSkipped)('is part of the statistics', async () => {
    const { memory } = await openMemory(kind);
    await historiesOf(memory.namespace('context')).say('agent-1', 'hello');
    await memory.namespace('usage').append('hits', [{ n: 1 }, { n: 2 }]);
    await memory.namespace('usage').swap('total', { expected: undefined, next: '2' });
    const { namespaces, bytes, messages, keysWithoutEnd } = await memory.stats();
    expect(namespaces).toMatchObject([
      { name: 'context', keys: 1, records: 1 },
      { name: 'usage', keys: 2, records: 3 },
    ]);
    expect(bytes).toBeGreaterThanOrEqual(namespaces.reduce((sum, one) => sum + one.bytes, 0));
    expect(bytes).toBeGreaterThan(0);
    expect([messages, keysWithoutEnd]).toEqual([0, 3]);
  });

  test.skipIf(kind.isSkipped)('is exported and imported, once, with its expiry', async () => {
    const { memory, advance } = await openMemory(kind);
    const usage = memory.namespace('usage', { lifetimeMs: DAY });
    await usage.append('hits', [{ hit: 'old' }]);
    await advance(DAY / 2);
    await usage.append('hits', [{ hit: 'new' }]);
    await usage.swap('total', { expected: undefined, next: '表' });
    await memory.namespace('context').append('turns', [{}]);
    const lines = await Array.fromAsync(memory.export());
    expect(lines.map((line) => (JSON.parse(line) as { kind: string }).kind)).toEqual([
      'export',
      'record',
      'record',
      'record',
      'document',
    ]);
    expect(await Array.fromAsync(memory.export({ stream: 'usage' }))).toEqual([]);

    expect(await memory.forget({ namespace: 'usage' })).toMatchObject({ removed: 3 });
    expect(await memory.forget({ namespace: 'context', key: 'other' })).toMatchObject({ removed: 0 });
    expect(await memory.forget({ namespace: 'context', key: 'turns' })).toMatchObject({ removed: 1 });
    expect(await Array.fromAsync(memory.export())).toEqual([]);
    expect(await memory.import(lines)).toMatchObject({ lines: 4, added: 4, present: 0, dropped: 0 });
    expect(await memory.import(lines)).toMatchObject({ lines: 4, added: 0, present: 4, dropped: 0 });
    expect((await usage.list('hits')).map(({ value }) => value)).toEqual([{ hit: 'new' }, { hit: 'old' }]);
    expect(await usage.read('total')).toBe('表');
    expect((await memory.namespace('context').list('turns')).map(({ value }) => value)).toEqual([{}]);
    const left = (await usage.keys()).map(({ expiresInMs = Infinity }) => Math.round(expiresInMs / 60_000));
    expect(left).toEqual([1440, 1440]);
    await advance(DAY);
    expect(await usage.keys()).toEqual([]);
    // An expired export adds nothing of it again.
    expect(await memory.import(lines)).toMatchObject({ lines: 4, added: 0, present: 1, dropped: 3 });
  });

  test.skipIf(kind.isSkipped)('is exported and imported with equal records and with any field', async () => {
    const { memory } = await openMemory(kind);
    const usage = memory.namespace('usage');
    const odd = JSON.parse('{"__proto__":1,"constructor":2,"":3}') as Record<string, unknown>;
    await usage.append('hits', [{ n: 1 }, { n: 1 }, odd, { n: 1 }]);
    const contents = async (): Promise<string[]> =>
      (await usage.list('hits')).map(({ value, time }) => JSON.stringify([value, time])).toSorted();
    const before = await contents();
    const lines = await Array.fromAsync(memory.export());
    expect(await memory.import(lines)).toMatchObject({ lines: 4, added: 0, present: 4, dropped: 0 });
    await usage.forget();
    expect(await memory.import(lines.slice(0, 3))).toMatchObject({ added: 2 });
    expect(await memory.import(lines)).toMatchObject({ lines: 4, added: 2, present: 2, dropped: 0 });
    expect(await contents()).toEqual(before);
  });

  test.skipIf(kind.isSkipped)('is imported whole or not at all', async () => {
    const { memory } = await openMemory(kind);
    const place = { namespace: 'usage', key: 'a' };
    const record = { kind: 'record', ...place, value: {}, time: START_MS };
    const document = { kind: 'document', ...place, document: 'x' };
    const refused = [
      [record, document],
      ...[-1, 9e15, 1e300].map((expiresAt) => [record, { ...document, key: 'b', expiresAt }]),
      [
        { ...record, key: 'b' },
        { ...record, expiresAt: 1e300 },
      ],
      [record, { ...record, value: [] }],
    ];
    for (const lines of refused) {
      const call = memory.import(lines.map((line) => JSON.stringify(line)));
      await expect(call).rejects.toMatchObject({ code: 'INVALID_INPUT' });
    }
    expect(await memory.namespace('usage').keys()).toEqual([]);
    // The longest lifetime can be imported again.
    await memory.namespace('usage', { lifetimeMs: 8.64e15 }).append('a', [{}]);
    expect(await memory.import(await Array.fromAsync(memory.export()))).toMatchObject({ present: 1 });
  });

  test.skipIf(kind.isSkipped)('removes single records', async () => {
    const { memory } = await openMemory(kind);
    const namespace = memory.namespace('context');
    const [first, second] = await namespace.append('turns', [{ n: 1 }, { n: 2 }]);
    expect(await namespace.remove('turns', first === undefined ? [] : [first])).toBe(1);
    expect(await namespace.list('turns')).toEqual([second]);
  });

  test.skipIf(kind.isSkipped)('returns what was added since an earlier call', async () => {
    const { memory, advance } = await openMemory(kind);
    const namespace = memory.namespace('context', { lifetimeMs: DAY });
    const valuesOf = (found: NamespaceChanges): unknown[] => found.records.map(({ value }) => value['n']);
    const nothing = await namespace.changes('turns');
    expect(nothing).toMatchObject({ start: 0, sequence: 0, records: [], unreadable: [] });
    // More than a page.
    const all = Array.from({ length: 300 }, (_, n) => ({ n }));
    await namespace.append('turns', all);
    const first = await namespace.changes('turns', { since: nothing });
    expect(first.isContinued).toBe(false);
    expect(valuesOf(first)).toEqual(all.map(({ n }) => n));
    expect(first.records[0]).toMatchObject({ time: START_MS, value: { n: 0 } });
    expect(await namespace.changes('turns', { since: first })).toMatchObject({ isContinued: true, records: [] });
    await namespace.append('turns', [{ n: 300 }, { n: 301 }]);
    const second = await namespace.changes('turns', { since: first });
    expect([second.isContinued, valuesOf(second)]).toEqual([true, [300, 301]]);
    const part = await namespace.changes('turns', { limit: 2 });
    expect(valuesOf(part)).toEqual([0, 1]);
    expect(valuesOf(await namespace.changes('turns', { since: part, limit: 100 }))).toHaveLength(100);
    await expect(namespace.changes('turns', { limit: 0 })).rejects.toMatchObject({ code: 'INVALID_INPUT' });

    await namespace.forget('turns');
    const gone = await namespace.changes('turns', { since: second });
    expect([gone.isContinued, gone.records]).toEqual([false, []]);
    await namespace.append('turns', [{ n: 'new' }]);
    const again = await namespace.changes('turns', { since: second });
    expect([again.isContinued, valuesOf(again)]).toEqual([false, ['new']]);

    // Expired records are left out, even where the store still has them.
    await memory.namespace('context').append('turns', [{ n: 'kept' }]);
    await advance(DAY);
    expect(valuesOf(await namespace.changes('turns'))).toEqual(['kept']);
  });

  test.skipIf(kind.isSkipped)('lists and removes keys by a prefix', async () => {
    const { memory } = await openMemory(kind);
    const namespace = memory.namespace('context');
    for (const key of ['a:1', 'a:2', 'a%', 'b', '*']) await namespace.append(key, [{}]);
    const keysOf = async (prefix?: string): Promise<string[]> =>
      (await namespace.keys({ prefix })).map(({ key }) => key);
    expect(await keysOf()).toEqual(['*', 'a%', 'a:1', 'a:2', 'b']);
    expect(await keysOf('a')).toEqual(['a%', 'a:1', 'a:2']);
    expect(await keysOf('a:')).toEqual(['a:1', 'a:2']);
    expect(await keysOf('*')).toEqual(['*']);
    expect(await namespace.forget({ prefix: 'a:' })).toBe(2);
    expect(await namespace.forget({ prefix: 'x' })).toBe(0);
    expect(await keysOf()).toEqual(['*', 'a%', 'b']);
    // A key is not the prefix of others.
    expect(await namespace.forget('a')).toBe(0);
    expect(await namespace.forget({ prefix: '' })).toBe(3);
  });

  test.skipIf(kind.isSkipped)('reports an unreadable record, and returns the others', async () => {
    const { backend } = await openMemory(kind);
    const found: string[] = [];
    const memory = createMemory({ backend, onUnreadable: ({ record }) => found.push(record) });
    const namespace = memory.namespace('context');
    await listsOf(backend).append(namespace.storeKey('turns'), [{ before: '{"torn":', after: '' }], { rule: endless });
    await namespace.append('turns', [{ n: 1 }]);
    const torn = `{"torn":${START_MS}`;
    expect((await namespace.list('turns')).map(({ value }) => value)).toEqual([{ n: 1 }]);
    expect(found).toEqual([torn]);
    const changes = await namespace.changes('turns');
    expect([changes.records.map(({ value }) => value), changes.unreadable]).toEqual([[{ n: 1 }], [torn]]);
    expect(found).toEqual([torn, torn]);
  });

  test.skipIf(kind.isSkipped)('rejects invalid names, values and options, and stores nothing', async () => {
    const { memory } = await openMemory(kind);
    expect(() => memory.namespace('')).toThrow(expect.objectContaining({ code: 'INVALID_NAME' }));
    expect(() => memory.namespace('x', { maxRecords: 0 })).toThrow(expect.objectContaining({ code: 'INVALID_OPTION' }));
    const namespace = memory.namespace('context');
    const cyclic: Record<string, unknown> = {};
    cyclic['self'] = cyclic;
    const refused = [
      ['INVALID_NAME', () => namespace.append('', [{}])],
      ['INVALID_INPUT', () => namespace.append('a', [{ time: 5 }])],
      ['INVALID_INPUT', () => namespace.append('a', ['text'] as never)],
      ['INVALID_INPUT', () => namespace.append('a', [cyclic])],
      ['INVALID_INPUT', () => namespace.append('a', [new Date(0) as never])],
      ['INVALID_INPUT', () => namespace.append('a', [{ toJSON: () => undefined }])],
      ['INVALID_INPUT', () => namespace.append('a', [{ ok: 1 }, { n: null, of: [{ x: Number.NaN }] }])],
      ['INVALID_INPUT', () => namespace.append('a', [{ n: -Infinity }])],
      ['INVALID_INPUT', () => namespace.swap('a', { expected: undefined, next: 'half \ud800' })],
      ['INVALID_INPUT', () => namespace.swap('a', { expected: undefined, next: 5 as never })],
      ['INVALID_INPUT', () => namespace.list('a', { limit: Number.NaN })],
      ['INVALID_INPUT', () => namespace.list('a', { limit: 1.5 })],
      ['INVALID_INPUT', () => namespace.list('a', { limit: -1 })],
      ['TOO_LARGE', () => namespace.append('a', [{ text: 'x'.repeat(2_000_000) }])],
      ['TOO_LARGE', () => namespace.swap('a', { expected: undefined, next: 'x'.repeat(2_000_000) })],
    ] as const;
    for (const [code, call] of refused) await expect(call()).rejects.toMatchObject({ code });
    await namespace.append('list', [{}]);
    expect(await namespace.read('list')).toBeUndefined();
    expect((await namespace.keys()).map(({ key }) => key)).toEqual(['list']);
  });
});

test('no two pairs of a namespace and a key share a key in the store', () => {
  const { memory } = { memory: createMemory({ backend: backendOfNothing() }) };
  const names = fc.stringMatching(/^[a-c:%\-{}表]{1,4}$/u);
  const property = fc.property(names, names, names, names, (namespace, key, otherNamespace, otherKey) => {
    fc.pre(namespace !== otherNamespace || key !== otherKey);
    const one = memory.namespace(namespace).storeKey(key);
    expect(one).not.toBe(memory.namespace(otherNamespace).storeKey(otherKey));
  });
  fc.assert(property);
});

function backendOfNothing(): Parameters<typeof createMemory>[0]['backend'] {
  const refuse = (): never => {
    throw new Error('not used');
  };
  return {
    name: 'nothing',
    now: refuse,
    change: refuse,
    rows: refuse,
    page: refuse,
    postings: refuse,
    terms: refuse,
    keys: refuse,
    erase: refuse,
    close: async () => undefined,
  };
}
