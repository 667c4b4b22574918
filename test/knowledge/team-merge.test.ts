/** Changes of an asset by two members: in different places they are merged, and nothing of either side is lost. */
import { onTestFinished, expect, test } from 'vitest';
import { createWorld, fileOf, git } from './team-harness.ts';
import type { Member, World } from './team-harness.ts';

const BODY = 'First paragraph.\n\nSecond paragraph.\n\nThird paragraph.';
const none = { added: [], changed: [], removed: [] };

/** Two members who share `p/a`. */
async function share(body = BODY): Promise<{ readonly world: World; readonly ann: Member; readonly bob: Member }> {
  const world = createWorld();
  onTestFinished(() => world.dispose());
  const [ann, bob] = [world.member('ann'), world.member('bob')];
  for (const { team } of [ann, bob]) await team.init({ remote: world.remote });
  await ann.add('p/a', body);
  await ann.team.sync();
  await bob.team.sync();
  return { world, ann, bob };
}

test('changes of different paragraphs are merged, reported and shared', async () => {
  const { world, ann, bob } = await share();
  await ann.change('p/a', BODY.replace('First', 'Ann: first'));
  await ann.team.sync();
  await bob.change('p/a', BODY.replace('Third', 'Bob: third'));
  const report = await bob.team.sync();
  expect(report).toMatchObject({
    conflicts: [],
    pulled: { ...none, changed: ['p/a'] },
    pushed: { ...none, changed: ['p/a'] },
    notices: ['Changed here and by the team in different places, and merged: p/a.'],
  });
  const merged = fileOf('p/a', BODY.replace('First', 'Ann: first').replace('Third', 'Bob: third'));
  expect(world.files()).toEqual({ 'p/a.md': merged });
  expect((await ann.team.sync()).pulled).toEqual({ ...none, changed: ['p/a'] });
  for (const { texts } of [ann, bob]) expect(await texts()).toEqual({ 'p/a': merged });
  // Nothing is left to do.
  expect(await bob.team.sync()).toMatchObject({ pulled: none, pushed: none, conflicts: [], notices: [] });
});

test('only what overlaps is shown side by side, also after the local text changed again', async () => {
  const { ann, bob } = await share();
  await ann.change('p/a', BODY.replace('Second', 'Ann: second').replace('First', '1st'));
  await ann.team.sync();
  await bob.change('p/a', BODY.replace('Second', 'Bob: second'));
  expect((await bob.team.sync()).conflicts).toEqual(['p/a']);
  const [conflict] = await bob.team.conflicts();
  const overlap = '<<<<<<< here\nBob: second paragraph.\n=======\nAnn: second paragraph.\n>>>>>>> team';
  expect(conflict?.merged).toBe(fileOf('p/a', `1st paragraph.\n\n${overlap}\n\nThird paragraph.`));
  await bob.change('p/a', BODY.replace('Second', 'Bob: 2nd').replace('Third', '3rd'));
  const again = overlap.replace('Bob: second', 'Bob: 2nd');
  expect((await bob.team.conflicts())[0]?.merged).toBe(fileOf('p/a', `1st paragraph.\n\n${again}\n\n3rd paragraph.`));
  // The team takes its change of that paragraph back: the rest is merged.
  await ann.change('p/a', BODY.replace('First', '1st'));
  await ann.team.sync();
  expect((await bob.team.sync()).conflicts).toEqual([]);
  expect(await bob.texts()).toEqual({
    'p/a': fileOf('p/a', '1st paragraph.\n\nBob: 2nd paragraph.\n\n3rd paragraph.'),
  });
});

test('tags of both and a title of one are merged', async () => {
  const { ann, bob } = await share();
  await ann.store.change('p/a', { fields: { tags: ['ann'], title: 'By Ann' } });
  await ann.team.sync();
  await bob.store.change('p/a', { fields: { tags: ['bob'] } });
  expect((await bob.team.sync()).conflicts).toEqual([]);
  await ann.team.sync();
  for (const { store } of [ann, bob]) {
    expect(await store.get('p/a')).toMatchObject({ title: 'By Ann', tags: ['ann', 'bob'], body: `${BODY}\n` });
  }
});

test('a change against a removal, and against a rename, keeps both', async () => {
  const { world, ann, bob } = await share();
  await ann.store.remove('p/a');
  await ann.team.sync();
  await bob.change('p/a', 'Bob.');
  expect((await bob.team.sync()).conflicts).toEqual(['p/a']);
  expect(await bob.team.conflicts()).toEqual([{ id: 'p/a', mine: fileOf('p/a', 'Bob.'), theirs: null }]);
  await bob.team.resolve('p/a', 'mine');
  await bob.team.sync();
  await ann.team.sync();
  await ann.store.change('p/a', { fields: { name: 'renamed' } });
  await ann.team.sync();
  await bob.change('p/a', 'Bob again.');
  expect((await bob.team.sync()).conflicts).toEqual(['p/a']);
  expect(await bob.texts()).toEqual({
    'p/a': fileOf('p/a', 'Bob again.'),
    'p/renamed': fileOf('p/renamed', 'Bob.'),
  });
  expect(Object.keys(world.files())).toEqual(['p/renamed.md']);
});

test('without the object of what both had, both sides are kept whole', async () => {
  const { world, ann, bob } = await share();
  await bob.change('p/a', BODY.replace('Third', 'Bob: third'));
  // The history of the team begins again, and the old objects leave the clone.
  const text = fileOf('p/a', BODY.replace('First', 'Ann: first'));
  await ann.store.change('p/a', { text });
  await ann.team.sync();
  git(
    world.remote,
    'update-ref',
    'refs/heads/main',
    git(world.remote, 'commit-tree', 'main^{tree}', '-m', 'new').trim(),
  );
  git(bob.clone, 'update-ref', '-d', 'refs/remotes/origin/main');
  git(bob.clone, 'reflog', 'expire', '--expire=now', '--all');
  git(bob.clone, 'gc', '--prune=now', '--quiet');
  expect((await bob.team.sync()).conflicts).toEqual(['p/a']);
  const [conflict] = await bob.team.conflicts();
  expect(conflict).toEqual({ id: 'p/a', mine: fileOf('p/a', BODY.replace('Third', 'Bob: third')), theirs: text });
});
