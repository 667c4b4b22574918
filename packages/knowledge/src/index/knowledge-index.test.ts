import { memory } from '@cairn/memory/memory';
import type { MemoryBackend } from '@cairn/memory';
import * as fc from 'fast-check';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import { ASSET_TYPES } from '../assets/asset.ts';
import type { Stack } from '../stack/stack.ts';
import { openLocalStore } from '../stores/local-store.ts';
import type { AssetDraft } from '../stores/draft.ts';
import type { LocalStore } from '../stores/local-store.ts';
import { headOf } from '../stores/record.ts';
import { openIndex } from './knowledge-index.ts';
import type { KnowledgeIndex, KnowledgeIndexOptions } from './knowledge-index.ts';
import { readSavedIndex } from './saved-index.ts';
import { createComparison, createFilter, isListed, listHeads } from './selection.ts';
import type { IndexFilters } from './selection.ts';

const SAVED = 'ai:knowledge:index';

let directory: string;
let backend: MemoryBackend;
let nowMs: number;

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'cairn-index-'));
  backend = memory();
  nowMs = 1_000_000;
});

afterEach(() => {
  rmSync(directory, { recursive: true });
});

function openStore(): LocalStore {
  return openLocalStore({ backend, clock: () => (nowMs += 1000) });
}

function open(store: KnowledgeIndexOptions['store'], options: Partial<KnowledgeIndexOptions> = {}): KnowledgeIndex {
  const index = openIndex({ store, backend, directory, ...options });
  onTestFinished(() => index.close());
  return index;
}

function draft(fields: Partial<AssetDraft> & { readonly name: string }): AssetDraft {
  return { productLine: 'general', type: 'reference', title: fields.name, body: `About ${fields.name}.`, ...fields };
}

async function namesOf(index: KnowledgeIndex): Promise<string[]> {
  const { heads } = await index.list();
  return heads.map(({ name }) => name).toSorted();
}

function file(name: string): string {
  return join(directory, name);
}

function readDocument(): string {
  return readFileSync(file('AGENTS-INDEX.md'), 'utf8');
}

function linesOf(document: string): string[] {
  const lines = document.split('\n');
  return lines.slice(lines.indexOf('<!-- INDEX_START -->') + 1, lines.indexOf('<!-- INDEX_END -->'));
}

test('the index follows what its own store and another one change', async () => {
  const [store, other] = [openStore(), openStore()];
  const index = open(store);
  expect(await namesOf(index)).toEqual([]);
  await store.add(draft({ name: 'a' }));
  await other.add(draft({ name: 'b' }));
  expect(await namesOf(index)).toEqual(['a', 'b']);
  await other.change('general/a', { fields: { name: 'c', title: 'Renamed' } });
  expect(await namesOf(index)).toEqual(['b', 'c']);
  expect((await index.scan('renamed')).exact.map(({ id }) => id)).toEqual(['general/c']);
  expect((await index.scan('a')).exact).toEqual([]);
  await other.remove('general/b');
  expect(await namesOf(index)).toEqual(['c']);
  expect(index.head('general/b')).toBeUndefined();
});

test('only changed assets are read and rendered', async () => {
  const store = openStore();
  for (let number = 0; number < 20; number++) await store.add(draft({ name: `asset-${number}` }));
  const index = open(store);
  expect(await index.refresh()).toEqual({ changed: 20 });
  const before = index.heads();
  await store.change('general/asset-7', { fields: { title: 'Other' } });
  expect(await index.refresh()).toEqual({ changed: 1 });
  expect(await index.refresh()).toEqual({ changed: 0 });
  // The same objects: nothing but the changed one was made again.
  const kept = index.heads().filter((head) => before.includes(head));
  expect(kept).toHaveLength(19);
});

