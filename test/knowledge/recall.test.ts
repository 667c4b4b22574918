import { createKnowledge, recall } from '@cairn/knowledge';
import type { Knowledge } from '@cairn/knowledge';
import { createKnowledgeToolSet } from '@cairn/knowledge/tools';
import { createMemory } from '@cairn/memory';
import type { Memory } from '@cairn/memory';
import { memory as inProcess } from '@cairn/memory/memory';
import { redis } from '@cairn/memory/redis';
import { termsIn } from '@cairn/memory/terms';
import { memoryToolSet } from '@cairn/memory/tools';
import { createToolSession, textOf } from '@cairn/tool';
import type { ShownPart, ToolResult } from '@cairn/tool';
import fc from 'fast-check';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';

function temporaryDirectory(): string {
  const directory = mkdtempSync(join(tmpdir(), 'cairn-recall-'));
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
  return directory;
}

/** An empty memory and an empty knowledge. */
function createStores(): { readonly memory: Memory; readonly knowledge: Knowledge } {
  const memory = createMemory({ backend: inProcess(), project: 'app' });
  const knowledge = createKnowledge({ directory: temporaryDirectory(), backend: inProcess(), learn: false, env: {} });
  onTestFinished(() => knowledge.close());
  return { memory, knowledge };
}

type Stores = ReturnType<typeof createStores>;

interface CallOptions {
  readonly hidden?: ReadonlySet<ShownPart>;
  readonly agent?: string;
}

/** Opens the tools of one session over both, in the order in which a server opens them. */
async function callsOf({ memory, knowledge }: Stores, { hidden, agent }: CallOptions = {}) {
  const context = {
    roots: ['/'] as const,
    naming: 'default',
    readOnly: false,
    session: createToolSession(),
    signal: new AbortController().signal,
    hidden,
    agent,
  };
  const sets = [
    createKnowledgeToolSet({ open: () => Promise.resolve(knowledge) }),
    memoryToolSet({ open: () => Promise.resolve(memory) }),
  ];
  const opened = await Promise.all(sets.map(async (set) => set.open(context)));
  const tools = Object.assign({}, ...opened.map((one) => one.tools)) as (typeof opened)[0]['tools'];
  return {
    tools,
    call: async (name: string, input: object = {}): Promise<ToolResult> => {
      const tool = tools[name];
      if (tool === undefined) throw new Error(`there is no tool ${name}`);
      return tool.execute(input);
    },
  };
}

interface ShownHit {
  readonly kind: string;
  readonly id: string;
  readonly isSimilar?: true;
  readonly score: number;
  readonly evidence?: { readonly covered: number };
}

function hitsOf(result: ToolResult): readonly ShownHit[] {
  if (result.isError) throw new Error(textOf(result));
  return (result.details as { readonly hits: readonly ShownHit[] }).hits;
}

const place = { stream: 'agent', group: 'monday' };

async function fill({ memory, knowledge }: Stores): Promise<{ readonly fact: string; readonly message: string }> {
  const { fact } = await memory.facts.remember('The deploy key rotates on Fridays', { tags: ['deploy'] });
  const message = await memory.messages.add(place, { content: 'please rotate the deploy key by hand' });
  await knowledge.store.add({
    name: 'rotate-keys',
    type: 'pitfall',
    title: 'Rotate the deploy key',
    tags: ['Deploy'],
    body: 'The old key works for an hour.',
  });
  return { fact: fact.id, message: message.id };
}

