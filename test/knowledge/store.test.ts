/** The local store on every backend: what a change keeps, rejects and erases, even when others change the same assets. */
import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { createKnowledge, formatAsset, KnowledgeError } from '@cairn/knowledge';
import { hashOf, marksOf, headOf, openLocalStore } from '@cairn/knowledge/internal';
import type { Asset, AssetDraft, LocalStore } from '@cairn/knowledge';
import type { AssetChanges, KnownAssets } from '@cairn/knowledge/internal';
import type { MemoryBackend } from '@cairn/memory';
import { listsOf } from '@cairn/memory/testing';
import { sqlite } from '@cairn/memory/sqlite';
import fc from 'fast-check';
import { describe, expect, onTestFinished, test } from 'vitest';
import { backendKinds, useBackends } from '../memory/backends.ts';
import type { BackendKind } from '../memory/backends.ts';
import { temporaryDirectory } from '../support/tree.ts';

useBackends();

const kinds = backendKinds.filter(({ isSkipped }) => !isSkipped);
const KEY = 'ai:knowledge:assets';
const DAY = 86_400_000;
const REFUSALS: ReadonlySet<string> = new Set(['UNKNOWN_ASSET', 'ASSET_EXISTS']);

const draft: AssetDraft = {
  name: 'redis',
  productLine: 'exchange/infra',
  type: 'pitfall',
  title: 'Redis failover',
  tags: ['redis', 'ha'],
  body: 'Wait 30 seconds.',
};

interface Opened {
  readonly backend: MemoryBackend;
  readonly store: LocalStore;
  readonly advance: (ms: number) => void;
}

async function open(kind: BackendKind): Promise<Opened> {
  const { backend } = await kind.open();
  onTestFinished(() => backend.close());
  let nowMs = 1000;
  const advance = (ms: number): void => void (nowMs += ms);
  return { backend, store: openLocalStore({ backend, clock: () => nowMs }), advance };
}

/** Returns the state of a file that the team store has. */
const teamOf = (text: string): { readonly hash: string; readonly oid: string } => ({ hash: hashOf(text), oid: 'oid' });

/** Returns the assets that the term index finds. */
async function foundIn(store: LocalStore, query: string): Promise<Asset[]> {
  const { hits } = await store.terms.search({ query, limit: 5, accept: () => true });
  const { changed } = await store.changes();
  return hits.flatMap(({ sequence, isSimilar }) =>
    isSimilar === true ? [] : (changed.find((one) => one.sequence === sequence)?.asset ?? []),
  );
}

/** Adds enough assets for their terms to be stored. */
async function fill(store: LocalStore): Promise<void> {
  const rows = Array.from({ length: 2000 }, (_, index) => {
    const text = formatAsset({ name: `n${index}`, type: 'adr', title: 'T' }, `body ${index} of ${index % 7}`);
    return { id: `general/n${index}`, version: undefined, text, team: teamOf(text) };
  });
  expect(await store.applyTeam(rows)).toEqual({ isDone: true });
}

/** Returns all texts and terms of a store. */
async function textsOf(backend: MemoryBackend): Promise<string> {
  const texts: string[] = [];
  for (const { key } of await backend.keys('')) {
    for (let after = 0, hasMore = true; hasMore;) {
      const page = await backend.page(key, { order: 'written', after });
      texts.push(...page.rows.map(({ text }) => text));
      after = page.rows.at(-1)?.sequence ?? after;
      ({ hasMore } = page);
    }
    for await (const terms of backend.terms(key)) texts.push(...terms);
  }
  return texts.join('\n');
}

/** Returns the words that a text has, also in base64, in which the term index is: one form for each place in a group of 3 bytes. */
function wordsOf(text: string, words: readonly string[]): string[] {
  const forms = (word: string): string[] =>
    [0, 1, 2].map((offset) => {
      const encoded = Buffer.concat([Buffer.alloc(offset), Buffer.from(word)])
        .toString('base64')
        .replace(/=+$/u, '');
      return encoded.slice(offset === 0 ? 0 : offset + 1, -1);
    });
  return words.filter((word) => [word, ...forms(word)].some((form) => text.includes(form)));
}

