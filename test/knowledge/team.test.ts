import { spawnSync } from 'node:child_process';
import { renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createWorld, failure, fileOf, git } from './team-harness.ts';
import type { Member, World } from './team-harness.ts';

const child = fileURLToPath(new URL('team-child.ts', import.meta.url));

let world: World;
beforeEach(() => {
  world = createWorld();
});
afterEach(() => world.dispose());

const none = { added: [], changed: [], removed: [] };

test('two members share assets through a bare repository', async () => {
  const [ann, bob] = [world.member('ann'), world.member('bob')];
  await ann.team.init({ remote: world.remote });
  await ann.add('exchange/infra/redis', 'Use Sentinel.');
  expect(await ann.store.get('exchange/infra/redis')).toMatchObject({ isPromoted: false, isUnshared: true });
  const sent = await ann.team.sync();
  expect(sent).toMatchObject({ pushed: { ...none, added: ['exchange/infra/redis'] }, conflicts: [], notices: [] });
  expect(await ann.store.get('exchange/infra/redis')).toMatchObject({ isPromoted: true, isUnshared: false });
  const got = await bob.team.init({ remote: world.remote });
  expect(got.pulled).toEqual({ ...none, added: ['exchange/infra/redis'] });
  expect(await bob.texts()).toEqual(await ann.texts());
  expect(await bob.store.get('exchange/infra/redis')).toMatchObject({
    isPromoted: true,
    isUnshared: false,
    origin: { kind: 'team', source: world.remote },
  });
  expect(world.files()).toEqual({ 'exchange/infra/redis.md': fileOf('exchange/infra/redis', 'Use Sentinel.') });
  for (const { clone } of [ann, bob]) {
    expect(git(clone, 'rev-parse', '--is-bare-repository').trim()).toBe('true');
    expect(git(clone, 'rev-parse', 'origin/main')).toBe(git(world.remote, 'rev-parse', 'main'));
  }
});

test('changes, renames and removals reach the other member', async () => {
  const [ann, bob] = [world.member('ann'), world.member('bob')];
  await ann.team.init({ remote: world.remote });
  for (const name of ['a', 'b', 'c', 'd']) await ann.add(`p/${name}`, `Body of ${name}.`);
  await ann.team.sync();
  await bob.team.init({ remote: world.remote });
  await ann.change('p/a', 'Changed.');
  await ann.store.change('p/b', { fields: { name: 'b2', productLine: 'q/r' } });
  await ann.store.remove('p/c');
  expect((await ann.team.sync()).pushed).toEqual({ added: ['q/r/b2'], changed: ['p/a'], removed: ['p/b', 'p/c'] });
  expect((await bob.team.sync()).pulled).toEqual({ added: ['q/r/b2'], changed: ['p/a'], removed: ['p/b', 'p/c'] });
  expect(await bob.texts()).toEqual(await ann.texts());
  expect(Object.keys(world.files())).toEqual(['p/a.md', 'p/d.md', 'q/r/b2.md']);
  expect(await ann.team.sync()).toMatchObject({ pulled: none, pushed: none });
  expect(git(world.remote, 'rev-list', '--count', 'main').trim()).toBe('2');
});

/** Two members who both have `p/a`. */
async function pair(): Promise<readonly [ann: Member, bob: Member]> {
  const [ann, bob] = [world.member('ann'), world.member('bob')];
  await ann.team.init({ remote: world.remote });
  await ann.add('p/a', 'One.');
  await ann.team.sync();
  await bob.team.init({ remote: world.remote });
  return [ann, bob];
}

const a = (body: string): string => fileOf('p/a', body);

