import { chmodSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import process from 'node:process';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createWorld, failure, fileOf, git, gitWith, memberEnv } from './team-harness.ts';
import type { Member, World } from './team-harness.ts';

let world: World;
beforeEach(() => {
  world = createWorld();
});
afterEach(() => world.dispose());

async function joined(options: Parameters<World['member']>[1] = {}): Promise<Member> {
  const ann = world.member('ann', options);
  await ann.team.init({ remote: world.remote });
  await ann.add('p/a', 'One.');
  await ann.team.sync();
  return ann;
}

test('a clone that was deleted is made again after the history was rewritten', async () => {
  const ann = await joined();
  rmSync(ann.clone, { recursive: true });
  rmSync(join(world.root, 'team.git'), { recursive: true });
  git(world.root, 'init', '--quiet', '--bare', '--initial-branch=main', world.remote);
  world.commit({ 'p/b.md': fileOf('p/b', 'Two.') });
  expect((await ann.team.status()).conflicts).toEqual([]);
  const report = await ann.team.sync();
  expect(report).toMatchObject({ conflicts: ['p/a'], pulled: { added: ['p/b'] } });
  expect(Object.keys(await ann.texts())).toEqual(['p/a', 'p/b']);
});

test('without its clone, the state of sharing is that of the remote, and nothing is refreshed', async () => {
  const ann = await joined();
  await ann.change('p/a', 'Two.');
  rmSync(ann.clone, { recursive: true });
  expect((await failure(ann.team.refresh(), 'GIT_FAILED')).hint).toContain('team pull');
  expect((await ann.team.status()).outgoing.changed).toEqual(['p/a']);
});

test.each([
  ['before git made it a repository', (clone: string): void => mkdirSync(join(clone, '.git'))],
  ['before it had a remote', (clone: string): void => void git(clone, 'init', '--quiet')],
])('a clone of which the making was interrupted %s is made whole', async (_, interrupt) => {
  const ann = await joined();
  for (const call of [() => ann.team.sync(), () => ann.team.init()]) {
    rmSync(ann.clone, { recursive: true });
    mkdirSync(ann.clone);
    interrupt(ann.clone);
    expect(await call()).toMatchObject({ conflicts: [], notices: [] });
    expect(git(ann.clone, 'status', '--porcelain')).toBe('');
    expect(ann.read('p/a.md')).toBe(fileOf('p/a', 'One.'));
  }
});

test('a team that renamed its branch is followed by the work tree too', async () => {
  const ann = await joined();
  git(world.remote, 'branch', '--move', 'main', 'trunk');
  await failure(ann.team.sync(), 'REMOTE_FAILED');
  expect(await ann.team.init({ branch: 'trunk' })).toMatchObject({ branch: 'trunk', notices: [] });
  ann.edit('p/a.md', fileOf('p/a', 'By hand.'));
  expect((await ann.team.sync()).pushed.changed).toEqual(['p/a']);
  expect(world.files('trunk')['p/a.md']).toBe(fileOf('p/a', 'By hand.'));
  expect(git(ann.clone, 'status', '--porcelain', '--branch')).toBe('## trunk\n');
});

test('a branch of the user with the new name of the branch is left alone', async () => {
  const ann = await joined();
  const own = git(ann.clone, 'commit-tree', '-m', 'own', 'HEAD^{tree}').trim();
  git(ann.clone, 'update-ref', 'refs/heads/trunk', own);
  git(world.remote, 'branch', '--move', 'main', 'trunk');
  const report = await ann.team.init({ branch: 'trunk' });
  expect(report.notices).toEqual([expect.stringContaining('switch trunk')]);
  expect(git(ann.clone, 'rev-parse', 'trunk').trim()).toBe(own);
});

test('the time of an asset is never that of a commit from the future', async () => {
  const nowMs = Date.UTC(2026, 0, 2);
  const ann = await joined({ clock: () => nowMs });
  world.commit({ 'p/b.md': fileOf('p/b', 'Two.') });
  const facts = `parent ${git(world.remote, 'rev-parse', 'main')}author a <a@b> 1 +0000\n`;
  const input = `tree ${git(world.remote, 'rev-parse', 'main^{tree}')}${facts}committer a <a@b> 999999999999999999 +0000\n\nx\n`;
  const commit = gitWith(world.remote, { input }, 'hash-object', '-t', 'commit', '-w', '--stdin').trim();
  git(world.remote, 'update-ref', 'refs/heads/main', commit);
  await ann.team.sync();
  expect(await ann.store.get('p/b')).toMatchObject({ createdMs: nowMs, changedMs: nowMs });
});

