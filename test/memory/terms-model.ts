import { listsOf } from '@cairn/memory/testing';
/** A model of the stored term index: what all records that a store keeps would give, and what may happen to both. */
import { rankDocuments, termsOfBlock } from '@cairn/retrieval';
import type { ListRule, MemoryBackend } from '@cairn/memory';
import { createTermStore } from '@cairn/memory/terms';
import type { SegmentSizes, TermSource, TermStore } from '@cairn/memory/terms';
import type { BackendHarness } from '@cairn/memory/testing';
import * as fc from 'fast-check';
import { expect } from 'vitest';

const HOUR = 3_600_000;
export const small: SegmentSizes = { minRecords: 2, minTerms: 4, maxRecords: 16, maxTerms: 64 };
export const rule: ListRule = {
  maxRecords: 40,
  maxTemporaryRecords: 40,
  lifetimeMs: HOUR,
  temporaryLifetimeMs: HOUR,
};

function textOf(record: string): { text: string; timeMs: number } | undefined {
  const { text, time } = JSON.parse(record) as { text: unknown; time: number };
  return typeof text === 'string' ? { text, timeMs: time } : undefined;
}

export const sources: readonly TermSource[] = ['ai:memory:a:g', 'ai:memory:b:g'].map((key) => ({ key, rule, textOf }));

interface Ranked {
  readonly record: string;
  readonly score: number;
  readonly isSimilar: boolean;
  readonly matched: readonly string[];
}

/** Ranks all records that the store keeps now, read one by one. */
export async function rankAll(backend: MemoryBackend, all: readonly TermSource[], query: string): Promise<Ranked[]> {
  const documents = [];
  const records = new Map<string, string>();
  for (const [order, source] of all.entries()) {
    const live = source.rule && new Set(await listsOf(backend).list(source.key));
    const { records: page } = await backend.changes(source.key, { limit: 100_000 });
    for (const { sequence, record } of page) {
      const found = textOf(record);
      if (found === undefined || live?.has(record) === false) continue;
      const id = `${order} ${String(1e9 - sequence).padStart(12, '0')}`;
      documents.push({ id, ...found });
      records.set(id, record);
    }
  }
  const ranked = await rankDocuments(query, documents, { limit: 1000 });
  return ranked.map(({ id, score, isSimilar = false, matched }) => {
    return { record: records.get(id) ?? '', score, isSimilar, matched };
  });
}

export async function find(store: TermStore, query: string, all: readonly TermSource[] = sources): Promise<Ranked[]> {
  const { hits } = await store.search(all, { query, limit: 1000 });
  return hits.map(({ record, score, isSimilar = false, matched }) => ({ record, score, isSimilar, matched }));
}

const words = ['redis', 'cache', 'table', 'readFile', 'the', '表格', '缓存', '内容', '3x3', '🎉', 'configuration'];
const queries = [
  'redis',
  'cache table',
  '表格内容',
  'read file',
  'the',
  'confguration',
  'zebra',
  '格 3',
  'redis lion tiger zebra leopard',
];
const textArbitrary = fc.array(fc.constantFrom(...words), { maxLength: 6 }).map((some) => some.join(' '));
const placeArbitrary = fc.constantFrom(0, 1);

export type Step =
  | { readonly kind: 'append'; readonly place: number; readonly texts: readonly (string | null)[] }
  | { readonly kind: 'import'; readonly place: number; readonly text: string; readonly ageMs: number }
  | { readonly kind: 'remove'; readonly place: number; readonly at: number; readonly forgets: boolean }
  | { readonly kind: 'removeAll'; readonly place: number }
  | { readonly kind: 'advance'; readonly ms: number }
  | { readonly kind: 'damage'; readonly at: number; readonly how: 'remove' | 'change' | 'swap' }
  | { readonly kind: 'search'; readonly process: number; readonly query: string };

export const stepArbitrary: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant('append' as const),
      place: placeArbitrary,
      texts: fc.array(fc.option(textArbitrary, { freq: 8 }), { maxLength: 12, size: 'max' }),
    }),
  },
  fc.record({
    kind: fc.constant('import' as const),
    place: placeArbitrary,
    text: textArbitrary,
    ageMs: fc.nat(2 * HOUR),
  }),
  fc.record({ kind: fc.constant('remove' as const), place: placeArbitrary, at: fc.nat(40), forgets: fc.boolean() }),
  fc.record({ kind: fc.constant('removeAll' as const), place: placeArbitrary }),
  fc.record({ kind: fc.constant('advance' as const), ms: fc.nat(HOUR / 2) }),
  fc.record({
    kind: fc.constant('damage' as const),
    at: fc.nat(100),
    how: fc.constantFrom('remove' as const, 'change' as const, 'swap' as const),
  }),
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constant('search' as const),
      process: fc.nat(2),
      query: fc.constantFrom(...queries),
    }),
  },
);