test('an asset that both changed is kept side by side, and all others are shared', async () => {
  const [ann, bob] = await pair();
  await ann.change('p/a', 'By Ann.');
  await ann.team.sync();
  await bob.change('p/a', 'By Bob.');
  await bob.add('p/b', 'Other.');
  const report = await bob.team.sync();
  expect(report).toMatchObject({ conflicts: ['p/a'], pushed: { ...none, added: ['p/b'] } });
  expect(await bob.store.get('p/a')).toMatchObject({ text: a('By Bob.'), conflict: { theirs: a('By Ann.') } });
  expect(await bob.team.conflicts()).toMatchObject([{ id: 'p/a', mine: a('By Bob.'), theirs: a('By Ann.') }]);
  expect(world.files()['p/a.md']).toBe(a('By Ann.'));
  // It stays one, and follows what the team changes meanwhile.
  expect((await bob.team.sync()).conflicts).toEqual(['p/a']);
  await ann.change('p/a', 'By Ann again.');
  await ann.team.sync();
  expect((await bob.team.sync()).conflicts).toEqual(['p/a']);
  expect((await bob.team.conflicts())[0]?.theirs).toBe(a('By Ann again.'));
});

test.each([
  ['mine', 'By Bob.'],
  ['theirs', 'By Ann.'],
  [{ text: fileOf('p/a', 'By both.') }, 'By both.'],
] as const)('a conflict that is resolved by %j is shared', async (resolution, body) => {
  const [ann, bob] = await pair();
  await ann.change('p/a', 'By Ann.');
  await ann.team.sync();
  await bob.change('p/a', 'By Bob.');
  await bob.team.sync();
  await bob.team.resolve('p/a', resolution);
  expect(await bob.team.sync()).toMatchObject({ conflicts: [] });
  expect(world.files()).toEqual({ 'p/a.md': a(body) });
  await ann.team.sync();
  expect(await ann.texts()).toEqual({ 'p/a': a(body) });
  await failure(bob.team.resolve('p/a', 'mine'), 'UNKNOWN_ASSET');
});

test.each(['mine', 'theirs'] as const)('removed here and changed by the team: %s', async (choice) => {
  const [ann, bob] = await pair();
  await ann.change('p/a', 'By Ann.');
  await ann.team.sync();
  await bob.store.remove('p/a');
  expect((await bob.team.sync()).conflicts).toEqual(['p/a']);
  expect(await bob.team.conflicts()).toEqual([{ id: 'p/a', mine: null, theirs: a('By Ann.') }]);
  await bob.team.resolve('p/a', choice);
  await bob.team.sync();
  await ann.team.sync();
  const expected = choice === 'mine' ? {} : { 'p/a': a('By Ann.') };
  expect([await ann.texts(), await bob.texts()]).toEqual([expected, expected]);
});

test.each(['mine', 'theirs'] as const)('changed here and removed by the team: %s', async (choice) => {
  const [ann, bob] = await pair();
  await ann.store.remove('p/a');
  await ann.team.sync();
  await bob.change('p/a', 'By Bob.');
  expect((await bob.team.sync()).conflicts).toEqual(['p/a']);
  expect(await bob.team.conflicts()).toEqual([{ id: 'p/a', mine: a('By Bob.'), theirs: null }]);
  await bob.team.resolve('p/a', choice);
  await bob.team.sync();
  await ann.team.sync();
  const expected = choice === 'mine' ? { 'p/a': a('By Bob.') } : {};
  expect([await ann.texts(), await bob.texts()]).toEqual([expected, expected]);
});

test('both sides of a conflict that become equal end it', async () => {
  const [ann, bob] = await pair();
  await ann.change('p/a', 'By Ann.');
  await ann.team.sync();
  await bob.change('p/a', 'By Bob.');
  await bob.team.sync();
  await ann.change('p/a', 'By Bob.');
  await ann.team.sync();
  expect((await bob.team.sync()).conflicts).toEqual([]);
  expect(await bob.store.get('p/a')).toMatchObject({ isUnshared: false });
});

test('an asset that was removed and added again is a change', async () => {
  const [ann, bob] = await pair();
  await bob.store.remove('p/a');
  await bob.add('p/a', 'New.');
  expect(await bob.team.sync()).toMatchObject({ pushed: { ...none, changed: ['p/a'] }, conflicts: [] });
  await ann.team.sync();
  expect(await ann.texts()).toEqual({ 'p/a': a('New.') });
});

