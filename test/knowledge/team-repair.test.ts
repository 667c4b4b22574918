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
  ['before git made it a repository', (clone: string): void => mkdirSync(join(clone, 'objects'))],
  ['before it had a remote', (clone: string): void => void git(clone, 'init', '--quiet', '--bare')],
])('a clone whose making was interrupted %s is made whole', async (_, interrupt) => {
  const ann = await joined();
  for (const call of [() => ann.team.sync(), () => ann.team.init()]) {
    rmSync(ann.clone, { recursive: true });
    mkdirSync(ann.clone);
    interrupt(ann.clone);
    expect(await call()).toMatchObject({ conflicts: [], notices: [] });
    expect(git(ann.clone, 'show', 'origin/main:p/a.md')).toBe(fileOf('p/a', 'One.'));
  }
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
  git(world.root, 'clone', '--quiet', '--bare', world.remote, clone);
  git(clone, 'config', 'remote.origin.fetch', '+refs/heads/main:refs/remotes/origin/main');
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

test.each([
  ['in other case', 'p/b', 'p/B'],
  ['in the decomposed form', 'p/é', 'p/e\u0301'],
])('a file that is added next to an asset %s does not take its place', async (_, id, other) => {
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
  writeFileSync(join(ann.clone, 'config'), '[damaged');
  const { hint } = await failure(ann.team.sync(), 'GIT_FAILED');
  expect(hint).toContain(`delete ${ann.clone}`);
  rmSync(ann.clone, { recursive: true });
  expect(await ann.team.sync()).toMatchObject({ conflicts: [], notices: [] });
});

test('a team that renamed its branch is followed', async () => {
  const ann = await joined();
  git(world.remote, 'branch', '--move', 'main', 'trunk');
  await failure(ann.team.sync(), 'REMOTE_FAILED');
  expect(await ann.team.init({ branch: 'trunk' })).toMatchObject({ branch: 'trunk', notices: [] });
  await ann.change('p/a', 'Two.');
  expect((await ann.team.sync()).pushed.changed).toEqual(['p/a']);
  expect(world.files('trunk')['p/a.md']).toBe(fileOf('p/a', 'Two.'));
});