export async function compare(store: TermStore, backend: MemoryBackend, query: string): Promise<void> {
  expect(await find(store, query)).toEqual(await rankAll(backend, sources, query));
}

export async function expectNoIndex(backend: MemoryBackend, key: string): Promise<void> {
  expect((await backend.keys('ai:terms:')).filter((info) => info.key.endsWith(key.slice('ai'.length)))).toEqual([]);
}

/** All rows of the stored indexes. */
export async function rowsOf(backend: MemoryBackend): Promise<{ key: string; id: string; record: string }[]> {
  const rows = [];
  for (const { key } of await backend.keys('ai:terms:')) {
    const { records } = await backend.changes(key, { limit: 10_000 });
    rows.push(...records.map(({ id = '', record }) => ({ key, id, record })));
  }
  return rows;
}

async function damage(backend: MemoryBackend, at: number, how: 'remove' | 'change' | 'swap'): Promise<void> {
  const rows = await rowsOf(backend);
  const row = rows[at % (rows.length || 1)];
  const other = rows[(at + 1) % (rows.length || 1)];
  if (row === undefined || other === undefined) return;
  const next = { remove: undefined, change: `${row.record.slice(0, -4)}AAAA`, swap: other.record }[how];
  await backend.change(row.key, { rows: [{ id: row.id, expected: row.record, next }] });
}

/** All terms of the stored indexes. */
export async function storedTerms(backend: MemoryBackend): Promise<Set<string>> {
  const rows = await rowsOf(backend);
  return new Set(
    rows.flatMap(({ id, record }) => {
      const [, name = '', block] = /^(\S+) (\d+)$/.exec(id) ?? [];
      return block === undefined ? [] : termsOfBlock({ name, block: Number(block) }, record);
    }),
  );
}

/** Adds records as the newest. */
export async function append(
  backend: MemoryBackend,
  key: string,
  texts: readonly (string | null)[],
  ownRule: ListRule = rule,
): Promise<void> {
  const drafts = texts.map((text) => ({ before: `{"text":${JSON.stringify(text)},"time":`, after: '}' }));
  await listsOf(backend).append(key, drafts, { rule: ownRule });
}

/** Does what may happen to records and index, and compares each search with the ranking of all records. */
export async function runSteps({ backend, advance }: BackendHarness, steps: readonly Step[]): Promise<void> {
  const processes = [0, 1].map(() => createTermStore({ backend, sizes: small }));
  for (const step of steps) {
    const source = sources['place' in step ? step.place : 0];
    if (source === undefined) throw new Error('unknown place');
    const { key } = source;
    await advance(1);
    if (step.kind === 'append' || step.kind === 'import') {
      const texts = step.kind === 'append' ? step.texts : [step.text];
      const timeMs = step.kind === 'append' ? undefined : (await backend.now()) - step.ageMs;
      const drafts = texts.map((text) => {
        return { before: `{"text":${JSON.stringify(text)},"time":`, after: '}', timeMs };
      });
      await listsOf(backend).append(key, drafts, { rule });
    } else if (step.kind === 'remove') {
      const { records } = await backend.changes(key);
      const one = records[step.at % (records.length || 1)];
      if (one === undefined) continue;
      if (step.forgets) await processes[0]?.forget(source, [one.sequence]);
      await listsOf(backend).remove(key, [one.record]);
    } else if (step.kind === 'removeAll') {
      await processes[1]?.forget(source, 'all');
      await listsOf(backend).remove(key, 'all');
      await processes[1]?.forget(source, 'all');
      await expectNoIndex(backend, key);
    } else if (step.kind === 'advance') {
      await advance(step.ms);
    } else if (step.kind === 'damage') {
      await damage(backend, step.at, step.how);
    } else {
      const store = processes[step.process] ?? createTermStore({ backend, sizes: small });
      await compare(store, backend, step.query);
    }
  }
}
