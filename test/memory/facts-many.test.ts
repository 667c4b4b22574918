/** Lists, start blocks and `forget` read the same number of rows with few facts as with many, and what they show is right. */
import { createMemory } from '@cairn/memory';
import type { Facts, MemoryBackend } from '@cairn/memory';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { useBackends } from './backends.ts';
import { KEY, kinds, openFacts, PROJECT, textsOf } from './facts-harness.ts';

useBackends();

/** The rows that calls read from a store, and the calls of each kind. */
interface Reads {
  rows: number;
  pages: number;
}

function counted(backend: MemoryBackend): { readonly backend: MemoryBackend; readonly reads: Reads } {
  const reads: Reads = { rows: 0, pages: 0 };
  return {
    reads,
    backend: {
      ...backend,
      page: async (...args) => {
        const page = await backend.page(...args);
        reads.pages += 1;
        reads.rows += page.rows.length;
        return page;
      },
      rows: async (...args) => {
        const rows = await backend.rows(...args);
        reads.rows += rows.length;
        return rows;
      },
    },
  };
}

/** Counts the reads of a call. */
async function readsOf(backend: MemoryBackend, call: (facts: Facts) => Promise<unknown>): Promise<Reads> {
  const { backend: counting, reads } = counted(backend);
  await call(createMemory({ backend: counting, project: PROJECT }).facts);
  return reads;
}

const TEXT = 'x'.repeat(1000);

describe.each(kinds)('many facts in $name', (kind) => {
  test('a page, the start block and forget read as many rows among 480 facts as among 120', async () => {
    const { backend, facts } = await openFacts(kind);
    const calls: readonly (readonly [name: string, call: (facts: Facts) => Promise<unknown>, rows: number])[] = [
      ['list', (own) => own.list({ limit: 20 }), 84],
      ['list of a scope', (own) => own.list({ limit: 20, scope: 'project' }), 42],
      ['list of a tag', (own) => own.list({ limit: 20, tags: ['Rare'] }), 84],
      ['list of what is archived', (own) => own.list({ limit: 20, archived: true }), 42],
      ['list of another stream', (own) => own.list({ limit: 20, stream: 'desktop' }), 84],
      ['list of all streams', (own) => own.list({ limit: 20, allStreams: true }), 84],
      ['blank recall', (own) => own.recall({ query: ' ', limit: 20 }), 84],
      ['start block', (own) => own.startBlock(), 84],
    ];
    const forgotten: string[] = [];
    const add = async (from: number, to: number): Promise<void> => {
      for (let index = from; index < to; index++) {
        const options = {
          stream: index % 3 === 0 ? 'chat' : undefined,
          tags: [`tag-${index % 10}`, ...(index % 40 === 0 ? ['rare'] : [])],
          pinned: index % 30 === 1,
          scope: index % 5 === 4 ? ('user' as const) : undefined,
        };
        const { fact } = await facts.remember(`${index} ${TEXT}`, options);
        if (index % 6 === 2) await facts.archive(fact.id);
        if (index % 12 === 7) await facts.supersede(fact.id, `new ${index} ${TEXT}`);
        if (index % 60 === 10) forgotten.push(fact.id);
      }
    };
    const measure = async (): Promise<Record<string, Reads>> => {
      const all: Record<string, Reads> = {};
      for (const [name, call, most] of calls) {
        const reads = await readsOf(backend, call);
        expect(reads.rows, name).toBeLessThanOrEqual(most);
        all[name] = reads;
      }
      const id = forgotten.pop() ?? '';
      all['forget'] = await readsOf(backend, async (own) => {
        expect(await own.forget(id)).toMatchObject({ forgotten: true });
      });
      return all;
    };
    await add(0, 120);
    const few = await measure();
    await add(120, 480);
    const many = await measure();
    expect(many['forget']).toEqual(few['forget']);
    for (const [name, { rows, pages }] of Object.entries(many)) {
      // A page of few facts may be the whole list.
      expect(pages, name).toBeLessThanOrEqual((few[name]?.pages ?? 0) + 4);
      expect(rows, name).toBeLessThanOrEqual(84);
    }
  });

  test('a fact that superseded others many times is forgotten by reading these', async () => {
    const { backend, facts } = await openFacts(kind);
    for (let index = 0; index < 300; index++) await facts.remember(`other ${index}`);
    let { id } = (await facts.remember('version 0')).fact;
    for (let index = 1; index < 6; index++) ({ id } = await facts.supersede(id, `version ${index}`));
    const reads = await readsOf(backend, async (own) => {
      const { superseded = [] } = await own.forget(id);
      expect(superseded).toHaveLength(5);
    });
    expect(reads.rows).toBeLessThan(20);
  });

  test('rows that another program wrote without labels are not hidden', async () => {
    const { backend, facts } = await openFacts(kind);
    await facts.remember('known');
    const stored = { id: 'fact_foreign', text: 'written by hand', shared: true, createdAt: Date.now(), tags: ['hand'] };
    await backend.change(KEY, { rows: [{ id: 'fact_foreign', next: JSON.stringify(stored) }] });
    const { facts: listed, total } = await facts.list();
    expect([textsOf(listed), total]).toEqual([['written by hand', 'known'], 2]);
    expect(await facts.startBlock()).toContain('written by hand');
    expect((await facts.list({ tags: ['hand'] })).total).toBe(1);
  });
});

