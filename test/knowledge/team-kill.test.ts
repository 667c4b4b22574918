/** A process that synchronizes is killed before and after each command of git that it runs. */
import { openLocalStore } from '@cairn/knowledge/internal';
import { sqlite } from '@cairn/memory/sqlite';
import { spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createWorld, fileOf, git, memberEnv } from './team-harness.ts';
import type { World } from './team-harness.ts';

/** Every command is tested when this is set; otherwise every fifth one. */
const IS_FULL = process.env['CAIRN_TEAM_KILLS'] === 'all';
const STRIDE = IS_FULL ? 1 : 5;

let world: World;
beforeEach(() => {
  world = createWorld();
});
afterEach(() => world.dispose());

const child = fileURLToPath(new URL('team-child.ts', import.meta.url));

/** Writes a `git` that kills the process which started it at one of its commands. */
function killingGit(): string {
  const bin = join(world.root, 'bin');
  mkdirSync(bin, { recursive: true });
  const real = join(git(world.root, '--exec-path').trim(), 'git');
  const script = `#!/bin/sh
count=$(( $(cat "$KILL_COUNT" 2>/dev/null || echo 0) + 1 ))
echo $count > "$KILL_COUNT"
[ $count = "$KILL_AT" ] && [ "$KILL_WHEN" = before ] && { kill -9 $PPID; exit 1; }
${real} "$@"; status=$?
[ $count = "$KILL_AT" ] && [ "$KILL_WHEN" = after ] && kill -9 $PPID
exit $status
`;
  writeFileSync(join(bin, 'git'), script, { mode: 0o755 });
  return bin;
}

interface Kill {
  readonly at: number;
  readonly when: 'before' | 'after';
}

/** Runs a synchronization in a process. @returns whether it was killed. */
function synchronize(directory: string, bin: string, { at, when }: Kill): boolean {
  const counter = join(world.root, 'count');
  writeFileSync(counter, '0');
  const { status, signal, stderr } = spawnSync(process.execPath, [child, directory], {
    encoding: 'utf8',
    env: {
      ...memberEnv('ann'),
      PATH: `${bin}:${process.env['PATH'] ?? ''}`,
      KILL_COUNT: counter,
      KILL_AT: String(at),
      KILL_WHEN: when,
    },
  });
  if (signal === 'SIGKILL') return true;
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
  return false;
}

test('wherever a process is killed, the next one finishes the work and nothing is lost or in conflict', async () => {
  const bob = world.member('bob');
  const directory = join(world.root, 'ann');
  const bin = killingGit();
  const open = (): { ann: ReturnType<World['member']>; close: () => Promise<void> } => {
    const backend = sqlite({ path: join(directory, 'knowledge.db') });
    return { ann: world.member('ann', { store: openLocalStore({ backend }) }), close: () => backend.close() };
  };
  await bob.team.init({ remote: world.remote });
  for (const name of ['mine', 'theirs', 'gone', 'old']) await bob.add(`p/${name}`, `Start of ${name}.`);
  await bob.team.sync();
  const first = open();
  await first.ann.team.init({ remote: world.remote });
  await first.close();
  let killed = 0;
  let round = 0;
  for (const when of ['before', 'after'] as const) {
    for (let at = IS_FULL ? 1 : 3; ; at += STRIDE) {
      round += 1;
      const text = (name: string): string => `Round ${round} of ${name}.`;
      await bob.change('p/theirs', text('theirs'));
      await bob.add(`p/new-${round}`, text('new'));
      if (round > 1) await bob.store.remove(`p/new-${round - 1}`);
      await bob.team.sync();
      const { ann, close } = open();
      await ann.change('p/mine', text('mine'));
      await ann.add(`p/own-${round}`, text('own'));
      if (round > 1) await ann.store.remove(`p/own-${round - 1}`);
      await ann.store.change(round % 2 === 1 ? 'p/old' : 'p/renamed', {
        fields: { name: round % 2 === 1 ? 'renamed' : 'old' },
      });
      await close();
      const wasKilled = synchronize(directory, bin, { at, when });
      killed += wasKilled ? 1 : 0;
      if (wasKilled) synchronize(directory, bin, { at: -1, when });
      const report = await bob.team.sync();
      expect({ at, when, ...report }).toMatchObject({ conflicts: [], problems: [], withheld: [] });
      const after = open();
      const texts = await after.ann.texts();
      expect({ at, when, texts }).toEqual({ at, when, texts: await bob.texts() });
      expect(Object.keys(texts)).toEqual(
        [
          'p/gone',
          'p/mine',
          `p/new-${round}`,
          round % 2 === 1 ? 'p/renamed' : 'p/old',
          `p/own-${round}`,
          'p/theirs',
        ].toSorted(),
      );
      for (const name of ['mine', 'theirs']) expect(texts[`p/${name}`]).toBe(fileOf(`p/${name}`, text(name)));
      const entries = await after.ann.store.entries();
      expect(entries.filter(({ asset, conflict }) => asset?.isUnshared !== false || conflict !== undefined)).toEqual(
        [],
      );
      await after.close();
      expect(git(ann.clone, 'rev-parse', 'origin/main')).toBe(git(world.remote, 'rev-parse', 'main'));
      if (!wasKilled) break;
    }
  }
  expect(killed).toBeGreaterThan(5);
}, 900_000);
