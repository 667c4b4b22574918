import { afterEach, beforeEach, expect, test } from 'vitest';
import { createWorld, fileOf, git } from './team-harness.ts';
import type { World } from './team-harness.ts';

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
  expect(ann.read('exchange/infra/redis.md')).toBe(fileOf('exchange/infra/redis', 'Use Sentinel.'));
  expect(git(ann.clone, 'status', '--porcelain')).toBe('');
  expect(git(bob.clone, 'status', '--porcelain')).toBe('');
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
  expect(bob.read('p/c.md')).toBeUndefined();
  expect(await ann.team.sync()).toMatchObject({ pulled: none, pushed: none, taken: none });
  expect(git(world.remote, 'rev-list', '--count', 'main').trim()).toBe('2');
});
