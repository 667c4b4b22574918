/** A damaged page loses only the records on it, and no answer is silent about it. */
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { createMemory } from '@cairn/memory';
import type { Memory } from '@cairn/memory';
import { sqlite } from '@cairn/memory/sqlite';
import { beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import { newDirectory, temporaryDirectory } from '../support/tree.ts';
import {
  differencesOf,
  exportOf,
  firstAnswersOf,
  openStore,
  PAGE_BYTES,
  soundStore,
  writeDamaged,
} from './damaged-store.ts';
import type { SoundStore } from './damaged-store.ts';
import { problemsOf } from './sqlite-files.ts';

const PAGES = 200;

/** A sequence of bytes that is the same in each run. */
function noise(seed: number): Buffer {
  const bytes = Buffer.alloc(PAGE_BYTES);
  let state = seed + 1;
  for (let at = 0; at < bytes.length; at++) {
    state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7f_ff_ff_ff;
    bytes[at] = state >> 16;
  }
  return bytes;
}

let store: SoundStore;
beforeAll(async () => {
  store = await soundStore(`${newDirectory()}/memory.db`, 160);
});

/** The pages that a test overwrites: random ones, and each of the first, which have the header, the tables and their roots. */
function pagesOf(count: number, seed: number): number[] {
  const random = noise(seed);
  return Array.from({ length: count }, (_, index) =>
    index < 20 ? index + 1 : 1 + (random.readUInt16BE(index * 2) % store.pages),
  );
}

test(`of ${PAGES} stores with a page of noise, an export has every record of the other pages, and reports the others`, async () => {
  const root = temporaryDirectory();
  const differences: string[] = [];
  const cases = pagesOf(PAGES, 1).entries();
  const worker = async (): Promise<void> => {
    for (const [index, page] of cases) {
      const path = `${root}/${index}.db`;
      writeDamaged(path, store, page, noise(index));
      differences.push(...(await differencesOf(path, store, page)));
    }
  };
  await Promise.all([worker(), worker(), worker()]);
  expect(differences).toEqual([]);
}, 600_000);

/** Whether a page is of a tree, and so is read at the opening. The later pages of a long text are not. */
function isOfTree(page: number): boolean {
  return [2, 5, 10, 13].includes(store.bytes[(page - 1) * PAGE_BYTES] ?? 0);
}

test.each([
  ['noise', () => true, (): Buffer => noise(7)],
  ['zeros', () => true, (): Buffer => Buffer.alloc(PAGE_BYTES)],
  // A page that was written to another place.
  ['records', isOfTree, (): Buffer => store.bytes.subarray(-PAGE_BYTES * 3, -PAGE_BYTES * 2)],
])('the first recall and the first remember report a page of %s', async (_, isSeen, contentOf) => {
  const root = temporaryDirectory();
  const silent: string[] = [];
  for (const [index, page] of pagesOf(40, 2).filter(isSeen).entries()) {
    const path = `${root}/${index}.db`;
    if (page === store.pages - 2) continue;
    writeDamaged(path, store, page, contentOf());
    for (const [tool, answer] of Object.entries(await firstAnswersOf(path))) {
      if (!/damaged|not a memory file/u.test(answer)) silent.push(`${tool}, page ${page}: ${answer.slice(0, 200)}`);
    }
  }
  expect(silent).toEqual([]);
});

test('the last page of a long text, overwritten with zeros, is reported with the id of the record', async () => {
  const path = `${temporaryDirectory()}/memory.db`;
  const memory = openStore(path);
  const { fact } = await memory.facts.remember(`redis ${'x'.repeat(20_000)}`);
  const { fact: other } = await memory.facts.remember('redis is in use');
  await memory.close();
  const bytes = readFileSync(path);
  // SQLite does not notice it: the page says that none follows.
  const [last = 0] = Array.from({ length: bytes.length / PAGE_BYTES }, (_, index) => index).filter((index) => {
    const page = bytes.subarray(index * PAGE_BYTES, (index + 1) * PAGE_BYTES);
    return page.readUInt32BE() === 0 && page.subarray(4, 100).every((byte) => byte === 0x78);
  });
  bytes.fill(0, last * PAGE_BYTES, (last + 1) * PAGE_BYTES);
  writeFileSync(path, bytes);
  const damaged = openStore(path);
  onTestFinished(() => damaged.close());
  const { facts } = await damaged.facts.recall({ query: 'redis' });
  expect(facts.map(({ id }) => id)).toEqual([other.id]);
  expect(damaged.backend.notices?.()).toMatchObject([{ code: 'DAMAGED', message: expect.stringContaining(fact.id) }]);
  const { lines, problems } = await exportOf(damaged);
  expect(lines).toHaveLength(1);
  expect(problems).toContain(`Lost 1 of the records of ai:facts:project:p: "${fact.id}".`);
});

test('a backup of a damaged store is a sound store, finds what it has, and lists what is lost', async () => {
  const root = temporaryDirectory();
  const page = 1 + store.bytes.indexOf('record 33 of') / PAGE_BYTES;
  writeDamaged(`${root}/memory.db`, store, Math.floor(page), noise(3));
  const memory = openStore(`${root}/memory.db`);
  const { problems, bytes } = await memory.backup(`${root}/copy.db`);
  await memory.close();
  expect(problems.map(({ message }) => message).join('\n')).toMatch(
    /Lost \d+ of the records of ai:facts:project:p1: .*"f33"/u,
  );
  expect(statSync(`${root}/copy.db`)).toMatchObject({ size: bytes });
  expect(statSync(`${root}/copy.db`).mode & 0o777).toBe(0o600);
  expect(problemsOf(`${root}/copy.db`)).toEqual([]);
  const copy = createMemory({ backend: sqlite({ path: `${root}/copy.db` }), project: 'p2' });
  onTestFinished(() => copy.close());
  expect(await copy.backend.check?.()).toEqual([]);
  const { facts } = await copy.facts.recall({ query: 'record 62' });
  expect(facts[0]).toMatchObject({ id: 'f62' });
  await copy.facts.remember('a new fact');
  expect(readdirSync(root).toSorted()).toEqual([
    'copy.db',
    'copy.db-reserve',
    'copy.db-shm',
    'copy.db-wal',
    'memory.db',
  ]);
});

test('records that are only in the log are saved, even without the header of the file', async () => {
  const root = temporaryDirectory();
  const path = `${root}/memory.db`;
  const memory = openStore(path);
  await memory.facts.remember('in the file');
  await memory.close();
  const writer = openStore(path);
  onTestFinished(() => writer.close());
  const { fact } = await writer.facts.remember('only in the log');
  const log = readFileSync(`${path}-wal`);
  const bytes = readFileSync(path);
  bytes.fill(0x55, 0, PAGE_BYTES);
  writeFileSync(`${root}/damaged.db`, bytes);
  // The first page is in the log, too, so that the log is cut to the pages of records.
  writeFileSync(`${root}/damaged.db-wal`, log);
  const { lines, problems } = await exportOf(openStore(`${root}/damaged.db`));
  expect(lines.map((line) => (JSON.parse(line) as { fact: { text: string } }).fact.text)).toEqual([
    'in the file',
    'only in the log',
  ]);
  expect(lines[1]).toContain(fact.id);
  expect(problems.length).toBeGreaterThan(0);
});

test('a file of another program is not exported as an empty memory', async () => {
  const path = `${temporaryDirectory()}/notes.txt`;
  writeFileSync(path, 'no memory '.repeat(5000));
  const memory = openStore(path);
  onTestFinished(() => memory.close());
  await expect(exportOf(memory)).rejects.toMatchObject({ code: 'CORRUPT_STORE', path });
  const other = `${temporaryDirectory()}/other.db`;
  const database = new DatabaseSync(other);
  database.exec('CREATE TABLE a (b); INSERT INTO a VALUES (1)');
  database.close();
  await expect(exportOf(openStore(other))).rejects.toMatchObject({ code: 'CORRUPT_STORE' });
});

test('nothing is left of an export of a damaged store', async () => {
  const root = temporaryDirectory();
  // Other processes have salvaged stores, too.
  const temporary = temporaryDirectory();
  vi.stubEnv('TMPDIR', temporary);
  onTestFinished(() => void vi.unstubAllEnvs());
  writeDamaged(`${root}/memory.db`, store, 9, noise(4));
  const memory = openStore(`${root}/memory.db`);
  const lines = memory.export({ onProblem: () => undefined });
  expect(await lines.next()).toMatchObject({ done: false });
  await lines.return();
  await memory.close();
  expect(readdirSync(temporary)).toEqual([]);
});

test('a store with damaged pages is not written, so that no other record is lost', async () => {
  const root = temporaryDirectory();
  const differences: string[] = [];
  for (const page of [3, 4, 5, 6, 7, 8, 9, 10, 11, 12]) {
    const path = `${root}/${page}.db`;
    // A page of a tree that leads to pages of another one.
    const [other = 0] = pagesOf(40, page).filter((one) => store.bytes[(one - 1) * PAGE_BYTES] === 5);
    writeDamaged(path, store, page, store.bytes.subarray((other - 1) * PAGE_BYTES, other * PAGE_BYTES));
    if (other === page) continue;
    const before = readFileSync(path);
    const calls: readonly ((memory: Memory) => Promise<unknown>)[] = [
      (memory) => memory.facts.remember('a new fact'),
      (memory) => memory.facts.forget('f0', { project: 'p0' }),
      (memory) => memory.forget({ stream: 's' }),
    ];
    for (const call of calls) {
      const memory = openStore(path);
      const problem = await call(memory).then(
        (result) => JSON.stringify(result),
        (error: Error) => error.message,
      );
      if (!/damaged/u.test(problem)) differences.push(`page ${page}: ${problem}`);
      await memory.close();
    }
    if (!readFileSync(path).equals(before)) differences.push(`page ${page} was written`);
    differences.push(...(await differencesOf(path, store, page)));
  }
  expect(differences).toEqual([]);
});

describe.each([
  ['no JSON', `substr(terms, 3)`],
  ['JSON of another kind', `'{"a":1}'`],
  ['bytes', `x'00ff'`],
])('terms of a record that are %s', (_, value) => {
  /** A store with three facts, one with damaged terms and labels. */
  async function withDamagedTerms(): Promise<{ readonly path: string; readonly id: string }> {
    const path = `${temporaryDirectory()}/memory.db`;
    const memory = openStore(path);
    await memory.facts.remember('redis is in use');
    const { fact } = await memory.facts.remember('the secretword is in use', { tags: ['tagged'] });
    await memory.facts.remember('postgres is in use');
    await memory.close();
    const database = new DatabaseSync(path);
    database.exec(`UPDATE entries SET terms = ${value}, labels = '[' WHERE id = '${fact.id}'`);
    database.close();
    return { path, id: fact.id };
  }

  test('are reported by the check', async () => {
    const { path, id } = await withDamagedTerms();
    const memory = openStore(path);
    onTestFinished(() => memory.close());
    const found = (await memory.backend.check?.()) ?? [];
    expect(found.map(({ message }) => message).join('; ')).toContain(`the terms or labels of ${id} in`);
  });

  test('do not keep it: it is forgotten, and none of its words is left', async () => {
    const { path, id } = await withDamagedTerms();
    const memory = openStore(path);
    expect(await memory.facts.forget(id)).toEqual({ forgotten: true, erased: 'done' });
    expect(await memory.backend.check?.()).toEqual([]);
    await memory.close();
    expect(readFileSync(path).includes('secretword')).toBe(false);
    expect(problemsOf(path)).toEqual([]);
  });

  test('are made again in a backup, which finds it', async () => {
    const { path, id } = await withDamagedTerms();
    const memory = openStore(path);
    const { problems } = await memory.backup(`${path}.copy`);
    await memory.close();
    expect(problems.length).toBeGreaterThan(0);
    const copy = openStore(`${path}.copy`);
    onTestFinished(() => copy.close());
    expect(await copy.backend.check?.()).toEqual([]);
    const { facts } = await copy.facts.recall({ query: 'secretword' });
    expect(facts.map((fact) => fact.id)).toEqual([id]);
  });
});

test('an index of terms with other rows than the records have is reported, and does not keep a record', async () => {
  const path = `${temporaryDirectory()}/memory.db`;
  const memory = openStore(path);
  const { fact } = await memory.facts.remember('redis is in use');
  await memory.facts.remember('postgres is in use');
  await memory.close();
  const database = new DatabaseSync(path);
  database.exec(
    `UPDATE postings SET body = body || ',x' WHERE term = 'redis'; DELETE FROM postings WHERE term LIKE 'postgr%'`,
  );
  database.close();
  const damaged = openStore(path);
  onTestFinished(() => damaged.close());
  const found = (await damaged.backend.check?.()) ?? [];
  expect(found.map(({ message }) => message)).toEqual(['the index of the terms of ai:facts:project:p is damaged']);
  expect(await damaged.facts.forget(fact.id)).toMatchObject({ forgotten: true });
});
