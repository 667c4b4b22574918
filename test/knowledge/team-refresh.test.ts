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

test('an outside fetch is a change, and is taken without the remote', async () => {
  world.commit({ 'p/b.md': fileOf('p/b', 'Of the team.') });
  git(ann.clone, 'fetch', '--quiet');
  takeRemoteAway();
  await expect(hasChanges()).resolves.toBe(true);
  const report = await ann.team.refresh();
  expect(report.pulled.added).toEqual(['p/b']);
  await expect(ann.texts()).resolves.toHaveProperty('p/b', fileOf('p/b', 'Of the team.'));
  await expect(hasChanges()).resolves.toBe(false);
  await failure(ann.team.pull(), 'REMOTE_FAILED');
});

test('the references of a clone may be packed', async () => {
  git(ann.clone, 'pack-refs', '--all');
  await expect(hasChanges()).resolves.toBe(false);
  world.commit({ 'p/b.md': fileOf('p/b', 'Of the team.') });
  git(ann.clone, 'fetch', '--quiet');
  git(ann.clone, 'pack-refs', '--all');
  await expect(hasChanges()).resolves.toBe(true);
});

test('without a team store there is nothing to refresh', async () => {
  await failure(world.member('bob').team.refresh(), 'NO_TEAM');
});
