/** What an import takes from files, and that it takes each state of a file once. */
import { spawnSync } from 'node:child_process';
import { mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import process from 'node:process';
import { formatAsset, importFiles, importProject } from '@cairn/knowledge';
import { openLocalStore } from '@cairn/knowledge/internal';
import type { ImportResult, LocalStore } from '@cairn/knowledge';
import { memory } from '@cairn/memory/memory';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { temporaryDirectory } from '../support/tree.ts';

interface Folder {
  readonly root: string;
  readonly store: LocalStore;
  readonly write: (place: string, text: string | Uint8Array) => void;
}

function open(): Folder {
  const root = join(temporaryDirectory(), 'shop');
  mkdirSync(root);
  return {
    root,
    store: openLocalStore({ backend: memory(), clock: () => 1000 }),
    write: (place, text) => {
      const path = join(root, place);
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(path, text);
    },
  };
}

/** Returns the ids and paths of a result. */
function summary({ root }: Folder, { added, updated, present, links, problems }: ImportResult): object {
  const below = (path: string): string => path.slice(root.length + 1);
  return {
    ...(added.length > 0 && { added: added.map(({ id }) => id) }),
    ...(updated.length > 0 && { updated: updated.map(({ id }) => id) }),
    ...(present.length > 0 && { present: present.map(below) }),
    ...(links.length > 0 && { links: links.map(below) }),
    ...(problems.length > 0 && { problems: problems.map(({ path, code }) => `${code} ${below(path)}`) }),
  };
}

test('instructions of a project and rules of Cursor become assets', async () => {
  const folder = open();
  const { root, store, write } = folder;
  const own = '<!-- cairn-knowledge:start -->\nThe index.\n<!-- cairn-knowledge:end -->\n';
  write('AGENTS.md', `# How to work here\n\nRun the tests.\n${own}`);
  write('CLAUDE.md', 'No heading.\n');
  write(
    '.cursor/rules/ts/react.mdc',
    '---\ndescription: Components: small ones\nglobs: *.tsx,src/**/*.ts\nalwaysApply: false\n---\nWrite small components.\n',
  );
  write('docs/other.md', 'Not imported.');
  write('.claude/CLAUDE.md', own);
  const result = await importProject(root, { store });
  expect(summary(folder, result)).toEqual({
    added: ['general/shop-AGENTS', 'general/shop-CLAUDE', 'general/react'],
    present: ['.claude/CLAUDE.md'],
  });
  expect(result.added).toMatchObject([
    { type: 'best-practice', title: 'How to work here', body: '# How to work here\n\nRun the tests.\n' },
    { title: 'shop-CLAUDE', origin: { kind: 'import', source: join(root, 'CLAUDE.md') } },
    { title: 'Components: small ones', paths: ['*.tsx', 'src/**/*.ts'], body: 'Write small components.\n' },
  ]);
});

test('a folder of Markdown becomes assets, by its directories as product lines', async () => {
  const folder = open();
  const { root, store, write } = folder;
  const asset = formatAsset({ name: 'kept', type: 'adr', title: 'Kept', productLine: 'own/line' }, 'As it is.');
  write('kept.md', asset.replace('---\n', '---\n# a comment\nowner: me\n'));
  write(
    'exchange/core/延迟 优化.md',
    '---\ntitle: 撮合引擎延迟\ntags: [latency, 优化]\ndate: 2024-01-01\n---\n\n内容\n',
  );
  write('a b/$(rm)..x.md', 'Text without a heading.');
  write('readme.MD', '# Read me ##\n');
  write('.hidden/x.md', 'hidden');
  write('node_modules/x/README.md', 'package');
  write('code.ts', '');
  const result = await importFiles(root, { store });
  expect(summary(folder, result)).toEqual({
    added: ['own/line/kept', 'general/readme', 'a-b/rm-.x', 'exchange/core/延迟-优化'],
  });
  expect(result.added[0]?.text).toBe(asset.replace('---\n', '---\n# a comment\nowner: me\n'));
  expect(result.added[1]).toMatchObject({ title: 'Read me', type: 'reference' });
  expect(result.added[3]).toMatchObject({ title: '撮合引擎延迟', tags: ['latency', '优化'], body: '内容\n' });
  const other = await importFiles(join(root, 'code.ts'), { store }).catch((error: unknown) => error);
  expect(other).toMatchObject({ problems: [{ code: 'INVALID_ASSET' }] });
});

test('a file is imported once for each of its states', async () => {
  const folder = open();
  const { root, store, write } = folder;
  const run = async (): Promise<object> => summary(folder, await importFiles(root, { store }));
  write('a.md', 'first');
  write('copy.md', ' first\r\n');
  expect(await run()).toEqual({ added: ['general/a'], present: ['copy.md'] });
  expect(await run()).toEqual({ present: ['a.md', 'copy.md'] });
  write('a.md', 'second');
  expect(await run()).toEqual({ updated: ['general/a'], present: ['copy.md'] });
  // A rename here does not bring the file back, and neither does a removal.
  await store.change('general/a', { fields: { name: 'b', tags: ['x'] } });
  expect(await run()).toEqual({ present: ['a.md', 'copy.md'] });
  await store.remove('general/b');
  expect(await run()).toEqual({ present: ['a.md', 'copy.md'] });
  write('a.md', 'third');
  expect(await run()).toEqual({ added: ['general/a'], present: ['copy.md'] });
});

test('an asset that was edited is not overwritten by its file', async () => {
  const folder = open();
  const { root, store, write } = folder;
  write('a.md', 'first');
  await importFiles(root, { store });
  const edited = await store.change('general/a', { body: 'mine\n' });
  write('a.md', 'theirs');
  expect(summary(folder, await importFiles(root, { store }))).toEqual({ problems: ['EDITED a.md'] });
  expect(await store.get('general/a')).toEqual(edited);
  expect(summary(folder, await importFiles(root, { store }))).toEqual({ problems: ['EDITED a.md'] });
  await store.change('general/a', { body: 'theirs' });
  expect(summary(folder, await importFiles(root, { store }))).toEqual({ present: ['a.md'] });
  write('a.md', 'next');
  expect(summary(folder, await importFiles(root, { store }))).toEqual({ updated: ['general/a'] });
});

test('links to directories are reported and not followed, also above the files of a project', async () => {
  const folder = open();
  const { root, store, write } = folder;
  const outside = temporaryDirectory();
  writeFileSync(join(outside, 'CLAUDE.md'), 'private');
  mkdirSync(join(outside, 'rules'));
  writeFileSync(join(outside, 'rules', 'mine.mdc'), 'private too');
  for (const name of ['.claude', '.cursor', 'docs']) symlinkSync(outside, join(root, name));
  symlinkSync(join(outside, 'none'), join(root, 'gone'));
  write('a.md', 'x');
  expect(summary(folder, await importProject(root, { store }))).toEqual({ links: ['.claude', '.cursor'] });
  expect(summary(folder, await importFiles(root, { store }))).toEqual({ added: ['general/a'], links: ['docs'] });
});

test('a long heading is cut between characters', async () => {
  const folder = open();
  folder.write('a.md', `# ${'😀'.repeat(150)}\n\nx`);
  const { added } = await importFiles(folder.root, { store: folder.store });
  expect(added.map(({ title }) => title)).toEqual([`${'😀'.repeat(99)}…`]);
});

test('files are imported by name: those of a directory, then each of its subdirectories', async () => {
  const folder = open();
  const { root, store, write } = folder;
  for (const place of ['b/z.md', 'b/c/y.md', 'b.md', 'a/x.md', 'z.md', 'a/c/w.md', 'a/d/v.md']) write(place, place);
  expect(summary(folder, await importFiles(root, { store }))).toEqual({
    added: ['general/b', 'general/z', 'a/x', 'a/c/w', 'a/d/v', 'b/z', 'b/c/y'],
  });
});

test('files that cannot be assets are reported, and the others are imported', async () => {
  const folder = open();
  const { root, store, write } = folder;
  write('binary.md', Buffer.from([0, 1, 2]));
  write('latin.md', Buffer.from([0x63, 0x61, 0x66, 0xe9]));
  write('empty.md', ' \n');
  write('large.md', 'x'.repeat(5 * 1024 * 1024));
  write('secret.md', 'one\ntwo\npassword: Zx9kQp2mVt4L');
  write('yaml.md', '---\ntitle: a: b\n---\nx');
  write('open.md', '---\ntitle: a\n');
  write('name.md', '---\nname: ../../x\ntype: adr\ntitle: T\n---\nx');
  write('good.md', 'good');
  write('zz/../taken.md', '---\nname: good\ntype: adr\ntitle: T\nproduct_line: general\n---\nother');
  symlinkSync('/etc/passwd', join(root, 'link.md'));
  symlinkSync(root, join(root, 'loop'));
  spawnSync('mkfifo', [join(root, 'pipe.md')]);
  const result = await importFiles(root, { store });
  expect(summary(folder, result)).toEqual({
    added: ['general/good'],
    links: ['link.md', 'loop'],
    problems: [
      'INVALID_ASSET binary.md',
      'INVALID_ASSET empty.md',
      'TOO_LARGE large.md',
      'INVALID_ASSET latin.md',
      'INVALID_ASSET name.md',
      'INVALID_ASSET open.md',
      'SECRET secret.md',
      'ASSET_EXISTS taken.md',
      'INVALID_ASSET yaml.md',
    ].toSorted((a, b) => ((a.split(' ')[1] ?? '') < (b.split(' ')[1] ?? '') ? -1 : 1)),
  });
  expect(result.problems.find(({ code }) => code === 'SECRET')).toMatchObject({
    line: 3,
    path: join(root, 'secret.md'),
  });
});

test('large files of one kind of character are imported in bounded time', async () => {
  const folder = open();
  const { root, store, write } = folder;
  write('spaces.md', `# a${' '.repeat(900_000)}b`);
  write('hashes.md', `# ${'# '.repeat(450_000)}x`);
  write('marks.md', '<!-- cairn-a:start -->\n'.repeat(40_000));
  const { added } = await importFiles(root, { store });
  expect(added.map(({ title }) => title.length)).toEqual([200, 5, 1]);
});

test('a link that the user names is followed', async () => {
  const folder = open();
  const { root, store, write } = folder;
  write('a.md', 'x');
  symlinkSync(root, `${root}-link`);
  expect(summary(folder, await importFiles(`${root}-link`, { store }))).toEqual({ added: ['general/a'] });
  expect(summary(folder, await importFiles(root, { store }))).toEqual({ present: ['a.md'] });
});

test.skipIf(process.getuid?.() === 0)(
  'a directory that cannot be read is reported, and the others are imported',
  async () => {
    const folder = open();
    const { root, store, write } = folder;
    write('a.md', 'x');
    mkdirSync(join(root, 'closed'), { mode: 0o000 });
    const result = await importFiles(root, { store });
    expect(summary(folder, result)).toEqual({ added: ['general/a'], problems: ['EACCES closed'] });
  },
);

test('a path without anything is rejected, and an aborted import stops', async () => {
  const { root, store, write } = open();
  await expect(importFiles(join(root, 'none'), { store })).rejects.toMatchObject({ code: 'INVALID_INPUT' });
  write('a.md', 'x');
  await expect(importFiles(root, { store, signal: AbortSignal.abort(new Error('stop')) })).rejects.toThrow('stop');
  expect((await store.changes()).changed).toEqual([]);
  rmSync(join(root, 'a.md'));
  expect(await importFiles(root, { store })).toEqual({ added: [], updated: [], present: [], links: [], problems: [] });
});

test('new files are written together, in a few steps', async () => {
  const { root, write } = open();
  const backend = memory();
  let steps = 0;
  const counting = {
    ...backend,
    change: (...args: Parameters<typeof backend.change>) => ((steps += 1), backend.change(...args)),
  };
  for (let number = 0; number < 400; number++) write(`f${number}.md`, `text ${number}`);
  const { added } = await importFiles(root, { store: openLocalStore({ backend: counting }) });
  expect(added).toHaveLength(400);
  // Assets and the state of the files, 200 of each.
  expect(steps).toBe(4);
});

const content = fc.oneof(
  fc.constantFrom('same', 'other', 'third', '', ' ', '---\nbroken', 'key AKIAIOSFODNN7QWERTYU', '\0'),
  fc.nat(500).map((number) => `text ${number}`),
);
const tree = fc.uniqueArray(
  fc.record({
    name: fc.constantFrom('a', 'b', 'c', 'd', 'e', 'A', 'a b', 'a-b', 'f', 'g'),
    content,
    line: fc.constantFrom('', 'x/', 'y/'),
  }),
  { selector: ({ name, line }) => line + name, maxLength: 25 },
);

test('an import of a folder has the result of importing its files one by one', async () => {
  await fc.assert(
    fc.asyncProperty(tree, tree, async (before, after) => {
      const [whole, single] = [open(), open()];
      const productLine = 'line';
      const places = new Set<string>();
      for (const files of [before, after]) {
        for (const { name, line, content: text } of files) {
          for (const { write } of [whole, single]) write(`${line}${name}.md`, text);
          places.add(`${line}${name}.md`);
        }
        const result = summary(whole, await importFiles(whole.root, { store: whole.store, productLine }));
        const all: ImportResult[] = [];
        const isBelow = (place: string): number => Number(place.includes('/'));
        for (const place of [...places].toSorted((a, b) => isBelow(a) - isBelow(b) || (a < b ? -1 : 1))) {
          all.push(await importFiles(join(single.root, place), { store: single.store, productLine }));
        }
        const joined: ImportResult = {
          added: all.flatMap(({ added }) => added),
          updated: all.flatMap(({ updated }) => updated),
          present: all.flatMap(({ present }) => present),
          links: [],
          problems: all.flatMap(({ problems }) => problems),
        };
        expect(result).toEqual(summary(single, joined));
      }
      const textsOf = async ({ store }: Folder): Promise<unknown> =>
        Object.fromEntries((await store.changes()).changed.map(({ asset: { id, text } }) => [id, text]));
      expect(await textsOf(whole)).toEqual(await textsOf(single));
    }),
    { numRuns: 40 },
  );
});