test('what a person set for the remote of a clone of his own stays', async () => {
  world.commit({ 'p/a.md': fileOf('p/a', 'One.') });
  const clone = join(world.root, 'own');
  git(world.root, 'clone', '--quiet', '--single-branch', world.remote, clone);
  git(clone, 'config', '--add', 'remote.origin.fetch', '+refs/pull/*:refs/remotes/pull/*');
  const before = git(clone, 'config', '--list', '--local');
  expect((await world.member('ann').team.init({ clone })).pulled.added).toEqual(['p/a']);
  expect(git(clone, 'config', '--list', '--local')).toBe(before);
});

test('a branch that the remote does not have is reported, and no name is taken for a reference', async () => {
  await joined();
  const bob = world.member('bob');
  const { notices } = await bob.team.init({ remote: world.remote, branch: 'trunk-2' });
  expect(notices).toEqual(['The remote has no branch trunk-2; the first push creates it. Its own branch is main.']);
  for (const branch of ['refs/heads/main', 'HEAD']) await failure(bob.team.init({ branch }), 'INVALID_INPUT');
});

test('a branch that leaves no place for branches of review is named', async () => {
  const ann = await joined();
  git(world.remote, 'branch', 'knowledge', 'main');
  world.hook('pre-receive', 'while read old new name; do [ "$name" != refs/heads/main ] || exit 1; done');
  await ann.change('p/a', 'Two.');
  const { summary } = await failure(ann.team.sync(), 'REMOTE_FAILED');
  expect(summary).toContain("'refs/heads/knowledge' exists");
});

test('changes that wait for a review are pushed again from a clone that was made again', async () => {
  const ann = await joined();
  world.hook('pre-receive', 'while read old new name; do [ "$name" != refs/heads/main ] || exit 1; done');
  await ann.change('p/a', 'Two.');
  await ann.team.sync();
  rmSync(ann.clone, { recursive: true });
  await ann.change('p/a', 'Three.');
  expect((await ann.team.sync()).review).toBe('knowledge/ann');
  expect(world.files('knowledge/ann')['p/a.md']).toBe(fileOf('p/a', 'Three.'));
});

test.skipIf(process.platform === 'win32')('a clone that cannot be tidied is synchronized all the same', async () => {
  const bin = join(world.root, 'bin');
  mkdirSync(bin);
  const script = `#!/bin/sh\ncase " $* " in *' gc '*) kill -9 $$;; esac\nPATH=\${PATH#*${delimiter}} exec git "$@"\n`;
  writeFileSync(join(bin, 'git'), script);
  chmodSync(join(bin, 'git'), 0o755);
  const env = memberEnv('ann');
  const ann = world.member('ann', { env: { ...env, PATH: `${bin}${delimiter}${env['PATH']}` } });
  await ann.team.init({ remote: world.remote });
  await ann.add('p/a', 'One.');
  const report = await ann.team.sync();
  expect(report.pushed.added).toEqual(['p/a']);
  expect(report.notices).toEqual([expect.stringContaining('not tidied')]);
});

test.each(['--skip-worktree', '--assume-unchanged'])(
  'an edit that git passes over with %s is not overwritten',
  async (flag) => {
    const ann = await joined();
    git(ann.clone, 'update-index', flag, 'p/a.md');
    const mine = fileOf('p/a', 'Only mine.');
    ann.edit('p/a.md', mine);
    world.commit({ 'p/a.md': fileOf('p/a', 'Two.') });
    const report = await ann.team.sync();
    expect(report).toMatchObject({
      pulled: { changed: ['p/a'] },
      notices: [expect.stringContaining('p/a.md was edited')],
    });
    expect(ann.read('p/a.md')).toBe(mine);
  },
);

test.each([
  ['in other case', 'p/b', 'p/B'],
  ['in the decomposed form', 'p/é', 'p/e\u0301'],
])('a file that is added beside that of an asset %s does not take its place', async (_, id, other) => {
  const ann = await joined();
  await ann.add(id, 'Mine.');
  await ann.team.sync();
  world.commit({ [`${other}.md`]: fileOf(other, 'Other.') });
  const first = await ann.team.sync();
  expect(first).toMatchObject({ pulled: { changed: [] }, problems: [{ path: `${other}.md` }] });
  world.commit({ [`${id}.md`]: fileOf(id, 'Mine, two.') });
  expect((await ann.team.sync()).pulled.changed).toEqual([id]);
  expect((await ann.texts())[id]).toBe(fileOf(id, 'Mine, two.'));
});

