import {
  existsSync,
  linkSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
} from 'node:fs';
import { join } from 'node:path';
import { createCodingTools, nodeFileOperations } from '@cairn/coding-agent';
import { textOf } from '@cairn/tool';
import type { CodingTools, FileOperations } from '@cairn/coding-agent';
import type { ToolResult } from '@cairn/tool';
import { describe, expect, test } from 'vitest';
import { createTree, symlink, temporaryDirectory, writeTree } from '../support/tree.ts';

const SECRET = 'the-secret-7f3a';

/** A root with all kinds of links, and next to it what must stay as it is. */
function build(base: string): void {
  rmSync(join(base, 'root'), { recursive: true, force: true });
  rmSync(join(base, 'outside'), { recursive: true, force: true });
  writeTree(base, {
    root: {
      'a.txt': 'inside\n',
      'dir/in.txt': 'inside\n',
      'dir/up': symlink('../..'),
      '.git': { config: 'of git\n', 'hooks/pre-commit': 'of git\n' },
      'nested/.git/config': 'of git\n',
      file: symlink('../outside/secret.txt'),
      'absolute-file': symlink(join(base, 'outside/secret.txt')),
      out: symlink('../outside'),
      'absolute-out': symlink(join(base, 'outside')),
      'detour-out': symlink('../root/dir/../../outside'),
      'chain-1': symlink('chain-2'),
      'chain-2': symlink('dir/../chain-3'),
      'chain-3': symlink('../outside'),
      dangling: symlink('../outside/new.txt'),
      'dangling-directory': symlink('../outside/new'),
      'dangling-chain': symlink('dangling'),
      'git-link': symlink('.git'),
      'git-file-link': symlink('.git/config'),
    },
    outside: { 'secret.txt': `${SECRET}\n`, 'in.txt': `${SECRET}\n`, 'dir/deep.txt': `${SECRET}\n` },
    'root-too': { 'secret.txt': `${SECRET}\n` },
  });
}

/** Everything in a directory, links not followed: names, kinds, modes, contents. */
function contentsOf(directory: string): string[] {
  const entries = readdirSync(directory, { withFileTypes: true }).flatMap((entry) => {
    const path = join(directory, entry.name);
    if (entry.isSymbolicLink()) return [`${path} -> ${readlinkSync(path)}`];
    const line = `${path} ${statSync(path).mode}`;
    return entry.isDirectory() ? [line, ...contentsOf(path)] : [`${line} ${readFileSync(path, 'utf8')}`];
  });
  return entries.toSorted();
}

/** What no call may change: all next to the root, and git's own data in it. */
function protectedContents(base: string): string[] {
  const guarded = ['outside', 'root-too', 'root/.git', 'root/nested/.git'];
  return [...readdirSync(base), ...guarded.flatMap((directory) => contentsOf(join(base, directory)))];
}

/** `<base>` is the directory that contains the root. */
const outside: readonly string[] = [
  '../outside/secret.txt',
  './../outside/secret.txt',
  'dir/../../outside/secret.txt',
  'missing/../../outside/secret.txt',
  'a.txt/../../outside/secret.txt',
  'file/../../outside/secret.txt',
  '..//outside///secret.txt',
  '../outside/../outside/secret.txt',
  '../root/../outside/secret.txt',
  `${'dir/../'.repeat(100)}../outside/secret.txt`,
  `${'../'.repeat(60)}<base>/outside/secret.txt`,
  '../outside/secret.txt/',
  '../outside/new.txt',
  '../outside/new/and/deeper.txt',
  '../root-too/secret.txt',
  '<base>/outside/secret.txt',
  '//<base>/outside/secret.txt',
  '<base>/root/../outside/secret.txt',
  '<base>/root/./dir/../../outside/secret.txt',
  '<base>/root-too/secret.txt',
  '<base>/ROOT/../outside/secret.txt',
  'file',
  './file',
  'dir/../file',
  'file/',
  'absolute-file',
  '<base>/root/file',
  'out/secret.txt',
  'out/./secret.txt',
  'out/dir/deep.txt',
  'out/new.txt',
  'out/new/and/deeper.txt',
  'absolute-out/secret.txt',
  'detour-out/secret.txt',
  'chain-1/secret.txt',
  'chain-1/dir/deep.txt',
  'chain-3/new.txt',
  'dir/up/outside/secret.txt',
  'dir/up/root-too/secret.txt',
  'dir/up/root/../outside/secret.txt',
  'dangling',
  'dangling-chain',
  'dangling-directory/new.txt',
  'dangling-directory/and/deeper.txt',
  '/proc/self/root<base>/outside/secret.txt',
  '..',
  '../',
  '<base>',
  'a.txt\0../../outside/secret.txt',
  '../outside/secret.txt\0.txt',
  '\0',
];