describe('one question', () => {
  test('finds facts, assets and messages of past sessions, each with its kind and id', async () => {
    const stores = createStores();
    const { fact, message } = await fill(stores);
    const { hits, searched, hasMore, notices } = await recall({ ...stores, query: 'who rotates the deploy key' });
    expect(hits.map(({ kind, id }) => `${kind} ${id}`).toSorted()).toEqual(
      [`asset general/rotate-keys`, `fact ${fact}`, `message ${message}`].toSorted(),
    );
    expect([searched, hasMore, notices]).toEqual([{ fact: 1, asset: 1, message: 1 }, false, []]);
    const { call } = await callsOf(stores);
    const text = textOf(await call('recall', { query: 'who rotates the deploy key' }));
    for (const id of [fact, message, 'general/rotate-keys']) expect(text).toContain(`id="${id}"`);
    expect(text).toContain('kind="asset" id="general/rotate-keys" title="Rotate the deploy key" area="general"');
  });

  test.each([
    ['kind fact', { kind: 'fact' }, ['fact']],
    ['kind asset', { kind: 'asset' }, ['asset']],
    ['kind message', { kind: 'message' }, ['message']],
    ['a tag in another case', { tags: ['DEPLOY'] }, ['asset', 'fact']],
    ['a tag that nothing has', { tags: ['none'] }, []],
    ['the scope of the project', { scope: 'project' }, ['fact']],
    ['a role', { role: 'user' }, ['message']],
    ['a time that has not come', { since: Date.now() + 86_400_000 }, []],
    ['a time before all', { until: 1 }, []],
    ['a time after all', { until: Date.now() + 86_400_000 }, ['asset', 'fact', 'message']],
  ] as const)('selects by %s', async (_, filter, kinds) => {
    const stores = createStores();
    await fill(stores);
    const { hits } = await recall({ ...stores, query: 'deploy key', ...filter });
    expect(hits.map(({ kind }) => kind).toSorted()).toEqual(kinds);
  });

  test.each([
    [{ scope: 'project', role: 'user' }, 'Nothing has scope and role'],
    [{ kind: 'message', tags: ['a'] }, 'Only facts and assets have tags'],
    [{ kind: 'gap' }, 'Invalid kind "gap"'],
    [{ limit: 51 }, 'Invalid limit 51'],
    [{ limit: 0 }, 'Invalid limit 0'],
    [{ offset: -1 }, 'Invalid offset -1'],
    [{ query: 1 }, 'The query is not a string'],
    [{ since: Number.NaN }, 'Invalid since NaN'],
  ])('rejects %j', async (options, message) => {
    await expect(recall({ ...createStores(), ...(options as object) })).rejects.toThrow(message);
  });

  test('without words lists facts and assets, newest first, and messages when they are asked for', async () => {
    const stores = createStores();
    const { memory, knowledge } = stores;
    await fill(stores);
    const later = await memory.facts.remember('A later fact');
    await knowledge.store.add({ name: 'latest', type: 'adr', title: 'Latest', body: 'We chose SQLite.' });
    const { hits } = await recall({ ...stores, query: '  ' });
    expect(hits.map(({ kind }) => kind).toSorted()).toEqual(['asset', 'asset', 'fact', 'fact']);
    expect(hits.map(({ time }) => time)).toEqual(hits.map(({ time }) => time).toSorted((a, b) => b - a));
    expect(hits.map(({ id }) => id)).toContain(later.fact.id);
    expect((await recall({ ...stores, kind: 'message' })).hits.map(({ kind }) => kind)).toEqual(['message']);
  });

  test('a hit with too little of the question is marked, and an answer of such hits has a notice', async () => {
    const stores = createStores();
    await fill(stores);
    const { hits, notices } = await recall({ ...stores, query: 'deploy a kubernetes budget forecast' });
    expect(hits.every(({ isSimilar }) => isSimilar)).toBe(true);
    expect(notices.map(({ code }) => code)).toEqual(hits.length > 0 ? ['LITTLE_EVIDENCE'] : []);
    // One kind alone has little evidence, another one answers.
    const answered = await recall({ ...stores, query: 'Rotate the deploy key' });
    expect(answered.hits[0]?.isSimilar).toBeUndefined();
    expect(answered.notices).toEqual([]);
  });
});

const words = ['deploy', 'key', 'redis', 'rotate', 'friday', 'test', 'queue', 'timeout'] as const;
const someWords = fc.array(fc.constantFrom(...words), { minLength: 1, maxLength: 5 }).map((all) => all.join(' '));
const contents = fc.record({
  facts: fc.uniqueArray(someWords, { maxLength: 6 }),
  assets: fc.uniqueArray(someWords, { maxLength: 6 }),
  messages: fc.array(someWords, { maxLength: 6 }),
  question: someWords,
  limit: fc.integer({ min: 1, max: 7 }),
});

async function storesOf({ facts, assets, messages }: Readonly<Record<'facts' | 'assets' | 'messages', string[]>>) {
  const memory = createMemory({ backend: inProcess(), project: 'app' });
  const knowledge = createKnowledge({ directory: '/nowhere', backend: inProcess(), learn: false, env: {} });
  for (const text of facts) await memory.facts.remember(text);
  for (const [index, title] of assets.entries()) {
    const body = `${title} ${index} in the body`;
    await knowledge.store.add({ name: `a${index}`, type: 'reference', title, body });
  }
  for (const content of messages) await memory.messages.add(place, { content });
  return { memory, knowledge };
}

/** Asks each kind by its own search. */
async function separately({ memory, knowledge }: Stores, query: string): Promise<Readonly<Record<string, string[]>>> {
  const { facts } = await memory.facts.recall({ query, limit: 50 });
  const { contexts } = await memory.recall({ stream: 'agent', query, limit: 50 });
  const { results } = await knowledge.layers.search({ query, limit: 50 });
  return {
    fact: facts.map(({ id }) => id),
    message: contexts.flatMap((one) => (one.kind === 'message' ? one.id : [])),
    asset: results.map(({ id }) => id),
  };
}

