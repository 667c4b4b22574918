import { codingToolSet } from '@cairn/coding-agent';
import { createMcpServer } from '@cairn/mcp-server';
import type { Client, ListResourcesResult } from '@modelcontextprotocol/client';
import { truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, test } from 'vitest';
import { createTree } from '../support/tree.ts';
import type { Tree } from '../support/tree.ts';
import { connectInMemory } from './in-memory.ts';
import { call } from './support.ts';

async function open(
  tree: Tree,
  era: 'legacy' | 'modern' = 'legacy',
): Promise<{ readonly root: string; readonly client: Client }> {
  const root = createTree(tree);
  return {
    root,
    client: await connectInMemory(await createMcpServer({ toolSets: [codingToolSet], roots: [root] }), era),
  };
}

const uriIn = (root: string, path: string): string => pathToFileURL(join(root, path)).href;

test.each(['legacy', 'modern'] as const)(
  'a file is read as text or bytes, with its type, in the %s era',
  async (era) => {
    const png = Buffer.from('89504e470d0a1a0a', 'hex');
    const { root, client } = await open(
      {
        'a.md': '# Title\r\n',
        'code.ts': 'const a = 1;\n',
        'data.json': '{}\n',
        plain: 'plain\n',
        'picture.png': png,
        'utf16.txt': Buffer.from('\ufeffhi', 'utf16le'),
        'empty.txt': '',
        'a #b?c%.txt': 'odd\n',
        'mit Größe.txt': 'groß\n',
      },
      era,
    );
    const rows: readonly (readonly [path: string, content: object])[] = [
      ['a.md', { mimeType: 'text/markdown', text: '# Title\r\n' }],
      ['code.ts', { mimeType: 'text/plain', text: 'const a = 1;\n' }],
      ['data.json', { mimeType: 'application/json', text: '{}\n' }],
      ['plain', { mimeType: 'text/plain', text: 'plain\n' }],
      ['picture.png', { mimeType: 'image/png', blob: png.toString('base64') }],
      ['utf16.txt', { mimeType: 'text/plain', blob: Buffer.from('\ufeffhi', 'utf16le').toString('base64') }],
      ['empty.txt', { mimeType: 'text/plain', text: '' }],
      ['a #b?c%.txt', { mimeType: 'text/plain', text: 'odd\n' }],
      ['mit Größe.txt', { mimeType: 'text/plain', text: 'groß\n' }],
    ];
    for (const [path, content] of rows) {
      const uri = uriIn(root, path);
      expect((await client.readResource({ uri })).contents, path).toEqual([{ uri, ...content }]);
    }
  },
);

test('a directory gives its listing', async () => {
  const { root, client } = await open({ 'src/a.ts': '' });
  const { contents } = await client.readResource({ uri: uriIn(root, 'src') });
  expect(contents).toMatchObject([{ mimeType: 'text/plain', text: expect.stringContaining('a.ts') }]);
});

test('an unreadable resource is an error with its reason', async () => {
  const { root, client } = await open({ 'large.bin': '', 'a.txt': 'alpha\n' });
  truncateSync(join(root, 'large.bin'), 5 * 1024 * 1024);
  const rows: readonly (readonly [uri: string, message: RegExp])[] = [
    [uriIn(root, 'large.bin'), /large\.bin has 5\.0 MB, more than the 4\.0 MB that can be read at once/u],
    [uriIn(root, 'b.txt'), /b\.txt does not exist\. Did you mean a\.txt\?/u],
    [
      'https://example.com/',
      /unknown resource "https:\/\/example\.com\/"; use a listed URI, or one of the form file:\/\/\/\{\+path\}/u,
    ],
    ['file:///etc/passwd', /outside the root/u],
  ];
  for (const [uri, message] of rows) {
    await expect(client.readResource({ uri }), uri).rejects.toMatchObject({
      code: -32602,
      message: expect.stringMatching(message),
    });
  }
});