test('an asset is promoted only after the remote accepted it', async () => {
  const [ann] = await pair();
  world.hook('pre-receive', 'echo "no pushes today" >&2; exit 1');
  await ann.add('p/b', 'Two.');
  const error = await failure(ann.team.sync(), 'REMOTE_FAILED');
  expect(error.message).toContain('no pushes today');
  expect(await ann.store.get('p/b')).toMatchObject({ isPromoted: false, isUnshared: true });
  world.hook('pre-receive', 'exit 0');
  await ann.team.sync();
  expect(await ann.store.get('p/b')).toMatchObject({ isPromoted: true, isUnshared: false });
});

const protectedMain = `while read old new name; do
  if [ "$name" = refs/heads/main ]; then echo 'protected branch' >&2; exit 1; fi
done`;

test('changes for a protected branch wait on a branch of the user until they are merged', async () => {
  const [ann, bob] = await pair();
  world.hook('pre-receive', protectedMain);
  await bob.add('p/b', 'Two.');
  const report = await bob.team.sync();
  expect(report).toMatchObject({ review: 'knowledge/bob', pushed: { ...none, added: ['p/b'] } });
  expect(await bob.store.get('p/b')).toMatchObject({ isPromoted: false, isUnshared: true });
  expect(Object.keys(world.files('knowledge/bob'))).toEqual(['p/a.md', 'p/b.md']);
  expect(Object.keys(world.files())).toEqual(['p/a.md']);
  expect(await bob.team.status()).toMatchObject({ review: 'knowledge/bob', outgoing: { added: ['p/b'] } });
  // Nothing new is nothing to push; more is one commit on the same branch.
  const before = git(world.remote, 'rev-parse', 'knowledge/bob');
  expect((await bob.team.sync()).review).toBe('knowledge/bob');
  expect(git(world.remote, 'rev-parse', 'knowledge/bob')).toBe(before);
  await bob.change('p/b', 'Two and a half.');
  await bob.team.sync();
  expect(git(world.remote, 'rev-list', '--count', 'main..knowledge/bob').trim()).toBe('1');
  git(world.remote, 'update-ref', 'refs/heads/main', 'knowledge/bob');
  expect(await bob.team.sync()).not.toHaveProperty('review');
  expect(await bob.store.get('p/b')).toMatchObject({ isPromoted: true, isUnshared: false });
  await ann.team.sync();
  expect(await ann.texts()).toEqual(await bob.texts());
});

test('a branch for review that another user pushed to is not replaced', async () => {
  const [, bob] = await pair();
  world.hook('pre-receive', protectedMain);
  git(world.remote, 'update-ref', 'refs/heads/knowledge/bob', 'main');
  const before = git(world.remote, 'rev-parse', 'knowledge/bob');
  await bob.add('p/b', 'Two.');
  expect((await bob.team.sync()).review).toBe('knowledge/bob-2');
  expect(git(world.remote, 'rev-parse', 'knowledge/bob')).toBe(before);
});

test('a push is repeated on top of what came in meanwhile', async () => {
  const ann = world.member('ann');
  let races = 2;
  const bob = world.member('bob', {
    onStep: (step) => {
      if (step !== 'push' || races === 0) return;
      races -= 1;
      world.commit({ [`p/race-${races}.md`]: fileOf(`p/race-${races}`, `Race ${races}.`) });
    },
  });
  await ann.team.init({ remote: world.remote });
  await bob.team.init({ remote: world.remote });
  await bob.add('p/b', 'Two.');
  const report = await bob.team.sync();
  expect(report).toMatchObject({ pushed: { added: ['p/b'] }, pulled: { added: ['p/race-0', 'p/race-1'] } });
  expect(Object.keys(world.files())).toEqual(['p/b.md', 'p/race-0.md', 'p/race-1.md']);
});

