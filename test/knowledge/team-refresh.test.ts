/** What the start of a session takes from the clone of the team store, without the remote. */
import { renameSync } from 'node:fs';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createWorld, failure, fileOf, git } from './team-harness.ts';
import type { Member, World } from './team-harness.ts';

let world: World;
let ann: Member;

beforeEach(async () => {
  world = createWorld();
  ann = world.member('ann');
  await ann.team.init({ remote: world.remote });
  await ann.add('p/a', 'First.');
  await ann.team.sync();
});

afterEach(() => world.dispose());

const hasChanges = (): Promise<boolean> => ann.team.hasLocalChanges();

/** Makes sure that nothing asks the remote. */
function takeRemoteAway(): void {
  renameSync(world.remote, `${world.remote}.away`);
}

test('a clone as the last synchronization left it has no changes', async () => {
  takeRemoteAway();
  await expect(hasChanges()).resolves.toBe(false);
  await expect(world.member('bob').team.hasLocalChanges()).resolves.toBe(false);
});

test('an asset that was changed in the local store only is not a change of the clone', async () => {
  await ann.change('p/a', 'Second.');
  await expect(hasChanges()).resolves.toBe(false);
});

test('an outside pull is a change, and is taken without the remote', async () => {
  world.commit({ 'p/b.md': fileOf('p/b', 'Of the team.') });
  git(ann.clone, 'pull', '--quiet', 'origin', 'main');
  takeRemoteAway();
  await expect(hasChanges()).resolves.toBe(true);
  const report = await ann.team.refresh();
  expect(report.pulled.added).toEqual(['p/b']);
  await expect(ann.texts()).resolves.toHaveProperty('p/b', fileOf('p/b', 'Of the team.'));
  await expect(hasChanges()).resolves.toBe(false);
  await failure(ann.team.pull(), 'REMOTE_FAILED');
});

test.each([
  ['an edit', { 'p/a.md': fileOf('p/a', 'By hand.') }, { changed: ['p/a'] }],
  ['a new file', { 'q/new.md': fileOf('q/new', 'By hand.') }, { added: ['q/new'] }],
  ['a removal', { 'p/a.md': null }, { removed: ['p/a'] }],
])('%s by hand is a change, and is taken without the remote, once', async (_, edits, taken) => {
  await ann.add('p/other', 'Other.');
  await ann.team.sync();
  for (const [path, text] of Object.entries(edits)) ann.edit(path, text);
  takeRemoteAway();
  await expect(hasChanges()).resolves.toBe(true);
  expect((await ann.team.refresh()).taken).toMatchObject(taken);
  await expect(hasChanges()).resolves.toBe(false);
  // Another edit of the same file is seen, too.
  ann.edit('p/a.md', fileOf('p/a', 'By hand again.'));
  await expect(hasChanges()).resolves.toBe(true);
});

test('a commit that was made by hand is taken, and stays checked out', async () => {
  ann.edit('p/a.md', fileOf('p/a', 'By hand.'));
  git(ann.clone, 'commit', '--quiet', '--all', '--message=mine');
  const commit = git(ann.clone, 'rev-parse', 'HEAD');
  takeRemoteAway();
  await expect(hasChanges()).resolves.toBe(true);
  expect((await ann.team.refresh()).taken.changed).toEqual(['p/a']);
  expect((await ann.team.refresh()).taken.changed).toEqual([]);
  expect(git(ann.clone, 'rev-parse', 'HEAD')).toBe(commit);
});

test('a file that is not an asset is not a change', async () => {
  ann.edit('README.md', 'Hello.\n');
  await expect(hasChanges()).resolves.toBe(false);
});

test('what was taken is shared by the next synchronization', async () => {
  ann.edit('p/a.md', fileOf('p/a', 'By hand.'));
  await ann.team.refresh();
  await ann.team.sync();
  expect(world.files()).toEqual({ 'p/a.md': fileOf('p/a', 'By hand.') });
});

test('without a team store there is nothing to refresh', async () => {
  await failure(world.member('bob').team.refresh(), 'NO_TEAM');
});

test('a file that is written by hand before anything was shared is a change, and is taken', async () => {
  const fresh = createWorld();
  try {
    const bob = fresh.member('bob');
    await bob.team.init({ remote: fresh.remote });
    expect(await bob.team.hasLocalChanges()).toBe(false);
    bob.edit('p/a.md', fileOf('p/a', 'By hand.'));
    expect(await bob.team.hasLocalChanges()).toBe(true);
    expect((await bob.team.refresh()).taken.added).toEqual(['p/a']);
    expect(await bob.team.hasLocalChanges()).toBe(false);
    expect((await bob.team.sync()).pushed.added).toEqual(['p/a']);
  } finally {
    fresh.dispose();
  }
});
