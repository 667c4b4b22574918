import { createKnowledge, recall, share } from '@cairn/knowledge';
import type { Knowledge, KnowledgeOptions, ShareFactOptions } from '@cairn/knowledge';
import { createKnowledgeToolSet } from '@cairn/knowledge/tools';
import { createMemory } from '@cairn/memory';
import type { Memory } from '@cairn/memory';
import type { Embeddings } from '@cairn/memory/embeddings';
import { memory as inProcess } from '@cairn/memory/memory';
import { memoryToolSet } from '@cairn/memory/tools';
import { createToolSession, textOf } from '@cairn/tool';
import type { ToolResult } from '@cairn/tool';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';

function createStores(options: Pick<KnowledgeOptions, 'embeddings'> = {}): {
  readonly memory: Memory;
  readonly knowledge: Knowledge;
} {
  const directory = mkdtempSync(join(tmpdir(), 'cairn-share-'));
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
  const memory = createMemory({ backend: inProcess(), project: 'app' });
  const knowledge = createKnowledge({ directory, backend: inProcess(), learn: false, env: {}, ...options });
  onTestFinished(() => knowledge.close());
  return { memory, knowledge };
}

/** Ends after the clock of the stores has another time. */
async function pause(): Promise<void> {
  for (const now = Date.now(); Date.now() === now;) await new Promise(setImmediate);
}

type Stores = ReturnType<typeof createStores>;

async function shared(
  stores: Stores,
  text: string,
  options: Omit<ShareFactOptions, 'memory' | 'knowledge'> = {},
): ReturnType<typeof share> {
  const { fact } = await stores.memory.facts.remember(text);
  return share(fact.id, { ...stores, ...options });
}