test('a secret is not pushed, and everything else is', async () => {
  const [ann, bob] = await pair();
  await bob.add('p/b', 'Two.');
  const text = fileOf('p/c', `The key is AKIA${'IOSFODNN7ABCDEFG'}.`);
  // It came in by a way that did not check it, such as an import by an older version.
  await bob.store.applyTeam([{ id: 'p/c', version: undefined, text, team: null }]);
  const report = await bob.team.sync();
  expect(report.pushed.added).toEqual(['p/b']);
  expect(report.withheld).toEqual([{ id: 'p/c', message: expect.stringContaining('secret') as string }]);
  expect(await bob.store.get('p/c')).toMatchObject({ isPromoted: false });
  expect(git(world.remote, 'rev-list', '--objects', '--all')).not.toContain('p/c.md');
  await ann.team.sync();
  expect(Object.keys(await ann.texts())).toEqual(['p/a', 'p/b']);
});

test('an asset that would be a file and a directory at once is not pushed', async () => {
  const [ann] = await pair();
  await ann.add('p/a.md/b', 'Two.');
  await ann.add('q.md/c', 'Three.');
  const { withheld, pushed } = await ann.team.sync();
  expect(pushed.added).toEqual(['q.md/c']);
  expect(withheld).toEqual([{ id: 'p/a.md/b', message: expect.stringContaining('has a file p/a.md') as string }]);
});

