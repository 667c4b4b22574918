/** What an agent does in an hour, on a copy of a package of this repository: every search after a change has to know of it. */
import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import {
  createCodingTools,
  createMentionProvider,
  createWorkspace,
  expandMentions,
  formatMention,
} from '@cairn/coding-agent';
import { textOf } from '@cairn/tool';
import type { CodingTools, MentionProvider } from '@cairn/coding-agent';
import type { ToolResult } from '@cairn/tool';
import { FileType, fuzzyFind, glob } from '@cairn/natives';
import { expect, test } from 'vitest';
import { temporaryDirectory } from '../support/tree.ts';

const checkout = fileURLToPath(new URL('../..', import.meta.url));

function git(directory: string, ...args: readonly string[]): string {
  const identity = ['-c', 'user.name=test', '-c', 'user.email=test@example.org'];
  const { status, stdout, stderr } = spawnSync('git', [...identity, ...args], { cwd: directory, encoding: 'utf8' });
  if (status !== 0) throw new Error(`git ${args.join(' ')}: ${stderr}`);
  return stdout;
}

/** A repository with what is tracked of `packages/natives`, and its first commit. */
function copyPackage(): string {
  const root = temporaryDirectory();
  const source = join(checkout, 'packages/natives');
  for (const path of ['README.md', 'package.json', 'tsconfig.json', 'src']) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    cpSync(join(source, path), join(root, path), { recursive: true });
  }
  git(root, 'init', '--quiet');
  git(root, 'add', '--all');
  git(root, 'commit', '--quiet', '--message', 'first');
  return root;
}

/** The text files of a tree by path. */
function treeOf(root: string): Map<string, string> {
  const entries = readdirSync(root, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !`${entry.parentPath}/`.includes('/.git/'))
    .map((entry) => join(entry.parentPath, entry.name));
  return new Map(entries.toSorted().map((path) => [path.slice(root.length + 1), readFileSync(path, 'utf8')]));
}

function done<Details>(result: ToolResult<Details>): Details {
  if (result.isError) throw new Error(textOf(result));
  return result.details;
}

/** Searches, those that remember the tree among them: all must know what is there now, and nothing else. */
async function expectSeen(root: string, tools: CodingTools, mentions: MentionProvider): Promise<void> {
  const paths = [...treeOf(root).keys()].toSorted();
  const globbed = done(await tools.glob.execute({ pattern: '**' })).paths.filter((path) => !path.endsWith('/'));
  expect(globbed.toSorted()).toEqual(paths);
  const grepped = done(await tools.grep.execute({ pattern: '.', mode: 'files' })).matches.map(({ path }) => path);
  expect(grepped.toSorted()).toEqual(paths);
  const cached = await glob({ path: root, pattern: '**', fileType: FileType.File, cache: true });
  expect(cached.matches.map(({ path }) => path).toSorted()).toEqual(paths);
  for (const path of paths) {
    const { matches } = await fuzzyFind({ path: root, query: path, cache: true, maxResults: 5 });
    expect(matches.map((match) => match.path)).toContain(path);
    const suggested =
      (await mentions.suggest(path, { limit: 5 }))?.suggestions.map((suggestion) => suggestion.path) ?? [];
    expect(suggested).toContain(path);
    expect(suggested.filter((one) => !existsSync(join(root, one)))).toEqual([]);
  }
}