test('skills and inactive assets are counted, and listed only when they are asked for', async () => {
  const store = openStore();
  await store.add(draft({ name: 'active' }));
  await store.add(draft({ name: 'workflow', type: 'skill' }));
  await store.add(draft({ name: 'old', status: 'deprecated' }));
  await store.add(draft({ name: 'older', supersededBy: 'active' }));
  const index = open(store);
  expect(await namesOf(index)).toEqual(['active']);
  expect((await index.list({ type: 'skill' })).heads.map(({ name }) => name)).toEqual(['workflow']);
  const { text, omitted, total, listed } = await index.document();
  expect({ omitted, total, listed }).toEqual({
    omitted: { inactive: 2, skills: 1, otherLines: 0, more: 0 },
    total: 4,
    listed: 1,
  });
  expect(text).toContain('Total assets: 4 (L1: 4, L2: 0)');
  expect(text).toContain('Not listed: 1 skill, 2 deprecated or superseded assets.');
  expect((await index.scan('workflow old older')).vague).toEqual([]);
  expect((await index.scan('workflow', { type: 'skill' })).exact.map(({ name }) => name)).toEqual(['workflow']);
  // In any case, all are there for those that ask for all.
  expect(index.heads()).toHaveLength(4);
});

test('filters select product lines with those below them, types, and the stack', async () => {
  const store = openStore();
  await store.add(draft({ name: 'a', productLine: 'exchange', tags: ['x'] }));
  await store.add(draft({ name: 'b', productLine: 'exchange/core', type: 'pitfall', tags: ['x'] }));
  await store.add(draft({ name: 'c', productLine: 'exchange-web', tags: ['x'] }));
  const index = open(store);
  const select = async (filters: IndexFilters): Promise<unknown> => {
    const { heads, otherLines } = await index.list(filters);
    expect(await index.scan('x', filters)).toEqual({ exact: heads, vague: [] });
    expect(await index.scan('x y', filters)).toEqual({ exact: [], vague: heads });
    return [...heads.map(({ name }) => name), otherLines];
  };
  const stack: Stack = { projects: [['exchange', 'core']], names: [], unreadable: [] };
  expect(await select({ productLine: 'exchange' })).toEqual(['b', 'a', 0]);
  expect(await select({ productLine: 'Exchange/core/' })).toEqual(['b', 0]);
  expect(await select({ type: 'reference' })).toEqual(['c', 'a', 0]);
  expect(await select({ stack })).toEqual(['b', 'a', 'c', 0]);
  expect(await select({ stack, onlyMatching: true })).toEqual(['b', 'a', 1]);
  expect(await select({ onlyMatching: true })).toEqual(['b', 'c', 'a', 0]);
});

test('exact matches begin with the asset of that name, and vague ones with those that have most of the query', async () => {
  const store = openStore();
  await store.add(draft({ name: 'redis-cluster', title: 'Redis' }));
  await store.add(draft({ name: 'redis' }));
  await store.add(draft({ name: 'redis-tips', type: 'pitfall' }));
  const index = open(store);
  const exact = await index.scan(' Redis ');
  expect(exact.exact.map(({ name }) => name)).toEqual(['redis', 'redis-tips', 'redis-cluster']);
  const vague = await index.scan('redis cluster failover');
  expect(vague.vague.map(({ name }) => name)).toEqual(['redis-cluster', 'redis-tips', 'redis']);
});