test('of two synchronizations at once, one is rejected', async () => {
  const [ann] = await pair();
  const results = await Promise.allSettled([ann.team.sync(), ann.team.sync()]);
  expect(results.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected']);
  const [{ reason }] = results.filter((result) => result.status === 'rejected') as [PromiseRejectedResult];
  expect(reason).toMatchObject({ code: 'SYNC_BUSY' });
  expect(await ann.team.sync()).toMatchObject({ conflicts: [] });
});

test('another process that synchronizes meanwhile is rejected', async () => {
  let stderr = '';
  const ann = world.member('ann', {
    onStep: (step) => {
      if (step === 'pull') stderr = spawnSync(process.execPath, [child, ann.directory], { encoding: 'utf8' }).stderr;
    },
  });
  await ann.team.init({ remote: world.remote });
  await ann.team.sync();
  expect(stderr).toContain("code: 'SYNC_BUSY'");
});

test('the files of the team store are only readable for their owner', async () => {
  const [ann] = await pair();
  for (const name of ['team-store.json', 'team.lock']) {
    expect([name, statSync(join(ann.directory, name)).mode & 0o777]).toEqual([name, 0o600]);
  }
  for (const name of ['.', 'team.git']) {
    expect([name, statSync(join(ann.directory, name)).mode & 0o777]).toEqual([name, 0o700]);
  }
});

test('a file in the place of the knowledge directory is an error', async () => {
  const ann = world.member('ann');
  writeFileSync(ann.directory, '');
  await failure(ann.team.init({ remote: world.remote }), 'STORE_FAILED');
});

test.each([
  ['is not JSON', '{'],
  ['is of a later version', '{"version":2,"remote":"x","branch":"main","directory":"/x"}'],
])('a team-store.json that %s is an error that names it', async (_, text) => {
  const [ann] = await pair();
  writeFileSync(join(ann.directory, 'team-store.json'), text);
  const error = await failure(ann.team.sync(), 'STORE_FAILED');
  expect(error.path).toBe(join(ann.directory, 'team-store.json'));
});

test('an asset that is changed or removed while it is pushed is shared by the next push', async () => {
  const [ann, bob] = await pair();
  const eve = world.member('eve', {
    onStep: (step) => {
      if (step === 'pushed') during?.();
    },
  });
  let during: (() => void) | undefined;
  let changes: Promise<unknown> = Promise.resolve();
  await eve.team.init({ remote: world.remote });
  await eve.add('p/b', 'Two.');
  await eve.add('p/c', 'Three.');
  during = () => {
    changes = Promise.all([eve.change('p/b', 'Changed.'), eve.store.remove('p/c')]);
  };
  await eve.team.sync();
  await changes;
  during = undefined;
  expect(await eve.store.get('p/b')).toMatchObject({ isPromoted: true, isUnshared: true });
  expect((await eve.team.sync()).pushed).toEqual({ ...none, changed: ['p/b'], removed: ['p/c'] });
  for (const member of [ann, bob]) await member.team.sync();
  expect(await ann.texts()).toEqual(await eve.texts());
  expect(await bob.texts()).toEqual(await eve.texts());
});

test('an asset that is changed after its push was interrupted is not in conflict with it', async () => {
  await pair();
  let isStopped = true;
  const eve = world.member('eve', {
    onStep: (step) => {
      if (step === 'pushed' && isStopped) throw new Error('stopped');
    },
  });
  await eve.team.init({ remote: world.remote });
  await eve.change('p/a', 'Pushed.');
  await eve.add('p/b', 'Pushed too.');
  await expect(eve.team.sync()).rejects.toThrow('stopped');
  isStopped = false;
  await eve.change('p/a', 'Changed later.');
  await eve.store.remove('p/b');
  expect(await eve.team.sync()).toMatchObject({ conflicts: [], pushed: { changed: ['p/a'], removed: ['p/b'] } });
  expect(world.files()).toEqual({ 'p/a.md': a('Changed later.') });
});

test('another team gets nothing removed here, and the same team is continued', async () => {
  const [ann] = await pair();
  const other = createWorld();
  try {
    await failure(ann.team.init({ remote: other.remote }), 'INVALID_INPUT');
    const clone = join(ann.directory, 'other');
    const report = await ann.team.init({ remote: other.remote, clone });
    expect(report).toMatchObject({ pulled: none, conflicts: [] });
    expect(await ann.store.get('p/a')).toMatchObject({ isPromoted: false, isUnshared: true });
    await ann.team.sync();
    expect(other.files()).toEqual({ 'p/a.md': a('One.') });
  } finally {
    other.dispose();
  }
});

test('a remote that moved is the same team', async () => {
  const [ann, bob] = await pair();
  const moved = join(world.root, 'moved.git');
  renameSync(world.remote, moved);
  const error = await failure(ann.team.sync(), 'REMOTE_FAILED');
  expect(error.hint).toContain('team init');
  await ann.store.remove('p/a');
  await ann.team.init({ remote: moved });
  expect((await ann.team.sync()).pushed.removed).toEqual(['p/a']);
  await bob.team.init({ remote: moved });
  expect(await bob.texts()).toEqual({});
});

test('a clone that was deleted is made again, and what was removed stays removed', async () => {
  const [ann, bob] = await pair();
  await ann.add('p/b', 'Two.');
  await ann.team.sync();
  await ann.store.remove('p/b');
  await bob.store.remove('p/a');
  await bob.team.sync();
  rmSync(ann.clone, { recursive: true });
  const report = await ann.team.sync();
  expect(report).toMatchObject({ pulled: { ...none, removed: ['p/a'] }, pushed: { ...none, removed: ['p/b'] } });
  expect(await ann.texts()).toEqual({});
});

test('a file of the team without an entry of the local store is pulled again', async () => {
  const [ann] = await pair();
  const fresh = world.member('ann');
  expect((await fresh.team.sync()).pulled.added).toEqual(['p/a']);
  expect(await fresh.texts()).toEqual(await ann.texts());
});

test('assets that a rewritten history lacks are kept as conflicts', async () => {
  const [ann, bob] = await pair();
  await ann.add('p/b', 'Two.');
  await ann.team.sync();
  await bob.team.sync();
  git(world.remote, 'update-ref', 'refs/heads/main', 'main^');
  world.commit({ 'p/c.md': fileOf('p/c', 'Three.') });
  const report = await bob.team.sync();
  expect(report.conflicts).toEqual(['p/b']);
  expect(report.notices).toEqual([expect.stringContaining('rewritten')]);
  expect(Object.keys(await bob.texts())).toEqual(['p/a', 'p/b', 'p/c']);
  await bob.team.resolve('p/b', 'theirs');
  await bob.team.sync();
  expect(Object.keys(await bob.texts())).toEqual(['p/a', 'p/c']);
});

test('a clone that was deleted does not hide that the history was rewritten', async () => {
  const [ann, bob] = await pair();
  await ann.add('p/b', 'Two.');
  await ann.team.sync();
  await bob.team.sync();
  rmSync(bob.clone, { recursive: true });
  expect(await bob.team.status()).toMatchObject({ outgoing: none, isBehind: false });
  git(world.remote, 'update-ref', 'refs/heads/main', 'main^');
  rmSync(bob.clone, { recursive: true });
  expect(await bob.team.sync()).toMatchObject({ conflicts: ['p/b'], pulled: none, pushed: none });
  expect(Object.keys(await bob.texts())).toEqual(['p/a', 'p/b']);
});

test('a rename that only changes the case is one', async () => {
  const [ann, bob] = await pair();
  await ann.store.change('p/a', { fields: { name: 'A' } });
  await ann.team.sync();
  expect(Object.keys(world.files())).toEqual(['p/A.md']);
  await bob.team.sync();
  expect(Object.keys(await bob.texts())).toEqual(['p/A']);
  expect(await bob.team.sync()).toMatchObject({ pulled: none, pushed: none, problems: [] });
});

test('files that are not assets are left alone and counted', async () => {
  const [ann, bob] = await pair();
  world.commit({ 'README.md': '# Read me\n', '.gitignore': '*.log\n', 'p/README.md': 'Hello.\n', 'p/x.png': 'png' });
  expect(await bob.team.sync()).toMatchObject({ otherFiles: 4, problems: [] });
  await ann.change('p/a', 'Changed.');
  await ann.team.sync();
  expect(Object.keys(world.files())).toEqual(['.gitignore', 'README.md', 'p/README.md', 'p/a.md', 'p/x.png']);
});

test('the clone of an earlier build, and one with a work tree, are left untouched', async () => {
  const [ann] = await pair();
  const earlier = join(ann.directory, 'team');
  git(world.root, 'clone', '--quiet', world.remote, earlier);
  writeFileSync(join(earlier, 'p/a.md'), a('By hand.'));
  const error = await failure(ann.team.init({ clone: earlier }), 'INVALID_INPUT');
  expect(error.summary).toContain('is a clone with a work tree');
  await ann.team.sync();
  expect(git(earlier, 'status', '--porcelain')).toBe(' M p/a.md\n');
});

test('a bare clone that exists is adopted', async () => {
  const [ann] = await pair();
  const eve = world.member('eve');
  const clone = join(world.root, 'mine.git');
  git(world.root, 'clone', '--quiet', '--bare', world.remote, clone);
  expect(await eve.team.init({ clone })).toMatchObject({ remote: world.remote, pulled: { added: ['p/a'] } });
  await eve.change('p/a', 'By Eve.');
  await eve.team.sync();
  await ann.team.sync();
  expect(await ann.texts()).toEqual({ 'p/a': a('By Eve.') });
});

test('a branch that is gone removes nothing', async () => {
  const [ann] = await pair();
  git(world.remote, 'update-ref', '-d', 'refs/heads/main');
  const error = await failure(ann.team.sync(), 'REMOTE_FAILED');
  expect(error.summary).toBe('The remote of the team has no branch main any more');
  expect(await ann.texts()).toEqual({ 'p/a': a('One.') });
});

test('a team store is needed', async () => {
  const ann = world.member('ann');
  const { sync, pull, status } = ann.team;
  for (const call of [sync, pull, status]) await failure(call(), 'NO_TEAM');
  await failure(ann.team.init(), 'INVALID_INPUT');
});

test('the remote may name another branch, and the user too', async () => {
  git(world.remote, 'symbolic-ref', 'HEAD', 'refs/heads/trunk');
  const [ann, bob] = [world.member('ann'), world.member('bob')];
  expect((await ann.team.init({ remote: world.remote, branch: 'team/assets' })).branch).toBe('team/assets');
  await ann.add('p/a', 'One.');
  await ann.team.sync();
  git(world.remote, 'update-ref', 'refs/heads/trunk', 'team/assets');
  const report = await bob.team.init({ remote: world.remote });
  expect(report).toMatchObject({ branch: 'trunk', pulled: { added: ['p/a'] } });
  await failure(bob.team.init({ branch: '--upload-pack=x' }), 'INVALID_INPUT');
});
