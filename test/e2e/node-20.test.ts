/** What the packages do in a Node without SQLite: they load, and whatever needs a store fails with a code and the versions to use. */
import { spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { pathToFileURL } from 'node:url';
import { createKnowledge } from '@cairn/knowledge';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { findNode20, writeForOldNode } from '../support/old-node.ts';
import { removeTree } from '../support/remove-tree.ts';
import { newDirectory } from '../support/tree.ts';

const node = findNode20();

/** Calls of public entries, by what a program does. Each needs the user's store, which is in SQLite. */
const needStore: readonly (readonly [what: string, code: string])[] = [
  ['a fact is kept', "createMemory({ backend: sqlite({ path }) }).facts.remember('x', { scope: 'user' })"],
  ['a memory of its own store is read', 'createMemory({ backend: sqlite() }).facts.list()'],
  ['a memory is exported', 'createMemory({ backend: sqlite({ path }) }).export().next()'],
  ['a store is copied', "createMemory({ backend: sqlite({ path }) }).backup(path + '.copy')"],
  [
    'contexts are opened',
    'openContexts({ store: sqlite({ path }) }).then((one) => one.appendToMain({ role: "user", content: "x" }))',
  ],
  ['sessions are listed', 'listSessions({ store: sqlite({ path }) })'],
  [
    'agents run with the facts of a store',
    'createAgents({ root: home, contexts: new ContextManager(), definitions, model: "m", baseUrl, memory: createMemory({ backend: sqlite({ path }) }) }).run({ agent: "a", prompt: "x" }).result',
  ],
  [
    'a workflow begins',
    'createWorkflows({ memory: withStream(), model: "m", baseUrl }).stream("chat").process({ group: "g" }, "x")',
  ],
  ['the payload of a session with assets', "sessionPayload({ directory: home + '/known', project: home })"],
  ['an asset is added', "knowledge().store.add({ name: 'x', type: 'pitfall', title: 'X', body: 'b' })"],
  ['assets are searched', "knowledge().layers.search({ query: 'x' })"],
  ['gaps are listed', 'knowledge().gaps.list()'],
  ['the index is made', 'knowledge().index.document()'],
  ['the payload is made', 'knowledge().payload({ project: home })'],
  ['a team store is set up', "knowledge().team.init({ remote: home + '/team.git' })"],
  [
    'a team store is set up with assets in memory',
    "createKnowledge({ directory: home + '/k', backend: memory() }).team.init({ remote: home + '/team.git' })",
  ],
];

/** Calls that need no store, and what they return. */
const needNone: readonly (readonly [what: string, code: string, value: unknown])[] = [
  ['assets in memory', "createKnowledge({ directory: home + '/k', backend: memory() }).gaps.list()", []],
  ['facts in memory', 'createMemory({ backend: memory() }).facts.list().then(({ total }) => total)', 0],
];

const imports = `
import { createMemory } from '@cairn/memory';
import { memory } from '@cairn/memory/memory';
import { sqlite } from '@cairn/memory/sqlite';
import { ContextManager, listSessions, openContexts } from '@cairn/context';
import { createKnowledge } from '@cairn/knowledge';
import { sessionPayload } from '@cairn/knowledge/session';
import { createAgents, createWorkflows, toStreamFunctions } from '@cairn/agents';
const home = process.env.HOME;
const path = home + '/memory.db';
const baseUrl = 'http://127.0.0.1:9/v1';
const withStream = () => {
  const one = createMemory({ backend: sqlite({ path }) });
  one.defineStream({ name: 'chat', functions: toStreamFunctions([]) });
  return one;
};
const definition = { name: 'a', description: 'a', systemPrompt: 'a' };
const definitions = { agents: new Map([['a', definition]]), problems: [], replaced: [] };
const knowledge = () => createKnowledge({ directory: home + '/k' });
`;

interface Outcome {
  readonly value?: unknown;
  /** Whether it is an error of ours, its code and its message. */
  readonly error?: { readonly isOurs: boolean; readonly code: string; readonly message: string };
}

describe('Node 20', () => {
  let root = '';
  let register = '';
  beforeAll(() => {
    if (node === undefined) return;
    root = newDirectory();
    register = writeForOldNode(join(root, 'packages'));
    mkdirSync(join(root, 'home'));
  }, 60_000);
  afterAll(() => {
    if (root !== '') removeTree(root);
  });

  /** Runs a module of the command line's package, which depends on all others. */
  const run = (source: string): string => {
    const script = join(root, 'packages', 'cli', 'script.mjs');
    writeFileSync(script, source);
    const env = { HOME: join(root, 'home'), PATH: process.env['PATH'] };
    const args = ['--import', pathToFileURL(register).href, script];
    const { stdout, stderr, status } = spawnSync(node ?? '', args, { env, cwd: join(root, 'home'), encoding: 'utf8' });
    expect(status, stderr).toBe(0);
    return stdout;
  };

  /** What each call returns or throws, by its words. One process makes all calls, because it takes seconds to load the packages. */
  const outcomes = (): ReadonlyMap<string, Outcome> => {
    const all = [...needStore, ...needNone];
    const calls = all.map(([what, code]) => `[${JSON.stringify(what)}, async () => (${code})],`);
    const source = `${imports}
      const outcomes = [];
      for (const [what, call] of [${calls.join('\n')}]) {
        try {
          outcomes.push([what, { value: (await call()) ?? null }]);
        } catch (error) {
          const isOurs = Symbol.for('cairn.error') in error;
          outcomes.push([what, { error: { isOurs, code: error.code, message: error.message } }]);
        }
      }
      console.log(JSON.stringify(outcomes));
      process.exit();`;
    return new Map(JSON.parse(run(source)) as readonly (readonly [string, Outcome])[]);
  };

  test('loads every public module', ({ skip }) => {
    skip(node === undefined, 'this machine has no Node 20');
    const source = `
      import { readFileSync, readdirSync } from 'node:fs';
      const all = new URL('../', import.meta.url);
      for (const name of readdirSync(all)) {
        if (!name.includes('.')) {
          const { exports = {} } = JSON.parse(readFileSync(new URL(name + '/package.json', all), 'utf8'));
          for (const [key, path] of Object.entries(exports)) {
            if (!path.endsWith('.ts')) continue;
            await import(new URL(name + '/' + path, all).href);
            console.log(name + key.slice(1));
          }
        }
      }
      process.exit();`;
    const loaded = run(source).trim().split('\n');
    expect(loaded).toEqual(
      expect.arrayContaining(['knowledge/session', 'memory/sqlite', 'agents', 'mcp-server', 'natives']),
    );
    expect(loaded.length).toBeGreaterThan(20);
  });

  test('what needs a store fails with a code and the versions that have SQLite; what needs none works', async ({
    skip,
  }) => {
    skip(node === undefined, 'this machine has no Node 20');
    const knowledge = createKnowledge({ directory: join(root, 'home', 'known') });
    await knowledge.store.add({ name: 'x', type: 'pitfall', title: 'X', body: 'b' });
    await knowledge.close();
    const found = outcomes();
    for (const [what] of needStore) {
      const { value, error } = found.get(what) ?? {};
      expect(value, what).toBeUndefined();
      expect(error, what).toMatchObject({
        isOurs: true,
        code: expect.stringMatching(/^STORE_(?:UNSUPPORTED|FAILED)$/u),
      });
      expect(error?.message, what).toMatch(
        /Node 20\.\d+\.\d+ does not include node:sqlite\. Use Node 22\.22\.3, 24\.15\.0 or newer/u,
      );
    }
    for (const [what, , value] of needNone) expect(found.get(what), what).toEqual({ value });
  });
});
