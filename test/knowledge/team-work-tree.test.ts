import { existsSync, mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createWorld, fileOf, git } from './team-harness.ts';
import type { Member, World } from './team-harness.ts';

let world: World;
beforeEach(() => {
  world = createWorld();
});
afterEach(() => world.dispose());

const none = { added: [], changed: [], removed: [] };

async function pair(): Promise<readonly [ann: Member, bob: Member]> {
  const [ann, bob] = [world.member('ann'), world.member('bob')];
  await ann.team.init({ remote: world.remote });
  await ann.add('p/a', 'One.');
  await ann.add('p/b', 'Two.');
  await ann.team.sync();
  await bob.team.init({ remote: world.remote });
  return [ann, bob];
}

const a = (body: string): string => fileOf('p/a', body);

test('edits by hand are taken into the local store, then shared', async () => {
  const [ann, bob] = await pair();
  bob.edit('p/a.md', a('By hand.'));
  bob.edit('p/b.md', null);
  bob.edit('q/new.md', fileOf('q/new', 'Added by hand.'));
  expect((await bob.team.status()).handEdits).toEqual(['p/a.md', 'p/b.md', 'q/new.md']);
  const pulled = await bob.team.pull();
  expect(pulled.taken).toEqual({ added: ['q/new'], changed: ['p/a'], removed: ['p/b'] });
  expect(await bob.store.get('p/a')).toMatchObject({ text: a('By hand.'), isUnshared: true, isPromoted: true });
  // A taken edit is listed no more, and stays in the file.
  expect((await bob.team.status()).handEdits).toEqual([]);
  expect(bob.read('p/a.md')).toBe(a('By hand.'));
  expect(await bob.team.sync()).toMatchObject({
    taken: none,
    pushed: { added: ['q/new'], changed: ['p/a'], removed: ['p/b'] },
  });
  await ann.team.sync();
  expect(await ann.texts()).toEqual(await bob.texts());
  expect(git(bob.clone, 'status', '--porcelain')).toBe('');
});

test('a file that was edited by hand and an asset that was changed in the store are a conflict', async () => {
  const [ann, bob] = await pair();
  bob.edit('p/a.md', a('By hand.'));
  await bob.change('p/a', 'In the store.');
  expect(await bob.team.sync()).toMatchObject({ conflicts: ['p/a'], pushed: none });
  expect(await bob.team.conflicts()).toEqual([{ id: 'p/a', mine: a('In the store.'), theirs: a('By hand.') }]);
  // The team goes on; no side is lost.
  await ann.change('p/a', 'By Ann.');
  await ann.team.sync();
  expect(await bob.team.sync()).toMatchObject({ conflicts: ['p/a'], pushed: none });
  expect(await bob.team.conflicts()).toEqual([{ id: 'p/a', mine: a('In the store.'), theirs: a('By hand.') }]);
  await bob.team.resolve('p/a', 'theirs');
  await bob.team.sync();
  expect(await bob.team.conflicts()).toEqual([{ id: 'p/a', mine: a('By hand.'), theirs: a('By Ann.') }]);
  await bob.team.resolve('p/a', 'mine');
  await bob.team.sync();
  expect(world.files()['p/a.md']).toBe(a('By hand.'));
  expect(bob.read('p/a.md')).toBe(a('By hand.'));
});

test('a removal by hand of an asset that was changed in the store is a conflict', async () => {
  const [, bob] = await pair();
  bob.edit('p/a.md', null);
  await bob.change('p/a', 'In the store.');
  expect((await bob.team.sync()).conflicts).toEqual(['p/a']);
  await bob.team.resolve('p/a', 'theirs');
  expect((await bob.team.sync()).pushed).toEqual({ ...none, removed: ['p/a'] });
});