const name = fc.constantFrom('agent', 'chat', 'desktop');
const record = fc.record({
  text: fc.nat(400).map((number) => `fact ${number}`),
  stream: name,
  shared: fc.boolean(),
  isOfUser: fc.boolean(),
  isPinned: fc.boolean(),
  isArchived: fc.boolean(),
  tags: fc.uniqueArray(fc.constantFrom('Red', 'green', 'blue')),
  createdAt: fc.integer({ min: 1_000, max: 1_060 }),
});
const query = fc.record(
  {
    scope: fc.constantFrom('project' as const, 'user' as const),
    stream: name,
    allStreams: fc.boolean(),
    tags: fc.uniqueArray(fc.constantFrom('red', 'GREEN', 'none'), { maxLength: 2 }),
    since: fc.integer({ min: 990, max: 1_070 }),
    until: fc.integer({ min: 990, max: 1_070 }),
    archived: fc.boolean(),
    limit: fc.integer({ min: 1, max: 12 }),
    offset: fc.integer({ min: 0, max: 12 }),
  },
  { requiredKeys: [] },
);

/** Imported with their times, in any order; the expected list is made of the records. */
test.each(kinds)('every selection in $name has the facts that a full search finds, in their order', async (kind) => {
  await fc.assert(
    fc.asyncProperty(
      fc.uniqueArray(record, { selector: ({ text }) => text, maxLength: 40 }),
      fc.array(query, { minLength: 4, maxLength: 8 }),
      async (records, queries) => {
        const { memory, facts } = await openFacts(kind);
        const all = records.map((one, index) => ({ ...one, id: `fact_${String(index).padStart(3, '0')}` }));
        const lines = all.map(({ isOfUser, isPinned, isArchived, shared, stream, ...fact }) => ({
          kind: 'fact',
          scope: isOfUser ? 'user' : 'project',
          ...(!isOfUser && { project: PROJECT }),
          fact: {
            ...fact,
            ...(stream !== 'agent' && { stream }),
            ...(shared && { shared }),
            ...(isPinned && { pinned: true }),
            ...(isArchived && { archivedAt: fact.createdAt }),
          },
        }));
        const head = (await collect(memory.export()))[0] ?? '';
        await memory.import([head, ...lines.map((line) => JSON.stringify(line))]);
        for (const { limit = 50, offset = 0, archived = false, ...rest } of queries) {
          const { scope, stream = 'agent', allStreams = false, tags = [], since = 0, until = Infinity } = rest;
          const expected = all
            .filter((one) => scope === undefined || one.isOfUser === (scope === 'user'))
            .filter((one) => allStreams || one.shared || one.stream === stream)
            .filter((one) => tags.every((tag) => one.tags.some((own) => own.toLowerCase() === tag.toLowerCase())))
            .filter((one) => one.createdAt >= since && one.createdAt < until && one.isArchived === archived)
            // Of facts with the same time, those of the project come first, and of these the last written one.
            .toSorted(
              (a, b) => b.createdAt - a.createdAt || Number(a.isOfUser) - Number(b.isOfUser) || (a.id < b.id ? 1 : -1),
            );
          const list = await facts.list({ ...rest, archived, limit, offset });
          expect(textsOf(list.facts)).toEqual(textsOf(expected.slice(offset, offset + limit) as never));
          expect(list.total).toBe(expected.length);
          const end = offset + list.facts.length;
          expect(list.nextOffset).toBe(list.facts.length > 0 && end < expected.length ? end : undefined);
        }
        await memory.close();
      },
    ),
    { numRuns: 15 },
  );
});

async function collect(lines: AsyncIterable<string>): Promise<string[]> {
  const all: string[] = [];
  for await (const line of lines) all.push(line);
  return all;
}