const refused = (code: string, facts: object = {}): unknown => expect.objectContaining({ code, ...facts });

/** Returns the state of a reader after a change. */
function learn(
  known: Map<string, { readonly sequence: number; readonly asset: Asset }>,
  changes: AssetChanges,
): KnownAssets {
  if (!changes.isContinued) known.clear();
  for (const one of changes.changed) known.set(one.asset.id, one);
  for (const id of changes.removed) known.delete(id);
  return { ...changes, sequences: new Map(Array.from(known, ([id, { sequence }]) => [id, sequence])) };
}

describe.each(kinds)('assets in $name', (kind) => {
  test('are added, read, changed, renamed and removed', async () => {
    const { store, advance } = await open(kind);
    const added = await store.add(draft);
    expect(added).toEqual({
      id: 'exchange/infra/redis',
      name: 'redis',
      productLine: 'exchange/infra',
      type: 'pitfall',
      title: 'Redis failover',
      tags: ['redis', 'ha'],
      status: 'active',
      paths: [],
      text: '---\nname: redis\ntype: pitfall\nproduct_line: exchange/infra\ntitle: Redis failover\ntags: [redis, ha]\n---\n\nWait 30 seconds.\n',
      hash: hashOf(added.text),
      body: 'Wait 30 seconds.\n',
      createdMs: 1000,
      changedMs: 1000,
      origin: { kind: 'local' },
      isPromoted: false,
      isUnshared: true,
      reports: { helpful: 0, wrong: 0, notes: [] },
    });
    expect(await store.get('EXCHANGE/infra/Redis')).toEqual(added);
    advance(5);
    const changed = await store.change(added.id, { fields: { type: 'reference' }, body: 'Wait 40 seconds.\n' });
    expect(changed).toMatchObject({ type: 'reference', body: 'Wait 40 seconds.\n', createdMs: 1000, changedMs: 1005 });
    expect(await store.change(added.id, { fields: { type: 'reference' } })).toEqual(changed);
    advance(5);
    const renamed = await store.change(added.id, { fields: { name: 'valkey', productLine: 'general' } });
    expect(renamed).toMatchObject({ id: 'general/valkey', createdMs: 1000, changedMs: 1010 });
    expect(await store.getMany([added.id, renamed.id])).toEqual([undefined, renamed]);
    expect(await store.change(renamed.id, { fields: { name: 'Valkey' } })).toMatchObject({ id: 'general/Valkey' });
    expect((await store.remove(renamed.id)).erasure).toMatch(kind.name === 'redis' ? /^log$/u : /^done$/u);
    expect(await store.get(renamed.id)).toBeUndefined();
    for (const call of [
      () => store.remove(renamed.id),
      () => store.change(renamed.id, { body: 'x' }),
      () => store.report(renamed.id, 'wrong'),
    ]) {
      await expect(call()).rejects.toEqual(refused('UNKNOWN_ASSET', { assets: [renamed.id] }));
    }
  });

  test('keep the bytes of their file, and fields that the program does not know', async () => {
    const { store } = await open(kind);
    const text = '\ufeff---\r\n# by me\r\nname: redis\r\ntype: adr\r\ntitle: T\r\nowner: me\r\n---\r\n\r\nBody  \r\n';
    const added = await store.add({ text });
    expect(added.text).toBe(text);
    const { text: changed } = await store.change(added.id, { fields: { status: 'deprecated' } });
    expect(changed).toBe(text.replace('owner: me\r\n', 'owner: me\r\nstatus: deprecated\r\n'));
  });

  test('are rejected with a name that is taken, also in another case, and with a body that another one has', async () => {
    const { store } = await open(kind);
    const { id } = await store.add(draft);
    const taken = refused('ASSET_EXISTS', { assets: [id] });
    await expect(store.add({ ...draft, body: 'other' })).rejects.toEqual(taken);
    await expect(store.add({ ...draft, name: 'REDIS', body: 'other' })).rejects.toEqual(taken);
    await expect(store.add({ ...draft, name: 'copy', body: ' Wait 30\r\nseconds. ' })).rejects.toEqual(taken);
    const other = await store.add({ ...draft, name: 'other', body: 'Other.' });
    await expect(store.change(other.id, { body: draft.body })).rejects.toEqual(taken);
    await expect(store.change(other.id, { fields: { name: 'redis' } })).rejects.toEqual(taken);
    expect(await store.add({ ...draft, productLine: 'general', body: 'x' })).toMatchObject({ id: 'general/redis' });
    expect((await store.changes()).changed).toHaveLength(3);
  });

  test('are rejected with hostile names, secrets, binary content and 5 MB, and nothing is written', async () => {
    const { store, backend } = await open(kind);
    const { id } = await store.add(draft);
    const before = await store.changes();
    const { body, ...fields } = draft;
    const text = formatAsset(fields, body);
    const cases: readonly (readonly [code: string, calls: readonly (() => Promise<unknown>)[]])[] = [
      [
        'INVALID_NAME',
        [
          () => store.add({ ...draft, name: '../../x' }),
          () => store.add({ ...draft, name: '$(rm)' }),
          () => store.change(id, { fields: { name: '..' } }),
          () => store.add({ ...draft, productLine: '.git/hooks' }),
        ],
      ],
      [
        'SECRET',
        [
          () => store.add({ ...draft, name: 'b', body: 'password: Zx9kQp2mVt4L' }),
          () => store.add({ ...draft, name: 'b', title: 'password: Zx9kQp2mVt4L', body: 'x' }),
          () => store.change(id, { body: 'redis://app:Zx9kQp2mVt@cache:6379' }),
          () => store.change(id, { text: text.replace(/^title: .*$/mu, String.raw`title: "AKIA\x51X3ZL5N7VT2MWPRD"`) }),
          () => store.report(id, 'wrong', { note: 'password: Zx9kQp2mVt4L' }),
        ],
      ],
      [
        'TOO_LARGE',
        [
          () => store.add({ ...draft, name: 'b', body: 'x'.repeat(5 * 1024 * 1024) }),
          () => store.change(id, { body: 'x'.repeat(2 ** 20) }),
        ],
      ],
      [
        'INVALID_ASSET',
        [
          () => store.add({ text: 'a\0b' }),
          () => store.add({ text: text.replace('pitfall', 'recipe').replace('name: redis', 'name: b') }),
          () => store.add({ ...draft, name: 'b', body: ' \n' }),
          () => store.change(id, { body: 'a\0b' }),
          () => store.change(id, { body: '' }),
          () => store.change(id, { text: 'no front matter' }),
        ],
      ],
      ['INVALID_INPUT', [() => store.report(id, 'good' as 'wrong')]],
    ];
    for (const [code, calls] of cases) {
      for (const call of calls) await expect(call()).rejects.toEqual(refused(code));
    }
    expect(await store.changes()).toEqual(before);
    expect((await backend.page(KEY, { order: 'newest' })).count).toBe(1);
  });

  test('are not overwritten when they changed after they were read', async () => {
    const { store } = await open(kind);
    const { id, hash } = await store.add(draft);
    const changed = await store.change(id, { body: 'New.\n' }, { expected: hash });
    const stale = refused('ASSET_CHANGED', { assets: [id] });
    await expect(store.change(id, { body: 'Old.\n' }, { expected: hash })).rejects.toEqual(stale);
    await expect(store.remove(id, { expected: hash })).rejects.toEqual(stale);
    expect(await store.get(id)).toEqual(changed);
  });

  test('with one body or one name are added once, whatever the order', async () => {
    const { backend } = await open(kind);
    const stores = Array.from({ length: 8 }, () => openLocalStore({ backend }));
    const added = await Promise.allSettled(
      stores.map((store, index) => store.add({ ...draft, name: `copy-${index}` })),
    );
    expect(added.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    const named = await Promise.allSettled(
      stores.map((store, index) => store.add({ ...draft, body: `body ${index}` })),
    );
    expect(named.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    const reasons = [...added, ...named].flatMap((one) => (one.status === 'rejected' ? [one.reason as unknown] : []));
    expect(reasons).toEqual(Array.from({ length: 14 }, () => refused('ASSET_EXISTS')));
  });

  test('changed by many at once lose no change', async () => {
    const { backend, store } = await open(kind);
    const { id } = await store.add({ ...draft, tags: [] });
    const stores = Array.from({ length: 6 }, () => openLocalStore({ backend }));
    await Promise.all(stores.map((one) => one.report(id, 'helpful')));
    expect((await store.get(id))?.reports.helpful).toBe(6);
  });

  test('are marked for review by two reports as wrong, until they are changed', async () => {
    const { store, advance } = await open(kind);
    const { id, changedMs } = await store.add(draft);
    await store.report(id, 'helpful');
    await store.report(id, 'wrong', { note: ' port changed ' });
    const once = await store.get(id);
    expect(once).toMatchObject({ changedMs, reports: { helpful: 1, wrong: 1, notes: ['port changed'] } });
    expect(once && marksOf(headOf(once), 1000)).toEqual([]);
    const twice = await store.report(id, 'wrong');
    expect(marksOf(headOf(twice), 1000)).toEqual(['review']);
    expect(marksOf(headOf(twice), 1000 + 180 * DAY - 1)).toEqual(['review']);
    expect(marksOf(headOf(twice), 1000 + 180 * DAY)).toEqual(['review', 'unverified']);
    advance(180 * DAY);
    const verified = await store.change(id, { fields: { verifiedMs: 180 * DAY, status: 'deprecated' } });
    expect(verified.reports).toEqual({ helpful: 0, wrong: 0, notes: [] });
    expect(marksOf(headOf(verified), 1000 + 180 * DAY)).toEqual(['deprecated']);
  });

  test('of a synchronization are all changed or none, and equal bodies of the team are kept', async () => {
    const { store, backend } = await open(kind);
    const own = await store.add(draft);
    const theirs = (name: string, body: string): string => formatAsset({ name, type: 'adr', title: name }, body);
    const files = ['a', 'b', 'c'].map((name) => theirs(name, draft.body));
    const pulled = files.map((text, index) => ({
      id: `general/${'abc'[index] ?? ''}`,
      version: undefined,
      text,
      team: teamOf(text),
      source: 'origin',
      changedMs: 7,
    }));
    const stale = { id: own.id, version: 'another', text: null, team: null };
    expect(await store.applyTeam([...pulled, stale])).toEqual({ isDone: false, changed: [own.id] });
    expect((await store.changes()).changed).toHaveLength(1);
    expect(await store.applyTeam(pulled)).toEqual({ isDone: true });
    expect(await store.get('general/b')).toMatchObject({
      text: files[1],
      isPromoted: true,
      isUnshared: false,
      changedMs: 7,
      origin: { kind: 'team', source: 'origin' },
    });
    const [entry] = await store.entries([own.id]);
    if (entry === undefined) throw new Error('the entry is missing');
    expect(await store.applyTeam([{ id: own.id, version: entry.version, team: teamOf(own.text) }])).toEqual({
      isDone: true,
    });
    expect(await store.get(own.id)).toMatchObject({ isPromoted: true, isUnshared: false, text: own.text });
    // What the team has twice can be used here, and is not added once more.
    await expect(store.add({ ...draft, name: 'd' })).rejects.toEqual(refused('ASSET_EXISTS', { assets: [own.id] }));
    expect(await store.report('general/a', 'wrong')).toMatchObject({ id: 'general/a' });
    expect(await store.change('general/a', { fields: { name: 'A2', tags: ['x'] } })).toMatchObject({
      id: 'general/A2',
    });
    expect(await store.change(own.id, { body: 'New.' })).toMatchObject({ isPromoted: true, isUnshared: true });
    await expect(store.change(own.id, { body: 'New.' })).resolves.toMatchObject({ body: 'New.' });
    expect((await backend.page(KEY, { order: 'newest' })).count).toBe(5);
  });

  test('that the team has are remembered as removed until the team has removed them', async () => {
    const { store } = await open(kind);
    const { id, hash, text } = await store.add(draft);
    const versionOf = async (): Promise<string | undefined> => (await store.entries([id]))[0]?.version;
    await store.applyTeam([{ id, version: await versionOf(), team: teamOf(text) }]);
    await store.remove(id);
    expect(await store.entries()).toEqual([{ id, version: await versionOf(), team: teamOf(text) }]);
    expect((await store.changes()).changed).toEqual([]);
    expect(await store.add(draft)).toMatchObject({ isPromoted: true, isUnshared: false });
    const renamed = await store.change(id, { fields: { name: 'moved' } });
    expect(renamed).toMatchObject({ isPromoted: false, isUnshared: true });
    expect((await store.entries()).map((entry) => [entry.id, entry.asset?.id, entry.team?.hash])).toEqual([
      [id, undefined, hash],
      [renamed.id, renamed.id, undefined],
    ]);
    await store.applyTeam([{ id, version: await versionOf(), team: null }]);
    expect((await store.entries()).map((entry) => entry.id)).toEqual([renamed.id]);
  });

  test('in conflict keep both texts through other changes', async () => {
    const { store } = await open(kind);
    const { id } = await store.add(draft);
    const [entry] = await store.entries([id]);
    const conflict = { theirs: 'their text' };
    await store.applyTeam([{ id, version: entry?.version, team: teamOf('their text'), conflict }]);
    expect(await store.get(id)).toMatchObject({ conflict, isUnshared: true });
    const changed = await store.change(id, { body: 'Mine.' });
    expect(changed.conflict).toEqual(conflict);
    expect(marksOf(headOf(changed), 1000)).toEqual(['conflict']);
    await store.remove(id);
    expect(await store.entries([id])).toMatchObject([{ conflict }]);
    const [removed] = await store.entries([id]);
    await store.applyTeam([{ id, version: removed?.version, team: null, conflict: null }]);
    expect(await store.entries()).toEqual([]);
  });

  test('that this version cannot read are reported, kept, and can be removed', async () => {
    const { store, backend } = await open(kind);
    await store.add(draft);
    const rows = ['{"version":2}', 'no json', 'null'].map((next, index) => ({
      id: `general/x${index}`,
      expected: undefined,
      next,
    }));
    await backend.change(KEY, { rows });
    const { changed, unreadable } = await store.changes();
    expect(changed).toHaveLength(1);
    expect(unreadable).toEqual(['general/x0', 'general/x1', 'general/x2']);
    await expect(store.get('general/x0')).rejects.toEqual(refused('STORE_FAILED', { assets: ['general/x0'] }));
    await expect(store.add({ ...draft, name: 'x0', productLine: 'general', body: 'b' })).rejects.toEqual(
      refused('STORE_FAILED'),
    );
    expect(await store.remove('general/x0')).toBeDefined();
    expect((await store.changes()).unreadable).toHaveLength(2);
  });

  test('read by what changed are those of the store, whatever happens in between', async () => {
    const acts = ['add', 'change', 'rename', 'remove', 'report', 'read', 'read'] as const;
    type Command = {
      readonly who: number;
      readonly name: string;
      readonly other: string;
      readonly does: (typeof acts)[number];
    };
    /** Commands that once left an asset that is not in the store. */
    const found: readonly (readonly Command[])[] = [
      [
        { who: 0, name: 'D', other: 'D', does: 'add' },
        { who: 0, name: 'D', other: 'D', does: 'read' },
        { who: 0, name: 'D', other: 'd', does: 'rename' },
      ],
    ];
    const { backend } = await open(kind);
    const names = ['a', 'b', 'c', 'D'];
    const command = fc.record({
      who: fc.constantFrom(0, 1),
      name: fc.constantFrom(...names),
      other: fc.constantFrom(...names, 'd'),
      does: fc.constantFrom(...acts),
    });
    let run = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(command, { maxLength: 25 }), async (commands) => {
        await listsOf(backend).remove(KEY, 'all');
        const stores = [openLocalStore({ backend, clock: () => 1 }), openLocalStore({ backend, clock: () => 1 })];
        const [reader] = stores;
        if (reader === undefined) throw new Error('no store');
        const known = new Map<string, { readonly sequence: number; readonly asset: Asset }>();
        let last: KnownAssets | undefined;
        const check = async (): Promise<void> => {
          last = learn(known, await reader.changes(last));
          const all = (await reader.entries()).flatMap(({ asset }) => asset ?? []);
          const sorted = (assets: readonly Asset[]): Asset[] => assets.toSorted((a, b) => (a.id < b.id ? -1 : 1));
          expect(sorted(Array.from(known.values(), ({ asset }) => asset))).toEqual(sorted(all));
        };
        for (const { who, name, other, does } of commands) {
          const store = stores[who] ?? reader;
          run += 1;
          const id = `general/${name}`;
          const steps = {
            add: () => store.add({ name, type: 'adr', title: name, body: `body ${run}` }),
            change: () => store.change(id, { body: `body ${run}` }),
            rename: () => store.change(id, { fields: { name: other } }),
            remove: () => store.remove(id),
            report: () => store.report(id, 'wrong'),
            read: check,
          };
          await steps[does]().catch((error: unknown) => {
            const isRefused = KnowledgeError.isInstance(error) && REFUSALS.has(error.code);
            if (!isRefused) throw error;
          });
        }
        await check();
      }),
      { numRuns: kind.name === 'memory' ? 60 : 12, examples: found.map((commands) => [[...commands]]) },
    );
  });

  test('put back from an earlier copy are all read again', async () => {
    const { store } = await open(kind);
    await store.add(draft);
    const known = new Map<string, { readonly sequence: number; readonly asset: Asset }>();
    const last = learn(known, await store.changes());
    const later = { ...last, sequence: last.sequence + 5 };
    expect(await store.changes(later)).toMatchObject({ isContinued: false, changed: [{ asset: { name: 'redis' } }] });
    expect(await store.changes({ ...last, start: last.start + 1 })).toMatchObject({ isContinued: false });
    expect(await store.changes(last)).toMatchObject({ isContinued: true, changed: [], removed: [] });
  });

  test('that are changed keep no word of their earlier texts after the erasure', async () => {
    const { store, backend } = await open(kind);
    const words = ['zyxquark', 'vwbluefin', 'kappatron', 'omegadyne', 'sigmacorp'];
    const [first = '', second = '', third = '', theirs = '', note = ''] = words;
    const { id } = await store.add({ ...draft, body: `the ${first} is here` });
    const other = await store.add({ ...draft, name: 'other', body: 'Wait.', title: third });
    await fill(store);
    const find = async (query: string): Promise<string[]> => (await foundIn(store, query)).map(({ text }) => text);
    expect(await find(first)).toHaveLength(1);
    expect(await store.eraseReplaced()).toBeUndefined();

    const contents = async (): Promise<string[]> => wordsOf(await textsOf(backend), words);
    await store.change(id, { body: `the ${second} is here` });
    const [entry] = await store.entries([other.id]);
    const text = other.text.replace(third, 'Another title');
    await store.applyTeam([{ id: other.id, version: entry?.version, text, conflict: { theirs: `a ${theirs}` } }]);
    const [conflicted] = await store.entries([other.id]);
    await store.applyTeam([{ id: other.id, version: conflicted?.version, conflict: null }]);
    await store.report(id, 'wrong', { note });
    await store.change(id, { fields: { tags: ['none'] } });
    // The terms change with the rows. Replaced text is only in the files of the store.
    expect(await contents()).toEqual([second]);
    expect(await store.eraseReplaced()).toEqual({ erasure: expect.stringMatching(/^(?:done|log)$/u) as string });
    expect(await contents()).toEqual([second]);
    expect(await find(second)).toEqual([(await store.get(id))?.text]);
    expect(await find(first)).toEqual([]);

    await store.change(id, { body: `${(await store.get(id))?.body ?? ''}\nMore.\n` });
    expect(await store.eraseReplaced()).toBeUndefined();
  });

  test('that are removed leave no word in the store, including an earlier text', async () => {
    const { store, backend } = await open(kind);
    const words = ['zyxquark', 'vwbluefin', '龘靐齉'];
    const { id } = await store.add({ ...draft, body: `the ${words[0] ?? ''} is here` });
    await fill(store);
    const find = async (query: string): Promise<number> => (await foundIn(store, query)).length;
    expect(await find(words[0] ?? '')).toBe(1);
    await store.change(id, { body: `the ${words[1] ?? ''} is there`, fields: { title: words[2] } });
    expect(await find(words[1] ?? '')).toBe(1);
    expect(await find('龘靐')).toBe(1);
    const contents = async (): Promise<string[]> => wordsOf(await textsOf(backend), [...words, '龘靐', '靐齉']);
    expect((await contents()).length).toBeGreaterThanOrEqual(2);
    await store.remove(id);
    expect(await contents()).toEqual([]);
    expect(await find(words[1] ?? '')).toBe(0);
  });
});

