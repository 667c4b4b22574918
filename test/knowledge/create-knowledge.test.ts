/** The parts of a knowledge base as they work together: what one of them changes, the others have. */
import { createKnowledge } from '@cairn/knowledge';
import type { AssetDraft, Knowledge, KnowledgeOptions } from '@cairn/knowledge';
import { sessionPayload } from '@cairn/knowledge/session';
import { createKnowledgeToolSet } from '@cairn/knowledge/tools';
import { memory } from '@cairn/memory/memory';
import type { MemoryBackend } from '@cairn/memory';
import { createToolSession } from '@cairn/tool';
import type { ToolSet } from '@cairn/tool';
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { temporaryDirectory } from '../support/tree.ts';

function open(options: KnowledgeOptions = {}): Knowledge {
  const knowledge = createKnowledge({ directory: temporaryDirectory(), env: {}, ...options });
  onTestFinished(() => knowledge.close());
  return knowledge;
}

/** A store that closing a knowledge base leaves open for the next one. */
function lasting(): MemoryBackend {
  return { ...memory(), close: async () => undefined };
}

function draft(name: string, fields: Partial<AssetDraft> = {}): AssetDraft {
  return { name, productLine: 'general', type: 'reference', title: name, body: `About ${name}.`, ...fields };
}

type Tools = Awaited<ReturnType<ToolSet['open']>>['tools'];

/** The tools of a new session. */
async function toolsOf(set: ToolSet, root: string = temporaryDirectory()): Promise<Tools> {
  const { signal } = new AbortController();
  const session = createToolSession();
  const { tools } = await set.open({
    roots: [root],
    naming: 'default',
    readOnly: false,
    session,
    signal,
  });
  return tools;
}

/** The lines of `AGENTS-INDEX.md`. */
function linesOf(directory: string): string[] {
  const lines = readFileSync(join(directory, 'AGENTS-INDEX.md'), 'utf8').split('\n');
  return lines.slice(lines.indexOf('<!-- INDEX_START -->') + 1, lines.indexOf('<!-- INDEX_END -->'));
}

const changes: readonly (readonly [
  what: string,
  change: (knowledge: Knowledge) => Promise<unknown>,
  lines: string[],
])[] = [
  ['added', ({ store }) => store.add(draft('b')), ['a|discovery|general|a||0', 'b|reference|general|b||0']],
  [
    'sunk by a tool',
    async (knowledge) => {
      const tools = await toolsOf(createKnowledgeToolSet({ open: async () => knowledge }));
      const { productLine: _, body: text, ...input } = draft('b', { body: 'Something else entirely.' });
      return tools['sink_asset']?.execute({ ...input, text, mode: 'new' });
    },
    ['a|discovery|general|a||0', 'b|reference|general|b||0'],
  ],
  ['edited', ({ store }) => store.change('general/a', { fields: { title: 'New' } }), ['a|discovery|general|New||0']],
  ['converted', ({ store }) => store.change('general/a', { fields: { type: 'pattern' } }), ['a|pattern|general|a||0']],
  ['renamed', ({ store }) => store.change('general/a', { fields: { name: 'c' } }), ['c|discovery|general|a||0']],
  ['removed', ({ store }) => store.remove('general/a'), []],
  ['deprecated', ({ store }) => store.change('general/a', { fields: { status: 'deprecated' } }), []],
  ['superseded', ({ store }) => store.change('general/a', { fields: { supersededBy: 'b' } }), []],
  ['made a skill', ({ store }) => store.change('general/a', { fields: { type: 'skill' } }), []],
];

test.each(changes)('an asset that is %s is so in AGENTS-INDEX.md', async (_, change, lines) => {
  const backend = lasting();
  const { directory, store, close } = open({ backend });
  await store.add(draft('a', { type: 'discovery' }));
  await close();
  expect(linesOf(directory)).toEqual(['a|discovery|general|a||0']);
  const again = open({ directory, backend });
  await change(again);
  await again.close();
  expect(linesOf(directory).toSorted()).toEqual(lines);
});

