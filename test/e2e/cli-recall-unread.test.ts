/** What `recall` says when it could not read something, or did not search it. */
import { createMemory } from '@cairn/memory';
import { sqlite } from '@cairn/memory/sqlite';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { messages, newcomer, remember, type Newcomer } from './newcomer.ts';

const data = '.local/share/cairn';
const PAGE_BYTES = 4096;

interface Filled {
  readonly cairn: Newcomer;
  readonly memory: string;
  readonly knowledge: string;
}

/** A person with a fact and an asset about Redis. */
async function filled(): Promise<Filled> {
  const cairn = newcomer();
  await remember(cairn, 'the tests need redis-server');
  await cairn(['knowledge', 'add', '--title', 'Redis failover'], 'Redis needs a retry.');
  return { cairn, memory: join(cairn.home, data, 'memory.db'), knowledge: join(cairn.home, data, 'knowledge') };
}

function replace(path: string, content?: string): void {
  for (const name of [path, `${path}-wal`, `${path}-shm`]) rmSync(name, { force: true, recursive: true });
  if (content === undefined) mkdirSync(path);
  else writeFileSync(path, content);
}

/** Overwrites the page that has a text. */
function overwrite(path: string, text: string): void {
  const bytes = readFileSync(path);
  const page = Math.floor(bytes.indexOf(text) / PAGE_BYTES);
  bytes.fill(0x55, page * PAGE_BYTES, (page + 1) * PAGE_BYTES);
  writeFileSync(path, bytes);
}

async function writeUnreadable(path: string, key: string): Promise<void> {
  await using memory = createMemory({ backend: sqlite({ path }) });
  await memory.backend.change(key, { rows: [{ id: 'fact_bad', expected: undefined, next: 'not JSON' }] });
}

interface Case {
  readonly damage: (filled: Filled) => Promise<unknown> | void;
  readonly names: RegExp;
  /** The hits of the readable parts. */
  readonly found: RegExp;
}

const cases: Readonly<Record<string, Case>> = {
  'a memory that is another file': {
    damage: ({ memory }) => replace(memory, 'not a store '.repeat(1000)),
    names: /has no facts and no messages .* is not a memory file/u,
    found: /asset general\/redis-failover/u,
  },
  'a memory that is a directory': {
    damage: ({ memory }) => replace(memory),
    names: /has no facts and no messages .* is a directory/u,
    found: /asset general\/redis-failover/u,
  },
  'knowledge whose directory is a file': {
    damage: ({ knowledge }) => replace(knowledge, ''),
    names: /has no assets, because they could not be read/u,
    found: /fact fact_\w+ project: the tests need redis-server/u,
  },
  'a memory with a damaged page': {
    damage: async ({ cairn, memory }) => {
      for (let index = 0; index < 9; index++) await remember(cairn, `fact ${index} ${'x'.repeat(900)}`);
      overwrite(memory, 'fact 5 xxx');
    },
    names: /memory\.db is damaged/u,
    found: /asset general\/redis-failover/u,
  },
  'a fact that this version cannot read': {
    damage: ({ memory }) => writeUnreadable(memory, 'ai:facts:user'),
    names: /Records of facts that could not be read, and are missing here: 1\./u,
    found: /the tests need redis-server[^]*Redis failover/u,
  },
};

test.each(Object.entries(cases))('%s is named, and the rest is found', async (_, { damage, names, found }) => {
  const all = await filled();
  const { cairn } = all;
  await damage(all);
  const answer = await cairn(['recall', 'redis']);
  expect(answer).toMatchObject({
    exitCode: 2,
    stdout: expect.stringMatching(found),
    stderr: expect.stringMatching(names),
  });
  for (const query of ['redis', 'zebra']) {
    const { exitCode, stdout } = await cairn(['recall', query, '--json']);
    expect([exitCode, JSON.parse(stdout)]).toEqual([2, expect.objectContaining({ complete: false })]);
    expect((JSON.parse(stdout) as { notices: string[] }).notices).toContainEqual(expect.stringMatching(names));
    expect(stdout).not.toContain('nothing is kept');
  }
});

test('a memory that is empty as far as it can be read is not called empty', async () => {
  const { cairn, memory, knowledge } = await filled();
  rmSync(knowledge, { recursive: true });
  replace(memory, 'not a store '.repeat(1000));
  const { exitCode, stderr } = await cairn(['recall', 'redis']);
  expect([exitCode, stderr]).toEqual([2, expect.stringContaining('nothing found in what could be read: 0 assets')]);
});

interface Elsewhere {
  readonly keep: (cairn: Newcomer) => Promise<unknown>;
  readonly names: string;
  readonly query?: string;
}

const elsewhere: Readonly<Record<string, Elsewhere>> = {
  'an archived fact': {
    keep: async (cairn) => cairn(['memory', 'archive', await remember(cairn, 'the tests need redis')]),
    names: "1 archived fact ('cairn memory list --archived')",
  },
  'facts of another project': {
    keep: async (cairn) => {
      mkdirSync(join(cairn.home, 'other'));
      await remember(cairn.elsewhere(join(cairn.home, 'other')), 'the tests need redis');
    },
    names: "1 fact of 1 other project ('cairn memory project list')",
  },
  'messages of past sessions, for a list': {
    keep: (cairn) => cairn(['memory', 'import'], messages(['monday', 'user', 'which redis do the tests need'])),
    names: '1 message of past sessions, which a question finds',
    query: '',
  },
  'a deprecated asset': {
    keep: async (cairn) => {
      await cairn(['knowledge', 'add', '--title', 'Redis failover'], 'Redis needs a retry.');
      await cairn(['knowledge', 'deprecate', 'redis-failover']);
    },
    names: "1 deprecated asset ('cairn knowledge list')",
  },
};

test.each(Object.entries(elsewhere))(
  'with only %s, nothing is found, and it is named',
  async (_, { keep, names, query }) => {
    const cairn = newcomer();
    await keep(cairn);
    const { exitCode, stderr } = await cairn(['recall', query ?? 'redis']);
    expect([exitCode, stderr]).toEqual([1, expect.stringContaining(`Kept, but not searched: ${names}.`)]);
    expect(stderr).toContain('nothing found in 0 facts');
    expect(stderr).not.toContain('nothing is kept');
  },
);