test('the file shows 200 assets and states how many it does not show; a scan sees all', async () => {
  const store = openStore();
  for (let number = 0; number < 220; number++) await store.add(draft({ name: `asset-${number}`, tags: ['same'] }));
  const index = open(store);
  await index.flush();
  const lines = linesOf(readDocument());
  expect(lines).toHaveLength(200);
  expect(lines[0]).toBe('asset-219|reference|general|asset-219|same|0');
  expect(readDocument()).toMatch(/\n## Not Listed\n\nNot listed: 20 more assets\. `scan_index` finds [^\n]*\n$/u);
  expect((await index.scan('same')).exact).toHaveLength(220);
  expect((await index.list()).heads).toHaveLength(220);
  expect((await index.document({ maxAssets: 1000 })).listed).toBe(200);
  expect((await index.document({ maxAssets: 3 })).omitted.more).toBe(217);
});

test('100 assets of 5 KB are indexed in 15 KB and in less than 5 % of their text', async () => {
  const store = openStore();
  let characters = 0;
  for (let number = 0; number < 100; number++) {
    const asset = await store.add(
      draft({
        name: `redis-cluster-failover-${number}`,
        productLine: 'exchange/infra',
        title: `Redis 集群故障转移指南 ${number}`,
        tags: ['redis', 'ha', 'ops'],
        body: `${number} ${'Raise the timeout before the failover. '.repeat(130)}`,
      }),
    );
    characters += Buffer.byteLength(asset.text);
  }
  const { text, listed, warnings } = await open(store).document();
  const bytes = Buffer.byteLength(text);
  expect({ listed, warnings }).toEqual({ listed: 100, warnings: [] });
  expect(characters).toBeGreaterThan(500_000);
  expect(bytes).toBeLessThan(15 * 1024);
  expect(bytes / characters).toBeLessThan(0.05);
});

test('an equal file is not written again', async () => {
  const store = openStore();
  await store.add(draft({ name: 'a' }));
  const index = open(store);
  await index.flush();
  const { ino } = statSync(file('AGENTS-INDEX.md'));
  await index.flush();
  await open(openStore()).flush();
  // A report of a reader changes the store, and nothing that the file shows.
  await store.report('general/a', 'helpful');
  await index.flush();
  expect(statSync(file('AGENTS-INDEX.md')).ino).toBe(ino);
});

test('a file that was removed or changed by hand is written again', async () => {
  const store = openStore();
  await store.add(draft({ name: 'a' }));
  await open(store).flush();
  const expected = readDocument();
  rmSync(file('AGENTS-INDEX.md'));
  await open(openStore()).flush();
  expect(readDocument()).toBe(expected);
  writeFileSync(file('AGENTS-INDEX.md'), `${expected.slice(0, -1)}!`);
  await open(openStore()).flush();
  expect(readDocument()).toBe(expected);
});

test.each([
  ['missing', 'heads', () => undefined],
  ['without its state', 'state', () => undefined],
  ['of another version', 'state', (text: string) => text.replace(/"version":(\d+)/u, '"version":1$1')],
  ['not JSON', 'heads', (text: string) => text.slice(0, -1)],
] as const)('a saved index that is %s costs nothing but time', async (_name, id, damage) => {
  const store = openStore();
  await store.add(draft({ name: 'a' }));
  await store.add(draft({ name: 'b', productLine: 'other' }));
  await open(store).flush();
  const read = async (): Promise<string> => (await backend.rows(SAVED, [id]))[0]?.text ?? '';
  const text = await read();
  await backend.change(SAVED, { rows: [{ id, expected: text, next: damage(text) }] });
  const index = open(openStore());
  expect(await index.refresh()).toEqual({ changed: 2 });
  expect(await namesOf(index)).toEqual(['a', 'b']);
  await index.flush();
  expect(await read()).toBe(text);
});

test('an asset that is removed or replaced is in no saved index after the erasure', async () => {
  const store = openStore();
  const index = open(store);
  for (const name of ['old', 'gone']) await store.add(draft({ name }));
  await index.flush();
  const saved = async (): Promise<string> =>
    (await backend.rows(SAVED, ['state', 'heads'])).map((row) => row?.text).join('');
  expect(await saved()).toContain('"gone"');
  await store.remove('general/gone');
  expect(await saved()).toBe('');
  await index.flush();
  expect(await saved()).toContain('"old"');
  await store.change('general/old', { fields: { title: 'New' } });
  await store.eraseReplaced();
  expect(await saved()).toBe('');
  await index.flush();
  await store.change('general/old', { fields: { title: 'Newer' } });
  await index.flush();
  await store.eraseReplaced();
  expect(await saved()).toContain('"Newer"');
});

test('a new process reads from the saved index what did not change', async () => {
  const store = openStore();
  for (const name of ['a', 'b', 'c']) await store.add(draft({ name }));
  await open(store).flush();
  await store.change('general/b', { fields: { title: 'Another title' } });
  await store.add(draft({ name: 'd' }));
  const index = open(openStore());
  expect(await index.refresh()).toEqual({ changed: 2 });
  expect(await namesOf(index)).toEqual(['a', 'b', 'c', 'd']);
  // A rename removes the row of the earlier name: all assets are read.
  await store.change('general/b', { fields: { name: 'e' } });
  expect(await open(openStore()).refresh()).toEqual({ changed: 4 });
  await index.refresh();
  expect(await namesOf(index)).toEqual(['a', 'c', 'd', 'e']);
});

test('assets that a later version wrote are counted, and not listed', async () => {
  const store = openStore();
  await store.add(draft({ name: 'a' }));
  await store.add(draft({ name: 'b' }));
  const index = open(store);
  await index.flush();
  const key = 'ai:knowledge:assets';
  const [before] = await backend.rows(key, ['general/a']);
  const later = '{"version":99,"text":"?"}';
  await backend.change(key, { rows: [{ id: 'general/a', expected: before?.text, next: later }] });
  expect(await namesOf(index)).toEqual(['b']);
  expect((await index.document()).text).toContain('Not listed: 1 asset of a later version of Cairn');
  await index.flush();
  // For a process that reads the saved index, too, and after another change.
  const again = open(openStore());
  await store.add(draft({ name: 'c' }));
  expect(await namesOf(again)).toEqual(['b', 'c']);
  expect(again.overview().counts).toMatchObject({ total: 2, unreadable: 1 });
  // Once it is gone, nothing is missing.
  await backend.change(key, { rows: [{ id: 'general/a', expected: later, next: undefined }] });
  expect(await namesOf(again)).toEqual(['b', 'c']);
  expect(again.overview().counts).not.toHaveProperty('unreadable');
});

test('10,000 assets are scanned without reading any of them', async () => {
  const asset = await openStore().add(draft({ name: 'a' }));
  let isFirst = true;
  const reads: number[] = [];
  const index = open({
    onChange: () => () => undefined,
    changes: async () => {
      const changed = Array.from({ length: isFirst ? 10_000 : 0 }, (_, number) => ({
        sequence: number + 1,
        asset: { ...asset, id: `general/a-${number}`, name: `a-${number}`, title: `缓存 ${number % 100}` },
      }));
      isFirst = false;
      reads.push(changed.length);
      const position = { start: 1, sequence: 10_000, count: 10_000 };
      return { ...position, isContinued: true, changed, removed: [], unreadable: [] };
    },
  });
  expect((await index.scan('缓存 7')).exact).toHaveLength(100);
  expect((await index.scan('缓存')).exact).toHaveLength(10_000);
  expect((await index.scan('a-77')).exact[0]?.name).toBe('a-77');
  expect(reads.filter((count) => count > 0)).toEqual([10_000]);
});

test('changes are written together within a second', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
  const store = openStore();
  let writes = 0;
  const opened = async (): Promise<Map<string, number>> => new Map([['general/a', ++writes]]);
  const index = open(store, { opened });
  await index.flush();
  writes = 0;
  for (let number = 0; number < 100; number++) await store.add(draft({ name: `asset-${number}` }));
  expect(linesOf(readDocument())).toEqual([]);
  vi.advanceTimersByTime(1000);
  // Nothing is left for the end: closing waits for the writing that has begun.
  expect(vi.getTimerCount()).toBe(0);
  await index.close();
  expect(linesOf(readDocument())).toHaveLength(100);
  expect(writes).toBe(1);
});