describe('share', () => {
  test.each([
    ['its words', 'The tests need redis-server.', 'the-tests-need-redis-server', 'The tests need redis-server.'],
    ['its first line', '# Deploy key\n\nIt rotates on Fridays.', 'deploy-key', 'Deploy key'],
    ['Chinese', '部署之前先备份数据库', '部署之前先备份数据库', '部署之前先备份数据库'],
    ['no letter', '!!!', 'fact_', '!!!'],
    ['a long line', `word ${'more '.repeat(40)}`, `word${'-more'.repeat(11)}`, `word ${'more '.repeat(14)}more…`],
  ])('takes name and title from the fact: %s', async (_, text, name, title) => {
    const result = await shared(createStores(), text);
    if (result.kind !== 'added') throw new Error(result.kind);
    const { asset } = result;
    expect(asset.name.startsWith(name), asset.name).toBe(true);
    expect(asset).toMatchObject({ title, type: 'discovery', productLine: 'general' });
    expect(asset.body.trim()).toBe(text.trim());
  });

  test('takes the fields that are given, and the tags of the fact', async () => {
    const stores = createStores();
    const { fact } = await stores.memory.facts.remember('Deploy on Fridays', { tags: ['ci'] });
    const fields = { name: 'deploys', title: 'When we deploy', type: 'adr', productLine: 'exchange/core' } as const;
    const { asset } = (await share(fact.id, { ...stores, ...fields })) as { readonly asset: object };
    expect(asset).toMatchObject({ ...fields, tags: ['ci'], origin: { kind: 'fact', source: fact.id } });
  });

  test('twice returns the asset even if its text was edited, and the fact stays with its history', async () => {
    const stores = createStores();
    const { memory, knowledge } = stores;
    const { fact } = await memory.facts.remember('Deploy on Mondays');
    await memory.facts.update(fact.id, { text: 'Deploy on Fridays' });
    const first = await share(fact.id, stores);
    expect(first.kind).toBe('added');
    await knowledge.store.change('general/deploy-on-fridays', { body: 'Deploy on Fridays, before noon.\n' });
    const second = await share(fact.id, { ...stores, title: 'Another title' });
    expect(second).toMatchObject({ kind: 'present', asset: { id: 'general/deploy-on-fridays' } });
    expect((await memory.facts.history(fact.id)).map(({ text }) => text)).toEqual(['Deploy on Mondays']);
    const { hits } = await recall({ ...stores, query: 'deploy', kind: 'asset' });
    expect(hits[0]?.about).toMatchObject({ fact: fact.id, type: 'discovery' });
  });

  test.each<[string, (stores: Stores, id: string) => Promise<string>, 'older' | 'edited']>([
    [
      'the fact was changed',
      async ({ memory: { facts } }, id) => (await facts.update(id, { text: 'Deploy on Fridays' })).id,
      'older',
    ],
    [
      'the fact was replaced by another one',
      async ({ memory: { facts } }, id) => (await facts.supersede(id, 'Deploy on Fridays')).id,
      'older',
    ],
    [
      'it was replaced twice',
      async ({ memory: { facts } }, id) =>
        (await facts.supersede((await facts.supersede(id, 'Deploy on Tuesdays')).id, 'Deploy on Fridays')).id,
      'older',
    ],
    [
      'the asset was edited',
      async ({ knowledge: { store } }, id) => {
        await store.change('general/deploy-on-mondays', { body: 'Deploy on Mondays, before noon.' });
        return id;
      },
      'edited',
    ],
  ])('again after %s tells that the texts differ, and updates the asset when asked', async (_, change, differs) => {
    const stores = createStores();
    const { fact } = await stores.memory.facts.remember('Deploy on Mondays');
    await share(fact.id, stores);
    await pause();
    const id = await change(stores, fact.id);
    const { text } = await stores.memory.facts.get(id);
    const asset = { id: 'general/deploy-on-mondays' };
    expect(await share(id, stores)).toMatchObject({ kind: 'present', differs, asset });
    expect(await share(id, { ...stores, update: true })).toMatchObject({ kind: 'updated', asset });
    expect(await stores.knowledge.store.get(asset.id)).toMatchObject({
      title: text,
      body: expect.stringContaining(text) as string,
    });
    const again = await share(id, { ...stores, update: true });
    expect([again.kind, 'differs' in again]).toEqual(['present', false]);
  });

  test('again after a secret came into the fact is rejected, and its asset shows no part of it in its title', async () => {
    const stores = createStores();
    const { memory, knowledge } = stores;
    const token = ['ghp', '_', 'x7Kq9ZtB2mWv4LpR8sNd6JfH3cYg1TaE5uQo'].join('');
    const { fact } = await memory.facts.remember('Deploy on Mondays');
    await share(fact.id, stores);
    await memory.facts.update(fact.id, { text: `the token is ${token}`, allowSecret: true });
    const asset = 'general/deploy-on-mondays';
    for (const options of [{ update: true }, { update: true, allowSecret: true }]) {
      await expect(share(fact.id, { ...stores, ...options })).rejects.toMatchObject({ code: 'SECRET' });
      expect((await knowledge.store.get(asset))?.text).not.toContain(token);
    }
    await memory.facts.update(fact.id, { text: 'The password of the safe is our usual one', allowSecret: true });
    await expect(share(fact.id, { ...stores, update: true })).rejects.toMatchObject({ code: 'SECRET' });
    await share(fact.id, { ...stores, update: true, allowSecret: true });
    expect(await knowledge.store.get(asset)).toMatchObject({ title: 'Deploy on Mondays', allowSecret: true });
  });

  test('by two at once makes one asset', async () => {
    const stores = createStores();
    const { fact } = await stores.memory.facts.remember('Deploy on Fridays');
    const results = await Promise.all([1, 2, 3].map(() => share(fact.id, stores)));
    expect(results.map(({ kind }) => kind).toSorted()).toEqual(['added', 'present', 'present']);
    expect((await stores.knowledge.store.changes()).changed).toHaveLength(1);
  });

  test('of a text that an asset has returns that asset', async () => {
    const stores = createStores();
    await stores.knowledge.store.add({ name: 'a', type: 'adr', title: 'A', body: 'Deploy on  Fridays\n' });
    expect(await shared(stores, 'Deploy on Fridays')).toMatchObject({ kind: 'present', asset: { id: 'general/a' } });
  });

  test('next to similar assets writes nothing until it is asked to', async () => {
    const stores = createStores();
    await stores.knowledge.store.add({
      name: 'deploys',
      type: 'adr',
      title: 'Deploy the web app on Fridays',
      body: 'Deploy the web app on Fridays only.',
    });
    const { fact } = await stores.memory.facts.remember('Deploy the web app on Fridays');
    const refused = await share(fact.id, stores);
    expect(refused).toMatchObject({ kind: 'similar', similar: [{ id: 'general/deploys' }] });
    expect((await stores.knowledge.store.changes()).changed).toHaveLength(1);
    expect(await share(fact.id, { ...stores, isNew: true })).toMatchObject({ kind: 'added' });
  });

  test('with a name that is taken is rejected, and without one it gets another', async () => {
    const stores = createStores();
    const other = { name: 'deploy-on-fridays', type: 'adr', title: 'Zebra', body: 'Stripes.' } as const;
    await stores.knowledge.store.add(other);
    await expect(shared(stores, 'Deploy on Fridays', { name: other.name })).rejects.toMatchObject({
      code: 'ASSET_EXISTS',
    });
    const result = await shared(stores, 'Deploy on Fridays', { isNew: true });
    expect(result).toMatchObject({
      kind: 'added',
      asset: { name: expect.stringMatching(/^deploy-on-fridays-\w{4}$/u) },
    });
  });

  test.each([
    [
      'a secret',
      async ({ facts }: Memory) => (await facts.remember('AKIAIOSFODNN7QWERTYU', { allowSecret: true })).fact,
      'SECRET',
    ],
    [
      'a fact that was replaced',
      async ({ facts }: Memory) => {
        const { fact } = await facts.remember('Deploy on Mondays');
        await facts.supersede(fact.id, 'Deploy on Fridays');
        return fact;
      },
      'INVALID_INPUT',
    ],
    [
      'an archived fact',
      async ({ facts }: Memory) => facts.archive((await facts.remember('old')).fact.id),
      'INVALID_INPUT',
    ],
    ['an unknown fact', async () => ({ id: 'fact_none' }), 'UNKNOWN_FACT'],
  ])('of %s is rejected, and nothing is written', async (_, create, code) => {
    const stores = createStores();
    const { id } = await create(stores.memory);
    await expect(share(id, stores)).rejects.toMatchObject({ code });
    expect((await stores.knowledge.store.changes()).changed).toEqual([]);
  });

  test('only checks in a dry run', async () => {
    const stores = createStores();
    expect(await shared(stores, 'Deploy on Fridays', { dryRun: true })).toMatchObject({ kind: 'added' });
    expect((await stores.knowledge.store.changes()).changed).toEqual([]);
  });
});