test('an edit that is not a readable asset stays in its file, with the line, and does not undo what the team changes', async () => {
  const [ann, bob] = await pair();
  const broken = a('By hand.').replace('type: pitfall', 'type: nonsense');
  bob.edit('p/a.md', broken);
  expect((await bob.team.sync()).problems).toEqual([
    { path: 'p/a.md', line: 3, message: expect.stringContaining('nonsense') as string },
  ]);
  await ann.change('p/a', 'By Ann.');
  await ann.team.sync();
  const report = await bob.team.sync();
  expect(report.notices).toEqual([expect.stringContaining('p/a.md was edited by hand and was not updated')]);
  expect(bob.read('p/a.md')).toBe(broken);
  expect((await bob.store.get('p/a'))?.text).toBe(a('By Ann.'));
  // Corrected later, it is an edit of what it was made from, not of what the team has now.
  bob.edit('p/a.md', a('By hand.'));
  expect((await bob.team.sync()).conflicts).toEqual(['p/a']);
  expect(world.files()['p/a.md']).toBe(a('By Ann.'));
});

test('a secret that was written by hand is not taken', async () => {
  const [, bob] = await pair();
  bob.edit('p/a.md', a(`The key is AKIA${'IOSFODNN7ABCDEFG'}.`));
  const { problems, pushed } = await bob.team.sync();
  expect(problems).toMatchObject([{ path: 'p/a.md', line: 8 }]);
  expect(pushed).toEqual(none);
});

test('files that are not assets are left alone and counted', async () => {
  const [ann, bob] = await pair();
  world.commit({ 'README.md': '# Read me\n', '.gitignore': '*.log\n', 'p/README.md': 'Hello.\n', 'p/x.png': 'png' });
  const report = await bob.team.sync();
  expect(report).toMatchObject({ otherFiles: 4, problems: [] });
  expect(bob.read('README.md')).toBe('# Read me\n');
  bob.edit('README.md', 'Edited.\n');
  bob.edit('p/notes.txt', 'Mine.\n');
  world.commit({ 'README.md': 'By the team.\n', 'p/x.png': null });
  expect((await bob.team.sync()).notices).toEqual([expect.stringContaining('README.md was edited by hand')]);
  expect([bob.read('README.md'), bob.read('p/notes.txt'), bob.read('p/x.png')]).toEqual([
    'Edited.\n',
    'Mine.\n',
    undefined,
  ]);
  await ann.change('p/a', 'Changed.');
  await ann.team.sync();
  expect(Object.keys(world.files())).toEqual(['.gitignore', 'README.md', 'p/README.md', 'p/a.md', 'p/b.md']);
});

test('an outside pull is followed', async () => {
  const [ann, bob] = await pair();
  await ann.change('p/a', 'By Ann.');
  await ann.team.sync();
  git(bob.clone, 'pull', '--quiet', 'origin', 'main');
  bob.edit('p/a.md', a('By hand, after the pull.'));
  expect(await bob.team.sync()).toMatchObject({ conflicts: [], taken: { changed: ['p/a'] } });
  expect(world.files()['p/a.md']).toBe(a('By hand, after the pull.'));
});

test('commits that were made by hand are taken and kept', async () => {
  const [ann, bob] = await pair();
  bob.edit('p/a.md', a('By hand.'));
  bob.edit('p/c.md', fileOf('p/c', 'Three.'));
  git(bob.clone, 'add', '--all');
  git(bob.clone, 'commit', '--quiet', '--message=mine');
  const commit = git(bob.clone, 'rev-parse', 'HEAD').trim();
  await ann.change('p/b', 'By Ann.');
  await ann.team.sync();
  const report = await bob.team.sync();
  expect(report).toMatchObject({ taken: { added: ['p/c'], changed: ['p/a'] }, conflicts: [] });
  expect(report.notices).toEqual([expect.stringContaining(`refs/cairn/kept/${commit}`)]);
  expect(git(bob.clone, 'rev-parse', `refs/cairn/kept/${commit}`).trim()).toBe(commit);
  await ann.team.sync();
  expect(await ann.texts()).toEqual(await bob.texts());
  expect(git(bob.clone, 'status', '--porcelain')).toBe('');
});

