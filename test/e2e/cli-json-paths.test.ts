import { chmodSync, existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import process from 'node:process';
import { describe, expect, test } from 'vitest';
import { cairn, linesOf } from '../support/cli.ts';
import { createTree, symlink } from '../support/tree.ts';

interface Listed {
  readonly matches: readonly { readonly path: string; readonly positions?: readonly number[] }[];
  readonly entries: readonly { readonly path: string }[];
}

const tree = {
  kernel: { sched: { 'clock.c': 'foo\nbar foo\n', 'core.c': 'foo\n' }, 'fork.c': 'foo\n', 'a b.c': 'foo\n' },
  docs: { 'clock.md': 'foo\n' },
  top: { 'clock.c': 'foo\n' },
  'link.c': symlink('kernel/fork.c'),
};

/** The places to search, as a user in `kernel`, next to `docs`, names them. */
const places: readonly (readonly [string, readonly string[]])[] = [
  ['the current directory', []],
  ['the current directory by name', ['.']],
  ['a directory', ['sched']],
  ['a directory with a slash', ['sched/']],
  ['a directory after ./', ['./sched']],
  ['the parent', ['..']],
  ['a path through the parent', ['../kernel/sched']],
  ['an absolute path', ['ROOT/kernel']],
  ['several paths', ['sched', '../docs']],
  ['relative and absolute paths', ['sched', 'ROOT/docs']],
];

/** Files, which only grep searches. */
const files: typeof places = [
  ['a file', ['fork.c']],
  ['a file below', ['sched/clock.c']],
  ['a file after ./', ['./sched/clock.c']],
  ['a file with a space', ['a b.c']],
  ['a file through the parent', ['../docs/clock.md']],
  ['an absolute file', ['ROOT/kernel/sched/clock.c']],
  ['several files', ['fork.c', 'sched/clock.c', '../docs/clock.md']],
  ['a file and a directory', ['fork.c', 'sched']],
];

const repeated = (paths: readonly string[]): readonly string[] => paths.flatMap((path) => ['--path', path]);

/** Commands that name paths: their arguments, and the path of a line. */
const commands: readonly (readonly [string, (paths: readonly string[]) => readonly string[], RegExp])[] = [
  ['find', (paths) => ['find', 'clock', ...paths], /.*/u],
  ['find everything', (paths) => ['find', '', ...repeated(paths)], /.*/u],
  ['glob', (paths) => ['glob', '*.c', ...repeated(paths)], /.*/u],
  ['glob, newest first', (paths) => ['glob', '*', '--sort-mtime', ...repeated(paths)], /.*/u],
  ['grep', (paths) => ['grep', 'foo', '-H', ...paths], /.*(?=:\d+:)/u],
  ['grep -c', (paths) => ['grep', '-c', '-H', 'foo', ...paths], /.*(?=:\d+$)/u],
  ['grep -l', (paths) => ['grep', '-l', 'foo', ...paths], /.*/u],
  ['grep --files', (paths) => ['grep', '--files', ...paths], /.*/u],
];

const cases = commands.flatMap(([name, argsOf, line]) =>
  [...places, ...(name.startsWith('grep') ? files : [])].map(
    ([reason, paths]) => ({ name, reason, paths, argsOf, line }) as const,
  ),
);

function place(): { readonly root: string; readonly cwd: string } {
  const root = createTree(tree);
  return { root, cwd: join(root, 'kernel') };
}

async function both(
  args: readonly string[],
  cwd: string,
): Promise<{ readonly lines: string[]; readonly json: Listed }> {
  // A name with a space needs no quotes for a program.
  const { stdout } = await cairn(args, { cwd });
  const document = (await cairn([...args, '--json'], { cwd })).stdout;
  return { lines: linesOf(stdout).map((line) => line.replaceAll('"', '')), json: JSON.parse(document) as Listed };
}

describe('--json names the paths of the lines, from the current directory', () => {
  test.each(cases)('$name with $reason', async ({ paths, argsOf, line }) => {
    const { root, cwd } = place();
    const given = paths.map((path) => path.replace('ROOT', root));
    const { lines, json } = await both(argsOf(given), cwd);
    const named = json.matches.map(({ path }) => path);
    expect(named.length).toBeGreaterThan(0);
    expect(named).toEqual(lines.map((one) => line.exec(one)?.[0]));
    expect(named.filter((path) => !existsSync(resolve(cwd, path)))).toEqual([]);
    // The marked letters are those of the named path.
    for (const { path, positions } of json.matches) {
      expect(positions === undefined || positions.every((at) => at < path.length)).toBe(true);
    }
  });

  test('find marks the letters of the whole path', async () => {
    const { cwd } = place();
    const { json } = await both(['find', 'clock', 'sched'], cwd);
    const [first = { path: '', positions: [] }] = json.matches;
    expect([first.path, first.positions?.map((at) => first.path[at]).join('')]).toEqual(['sched/clock.c', 'clock']);
  });

  test.each([
    ['ls', '.', 'kernel'],
    ['ls', 'sched', 'kernel'],
    ['ls', 'sched/', 'kernel'],
    ['ls', 'kernel/sched', ''],
    ['ls', 'ROOT/kernel/sched', 'kernel'],
    ['read', 'sched', 'kernel'],
    ['read', 'kernel/sched', ''],
  ])('%s %s in /%s: its lines are names, and --json has paths to open', async (command, path, directory) => {
    const root = createTree(tree);
    const cwd = join(root, directory);
    const { lines, json } = await both([command, path.replace('ROOT', root)], cwd);
    const named = (command === 'ls' ? json.matches : json.entries).map((one) => one.path);
    const below = resolve(cwd, path.replace('ROOT', root));
    expect(named.map((one) => resolve(cwd, one))).toEqual(lines.map((line) => join(below, line.replace(/\/$/u, ''))));
    expect(named.filter((one) => !existsSync(join(cwd, one)))).toEqual([]);
  });

  test.each(['sched', './sched', '../kernel', 'ROOT/docs'])('tree %s has the lines of its document', async (path) => {
    const { root, cwd } = place();
    const given = path.replace('ROOT', root);
    const { stdout } = await cairn(['tree', given, '--format', 'paths'], { cwd });
    const document: unknown = JSON.parse((await cairn(['tree', given, '--format', 'paths', '--json'], { cwd })).stdout);
    expect(document).toMatchObject({ root: resolve(cwd, given), tree: stdout.trimEnd() });
  });
});

describe.skipIf(process.platform === 'win32' || process.getuid?.() !== 0)(
  'what cannot be read is named in the same way',
  () => {
    /** A tree with a directory that another user cannot read: root reads everything. */
    function closedTree(): { cwd: string; uid: number } {
      const cwd = createTree({ full: { closed: { x: '' } } });
      for (const [path, mode] of [
        ['full/closed', 0o000],
        ['full', 0o755],
        ['', 0o755],
      ] as const)
        chmodSync(join(cwd, path), mode);
      return { cwd, uid: 65_534 };
    }

    test.each([
      ['find', ['find', 'x', 'full'], 'unreadablePaths'],
      ['glob', ['glob', '*', '--path', 'full'], 'unreadablePaths'],
      ['grep', ['grep', 'x', 'full'], 'unreadablePaths'],
      ['grep --files', ['grep', '--files', 'full'], 'unreadablePaths'],
      ['tree', ['tree', 'full'], 'metadata'],
    ])('%s', async (_name, args, field) => {
      const options = closedTree();
      const { stderr } = await cairn(args, options);
      const document = JSON.parse((await cairn([...args, '--json'], options)).stdout) as Record<string, unknown>;
      const found =
        field === 'metadata' ? (document[field] as Record<string, unknown>)['unreadablePaths'] : document[field];
      expect(found).toEqual(['full/closed']);
      expect(stderr).toContain('full/closed');
    });

    test('ls: names below the directory in lines, and paths to open with --json', async () => {
      const options = closedTree();
      const { stdout, stderr } = await cairn(['ls', 'full', '--depth', '2'], options);
      expect([stdout, stderr]).toEqual(['closed/\n', 'cairn: 1 directory could not be read: closed\n']);
      const document: unknown = JSON.parse((await cairn(['ls', 'full', '--depth', '2', '--json'], options)).stdout);
      expect(document).toMatchObject({ matches: [{ path: 'full/closed' }], unreadablePaths: ['full/closed'] });
    });
  },
);