async function callsOf({ memory, knowledge }: Stores) {
  const context = {
    roots: ['/'] as const,
    naming: 'default',
    readOnly: false,
    session: createToolSession(),
    signal: new AbortController().signal,
  };
  const known = await createKnowledgeToolSet({ open: () => Promise.resolve(knowledge) }).open(context);
  const kept = await memoryToolSet({ open: () => Promise.resolve(memory) }).open(context);
  const tools = { ...known.tools, ...kept.tools };
  return async (name: string, input: object): Promise<ToolResult> => {
    const tool = tools[name];
    if (tool === undefined) throw new Error(`there is no tool ${name}`);
    return tool.execute(input);
  };
}

describe('the tools', () => {
  test('remember states how to share a fact, that call shares it, and sharing it twice is reported', async () => {
    const stores = createStores();
    const call = await callsOf(stores);
    const answer = textOf(await call('remember', { text: 'Deploy on Fridays', tags: ['ci'] }));
    const [, json = '{}'] = /^To share it with the team: sink_asset (.*)\.$/mu.exec(answer) ?? [];
    const input = JSON.parse(json) as object;
    expect(textOf(await call('sink_asset', input))).toContain('general/deploy-on-fridays');
    expect(await stores.knowledge.store.get('general/deploy-on-fridays')).toMatchObject({ tags: ['ci'] });
    expect(textOf(await call('sink_asset', input))).toBe(
      'This fact is the asset general/deploy-on-fridays already. Nothing was changed.',
    );
  });

  test('sink_asset tells that a fact was changed after it was shared, and mode update gives the asset its text', async () => {
    const stores = createStores();
    const call = await callsOf(stores);
    const { fact } = await stores.memory.facts.remember('Deploy on Mondays');
    await call('sink_asset', { fact: fact.id });
    await pause();
    const next = await stores.memory.facts.supersede(fact.id, 'Deploy on Fridays');
    expect(textOf(await call('sink_asset', { fact: next.id }))).toMatch(
      /^The asset general\/deploy-on-mondays has an older text of this fact\. .* with mode update\.$/u,
    );
    expect(textOf(await call('sink_asset', { fact: next.id, mode: 'update' }))).toContain('general/deploy-on-mondays');
    await stores.knowledge.store.change('general/deploy-on-mondays', { fields: { status: 'deprecated' } });
    expect(textOf(await call('sink_asset', { fact: next.id }))).toContain(
      "Searches do not find general/deploy-on-mondays, because it is deprecated or superseded; 'cairn knowledge deprecate",
    );
    expect((await stores.knowledge.store.get('general/deploy-on-mondays'))?.body.trim()).toBe('Deploy on Fridays');
  });

  test.each([
    ['that was shared', 'Deploy on Fridays', true],
    ['that was not', 'Zebras have stripes', false],
  ])('forget_fact of a fact %s names the asset that remains, or none', async (_, text, isShared) => {
    const stores = createStores();
    const call = await callsOf(stores);
    const { fact } = await stores.memory.facts.remember('Deploy on Fridays');
    await call('sink_asset', { fact: fact.id });
    const { fact: own } = await stores.memory.facts.remember(text);
    const answer = textOf(await call('forget_fact', { id: own.id }));
    expect(answer).toContain('its text is erased');
    const remains =
      'It is also the asset general/deploy-on-fridays, which remains. To erase that, the user runs: cairn knowledge remove general/deploy-on-fridays.';
    expect(answer.includes(remains)).toBe(isShared);
  });

  test.each([
    [{ fact: 'fact_none' }, 'There is no fact "fact_none"'],
    [{ fact: 'fact_none', text: 'x' }, 'text cannot be combined with fact'],
    [{ type: 'adr' }, 'An asset needs name, title, text'],
    [{ name: 'a' }, 'An asset needs title, text'],
    [{ mode: 'update', text: 'x' }, 'An asset needs name'],
  ])('sink_asset rejects %j', async (input, message) => {
    const call = await callsOf(createStores());
    const result = await call('sink_asset', input);
    expect(result.isError).toBe(true);
    expect(textOf(result)).toContain(message);
  });
});