test('an agent reads, searches, edits, patches, renames and deletes, and always finds what it has made', async () => {
  const root = copyPackage();
  const expected = treeOf(root);
  const workspace = createWorkspace({ root, stateDirectory: temporaryDirectory() });
  const tools = createCodingTools({ workspace });
  const mentions = createMentionProvider({ workspace });
  const lines = async (pattern: string): Promise<{ path: string; line: string }[]> =>
    done(await tools.grep.execute({ pattern, literal: true })).matches.map(({ path, line }) => ({ path, line }));

  // What is here?
  expect(textOf(await tools.ls.execute({ path: '.' }))).toContain('src/');
  await expectSeen(root, tools, mentions);
  expect(textOf(await tools.read.execute({ path: 'src/abort.ts' }))).toContain('export async function withCancel');

  // A function gets another name, everywhere.
  const users = [...new Set((await lines('withCancel')).map(({ path }) => path))];
  expect(users).toContain('src/abort.ts');
  expect(users.length).toBeGreaterThan(2);
  for (const path of users) {
    const edits = [{ old_text: 'withCancel', new_text: 'untilAborted', replace_all: true }];
    done(await tools.edit.execute({ path, edits }));
    expected.set(path, (expected.get(path) ?? '').replaceAll('withCancel', 'untilAborted'));
    expect((await lines('withCancel')).map((match) => match.path)).not.toContain(path);
    expect((await lines('untilAborted')).map((match) => match.path)).toContain(path);
  }

  // Its file moves, and the imports follow.
  done(await tools.rename.execute({ from: 'src/abort.ts', to: 'src/cancel/until-aborted.ts' }));
  expected.set('src/cancel/until-aborted.ts', expected.get('src/abort.ts') ?? '');
  expected.delete('src/abort.ts');
  await expectSeen(root, tools, mentions);
  const imports = await lines("from './abort.ts'");
  const importers = imports.map(({ path }) => path);
  expect(importers).toEqual(expect.arrayContaining(users.filter((path) => path !== 'src/abort.ts')));
  const patch = imports.flatMap(({ path, line }) => [
    `*** Update File: ${path}`,
    '@@',
    `-${line}`,
    `+${line.replace("'./abort.ts'", "'./cancel/until-aborted.ts'")}`,
  ]);
  done(await tools.patch.execute({ patch: ['*** Begin Patch', ...patch, '*** End Patch', ''].join('\n') }));
  for (const path of importers) {
    expected.set(path, (expected.get(path) ?? '').replace("'./abort.ts'", "'./cancel/until-aborted.ts'"));
  }
  expect((await lines("from './cancel/until-aborted.ts'")).map(({ path }) => path)).toEqual(importers);
  expect(await lines("from './abort.ts'")).toEqual([]);

  // The moved file still imports from where it was.
  const moved = 'src/cancel/until-aborted.ts';
  const stillBeside = [...new Set((expected.get(moved) ?? '').match(/from '\.\/[^']+'/gu))];
  expect(stillBeside.length).toBeGreaterThan(0);
  await tools.read.execute({ path: moved });
  const edits = stillBeside.map((from) => ({
    old_text: from,
    new_text: from.replace("'./", "'../"),
    replace_all: true,
  }));
  done(await tools.edit.execute({ path: moved, edits }));
  expected.set(moved, (expected.get(moved) ?? '').replaceAll("from './", "from '../"));

  // Something new, written, found and changed again.
  const note = 'docs/decisions/0001 cancel [draft].md';
  done(await tools.write.execute({ path: note, content: '# Cancelling\n\nOne function does it.\n' }));
  expect((await lines('One function does it')).map(({ path }) => path)).toEqual([note]);
  done(await tools.edit.execute({ path: note, edits: [{ old_text: 'One function', new_text: '`untilAborted`' }] }));
  expected.set(note, '# Cancelling\n\n`untilAborted` does it.\n');
  expect(await lines('One function does it')).toEqual([]);
  await expectSeen(root, tools, mentions);

  // A user mentions it, and a file that has moved.
  const asked = await expandMentions(`Does ${formatMention({ path: note })} hold for @src/abort.ts?`, { workspace });
  expect(asked.mentions.map(({ mention: { path }, attached }) => [path, attached])).toEqual([
    [note, true],
    ['src/abort.ts', false],
  ]);
  expect(JSON.stringify(asked.content)).toContain('`untilAborted` does it.');

  // Something old goes, and a name comes back as another file.
  done(await tools.delete.execute({ path: 'tsconfig.json' }));
  expected.delete('tsconfig.json');
  expect(done(await tools.glob.execute({ pattern: '*.json' })).paths).toEqual(['package.json']);
  done(await tools.rename.execute({ from: 'README.md', to: 'docs/README.md' }));
  done(await tools.write.execute({ path: 'README.md', content: 'See docs.\n' }));
  expected.set('docs/README.md', expected.get('README.md') ?? '');
  expected.set('README.md', 'See docs.\n');

  await expectSeen(root, tools, mentions);
  expect(treeOf(root)).toEqual(new Map([...expected].toSorted(([a], [b]) => (a < b ? -1 : 1))));
  // Git sees the same files, and nothing that was left lying about.
  const status = git(
    root,
    '-c',
    'core.quotePath=false',
    'ls-files',
    '--cached',
    '--others',
    '--deduplicate',
    '-z',
  ).split('\0');
  expect(status.filter((path) => path !== '' && existsSync(join(root, path))).toSorted()).toEqual(
    [...expected.keys()].toSorted(),
  );
});