test('the first reader of a store without an index writes it', async () => {
  const store = openStore();
  await store.add(draft({ name: 'a' }));
  const index = open(store);
  await index.list();
  await index.close();
  expect(linesOf(readDocument())).toEqual(['a|reference|general|a||0']);
});

test('what is scheduled is written at the end', async () => {
  const store = openStore();
  const index = open(store);
  await store.add(draft({ name: 'a' }));
  await index.close();
  await index.close();
  expect(linesOf(readDocument())).toEqual(['a|reference|general|a||0']);
});

test('what can wait is written at the end only', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
  const store = openStore();
  for (const name of ['a', 'b']) await store.add(draft({ name }));
  const opened = new Map<string, number>();
  const index = open(store, { opened: async () => new Map(opened) });
  await index.flush();
  expect(linesOf(readDocument()).map((line) => line[0])).toEqual(['b', 'a']);
  opened.set('general/a', 1);
  index.noteOpened();
  expect(vi.getTimerCount()).toBe(0);
  await index.close();
  expect(linesOf(readDocument()).map((line) => line[0])).toEqual(['a', 'b']);
});

test('a change while the files are written is written too', async () => {
  const store = openStore();
  let isFirst = true;
  const other = openStore();
  const index = open({
    ...store,
    changes: async (...known) => {
      const changes = await store.changes(...known);
      // After it was read, and before it is written.
      if (isFirst) await other.add(draft({ name: 'b' }));
      isFirst = false;
      return changes;
    },
  });
  await store.add(draft({ name: 'a' }));
  await index.flush();
  expect(linesOf(readDocument())).toHaveLength(2);
});

