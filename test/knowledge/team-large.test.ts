/** Counts of a large team store, and text that the team removed. */
import { createKnowledge } from '@cairn/knowledge';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createWorld, fileOf, git, memberEnv } from './team-harness.ts';
import type { World } from './team-harness.ts';

let world: World;
beforeEach(() => {
  world = createWorld();
});
afterEach(() => world.dispose());

test('a synchronization of many assets runs as many processes as one of few, and reads only files that changed', async () => {
  const COUNT = 2000;
  const bin = join(world.root, 'bin');
  const log = join(world.root, 'log');
  mkdirSync(bin);
  const real = join(git(world.root, '--exec-path').trim(), 'git');
  const script = `#!/bin/sh\necho "$@" >> ${log}\nexec ${real} "$@"\n`;
  writeFileSync(join(bin, 'git'), script, { mode: 0o755 });
  const files = Array.from({ length: COUNT }, (_, index): readonly [string, string] => {
    const id = `line-${index % 20}/asset-${index}`;
    return [`${id}.md`, fileOf(id, `Body ${index}.`)];
  });
  world.commit(Object.fromEntries(files));
  const env = { ...memberEnv('ann'), PATH: `${bin}:${process.env['PATH'] ?? ''}` };
  const ann = world.member('ann', { env });
  const counted = async (action: () => Promise<unknown>): Promise<readonly string[]> => {
    writeFileSync(log, '');
    await action();
    return readFileSync(log, 'utf8')
      .split('\n')
      .flatMap((line) => line.replaceAll(/-c \S+ /gu, '').split(' ')[0] ?? [])
      .filter(Boolean);
  };
  await ann.team.init({ remote: world.remote });
  expect(Object.keys(await ann.texts())).toHaveLength(COUNT);
  const idle = await counted(() => ann.team.sync());
  expect(idle.length).toBeLessThanOrEqual(11);
  expect(idle).not.toContain('cat-file');
  for (let index = 0; index < 100; index++) await ann.change(`line-${index % 20}/asset-${index}`, `Changed ${index}.`);
  const busy = await counted(() => ann.team.sync());
  expect(busy.length).toBeLessThanOrEqual(25);
  expect(git(world.remote, 'diff', '--stat', 'main^', 'main').trim().split('\n')).toHaveLength(101);
});

test('the text of an asset that the team removed is in no file of the local store', async () => {
  const ann = world.member('ann');
  const directory = join(world.root, 'bob');
  const bob = createKnowledge({ directory, env: memberEnv('bob') });
  await ann.team.init({ remote: world.remote });
  await ann.add('p/a', 'The word is quetzalcoatlus.');
  await ann.add('p/b', 'Other.');
  await ann.team.sync();
  await bob.team.init({ remote: world.remote });
  // The term index has the words of a text that was searched.
  const { results } = await bob.layers.search({ query: 'quetzalcoatlus' });
  expect(results.map(({ name }) => name)).toEqual(['a']);
  const found = (): string[] =>
    readdirSync(directory).filter(
      (name) => name !== 'team.git' && readFileSync(join(directory, name)).includes('quetzalcoatlus'),
    );
  expect(found()).not.toEqual([]);
  await ann.store.remove('p/a');
  await ann.team.sync();
  await bob.team.sync();
  expect(await bob.store.get('p/a')).toBeUndefined();
  await bob.index.flush();
  expect(found()).toEqual([]);
  await bob.close();
});
