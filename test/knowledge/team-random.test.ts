import fc from 'fast-check';
import process from 'node:process';
import { expect, test } from 'vitest';
import { createWorld, fileOf, git } from './team-harness.ts';
import type { Member } from './team-harness.ts';

const names = ['p/a', 'p/b', 'q/r/c'] as const;
const people = ['ann', 'bob', 'eve'] as const;

const who = fc.constantFrom(...people);
const id = fc.constantFrom(...names);
const step = fc.oneof(
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('write' as const), who, id }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('remove' as const), who, id }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('rename' as const), who, id, to: id }) },
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('sync' as const), who }) },
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constantFrom('pull' as const, 'refresh' as const, 'outside' as const), who }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('stop' as const), who, at: fc.nat({ max: 9 }) }) },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant('resolve' as const),
      who,
      choice: fc.constantFrom('mine' as const, 'theirs' as const),
    }),
  },
);
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;

/** Thrown at a step of a synchronization, as if the process ended there. */
class Stopped extends Error {}

const tokenOf = (text: string): string => /token-\d+/u.exec(text)?.[0] ?? '';

/**
 * A model of what must survive. Each written text has a token. It may vanish only when a user who had it as the present text of an
 * asset, or as a side of a conflict, replaced it.
 */
async function play(steps: readonly Step[]): Promise<void> {
  const world = createWorld();
  let budget = Infinity;
  try {
    const onStep = (): void => {
      budget -= 1;
      if (budget < 0) throw new Stopped();
    };
    const members = new Map<string, Member>();
    for (const name of people) {
      const member = world.member(name, { onStep });
      members.set(name, member);
      await member.team.init({ remote: world.remote });
    }
    const written = new Set<string>();
    const replaced = new Set<string>();
    let count = 0;
    const next = (): string => {
      count += 1;
      written.add(`token-${count}`);
      return `token-${count}`;
    };
    const resolveAll = async (member: Member, choice: 'mine' | 'theirs'): Promise<void> => {
      for (const conflict of await member.team.conflicts()) {
        const dropped = choice === 'mine' ? conflict.theirs : conflict.mine;
        if (dropped !== null) replaced.add(tokenOf(dropped));
        await member.team.resolve(conflict.id, choice);
      }
    };
    const run = async (one: Step): Promise<void> => {
      const member = members.get(one.who);
      if (member === undefined) return;
      const { store, team } = member;
      if (one.kind === 'write') {
        const before = await store.get(one.id);
        const token = next();
        if (before === undefined) return void (await store.add({ text: fileOf(one.id, token) }));
        replaced.add(tokenOf(before.text));
        return void (await store.change(one.id, { body: `${token}\n` }));
      }
      if (one.kind === 'remove') {
        const before = await store.get(one.id);
        if (before === undefined) return;
        replaced.add(tokenOf(before.text));
        return void (await store.remove(one.id));
      }
      if (one.kind === 'rename') {
        if ((await store.get(one.id)) === undefined || (await store.get(one.to)) !== undefined) return;
        const [productLine, name] = [
          one.to.slice(0, one.to.lastIndexOf('/')),
          one.to.slice(one.to.lastIndexOf('/') + 1),
        ];
        return void (await store.change(one.id, { fields: { name, productLine } }));
      }
      if (one.kind === 'resolve') return resolveAll(member, one.choice);
      if (one.kind === 'stop') {
        budget = one.at;
        try {
          await team.sync();
        } catch (error) {
          if (!(error instanceof Stopped)) throw error;
        } finally {
          budget = Infinity;
        }
        return;
      }
      if (one.kind === 'outside') return void git(member.clone, 'fetch', '--quiet');
      await team[one.kind]();
    };
    for (const one of steps) await run(one);
    // Until no user has anything to share: each round, one person's conflicts end.
    for (let round = 0; round < 12; round++) {
      let changes = 0;
      for (const member of members.values()) {
        const { pulled, pushed, conflicts, problems, withheld, notices } = await member.team.sync();
        expect({ problems, withheld, notices }).toEqual({ problems: [], withheld: [], notices: [] });
        for (const list of [pulled, pushed]) changes += list.added.length + list.changed.length + list.removed.length;
        changes += conflicts.length;
        await resolveAll(member, 'mine');
      }
      if (changes === 0) break;
      expect(round).toBeLessThan(11);
    }
    const [first, ...others] = await Promise.all([...members.values()].map((member) => member.texts()));
    for (const texts of others) expect(texts).toEqual(first);
    const files = world.files();
    expect(Object.fromEntries(Object.entries(files).map(([path, text]) => [path.replace(/\.md$/u, ''), text]))).toEqual(
      first,
    );
    const present = new Set(Object.values(first ?? {}).map(tokenOf));
    const lost = [...written].filter((token) => !present.has(token) && !replaced.has(token));
    expect(lost).toEqual([]);
  } finally {
    world.dispose();
  }
}

test('whatever three members do in whatever order, all of them get the same assets and nothing is lost', async () => {
  const runs = Number(process.env['CAIRN_TEAM_RUNS'] ?? 5);
  await fc.assert(fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 25 }), play), {
    numRuns: runs,
    ...(process.env['CAIRN_TEAM_SEED'] !== undefined && { seed: Number(process.env['CAIRN_TEAM_SEED']) }),
    endOnFailure: process.env['CAIRN_TEAM_SHRINK'] === undefined,
  });
}, 600_000);