test('a directory that cannot be written is reported, and the index works', async () => {
  writeFileSync(file('taken'), '');
  const store = openStore();
  const index = openIndex({ store, directory: file('taken/x') });
  await store.add(draft({ name: 'a' }));
  expect(await namesOf(index)).toEqual(['a']);
  await expect(index.flush()).rejects.toMatchObject({
    code: 'STORE_FAILED',
    path: file('taken/x/AGENTS-INDEX.md'),
    hint: expect.stringContaining('The assets are stored'),
  });
  await expect(index.close()).rejects.toMatchObject({ code: 'STORE_FAILED' });
  // A reader has changed nothing.
  const reader = openIndex({ store, directory: file('taken/x') });
  expect(await namesOf(reader)).toEqual(['a']);
  await expect(reader.close()).resolves.toBeUndefined();
});

test('the file is private, and what killed processes left is removed', async () => {
  const old = file('AGENTS-INDEX.md.0123456789ab.tmp');
  const used = file('AGENTS-INDEX.md.ba9876543210.tmp');
  const foreign = file('notes.md.0123456789ab.tmp');
  for (const path of [old, used, foreign]) writeFileSync(path, '');
  for (const path of [old, foreign]) utimesSync(path, 0, 0);
  const index = open(openStore());
  await index.flush();
  expect(readdirSync(directory).toSorted()).toEqual([
    'AGENTS-INDEX.md',
    'AGENTS-INDEX.md.ba9876543210.tmp',
    'notes.md.0123456789ab.tmp',
  ]);
  expect(statSync(file('AGENTS-INDEX.md')).mode & 0o777).toBe(0o600);
});

test('a call that begins during a reading sees what was written before the call', async () => {
  const store = openStore();
  let begin = (): void => undefined;
  const begun = new Promise<void>((resolve) => (begin = resolve));
  let finish = (): void => undefined;
  const finished = new Promise<void>((resolve) => (finish = resolve));
  let calls = 0;
  const index = open({
    ...store,
    changes: async (...known) => {
      const changes = await store.changes(...known);
      if (calls++ === 0) {
        begin();
        await finished;
      }
      return changes;
    },
  });
  const first = index.list();
  await begun;
  await store.add(draft({ name: 'a' }));
  const second = index.list();
  const third = index.list();
  finish();
  expect((await first).heads).toHaveLength(0);
  expect((await second).heads).toHaveLength(1);
  expect((await third).heads).toHaveLength(1);
  expect(calls).toBe(2);
});

test('an aborted call changes nothing, and a failed one is repeated', async () => {
  const store = openStore();
  await store.add(draft({ name: 'a' }));
  let isBroken = true;
  const index = open({
    ...store,
    changes: async (...known) => {
      if (isBroken) throw new Error('broken');
      return store.changes(...known);
    },
  });
  await expect(index.list()).rejects.toThrow('broken');
  isBroken = false;
  const signal = AbortSignal.abort(new Error('stop'));
  await expect(index.list({ signal })).rejects.toThrow('stop');
  await expect(index.scan('a', { signal })).rejects.toThrow('stop');
  await expect(index.flush({ signal })).rejects.toThrow('stop');
  expect(await namesOf(index)).toEqual(['a']);
});