/** Of the machine itself, on which nothing is tried that would harm it if it worked. */
const machine: readonly string[] = [
  '/',
  '/etc/hostname',
  '/proc/self/environ',
  '/proc/self/cwd/package.json',
  '/dev/fd/0',
  '/dev/stdin',
];

/** In all spellings that some file system takes for git's directory. They may be read. */
const gitData: readonly string[] = [
  '.git/config',
  '.git/new',
  '.git/hooks/pre-commit',
  '.git',
  './.git/config',
  'dir/../.git/config',
  '<base>/root/.git/config',
  'nested/.git/config',
  'git-link/config',
  'git-link/hooks/new',
  'git-file-link',
  '.GIT/config',
  '.Git/hooks/new',
  '.git./config',
  '.git /config',
  '.git. ./config',
  '.git::$INDEX_ALLOCATION/config',
  'GIT~1/config',
  '.g\u200cit/config',
  '\ufeff.git/config',
  'dir/.git/config',
];

/** Names that resemble a way out of the root, but are ordinary names inside it. */
const lookalikes: readonly string[] = [
  '%2e%2e/outside/secret.txt',
  '..%2foutside%2fsecret.txt',
  '..\\outside\\secret.txt',
  '\u2025/outside/secret.txt',
  '\uff0e\uff0e/outside/secret.txt',
  '..\u2215outside\u2215secret.txt',
  '.\u200b./outside/secret.txt',
  '.../outside/secret.txt',
  '.. /outside/secret.txt',
  '~/secret.txt',
  '~root/secret.txt',
  '$HOME/secret.txt',
  'file:///etc/hostname',
  'file\n../outside/secret.txt',
  '-rf',
];

type Call = (tools: CodingTools, path: string) => Promise<ToolResult>;

const edits = [{ old_text: SECRET, new_text: 'a joke' }];
const patchOf = (...lines: string[]): { patch: string } => ({
  patch: ['*** Begin Patch', ...lines, '*** End Patch', ''].join('\n'),
});

const reads: Readonly<Record<string, Call>> = {
  read: (tools, path) => tools.read.execute({ path }),
  ls: (tools, path) => tools.ls.execute({ path }),
  grep: (tools, path) => tools.grep.execute({ pattern: 'secret-7', path }),
  glob: (tools, path) => tools.glob.execute({ pattern: '**', path }),
};

/** Of what a path leads to. */
const writes: Readonly<Record<string, Call>> = {
  write: (tools, path) => tools.write.execute({ path, content: 'a joke\n' }),
  edit: (tools, path) => tools.edit.execute({ path, edits }),
  'patch that updates': (tools, path) =>
    tools.patch.execute(patchOf(`*** Update File: ${path}`, '@@', `-${SECRET}`, '+a joke')),
  'patch that adds': (tools, path) => tools.patch.execute(patchOf(`*** Add File: ${path}`, '+a joke')),
  'unified diff that updates': (tools, path) =>
    tools.patch.execute({ patch: `--- ${path}\n+++ ${path}\n@@ -1 +1 @@\n-${SECRET}\n+a joke\n` }),
};