test('a removed asset leaves no byte in the files, which only their owner can read', async () => {
  const directory = temporaryDirectory();
  const inner = join(directory, 'knowledge');
  const knowledge = createKnowledge({ directory: inner });
  onTestFinished(() => knowledge.close());
  const { id } = await knowledge.store.add({ ...draft, body: 'zyxquark'.repeat(40) });
  await knowledge.store.change(id, { body: 'vwbluefin'.repeat(400) });
  const bytes = (): string =>
    readdirSync(inner)
      .map((name) => readFileSync(join(inner, name), 'latin1'))
      .join('');
  expect(bytes()).toContain('vwbluefin');
  expect(await knowledge.store.remove(id)).toEqual({ erasure: 'done' });
  expect(bytes()).not.toMatch(/zyxquark|vwbluefin/u);
  expect(statSync(inner).mode & 0o777).toBe(0o700);
  expect(statSync(join(inner, 'knowledge.db')).mode & 0o777).toBe(0o600);
});

test('text that a user edits out of an asset is in no file after closing', async () => {
  const directory = temporaryDirectory();
  const bytes = (): string =>
    readdirSync(directory)
      .map((name) => readFileSync(join(directory, name), 'latin1'))
      .join('');
  const words = ['zyxquark', 'vwbluefin', 'kappatron'];
  const [first = '', second = '', third = ''] = words;
  // Another process that has the store open keeps its log.
  const server = createKnowledge({ directory });
  onTestFinished(() => server.close());
  const knowledge = createKnowledge({ directory });
  const { id } = await knowledge.store.add({ ...draft, title: first, body: `${second} `.repeat(300) });
  await fill(knowledge.store);
  await knowledge.layers.search({ query: second });
  await server.store.get(id);
  await knowledge.index.flush();
  await knowledge.store.change(id, { fields: { title: 'Redis' }, body: third });
  expect(wordsOf(bytes(), words)).toEqual(words);
  await knowledge.close();
  expect(wordsOf(bytes(), words)).toEqual([third]);

  // A start of a session does not wait for it; the next change does it.
  const start = createKnowledge({ directory });
  await start.store.change(id, { body: first });
  await start.close({ erases: false });
  const next = createKnowledge({ directory });
  await next.store.change(id, { fields: { title: 'Redis failover' } });
  await next.close();
  expect(wordsOf(bytes(), words)).toEqual([first]);
});