test('the saved index has the assets for any stack, as the index itself', async () => {
  const lines = ['exchange/core', 'exchange/web', 'general', 'redis', 'mobile/ios'];
  const step = fc.record({
    name: fc.stringMatching(/^[abc]{1,2}$/u),
    productLine: fc.constantFrom(...lines),
    type: fc.constantFrom(...ASSET_TYPES),
    status: fc.constantFrom('active' as const, 'active' as const, 'deprecated' as const),
    isRemoved: fc.boolean(),
  });
  const stacks: (Stack | undefined)[] = [
    undefined,
    { projects: [], names: [], unreadable: [] },
    { projects: [['exchange']], names: ['redis'], unreadable: [] },
    { projects: [['mobile', 'ios']], names: [], unreadable: [] },
  ];
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 30 }), fc.boolean(), async (steps, onlyMatching) => {
      backend = memory();
      rmSync(directory, { recursive: true });
      const store = openStore();
      const opened = new Map<string, number>();
      const index = openIndex({ store, backend, directory, opened: async () => opened });
      for (const { isRemoved, ...fields } of steps) {
        const id = `${fields.productLine}/${fields.name}`;
        const known = await store.get(id);
        if (known === undefined) await store.add(draft({ ...fields, body: `${id} ${nowMs}` }));
        else if (isRemoved) await store.remove(id);
        else await store.change(id, { fields: { type: fields.type, status: fields.status } });
        opened.set(id, nowMs % 3);
      }
      await index.flush();
      await index.close();
      const again = openIndex({ store: openStore(), backend, directory });
      // A slow model: all assets of the store, in order, and the first of them.
      const { changed } = await store.changes();
      const byAge = changed
        .map(({ asset }) => headOf(asset))
        .toSorted((a, b) => b.changedMs - a.changedMs || (a.id < b.id ? -1 : 1));
      expect(await again.refresh()).toEqual({ changed: 0 });
      const saved = await readSavedIndex(backend, {});
      const heads = saved?.heads.map(({ head }) => head) ?? [];
      expect(again.overview()).toMatchObject({
        counts: { total: byAge.length },
        lastUpdatedMs: byAge[0]?.changedMs,
        unshared: { count: byAge.length, newest: byAge.slice(0, 5) },
      });
      for (const stack of stacks) {
        const stored = changed.map(({ asset }) => headOf(asset));
        const all = stored.toSorted(createComparison(opened, stack)).filter(isListed);
        const selected = all.filter(createFilter({ stack, onlyMatching }));
        expect(listHeads(heads, { stack, onlyMatching })).toEqual({
          heads: selected,
          total: byAge.length,
          otherLines: all.length - selected.length,
        });
        expect((await again.list({ stack, onlyMatching })).heads).toEqual(selected);
      }
      expect(saved?.overview).toEqual(again.overview());
      await again.close();
    }),
    { numRuns: 60 },
  );
});

test('a name that changes in case only stays one asset', async () => {
  const store = openStore();
  const index = open(store);
  await store.add(draft({ name: 'redis' }));
  await store.add(draft({ name: 'kafka' }));
  await index.flush();
  await store.change('general/redis', { fields: { name: 'Redis' } });
  expect(await namesOf(index)).toEqual(['Redis', 'kafka']);
  expect((await index.scan('redis')).exact.map(({ id }) => id)).toEqual(['general/Redis']);
  await index.flush();
  expect(linesOf(readDocument())).toHaveLength(2);
});

test('assets are found by their names whatever their case and punctuation', async () => {
  const store = openStore();
  const index = open(store);
  await store.add(draft({ name: 'redis-failover', productLine: 'exchange/infra' }));
  await index.refresh();
  const idsOf = (name: string): string[] => index.named(name).map(({ id }) => id);
  expect(idsOf('Redis Failover')).toEqual(['exchange/infra/redis-failover']);
  await store.add(draft({ name: 'redis_failover' }));
  await store.change('exchange/infra/redis-failover', { fields: { name: 'redis-move' } });
  await index.refresh();
  expect(idsOf('redis.failover')).toEqual(['general/redis_failover']);
  expect(idsOf('exchange/infra/redis-move')).toEqual(['exchange/infra/redis-move']);
  expect(idsOf('unknown')).toEqual([]);
});

test('the assets are counted once after each change', async () => {
  const store = openStore();
  const index = open(store);
  await store.add(draft({ name: 'a' }));
  await index.refresh();
  const { unshared } = index.overview();
  expect(index.overview().unshared).toBe(unshared);
  await store.add(draft({ name: 'b' }));
  await index.refresh();
  expect(index.overview()).toMatchObject({ counts: { total: 2 }, unshared: { count: 2 } });
  await store.remove('general/a');
  await index.refresh();
  expect(index.overview().unshared.newest.map(({ name }) => name)).toEqual(['b']);
});