/** Of a path itself: a link may be moved and deleted, what it leads to not. */
const moves: Readonly<Record<string, Call>> = {
  delete: (tools, path) => tools.delete.execute({ path }),
  'delete of all': (tools, path) => tools.delete.execute({ path, recursive: true }),
  'rename away': (tools, from) => tools.rename.execute({ from, to: 'stolen' }),
  'rename onto': (tools, to) => tools.rename.execute({ from: 'a.txt', to, overwrite: true }),
  'patch that deletes': (tools, path) => tools.patch.execute(patchOf(`*** Delete File: ${path}`)),
  'patch that moves away': (tools, path) =>
    tools.patch.execute(patchOf(`*** Update File: ${path}`, '*** Move to: stolen', '@@', `-${SECRET}`, '+a joke')),
  'patch that moves onto': (tools, path) =>
    tools.patch.execute(patchOf('*** Update File: a.txt', `*** Move to: ${path}`, '@@', '-inside', '+a joke')),
};

/** Makes every call with a path, in a place of its own, and tells which were not rejected. None may have an effect outside. */
async function tryAll(path: string, calls: Readonly<Record<string, Call>>): Promise<string[]> {
  const base = temporaryDirectory();
  const stateDirectory = temporaryDirectory();
  const allowed: string[] = [];
  build(base);
  let before = contentsOf(base);
  for (const [name, call] of Object.entries(calls)) {
    const guarded = protectedContents(base);
    const tools = createCodingTools({ root: join(base, 'root'), stateDirectory });
    const answer = await call(tools, path.replaceAll('<base>', base));
    expect(protectedContents(base), `${name}: ${textOf(answer)}`).toEqual(guarded);
    expect(textOf(answer), name).not.toContain(SECRET);
    if (!answer.isError) allowed.push(name);
    if (contentsOf(base).join('\n') === before.join('\n')) continue;
    build(base);
    before = contentsOf(base);
  }
  return allowed;
}

describe('no call leaves the root', () => {
  test.each(outside)('by %j', async (path) => {
    expect(await tryAll(path, { ...reads, ...writes })).toEqual([]);
    await tryAll(path, moves);
  });

  test.each(machine)('by %j', async (path) => {
    expect(await tryAll(path, reads)).toEqual([]);
  });

  test('by a link to the whole machine', async () => {
    const links = { all: '/', process: '/proc/self/root', here: '/proc/self/cwd' };
    const root = createTree(Object.fromEntries(Object.entries(links).map(([name, target]) => [name, symlink(target)])));
    const tools = createCodingTools({ root, stateDirectory: temporaryDirectory() });
    for (const path of [
      'all',
      'all/etc/hostname',
      'process/etc/hostname',
      `process${root}/../x`,
      'here/package.json',
    ]) {
      for (const call of Object.values(reads)) {
        expect(await call(tools, path)).toMatchObject({ details: { reason: 'OUTSIDE_ROOT' } });
      }
    }
  });

  test('by a name that is suggested for a missing one', async () => {
    const base = temporaryDirectory();
    build(base);
    const tools = createCodingTools({ root: join(base, 'root'), stateDirectory: temporaryDirectory() });
    for (const path of ['secret.txt', 'deep.txt', 'dir/secret.txt']) {
      const [, suggested = ''] = textOf(await tools.read.execute({ path })).split('Did you mean');
      expect(suggested).not.toMatch(/secret|deep/u);
    }
  });

  test.each(lookalikes)('by %j, which is a name', async (path) => {
    await tryAll(path, { ...reads, ...writes, ...moves });
  });

  test('by a pattern', async () => {
    for (const pattern of ['../**', '../outside/*', '<base>/outside/**', 'out/**', 'dir/up/**', '{..,dir}/**']) {
      const calls: Readonly<Record<string, Call>> = {
        glob: (tools, path) => tools.glob.execute({ pattern: path }),
        grep: (tools, path) => tools.grep.execute({ pattern: 'secret-7', glob: path }),
      };
      await tryAll(pattern, calls);
    }
  });

  test('unless another root is allowed by name', async () => {
    const base = temporaryDirectory();
    build(base);
    const policy = { allowedRoots: [join(base, 'outside')] };
    const tools = createCodingTools({ root: join(base, 'root'), stateDirectory: temporaryDirectory(), policy });
    for (const path of ['../outside/secret.txt', 'file', 'out/dir/deep.txt']) {
      expect(textOf(await tools.read.execute({ path }))).toContain(SECRET);
    }
    expect(await tools.read.execute({ path: '../root-too/secret.txt' })).toMatchObject({
      details: { reason: 'OUTSIDE_ROOT' },
    });
  });
});