/** A secret that no source may have as a whole. */
const TOKEN = ['ghp', '_', 'x7Kq9ZtB2mWv4LpR8sNd6JfH3cYg1TaE5uQo'].join('');
const LOCKER = 'My locker opens with seven';

/** The requests of an embeddings server that everybody allowed. */
function scriptedEmbeddings(): { readonly sent: string[]; readonly embeddings: Embeddings } {
  const sent: string[] = [];
  const embed: Embeddings['embed'] = (texts) => {
    sent.push(...texts);
    return Promise.resolve({ vectors: texts.map((text, index) => [1, text.length, index]) });
  };
  return { sent, embeddings: { model: 'scripted', server: 'http://localhost', embed } };
}

describe('share of a fact that was stored with allowSecret', () => {
  test.each([
    ['a found secret', `The token is ${TOKEN}`, 'The text seems to have a secret (line 1, column 14: GitHub token)'],
    ['a secret that only its owner knows', LOCKER, 'was stored with allowSecret'],
  ])('is rejected without allowSecret, and nothing is written: %s', async (_, text, summary) => {
    const stores = createStores();
    const { fact } = await stores.memory.facts.remember(text, { allowSecret: true });
    const error: unknown = await share(fact.id, { ...stores, isNew: true }).catch((one: unknown) => one);
    expect(error).toMatchObject({ code: 'SECRET', summary: expect.stringContaining(summary) as string });
    expect(error).toMatchObject({ message: expect.stringContaining('pass allowSecret') as string });
    expect(String(error)).not.toContain(TOKEN);
    expect((await stores.knowledge.store.changes()).changed).toEqual([]);
  });

  test.each([
    ['a found secret', `The token is ${TOKEN}`],
    ['a secret that only its owner knows', LOCKER],
  ])('with allowSecret makes a marked asset whose title is not the text: %s', async (_, text) => {
    const stores = createStores();
    const { fact } = await stores.memory.facts.remember(text, { allowSecret: true });
    const result = await share(fact.id, { ...stores, allowSecret: true });
    expect(result).toMatchObject({ kind: 'added', asset: { allowSecret: true, title: fact.id } });
    const { asset } = result as { readonly asset: { readonly id: string; readonly text: string } };
    expect(asset.text).toContain('\nallow_secret: true\n');
    expect(asset.text).toContain(text);
    // It can still be changed, and is checked again when the mark is gone.
    const { store } = stores.knowledge;
    await store.change(asset.id, { fields: { title: 'Locker' } });
    if (text === LOCKER) return;
    await expect(store.change(asset.id, { fields: { allowSecret: false } })).rejects.toMatchObject({ code: 'SECRET' });
    await expect(store.change(asset.id, { fields: { tags: [TOKEN] } })).rejects.toMatchObject({
      code: 'SECRET',
      summary: 'The text seems to have a secret (front matter: GitHub token)',
    });
  });

  test('with allowSecret sends nothing of it to an embeddings server, not even to find similar assets', async () => {
    const { sent, embeddings } = scriptedEmbeddings();
    const stores = createStores({ embeddings });
    const { memory, knowledge } = stores;
    const { store, layers } = knowledge;
    const other = await store.add({
      name: 'door',
      type: 'adr',
      title: 'Door',
      body: 'The door of the office is green.',
    });
    const { fact } = await memory.facts.remember(LOCKER, { allowSecret: true });
    await share(fact.id, { ...stores, allowSecret: true });
    const marked = await store.change(other.id, { fields: { allowSecret: true }, body: 'The door opens with nine.' });
    expect(marked.allowSecret).toBe(true);
    await store.add({ name: 'lamp', type: 'adr', title: 'Lamp', body: 'The lamp is broken.' });
    const { results } = await layers.search({ query: 'locker' });
    expect(results.map(({ id }) => id)).toContain(`general/${fact.id.replace('_', '-')}`);
    await knowledge.close();
    expect(sent.join('\n')).toContain('The lamp is broken');
    for (const word of ['seven', 'nine']) expect(sent.join('\n')).not.toContain(word);
  });

  test('is left to a person by the tool, which names the command', async () => {
    const stores = createStores();
    const { fact } = await stores.memory.facts.remember(LOCKER, { allowSecret: true });
    const result = await (await callsOf(stores))('sink_asset', { fact: fact.id });
    expect(result.isError).toBe(true);
    expect(textOf(result)).toContain(`cairn knowledge share --allow-secret ${fact.id}`);
    expect((await stores.knowledge.store.changes()).changed).toEqual([]);
  });
});
