import type { Client } from '@modelcontextprotocol/client';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createTree } from '../support/tree.ts';
import { call, connect } from './support.ts';
import type { Connected, Way } from './support.ts';

const stdio: Way = { over: 'stdio', era: 'legacy' };
const http: Way = { over: 'http', era: 'modern' };

/** Starts three server processes on one directory. */
function connectThree(root: string): Promise<Connected[]> {
  return Promise.all([connect(root, stdio), connect(root, http), connect(root, stdio)]);
}

test('servers on one root see what another has written, deleted and renamed', async () => {
  const root = createTree({ 'src/old.ts': 'old\n', 'src/kept.ts': 'kept\n' });
  const clients = (await connectThree(root)).map(({ client }) => client);
  // Now each has its own scan of the tree.
  for (const client of clients) expect(await call(client, 'glob', { pattern: '*.ts' })).toContain('old.ts');
  const [first, ...others] = clients;
  if (first === undefined) throw new Error('a client is missing');
  await call(first, 'write', { path: 'src/new.ts', content: 'fresh\n' });
  await call(first, 'delete', { path: 'src/old.ts' });
  await call(first, 'rename', { from: 'src/kept.ts', to: 'src/moved.ts' });
  const names = ['src/moved.ts', 'src/new.ts'];
  const found = (text: string): string[] =>
    text
      .split('\n')
      .filter((line) => line.startsWith('src/'))
      .toSorted();
  expect(found(await call(first, 'glob', { pattern: '*.ts' }))).toEqual(names);
  for (const client of others) {
    // The first answer may use a scan that is one second old.
    await expect
      .poll(async () => found(await call(client, 'glob', { pattern: '*.ts' })), { interval: 100 })
      .toEqual(names);
    // File contents are never cached.
    expect(await call(client, 'grep', { pattern: 'fresh' })).toContain('src/new.ts');
  }
});

test('a server does not overwrite a file that another has changed since it was read', async () => {
  const root = createTree({ 'a.txt': 'one\n' });
  const [first, second] = (await connectThree(root)).map(({ client }) => client);
  if (first === undefined || second === undefined) throw new Error('a client is missing');
  await call(first, 'read', { path: 'a.txt' });
  await call(second, 'read', { path: 'a.txt' });
  expect(await call(first, 'write', { path: 'a.txt', content: 'two\n' })).not.toMatch(/^error: /u);
  const refused = await call(second, 'write', { path: 'a.txt', content: 'three\n' });
  expect(refused).toMatch(/^error: .*changed/su);
  // The error has the current file, so that the next attempt can succeed.
  expect(refused).toContain('two');
  expect(readFileSync(join(root, 'a.txt'), 'utf8')).toBe('two\n');
});

test('simultaneous edits of one file by several servers all survive', async () => {
  const lines = Array.from({ length: 30 }, (_, index) => `line ${index};\n`);
  const root = createTree({ 'a.txt': lines.join('') });
  const clients = (await connectThree(root)).map(({ client }) => client);
  const editLine = async (client: Client, index: number): Promise<void> => {
    const input = { path: 'a.txt', old_text: `line ${index};`, new_text: `row ${index};` };
    // A rejected call returns the current file; the client calls again.
    for (
      let answer = await call(client, 'edit', input);
      answer.startsWith('error');
      answer = await call(client, 'edit', input)
    ) {
      expect(answer).toMatch(/changed since it was read/u);
    }
  };
  const shares = clients.map((client, share) =>
    Promise.all(lines.flatMap((_, index) => (index % clients.length === share ? [editLine(client, index)] : []))),
  );
  await Promise.all(shares);
  expect(readFileSync(join(root, 'a.txt'), 'utf8')).toBe(lines.join('').replaceAll('line', 'row'));
  expect(readdirSync(root)).toEqual(['a.txt']);
});

test('a server reads what another program wrote', async () => {
  const root = createTree({ 'a.txt': 'one\n' });
  const { client } = await connect(root, stdio);
  expect(await call(client, 'read', { path: 'a.txt' })).toContain('one');
  writeFileSync(join(root, 'a.txt'), 'two\n');
  expect(await call(client, 'read', { path: 'a.txt' })).toContain('two');
});