test('a full disk rejects a whole change, and what was added before stays', async (context) => {
  const root = temporaryDirectory();
  const mounted = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=2m', 'tmpfs', root], { encoding: 'utf8' });
  if (mounted.status !== 0) return context.skip(`no small disk can be mounted here: ${mounted.stderr}`);
  const backend = sqlite({ path: join(root, 'knowledge.db') });
  onTestFinished(async () => {
    await backend.close();
    spawnSync('umount', ['--lazy', root]);
  });
  const store = openLocalStore({ backend });
  const added: string[] = [];
  let refusal: unknown;
  for (let index = 0; refusal === undefined && index < 400; index++) {
    await store.add({ ...draft, name: `n${index}`, body: `${index} ${'x '.repeat(10_000)}` }).then(
      ({ id }) => added.push(id),
      (error: unknown) => void (refusal = error),
    );
  }
  expect(refusal).toEqual(refused('STORE_FULL'));
  expect(added.length).toBeGreaterThan(5);
  expect((await store.changes()).changed.map(({ asset }) => asset.id)).toEqual(added);
  const [first = '', second = ''] = added;
  await expect(store.change(first, { fields: { name: 'moved' }, body: 'y '.repeat(400_000) })).rejects.toEqual(
    refused('STORE_FULL'),
  );
  expect(await store.getMany([first, second, 'exchange/infra/moved'])).toMatchObject([
    { id: first },
    { id: second },
    undefined,
  ]);
  return undefined;
});
