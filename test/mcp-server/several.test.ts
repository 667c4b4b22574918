import type { Client } from '@modelcontextprotocol/client';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { createTree } from '../support/tree.ts';
import { call, connect } from './support.ts';
import type { Connected, Way } from './support.ts';

const stdio: Way = { over: 'stdio', era: 'legacy' };
const http: Way = { over: 'http', era: 'modern' };

/** Three servers on one directory, each a process. */
function connectThree(root: string): Promise<Connected[]> {
  return Promise.all([connect(root, stdio), connect(root, http), connect(root, stdio)]);
}

test('servers on one root see what another one has written, deleted and renamed', async () => {
  const root = createTree({ 'src/old.ts': 'old\n', 'src/kept.ts': 'kept\n' });
  const clients = (await connectThree(root)).map(({ client }) => client);
  // Each has its own scan of the tree by now.
  for (const client of clients) expect(await call(client, 'glob', { pattern: '*.ts' })).toContain('old.ts');
  const [first, ...others] = clients;
  if (first === undefined) throw new Error('there are three');
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
    // Its scan may be a second old; the next one is not.
    await vi.waitFor(async () => expect(found(await call(client, 'glob', { pattern: '*.ts' }))).toEqual(names), {
      timeout: 20_000,
      interval: 100,
    });
    // What is in a file is never kept.
    expect(await call(client, 'grep', { pattern: 'fresh' })).toContain('src/new.ts');
  }
});

test('a server refuses to overwrite what another one has changed since it was read', async () => {
  const root = createTree({ 'a.txt': 'one\n' });
  const [first, second] = (await connectThree(root)).map(({ client }) => client);
  if (first === undefined || second === undefined) throw new Error('there are three');
  await call(first, 'read', { path: 'a.txt' });
  await call(second, 'read', { path: 'a.txt' });
  expect(await call(first, 'write', { path: 'a.txt', content: 'two\n' })).not.toMatch(/^error: /u);
  const refused = await call(second, 'write', { path: 'a.txt', content: 'three\n' });
  expect(refused).toMatch(/^error: .*changed/su);
  // With the file as it is now, so that the next try can be right.
  expect(refused).toContain('two');
  expect(readFileSync(join(root, 'a.txt'), 'utf8')).toBe('two\n');
});

test('edits of one file by several servers at once all survive, as each is refused what it has not seen', async () => {
  const lines = Array.from({ length: 30 }, (_, index) => `line ${index};\n`);
  const root = createTree({ 'a.txt': lines.join('') });
  const clients = (await connectThree(root)).map(({ client }) => client);
  const editLine = async (client: Client, index: number): Promise<void> => {
    const input = { path: 'a.txt', old_text: `line ${index};`, new_text: `row ${index};` };
    // Who is refused is shown the file as it is now, and may call again.
    for (
      let answer = await call(client, 'edit', input);
      answer.startsWith('error');
      answer = await call(client, 'edit', input)
    ) {
      expect(answer).toMatch(/changed since it was last read/u);
    }
  };
  const shares = clients.map((client, share) =>
    Promise.all(lines.flatMap((_, index) => (index % clients.length === share ? [editLine(client, index)] : []))),
  );
  await Promise.all(shares);
  expect(readFileSync(join(root, 'a.txt'), 'utf8')).toBe(lines.join('').replaceAll('line', 'row'));
  expect(readdirSync(root)).toEqual(['a.txt']);
});

test('a server reads what a program wrote that is none', async () => {
  const root = createTree({ 'a.txt': 'one\n' });
  const { client } = await connect(root, stdio);
  expect(await call(client, 'read', { path: 'a.txt' })).toContain('one');
  writeFileSync(join(root, 'a.txt'), 'two\n');
  expect(await call(client, 'read', { path: 'a.txt' })).toContain('two');
});