test('what a synchronization brings, changes, shares and removes is so in AGENTS-INDEX.md', async () => {
  const remote = temporaryDirectory();
  execFileSync('git', ['init', '--quiet', '--bare', '--initial-branch=main', remote]);
  const env = { ...process.env, GIT_AUTHOR_NAME: 'A', GIT_AUTHOR_EMAIL: 'a@example.com' };
  const [one, two] = [temporaryDirectory(), temporaryDirectory()];
  /** Works as a command does: it opens the knowledge, and closes it. */
  const run = async (directory: string, work: (knowledge: Knowledge) => Promise<unknown>): Promise<string[]> => {
    await using knowledge = createKnowledge({ directory, env });
    await work(knowledge);
    await knowledge.close();
    return linesOf(directory);
  };
  expect(
    await run(one, async ({ store, team }) => {
      await store.add(draft('a'));
      await team.init({ remote });
      await team.sync();
    }),
  ).toEqual(['a|reference|general|a||1']);
  await run(two, ({ team }) => team.init({ remote }));
  expect(await run(two, ({ team }) => team.pull())).toEqual(['a|reference|general|a||1']);
  await run(two, ({ store }) => store.change('general/a', { fields: { title: 'New' } }));
  await run(two, ({ team }) => team.sync());
  expect(await run(one, ({ team }) => team.pull())).toEqual(['a|reference|general|New||1']);
  expect(await run(one, ({ store }) => store.change('general/a', { fields: { title: 'Mine' } }))).toEqual([
    'a|reference|general|Mine||1',
  ]);
  await run(two, ({ store }) => store.remove('general/a'));
  await run(two, ({ team }) => team.sync());
  // It is in conflict, and no longer in the team store.
  expect(await run(one, ({ team }) => team.pull())).toEqual(['a|reference|general|Mine||0']);
  await run(one, ({ team }) => team.resolve('general/a', 'theirs'));
  expect(await run(one, ({ team }) => team.pull())).toEqual([]);
});

test('the assets that sessions open come first in the index, and at the start of the next session', async () => {
  const directory = temporaryDirectory();
  let nowMs = Date.UTC(2026, 0, 28);
  const knowledge = createKnowledge({ directory, env: {}, clock: () => (nowMs += 1000) });
  for (const name of ['a', 'b', 'c']) await knowledge.store.add(draft(name));
  await knowledge.index.flush();
  expect(linesOf(directory).map((line) => line[0])).toEqual(['c', 'b', 'a']);
  const set = createKnowledgeToolSet({ open: async () => knowledge });
  for (const name of ['a', 'a', 'b']) await (await toolsOf(set))['get_asset']?.execute({ name });
  // No asset changes, so that only the openings cause the writing.
  await set.close?.();
  expect(linesOf(directory).map((line) => line[0])).toEqual(['a', 'b', 'c']);
  expect(await sessionPayload({ directory })).toMatch(/\na\|[^\n]+\nb\|[^\n]+\nc\|/u);
});

test.each([
  [{}, true],
  [{ CAIRN_KNOWLEDGE_LEARN: '1' }, true],
  [{ CAIRN_KNOWLEDGE_LEARN: '0' }, false],
  [{ CAIRN_KNOWLEDGE_LEARN: 'off' }, false],
])('with the variables %j the ranking learns: %s', async (env, isOn) => {
  const { store, usage, layers } = open({ env, backend: memory() });
  for (const name of ['one', 'two']) await store.add(draft(name, { body: `A queue of ${name}.` }));
  const order = async (): Promise<string[]> =>
    (await layers.search({ query: 'queue' })).results.map(({ name }) => name);
  const [first = '', second = ''] = await order();
  for (let session = 0; session < 20; session++) {
    usage.recordOpened({ asset: `general/${second}`, session: `${session}`, query: 'queue' });
  }
  await usage.flush();
  expect([usage.isOn, (await usage.events()).length]).toEqual([isOn, isOn ? 20 : 0]);
  expect(await order()).toEqual(isOn ? [second, first] : [first, second]);
});

test('the events of a removed asset are removed before the knowledge is closed', async () => {
  const backend = lasting();
  const knowledge = open({ backend });
  for (const name of ['a', 'b']) await knowledge.store.add(draft(name));
  for (const asset of ['general/a', 'general/b']) knowledge.usage.recordOpened({ asset, session: 's', query: 'x' });
  await knowledge.usage.flush();
  await knowledge.store.remove('general/a');
  await knowledge.close();
  const events = await open({ backend }).usage.events();
  expect(events.map(({ asset }) => asset)).toEqual(['general/b']);
});

test('the assets that sessions open most are read before they are asked for, and then without their bodies', async () => {
  const base = lasting();
  let reads: string[] = [];
  const shared: MemoryBackend = {
    ...base,
    rows: async (key, ids, ...rest) => {
      if (key === 'ai:knowledge:assets') reads.push(...ids.map(String));
      return base.rows(key, ids, ...rest);
    },
  };
  const first = open({ backend: shared });
  for (const name of ['hot', 'cold']) await first.store.add(draft(name));
  for (const session of ['a', 'b']) first.usage.recordOpened({ asset: 'general/hot', session });
  await first.close();
  const knowledge = open({ backend: shared });
  const tools = await toolsOf(createKnowledgeToolSet({ open: async () => knowledge }));
  reads = [];
  // The first call of a session opens the knowledge.
  await tools['scan_index']?.execute({ query: 'hot' });
  await expect.poll(() => reads).toEqual(['general/hot']);
  await knowledge.hot.preload();
  reads = [];
  expect((await tools['get_asset']?.execute({ name: 'hot' }))?.details).toMatchObject({ name: 'hot' });
  expect(reads).toEqual([]);
  await tools['get_asset']?.execute({ name: 'cold' });
  expect(reads).toEqual(['general/cold']);
});