test('a work tree on another branch stays as it is', async () => {
  const [ann, bob] = await pair();
  git(bob.clone, 'switch', '--quiet', '--create', 'mine');
  bob.edit('p/a.md', a('By hand.'));
  await ann.change('p/b', 'By Ann.');
  await ann.team.sync();
  const report = await bob.team.sync();
  expect(report.notices).toEqual([expect.stringContaining('is not on the branch main')]);
  expect(report).toMatchObject({ taken: none, pulled: { changed: ['p/b'] } });
  expect([bob.read('p/a.md'), bob.read('p/b.md')]).toEqual([a('By hand.'), fileOf('p/b', 'Two.')]);
  git(bob.clone, 'stash', '--quiet');
  git(bob.clone, 'switch', '--quiet', 'main');
  expect(await bob.team.sync()).toMatchObject({ taken: none, conflicts: [], notices: [] });
  expect(bob.read('p/b.md')).toBe(fileOf('p/b', 'By Ann.'));
});

test('files that are all gone are written again and removed nowhere', async () => {
  const [, bob] = await pair();
  rmSync(join(bob.clone, 'p'), { recursive: true });
  const report = await bob.team.sync();
  expect(report).toMatchObject({ taken: none, pushed: none });
  expect(report.notices).toEqual([expect.stringContaining('were gone')]);
  expect(bob.read('p/a.md')).toBe(a('One.'));
  expect(git(bob.clone, 'status', '--porcelain')).toBe('');
});

test('a link in the place of a file or directory is not followed', async () => {
  const [ann, bob] = await pair();
  const outside = join(world.root, 'outside');
  mkdirSync(outside);
  writeFileSync(join(outside, 'a.md'), 'mine');
  renameSync(join(bob.clone, 'p'), join(world.root, 'p'));
  symlinkSync(outside, join(bob.clone, 'p'));
  await ann.change('p/a', 'By Ann.');
  await ann.add('p/c', 'Three.');
  await ann.team.sync();
  await bob.team.sync();
  expect(existsSync(join(outside, 'c.md'))).toBe(false);
  expect(await bob.store.get('p/a')).toMatchObject({ text: a('By Ann.') });
  expect(Object.keys(world.files())).toEqual(['p/a.md', 'p/b.md', 'p/c.md']);
});

test('a clone that exists is adopted with its edits', async () => {
  const [ann] = await pair();
  const bob = world.member('eve');
  const clone = join(world.root, 'mine');
  git(world.root, 'clone', '--quiet', world.remote, clone);
  writeFileSync(join(clone, 'p/a.md'), a('By hand.'));
  expect(await bob.team.init({ clone })).toMatchObject({
    remote: world.remote,
    pulled: { added: ['p/a', 'p/b'] },
    taken: { changed: ['p/a'] },
    conflicts: [],
  });
  await bob.team.sync();
  await ann.team.sync();
  expect((await ann.store.get('p/a'))?.text).toBe(a('By hand.'));
});

test('a file that the team replaces by a link is removed, and a directory of the user stays', async () => {
  const [ann, bob] = await pair();
  const hand = join(world.root, 'hand');
  world.commit({});
  rmSync(join(hand, 'p/a.md'));
  symlinkSync('b.md', join(hand, 'p/a.md'));
  writeFileSync(join(hand, 'p/c.md'), fileOf('p/c', 'Three.'));
  git(hand, 'add', '--all');
  git(hand, 'commit', '--quiet', '--message=link');
  git(hand, 'push', '--quiet', 'origin', 'HEAD:main');
  mkdirSync(join(bob.clone, 'p/c.md'));
  writeFileSync(join(bob.clone, 'p/c.md/mine'), 'mine');
  const report = await bob.team.sync();
  expect(report).toMatchObject({ taken: none, pushed: none, pulled: { added: ['p/c'], removed: ['p/a'] } });
  expect(report.notices).toEqual([
    expect.stringContaining('p/c.md was edited by hand'),
    expect.stringContaining('were not written: p/a.md'),
  ]);
  expect(existsSync(join(bob.clone, 'p/a.md'))).toBe(false);
  expect(bob.read('p/c.md/mine')).toBe('mine');
  expect(await bob.team.sync()).toMatchObject({ taken: none, pushed: none });
  world.commit({ 'p/a.md': null });
  world.commit({ 'p/a.md': a('Again.') });
  rmSync(join(bob.clone, 'p/c.md'), { recursive: true });
  await bob.team.sync();
  expect(bob.read('p/a.md')).toBe(a('Again.'));
  await ann.team.sync();
  expect(await ann.texts()).toEqual(await bob.texts());
});