const keysOf = (hits: readonly ShownHit[]): string[] => hits.map(({ kind, id }) => `${kind} ${id}`);

test(
  'the library and the tool give the same hits, in pages too, in the order of each kind',
  { timeout: 120_000 },
  async () => {
    await fc.assert(
      fc.asyncProperty(contents, async ({ question, limit, ...given }) => {
        const stores = await storesOf(given);
        const { hits } = await recall({ ...stores, query: question, limit: 50 });
        for (const [kind, ids] of Object.entries(await separately(stores, question))) {
          expect(hits.filter((hit) => hit.kind === kind).map(({ id }) => id)).toEqual(ids);
        }
        // A weak hit never hides an answer of another kind, and a worse one never a better one.
        const [early, late] = [hits.slice(0, -1), hits.slice(1)];
        const misplaced = early.filter((hit, index) => {
          const next = late[index] ?? hit;
          if (next.kind === hit.kind) return false;
          const [mark, nextMark] = [hit.isSimilar === true, next.isSimilar === true];
          const more = (next.evidence?.covered ?? 0) - (hit.evidence?.covered ?? 0);
          const isJudged = hit.evidence !== undefined && next.evidence !== undefined && more !== 0;
          return (mark && !nextMark) || (mark === nextMark && (isJudged ? more > 0 : next.score > hit.score));
        });
        expect(misplaced).toEqual([]);
        const marks = hits.map(({ isSimilar }) => Number(isSimilar ?? false));
        expect(marks).toEqual(marks.toSorted((a, b) => a - b));
        const { call } = await callsOf(stores);
        const paged: string[] = [];
        const called: string[] = [];
        for (let offset = 0; offset < hits.length; offset += limit) {
          const page = await recall({ ...stores, query: question, limit, offset });
          expect(page.hasMore).toBe(offset + limit < hits.length);
          paged.push(...keysOf(page.hits));
          called.push(...keysOf(hitsOf(await call('recall', { query: question, limit, offset }))));
        }
        expect(paged).toEqual(keysOf(hits));
        expect(called).toEqual(keysOf(hits));
      }),
      { numRuns: 60 },
    );
  },
);

describe('get_asset', () => {
  test('reads a fact, an asset and a message whole by its id, and no other tool does', async () => {
    const stores = createStores();
    const { fact, message } = await fill(stores);
    const { call, tools } = await callsOf(stores);
    expect(textOf(await call('get_asset', { name: fact }))).toContain('The deploy key rotates on Fridays');
    expect(textOf(await call('get_asset', { name: message }))).toContain('please rotate the deploy key by hand');
    expect(textOf(await call('get_asset', { name: 'general/rotate-keys' }))).toContain('works for an hour');
    expect(textOf(await call('get_asset', { name: message, kind: 'message' }))).toContain('kind="message"');
    expect(textOf(await call('recall', { id: fact }))).toContain('unknown parameter id');
    expect(Object.keys(tools).filter((name) => name === 'list_facts')).toEqual([]);
  });

  test('of an unknown id states what is near, and of a kind that the id is not', async () => {
    const stores = createStores();
    const { fact } = await fill(stores);
    const { call } = await callsOf(stores);
    expect(textOf(await call('get_asset', { name: 'rotate-key' }))).toContain('general/rotate-keys');
    expect(textOf(await call('get_asset', { name: 'fact_none' }))).toContain('Unknown asset "fact_none"');
    expect(await call('get_asset', { name: fact, kind: 'message' })).toMatchObject({
      isError: true,
      details: { reason: 'NOT_FOUND' },
    });
  });

  test('reads a long fact in pages, which together are its text', async () => {
    const stores = createStores();
    const text = Array.from({ length: 3000 }, (_, index) => `line ${index} 😀`).join('\n');
    const { fact } = await stores.memory.facts.remember(text);
    const { call } = await callsOf(stores);
    const cut = textOf(await call('recall', { query: 'line' }));
    expect(cut).toContain(`Read one whole by its id: get_asset {"name":"${fact.id}"}.`);
    const parts: string[] = [];
    for (let offset: number | undefined = 0; offset !== undefined;) {
      const { details } = await call('get_asset', { name: fact.id, offset });
      const page = details as { readonly text: string; readonly next_offset?: number };
      parts.push(page.text);
      offset = page.next_offset;
    }
    expect(parts.length).toBeGreaterThan(1);
    expect(parts.join('')).toBe(text);
  });

  test('reads no message of another agent, and no fact in a session without facts', async () => {
    const stores = createStores();
    const { fact, message } = await fill(stores);
    const agent = await callsOf(stores, { agent: 'reviewer' });
    expect(await agent.call('get_asset', { name: message })).toMatchObject({ isError: true });
    expect(textOf(await agent.call('get_asset', { name: fact }))).toContain('rotates on Fridays');
    const without = await callsOf(stores, { hidden: new Set(['facts']) });
    expect(await without.call('get_asset', { name: fact })).toMatchObject({ isError: true });
    const alone = await callsOf(stores, { hidden: new Set(['knowledge']) });
    expect(textOf(await alone.call('recall', { query: 'deploy key' }))).not.toContain('rotate-keys');
    expect(textOf(await alone.call('recall', { id: fact }))).toContain('rotates on Fridays');
  });
});