test('a file read as a resource counts as read', async () => {
  const { root, client } = await open({ 'a.txt': 'alpha\n' });
  await client.readResource({ uri: uriIn(root, 'a.txt') });
  writeFileSync(join(root, 'a.txt'), 'beta\n');
  expect(await call(client, 'edit', { path: 'a.txt', old_text: 'beta', new_text: 'gamma' })).toMatch(
    /^error: .*changed/u,
  );
});

/** Returns the names on each page. `listResources` would fetch all pages at once. */
async function listPages(client: Client, between: (page: number) => void = () => undefined): Promise<string[][]> {
  const pages: string[][] = [];
  let cursor: string | undefined;
  do {
    const params = cursor === undefined ? {} : { cursor };
    const page: ListResourcesResult = await client.request({ method: 'resources/list', params });
    pages.push(page.resources.map(({ name }) => name));
    cursor = page.nextCursor;
    between(pages.length);
  } while (cursor !== undefined);
  return pages;
}

const filesNamed = (names: readonly string[]): Tree => Object.fromEntries(names.map((name) => [name, '']));
const numbered = (count: number): string[] =>
  Array.from({ length: count }, (_, index) => `f${String(index).padStart(4, '0')}`);

test('pages list files by path, and new files move no file to another page', async () => {
  const { root, client } = await open(filesNamed(numbered(450)));
  const pages = await listPages(client, (page) => writeFileSync(join(root, `a-new-${page}`), ''));
  expect(pages.map(({ length }) => length)).toEqual([201, 200, 50]);
  expect(pages.flat()).toEqual([root, ...numbered(450)]);
});

test('the first 1,000 files of a root are listed, and the root states the limit', async () => {
  const { root, client } = await open(filesNamed(numbered(1010)));
  expect((await listPages(client)).flat()).toEqual([root, ...numbered(1000)]);
  const { resources } = await client.listResources();
  expect(resources[0]?.description).toContain('the first 1000');
});

test('paths are completed from some of their letters, and from their beginning', async () => {
  const { root, client } = await open({
    'src/kernel/sched.c': '',
    'src/other.c': '',
    'odd #name.c': '',
    'back\\slash.c': '',
  });
  const complete = async (value: string): Promise<string[]> => {
    const ref = { type: 'ref/resource', uri: 'file:///{+path}' } as const;
    return (await client.complete({ ref, argument: { name: 'path', value } })).completion.values;
  };
  const base = root.slice(1);
  expect(await complete('sched')).toEqual([`${base}/src/kernel/sched.c`]);
  expect((await complete(`${base}/src/oth`))[0]).toBe(`${base}/src/other.c`);
  expect(await complete('slash')).toEqual([`${base}/back\\slash.c`]);
  expect(await complete('x'.repeat(2000))).toEqual([]);
  // A completed path, put into the template, is the URI of the file.
  const [odd = ''] = await complete('oddname');
  const { contents } = await client.readResource({ uri: `file:///${encodeURI(odd)}` });
  expect(contents).toHaveLength(1);
  await expect(
    client.complete({ ref: { type: 'ref/prompt', name: 'x' }, argument: { name: 'y', value: '' } }),
  ).rejects.toThrow('cannot complete argument "y"; use an argument of file:///{+path}');
});

test.each([
  ['a path that contains the words as typed', 'sched.c', undefined],
  ['a typo', 'shced.c', 'typo'],
  ['beginnings of words', 'kersched', 'initials'],
  ['letters in order', 'krnlshd', 'scattered'],
  ['no path', 'zzzz', undefined],
])('a completion with %s names its guess', async (_reason, value, guess) => {
  const { client } = await open({ 'src/kernel/sched.c': '' });
  const ref = { type: 'ref/resource', uri: 'file:///{+path}' } as const;
  expect((await client.complete({ ref, argument: { name: 'path', value } }))._meta?.['cairn/guess']).toBe(guess);
});

test('the template of all files is listed', async () => {
  const { client } = await open({ 'a.txt': '' });
  expect((await client.listResourceTemplates()).resourceTemplates).toMatchObject([{ uriTemplate: 'file:///{+path}' }]);
});