test('a damaged clone is named, and deleting it is enough', async () => {
  const ann = await joined();
  const gitDirectory = join(ann.clone, '.git');
  writeFileSync(join(gitDirectory, 'index'), 'damaged');
  const { hint } = await failure(ann.team.sync(), 'GIT_FAILED');
  expect(hint).toContain(`delete ${gitDirectory}`);
  rmSync(gitDirectory, { recursive: true });
  expect(await ann.team.sync()).toMatchObject({ conflicts: [], notices: [] });
});

test('a file of which the name is too long for this system keeps no other file from being updated', async () => {
  const ann = await joined();
  const [tree, blob] = [
    git(world.remote, 'rev-parse', 'main:p').trim(),
    git(world.remote, 'rev-parse', 'main:p/a.md').trim(),
  ];
  const names = [`100644 blob ${blob}\t${'n'.repeat(300)}.md`, `040000 tree ${tree}\tq`];
  const input = `${names.join('\n')}\n`;
  const root = gitWith(world.remote, { input }, 'mktree').trim();
  const commit = git(world.remote, 'commit-tree', root, '-p', 'main', '-m', 'long').trim();
  git(world.remote, 'update-ref', 'refs/heads/main', commit);
  const report = await ann.team.sync();
  expect(report.notices).toEqual([expect.stringContaining('were not written: nnn')]);
  expect(report.otherFiles).toBe(1);
  expect(git(ann.clone, 'rev-parse', 'HEAD').trim()).toBe(commit);
  await ann.add('p/b', 'Two.');
  expect((await ann.team.sync()).pushed.added).toEqual(['p/b']);
  expect(git(world.remote, 'ls-tree', 'main')).toContain('nnn');
});

test('files that stayed while the clone was made again are edits only where somebody edited them', async () => {
  const ann = await joined();
  for (const id of ['p/b', 'p/c', 'p/d', 'p/e']) await ann.add(id, `One of ${id}.`);
  await ann.team.sync();
  world.commit({ 'p/b.md': fileOf('p/b', 'Of the team.'), 'p/c.md': null });
  ann.edit('p/a.md', fileOf('p/a', 'By hand.'));
  ann.edit('p/d.md', null);
  ann.edit('p/n.md', fileOf('p/n', 'New by hand.'));
  rmSync(join(ann.clone, '.git'), { recursive: true });
  const report = await ann.team.sync();
  expect(report).toMatchObject({
    taken: { added: ['p/n'], changed: ['p/a'], removed: [] },
    pulled: { added: [], changed: ['p/b'], removed: ['p/c'] },
    conflicts: [],
    notices: [],
  });
  for (let round = 0; round < 2; round++) {
    expect(Object.keys(await ann.texts())).toEqual(['p/a', 'p/b', 'p/d', 'p/e', 'p/n']);
    expect(Object.keys(world.files())).toEqual(['p/a.md', 'p/b.md', 'p/d.md', 'p/e.md', 'p/n.md']);
    expect(git(ann.clone, 'status', '--porcelain')).toBe('');
    expect(ann.read('p/a.md')).toBe(fileOf('p/a', 'By hand.'));
    expect(ann.read('p/b.md')).toBe(fileOf('p/b', 'Of the team.'));
    expect(await ann.team.sync()).toMatchObject({ conflicts: [], notices: [] });
  }
});

test('files of commits by hand that are not assets are named, because only the kept commit has them then', async () => {
  const ann = await joined();
  writeFileSync(join(ann.clone, 'notes.txt'), 'Mine.');
  ann.edit('p/b.md', fileOf('p/b', 'By hand.'));
  git(ann.clone, 'add', '--all');
  git(ann.clone, 'commit', '--quiet', '--message=by hand');
  const head = git(ann.clone, 'rev-parse', 'HEAD').trim();
  const { notices, pushed } = await ann.team.sync();
  expect(pushed.added).toEqual(['p/b']);
  expect(notices).toEqual([expect.stringMatching(/only there \(1\): notes\.txt$/u)]);
  expect(git(ann.clone, 'show', `refs/cairn/kept/${head}:notes.txt`)).toBe('Mine.');
});

test('a file of the team that is too large to be in memory stays in git', async () => {
  const ann = await joined();
  world.commit({ 'video.bin': new Uint8Array(101 * 1024 * 1024), 'small.txt': 'Small.' });
  const { notices } = await ann.team.sync();
  expect(notices).toEqual([expect.stringMatching(/were not written: video\.bin$/u)]);
  expect(ann.read('video.bin')).toBeUndefined();
  expect(ann.read('small.txt')).toBe('Small.');
  await ann.change('p/a', 'Two.');
  await ann.team.sync();
  expect(git(world.remote, 'ls-tree', '--name-only', 'main')).toContain('video.bin');
});