describe('a part that cannot be read', () => {
  /** A Redis that is not there: a port that was free a moment ago. */
  async function absentRedis(): Promise<Memory> {
    const server = createServer().listen(0, '127.0.0.1');
    await new Promise((done) => server.once('listening', done));
    const { port } = server.address() as AddressInfo;
    await new Promise((done) => server.close(done));
    const memory = createMemory({ backend: redis({ url: `redis://127.0.0.1:${port}` }), project: 'app' });
    onTestFinished(() => memory.close());
    return memory;
  }

  test('costs a notice: without its Redis the assets answer, also with a time', { timeout: 120_000 }, async () => {
    const { knowledge } = createStores();
    await knowledge.store.add({ name: 'keys', type: 'adr', title: 'Rotate keys', body: 'By hand.' });
    const stores = { memory: await absentRedis(), knowledge };
    const { hits, notices, searched } = await recall({ ...stores, query: 'rotate keys' });
    expect(hits.map(({ id }) => id)).toEqual(['general/keys']);
    expect(searched).toEqual({ asset: 1 });
    expect(notices).toMatchObject([{ code: 'PART_FAILED' }]);
    expect(notices[0]?.message).toMatch(/^The answer has no facts and no messages of past sessions, because .*redis/u);
    const { call } = await callsOf(stores);
    const text = textOf(await call('recall', { query: 'rotate keys', since: '7d' }));
    expect(text).toContain('The answer has no facts');
    expect(text).toContain('general/keys');
  });

  test('costs a notice: without a readable file of the assets the facts answer', async () => {
    const { memory } = createStores();
    const directory = temporaryDirectory();
    writeFileSync(join(directory, 'knowledge.db'), 'Not a SQLite file. '.repeat(1000));
    const knowledge = createKnowledge({ directory, env: {} });
    onTestFinished(() => knowledge.close());
    await memory.facts.remember('The deploy key rotates on Fridays');
    const { hits, notices, isWhole } = await recall({ memory, knowledge, query: 'deploy key' });
    expect(hits.map(({ kind }) => kind)).toEqual(['fact']);
    expect(isWhole).toBe(false);
    expect(notices[0]?.message).toMatch(/^The answer has no assets, because they could not be read: /u);
    const { call } = await callsOf({ memory, knowledge });
    const nothing = await call('recall', { query: 'zebra' });
    expect(nothing.details).toMatchObject({ isWhole: false });
    expect(textOf(nothing)).toMatch(/\nNothing found in what could be read: 1 fact and 0 messages\.$/u);
  });

  test('a message that cannot be read is counted in the answer, and the others are found', async () => {
    const { memory } = createStores();
    const place = { stream: 'agent', group: 'monday' };
    await memory.messages.add(place, { content: 'rotate the deploy key' });
    await memory.backend.change('ai:memory:agent:monday', {
      rows: [{ id: 'bad', expected: undefined, next: 'deploy', terms: await termsIn('deploy') }],
    });
    for (const options of [{ query: 'deploy' }, { kind: 'message' as const }]) {
      const { hits, notices, isWhole } = await recall({ memory, ...options });
      expect([hits.length, isWhole]).toEqual([1, false]);
      expect(notices).toMatchObject([
        { code: 'UNREADABLE_RECORDS', message: expect.stringContaining(': 1.') as string },
      ]);
    }
  });

  test('is the error when nothing else is asked', { timeout: 120_000 }, async () => {
    const memory = await absentRedis();
    await expect(recall({ memory, query: 'x' })).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' });
    await expect(recall({ ...createStores(), memory, query: 'x' })).resolves.toBeDefined();
  });

  test('an aborted question throws the reason', async () => {
    const stores = createStores();
    const signal = AbortSignal.abort(new Error('enough'));
    await expect(recall({ ...stores, query: 'x', signal })).rejects.toThrow('enough');
  });
});
