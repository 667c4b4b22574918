import { createMcpServer } from '@cairn/mcp-server';
import { codingToolSet, namingProfiles } from '@cairn/coding-agent';
import type { Client } from '@modelcontextprotocol/client';
import { linkSync, readdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { describe, expect, test } from 'vitest';
import { createTree, writeTree } from '../support/tree.ts';
import { connectInMemory } from './in-memory.ts';
import { call } from './support.ts';

/** The names of path parameters in all profiles. */
const pathNames = ['path', 'file_path', 'dir_path', 'from', 'to', 'source', 'destination', 'absolute_path'];

/** Returns a valid value for a parameter of any type. */
function sample(name: string, path: string): unknown {
  const samples: Readonly<Record<string, unknown>> = {
    content: 'stolen\n',
    // A glob and a regular expression.
    pattern: 'secret*',
    old_text: 'secret',
    new_text: 'stolen',
    old_string: 'secret',
    new_string: 'stolen',
    instruction: 'steal it',
    edits: [{ old_text: 'secret', new_text: 'stolen' }],
    patch: `*** Begin Patch\n*** Update File: ${path}\n@@\n-secret\n+stolen\n*** End Patch`,
    input: `*** Begin Patch\n*** Update File: ${path}\n@@\n-secret\n+stolen\n*** End Patch`,
    overwrite: true,
    recursive: true,
  };
  return samples[name];
}

/** Returns spellings of places outside the root. */
function waysOut(outside: string): readonly string[] {
  return [
    join(outside, 'secret.txt'),
    outside,
    `../${outside.split('/').at(-1) ?? ''}/secret.txt`,
    'link/secret.txt',
    'link',
    'inner/../../../../../../../../../..' + join(outside, 'secret.txt'),
    'file-link',
    'dangling/new.txt',
    'a.txt\0/../../etc/passwd',
    '/etc/passwd',
    '/proc/self/environ',
  ];
}

interface Places {
  readonly root: string;
  readonly outside: string;
}

/** Restores the root: tools may rename and delete links. */
function reset({ root, outside }: Places): void {
  for (const name of readdirSync(root)) rmSync(join(root, name), { recursive: true });
  writeTree(root, { 'a.txt': 'alpha\n', 'inner/b.txt': 'beta\n' });
  symlinkSync(outside, join(root, 'link'));
  symlinkSync(join(outside, 'secret.txt'), join(root, 'file-link'));
  symlinkSync(join(outside, 'nowhere'), join(root, 'dangling'));
}

/** Makes an allowed and a forbidden directory, with links from the first to the second. */
function createPlaces(): Places {
  const places = { root: createTree({}), outside: createTree({ 'secret.txt': 'secret\n' }) };
  reset(places);
  return places;
}

/** Calls a tool once for each of its path parameters, with a path that leads outside. */
async function tryTool(client: Client, tool: { name: string; inputSchema: object }, path: string): Promise<string[]> {
  const { properties = {} } = tool.inputSchema as { properties?: Record<string, unknown> };
  const names = Object.keys(properties);
  const rest = Object.fromEntries(
    names.map((name) => [name, sample(name, path)]).filter(([, value]) => value !== undefined),
  );
  const inside = Object.fromEntries(names.filter((name) => pathNames.includes(name)).map((name) => [name, 'a.txt']));
  const places = names.filter((name) => pathNames.includes(name));
  const inputs = places.length > 0 ? places.map((name) => ({ ...rest, ...inside, [name]: path })) : [rest];
  const answers: string[] = [];
  for (const input of inputs) answers.push(await call(client, tool.name, input));
  return answers;
}

describe.each(namingProfiles)('with the names of %s', (naming) => {
  test('no tool reads or writes outside the root', async () => {
    const places = createPlaces();
    const { root, outside } = places;
    const client = await connectInMemory(await createMcpServer({ toolSets: [codingToolSet], roots: [root], naming }));
    const { tools } = await client.listTools();
    let calls = 0;
    for (const tool of tools) {
      for (const path of waysOut(outside)) {
        reset(places);
        for (const answer of await tryTool(client, tool, path)) {
          calls += 1;
          // A link itself lies inside the root, so it may be renamed or deleted.
          const isLink = path === 'link' || path === 'file-link';
          if (isLink && tool.annotations?.readOnlyHint === false && !answer.startsWith('error: ')) continue;
          expect(answer, `${tool.name} ${path}`).toMatch(/^error: /u);
          expect(answer, `${tool.name} ${path}`).not.toMatch(/secret$|root:|PATH=/mu);
        }
      }
    }
    expect(calls).toBeGreaterThan(tools.length * 5);
    expect(readdirSync(outside)).toEqual(['secret.txt']);
    expect(readFileSync(join(outside, 'secret.txt'), 'utf8')).toBe('secret\n');
  });

  test('a read-only server offers only tools that change nothing, and rejects the others', async () => {
    const { root } = createPlaces();
    const [whole, readOnly] = await Promise.all(
      [false, true].map(async (isReadOnly) =>
        connectInMemory(
          await createMcpServer({ toolSets: [codingToolSet], roots: [root], naming, readOnly: isReadOnly }),
        ),
      ),
    );
    if (!whole || !readOnly) throw new Error('a client is missing');
    const [all, offered] = [(await whole.listTools()).tools, (await readOnly.listTools()).tools];
    expect(offered.map(({ annotations }) => annotations?.readOnlyHint)).toEqual(offered.map(() => true));
    const missing = all.filter(({ name }) => !offered.some((tool) => tool.name === name));
    expect(missing.length).toBeGreaterThan(0);
    expect(missing.map(({ annotations }) => annotations?.readOnlyHint)).toEqual(missing.map(() => false));
    for (const { name } of missing) {
      await expect(readOnly.callTool({ name, arguments: {} }), name).rejects.toThrow(`unknown tool "${name}"`);
    }
    const before = readFileSync(join(root, 'a.txt'), 'utf8');
    for (const tool of offered) await tryTool(readOnly, tool, 'a.txt');
    expect(readFileSync(join(root, 'a.txt'), 'utf8')).toBe(before);
  });
});

test('no resource, completion or listing leads outside the roots', async () => {
  const { root, outside } = createPlaces();
  const client = await connectInMemory(await createMcpServer({ toolSets: [codingToolSet], roots: [root] }));
  const uris = [
    ...waysOut(outside).map((path) => pathToFileURL(path.startsWith('/') ? path : join(root, path)).href),
    `file://${root}/../${outside.split('/').at(-1) ?? ''}/secret.txt`,
    `file://${root}/%2e%2e/%2e%2e/etc/passwd`,
  ];
  for (const uri of uris) {
    const failure = await client.readResource({ uri }).catch((error: unknown) => error);
    expect(failure, uri).toBeInstanceOf(Error);
    expect(String(failure), uri).not.toMatch(/secret\n|root:/u);
  }
  const { resources } = await client.listResources();
  expect(resources.map(({ uri }) => uri)).toEqual(
    [pathToFileURL(root), pathToFileURL(join(root, 'a.txt')), pathToFileURL(join(root, 'inner/b.txt'))].map(String),
  );
  const { completion } = await client.complete({
    ref: { type: 'ref/resource', uri: 'file:///{+path}' },
    argument: { name: 'path', value: 'secret' },
  });
  expect(completion.values).toEqual([]);
});

test('several roots are served, and nothing else', async () => {
  const [one, two, none] = [
    createTree({ 'a.txt': 'alpha\n' }),
    createTree({ 'b.txt': 'beta\n' }),
    createTree({ 'c.txt': 'gamma\n' }),
  ];
  const client = await connectInMemory(await createMcpServer({ toolSets: [codingToolSet], roots: [one, two, one] }));
  expect(client.getInstructions()).toContain(two);
  expect(await call(client, 'read', { path: 'a.txt' })).toContain('alpha');
  expect(await call(client, 'read', { path: join(two, 'b.txt') })).toContain('beta');
  expect(await call(client, 'grep', { pattern: 'beta', path: two })).toContain(join(two, 'b.txt'));
  expect(await call(client, 'edit', { path: join(two, 'b.txt'), old_text: 'beta', new_text: 'delta' })).toContain(
    'b.txt',
  );
  expect(await call(client, 'read', { path: join(none, 'c.txt') })).toMatch(/^error: .*outside/u);
  const { resources } = await client.listResources();
  expect(resources.map(({ uri }) => uri)).toEqual(
    [one, join(one, 'a.txt'), two, join(two, 'b.txt')].map((path) => pathToFileURL(path).href),
  );
});

test('a hard link to a file outside can be read', async () => {
  // Both names are the file: the file system makes the content readable inside the root.
  const { root, outside } = createPlaces();
  linkSync(join(outside, 'secret.txt'), join(root, 'hard.txt'));
  const client = await connectInMemory(await createMcpServer({ toolSets: [codingToolSet], roots: [root] }));
  expect(await call(client, 'read', { path: 'hard.txt' })).toContain('secret');
});