test('a question is closed by the asset that answers it, without a call', async () => {
  const backend = lasting();
  const { gaps, layers, store, close } = open({ backend });
  for (let round = 0; round < 3; round++) await layers.retrieve('How do we rotate the signing keys?');
  expect(await gaps.pending()).toMatchObject([{ asked: 3 }]);
  await store.add(draft('keys', { title: 'Rotate the signing keys', body: 'Run the script that rotates keys.' }));
  await close();
  expect(await open({ backend }).gaps.list()).toEqual([]);
});

test('the payload that the store makes is the one that a session makes of the saved index', async () => {
  const { directory, store, payload, close } = open();
  await store.add(draft('here', { productLine: 'frontend/react' }));
  await store.add(draft('elsewhere', { productLine: 'exchange/core' }));
  await store.add(draft('flow', { type: 'skill' }));
  const project = temporaryDirectory();
  writeFileSync(join(project, 'package.json'), '{"dependencies": {"react": "19.0.0"}}');
  const cases = [
    {},
    { language: 'zh' },
    { maxTokens: 2400 },
    { project },
    { project, onlyMatching: true },
    { onlyMatching: true },
  ] as const;
  const payloads: string[] = [];
  for (const options of cases) payloads.push(await payload(options));
  await close();
  for (const [place, options] of cases.entries()) {
    expect(await sessionPayload({ directory, ...options }), JSON.stringify(options)).toBe(payloads[place]);
  }
  const [, , , first, only, all] = payloads;
  expect(first).toContain('\nhere|');
  expect(first).not.toContain('elsewhere|');
  expect(first).toContain('1 asset of other product lines (exchange/core 1)');
  expect(only).toContain('\nhere|');
  expect(only).not.toContain('elsewhere|');
  expect(all).toContain('\nelsewhere|');
});

test('the index and the payload are in the language of the knowledge', async () => {
  const { directory, store, payload, index } = open({ backend: memory(), language: 'zh' });
  expect(await payload()).toContain('生成本文时知识库中没有资产。');
  await store.add(draft('a'));
  expect(await payload()).toContain('\n## 1. 检索优先策略\n');
  expect(await payload({ language: 'en' })).toContain('\n## 1. RETRIEVAL-FIRST POLICY\n');
  await index.flush();
  const titleOf = (): string => readFileSync(join(directory, 'AGENTS-INDEX.md'), 'utf8').split('\n')[0] ?? '';
  expect(titleOf()).toBe('# Cairn - 知识索引');
  // A command, which has no language, does not change it; a program with another one does.
  const command = open({ directory, backend: memory() });
  await command.store.add(draft('a'));
  await command.index.flush();
  expect(linesOf(directory)).toEqual(['a|reference|general|a||0']);
  expect(titleOf()).toBe('# Cairn - 知识索引');
  expect((await command.index.document()).text).toBe(readFileSync(join(directory, 'AGENTS-INDEX.md'), 'utf8'));
  await open({ directory, backend: memory(), language: 'en' }).index.flush();
  expect(titleOf()).toBe('# Cairn - Knowledge Index');
});

test('a scan has the assets of the tech stack of the session first', async () => {
  const knowledge = open({ backend: memory() });
  await knowledge.store.add(draft('cache-here', { productLine: 'frontend/react' }));
  await knowledge.store.add(draft('cache-elsewhere', { productLine: 'exchange/core', type: 'pitfall' }));
  const set = createKnowledgeToolSet({ open: async () => knowledge });
  const project = temporaryDirectory();
  writeFileSync(join(project, 'package.json'), '{"dependencies": {"react": "19.0.0"}}');
  const shown = async (root: string | undefined, input: object): Promise<unknown> =>
    (await (await toolsOf(set, root))['scan_index']?.execute(input))?.details;
  for (const input of [{}, { query: 'cache' }]) {
    const [here, elsewhere] = ['frontend/react/cache-here', 'exchange/core/cache-elsewhere'];
    expect(await shown(project, input)).toMatchObject({ shown: [here, elsewhere] });
    expect(await shown(undefined, input)).toMatchObject({ shown: [elsewhere, here] });
  }
});
