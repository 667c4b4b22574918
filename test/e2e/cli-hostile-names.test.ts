/** Names of files, and arguments, that would forge a line of the output: no line of any command begins with them. */
import { quotePath } from '@cairn/tool/paths';
import { expect, test } from 'vitest';
import { cairn } from '../support/cli.ts';
import { FORGED, forgedIn, hostileNames } from '../support/hostile-names.ts';
import { createTree, symlink } from '../support/tree.ts';

const names = ['\n', '\r', '\u001b[2J', '\u2028', '\u202e'].map((character) => `a${character}${FORGED}`);

interface Usage {
  /** The words before the arguments, such as `memory add`. */
  readonly words: readonly string[];
  readonly hasArgument: boolean;
  /** The options that take a value. */
  readonly options: readonly string[];
}

/** Returns every command, as the help describes it: so a new command is covered without an edit. */
async function readUsages(words: readonly string[] = []): Promise<Usage[]> {
  const { stdout } = await cairn([...words, '--help']);
  const [, list = ''] = /^Commands:\n((?: {2}.*\n)+)/mu.exec(stdout) ?? [];
  const inner = [...list.matchAll(/^ {2}([a-z-]+)/gmu)].flatMap(([, name = '']) => (name === 'help' ? [] : [name]));
  const nested = await Promise.all(inner.map((name) => readUsages([...words, name])));
  const options = [...stdout.matchAll(/^ {2}(?:-\w, )?(--[\w-]+) <(?!n>|ms>|when>|size>)/gmu)].map(
    ([, name = '']) => name,
  );
  const hasArgument = /^Usage: [^\n]*[<[](?!options)[a-z]+(?:\.{3})?[>\]]$/mu.test(stdout);
  return [...(words.length === 0 ? [] : [{ words, hasArgument, options }]), ...nested.flat()];
}

const tree = {
  ...Object.fromEntries(hostileNames.map((name) => [name, 'needle\nneedle\n'])),
  directory: Object.fromEntries(hostileNames.map((name) => [name, { [name]: 'needle\n' }])),
  links: Object.fromEntries(hostileNames.map((name) => [name, symlink(name)])),
};

async function expectHonest(
  args: readonly string[],
  options: { readonly cwd: string; readonly input?: string },
): Promise<void> {
  const { stdout, stderr } = await cairn(args, { ...options, env: { HOME: options.cwd } });
  expect([forgedIn(stdout), forgedIn(stderr)], args.join(' ')).toEqual([undefined, undefined]);
}

test('no line of a command begins with what an argument holds', async () => {
  const usages = await readUsages();
  expect(usages.length).toBeGreaterThan(25);
  expect(usages.filter(({ hasArgument }) => hasArgument).length).toBeGreaterThan(10);
  const cwd = createTree(tree);
  for (const { words, hasArgument, options } of usages) {
    // A server writes for programs. The texts of messages and notes are printed as they are.
    if (['mcp', 'memory remember', 'notes add'].includes(words.join(' '))) continue;
    for (const name of names) {
      if (hasArgument) for (const one of [name, `missing/${name}`]) await expectHonest([...words, one], { cwd });
      for (const option of options)
        await expectHonest([...words, ...(hasArgument ? ['x'] : []), option, name], { cwd });
    }
  }
});

test.each([
  [['find', 'a']],
  [['find', 'directory']],
  [['glob', '*']],
  [['glob', '**', '--path', 'directory']],
  [['glob', '*', '--long', '--sort-mtime']],
  [['grep', 'needle']],
  [['grep', 'needle', '--limit', '3']],
  [['grep', 'needle', '-l']],
  [['grep', 'needle', '-c', '--limit', '3']],
  [['ls', '--depth', '3', '--limit', '9']],
  [['ls', 'links']],
  [['tree']],
  [['read', 'directory']],
  [['tour']],
])('no line of cairn %j begins with what a name holds', async (args) => {
  const { stdout, stderr, exitCode } = await cairn(args, { cwd: createTree(tree) });
  expect({ exitCode, stderr: args[0] === 'tour' ? '' : stderr }).toMatchObject({ exitCode: 0 });
  // The columns of --long are separated by tabs.
  expect([stdout.replaceAll(/^(?:\d+|-)\t[^\t]+\t/gmu, ''), stderr].map(forgedIn)).toEqual([undefined, undefined]);
});

test.each(hostileNames)('the commands that change files show %j in one line', async (name) => {
  const cwd = createTree({ ...tree, d: { [name]: 'needle\nneedle\n' } });
  const path = `d/${name}`;
  const patch = `*** Begin Patch\n*** Update File: ${quotePath(path)}\n@@\n-needle\n-needle\n+new\n*** End Patch\n`;
  await expectHonest(['read', quotePath(path)], { cwd });
  await expectHonest(['edit', path, '--old', 'missing', '--new', 'new'], { cwd });
  await expectHonest(['edit', path, '--old', 'needle\nneedle', '--new', 'needle\nneedle \nneedle'], { cwd });
  await expectHonest(['write', path, '--content', 'x'], { cwd });
  await expectHonest(['write', path, '--content', 'needle\nneedle\n', '--overwrite'], { cwd });
  const diff = await cairn(['patch', '--dry-run'], { cwd, input: patch });
  expect(diff).toMatchObject({ exitCode: 0 });
  await expectHonest(['patch'], { cwd, input: diff.stdout });
  expect((await cairn(['read', path], { cwd })).stdout).toBe('new\n');
  await expectHonest(['rename', path, `e/${name}`], { cwd });
  await expectHonest(['delete', `e/${name}`], { cwd });
});

test.each(names)('the names of groups, projects, tags and workflows are shown in one line: %j', async (name) => {
  const cwd = createTree({});
  const message = { kind: 'message', stream: 'agent', id: name, role: name, content: 'x', time: Date.now() };
  const input = JSON.stringify({ ...message, group: name });
  for (const args of [
    ['memory', 'import'],
    ['memory', 'groups'],
    ['memory', 'messages', '--group', name],
    ['memory', 'recall', 'x'],
    ['memory', 'remember', 'x', '--tag', name, '--project', name, '--stream', name],
    ['memory', 'list', '--project', name],
    ['memory', 'project', 'list'],
    ['memory', 'project', 'move', name, 'other'],
  ])
    await expectHonest([...args, '--store', 'memory.db'], { cwd, input });
  await expectHonest(['notes', 'add', name, 'x', '--store', 'memory.db'], { cwd });
  await expectHonest(['notes', 'list', '--store', 'memory.db'], { cwd });
});

test('the documents of --json have a name as it is', async () => {
  const [name = ''] = names;
  const cwd = createTree({ [name]: 'needle\n' });
  for (const args of [['glob', '*'], ['find', 'a'], ['grep', 'needle'], ['ls']]) {
    const { matches } = JSON.parse((await cairn([...args, '--json'], { cwd })).stdout) as {
      matches: { path: string }[];
    };
    expect(matches.map(({ path }) => path)).toEqual([name]);
  }
  const { path } = JSON.parse((await cairn(['read', quotePath(name), '--json'], { cwd })).stdout) as { path: string };
  expect(path).toBe(name);
});