test.each(gitData)("git's own data is not changed by %j", async (path) => {
  expect(await tryAll(path, writes)).toEqual([]);
  await tryAll(path, moves);
});

/** Called before each file operation; it can run something first. */
function watching(before: (operation: string) => void): FileOperations {
  const watched = Object.entries(nodeFileOperations).map(([name, run]) => {
    const operation = (...values: unknown[]): unknown => {
      before(name);
      return (run as (...given: unknown[]) => unknown)(...values);
    };
    return [name, operation];
  });
  return Object.fromEntries(watched) as FileOperations;
}

/** Replacements that happen during a call. */
const swaps: readonly (readonly [what: string, swap: (root: string) => void])[] = [
  [
    'a directory',
    (root) => {
      renameSync(join(root, 'dir'), join(root, 'old'));
      symlinkSync('../outside', join(root, 'dir'));
    },
  ],
  [
    'a file',
    (root) => {
      rmSync(join(root, 'dir/in.txt'), { force: true });
      symlinkSync('../../outside/in.txt', join(root, 'dir/in.txt'));
    },
  ],
];

describe.each(swaps)('%s that is replaced by a link during a call is not followed', (_what, swap) => {
  const calls: Readonly<Record<string, Call>> = {
    read: (tools) => tools.read.execute({ path: 'dir/in.txt' }),
    write: (tools) => tools.write.execute({ path: 'dir/in.txt', content: 'a joke\n' }),
    'write of a new file': (tools) => tools.write.execute({ path: 'dir/new/file.txt', content: 'a joke\n' }),
    edit: (tools) => tools.edit.execute({ path: 'dir/in.txt', edits: [{ old_text: 'inside', new_text: 'a joke' }] }),
    patch: (tools) =>
      tools.patch.execute(
        patchOf('*** Update File: dir/in.txt', '@@', '-inside', '+a joke', '*** Add File: dir/x', '+x'),
      ),
    delete: (tools) => tools.delete.execute({ path: 'dir/in.txt' }),
    'delete of all': (tools) => tools.delete.execute({ path: 'dir', recursive: true }),
    'rename away': (tools) => tools.rename.execute({ from: 'dir/in.txt', to: 'stolen.txt' }),
    'rename onto': (tools) => tools.rename.execute({ from: 'a.txt', to: 'dir/in.txt', overwrite: true }),
  };
  const rows = Object.entries(calls).flatMap(([name, call]) => [
    { name, call, prepare: () => undefined },
    // Written in place.
    {
      name: `${name}, hard link`,
      call,
      prepare: (root: string) => linkSync(join(root, 'dir/in.txt'), join(root, 'hard')),
    },
  ]);

  test.each(rows)('$name', async ({ call, prepare }) => {
    for (let moment = 0; ; moment++) {
      const base = temporaryDirectory();
      build(base);
      prepare(join(base, 'root'));
      const guarded = protectedContents(base);
      let [operations, swapped] = [0, ''];
      const before = (operation: string): void => {
        if (operations++ !== moment || !existsSync(join(base, 'root/dir'))) return;
        swapped = operation;
        swap(join(base, 'root'));
      };
      const tools = createCodingTools({
        root: join(base, 'root'),
        stateDirectory: temporaryDirectory(),
        operations: watching(before),
        policy: { staleGuard: 'off' },
      });
      const answer = await call(tools, '');
      expect(textOf(answer)).not.toContain(SECRET);
      expect(protectedContents(base), `swapped before operation ${moment}, ${swapped}`).toEqual(guarded);
      if (operations <= moment) break;
    }
  });
});
