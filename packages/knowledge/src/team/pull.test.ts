import { expect, test } from 'vitest';
import { merge } from './pull.ts';
import type { Merge, Version } from './pull.ts';

const none = undefined;

/** Every way in which three versions can be equal or missing: base, local, team. */
const cases: readonly (readonly [what: string, base: Version, local: Version, team: Version, expected: Merge])[] = [
  ['no side has it', none, none, none, 'none'],
  ['unchanged', 'a', 'a', 'a', 'none'],
  ['added here', none, 'a', none, 'send'],
  ['added by the team', none, none, 'a', 'take'],
  ['added on both sides alike', none, 'a', 'a', 'same'],
  ['added on both sides', none, 'a', 'b', 'conflict'],
  ['changed here', 'a', 'b', 'a', 'send'],
  ['changed by the team', 'a', 'a', 'b', 'take'],
  ['changed on both sides alike', 'a', 'b', 'b', 'same'],
  ['changed on both sides', 'a', 'b', 'c', 'conflict'],
  ['removed here', 'a', none, 'a', 'send'],
  ['removed by the team', 'a', 'a', none, 'take'],
  ['removed on both sides', 'a', none, none, 'same'],
  ['removed here, changed by the team', 'a', none, 'b', 'conflict'],
  ['changed here, removed by the team', 'a', 'b', none, 'conflict'],
];

test.each(cases)('%s', (_, base, local, team, expected) => {
  expect(merge({ base, local, team })).toBe(expected);
});

/** Numbers versions by their first occurrence, so that equal shapes are equal. */
function shapeOf(versions: readonly Version[]): string {
  const seen: Version[] = [];
  return versions
    .map((version) => {
      if (version === undefined) return '-';
      if (!seen.includes(version)) seen.push(version);
      return String(seen.indexOf(version));
    })
    .join('');
}

test('the table has every case once', () => {
  const versions: readonly Version[] = [none, 'a', 'b', 'c'];
  const all = new Set<string>();
  for (const base of versions) {
    for (const local of versions) for (const team of versions) all.add(shapeOf([base, local, team]));
  }
  expect(cases.map(([, ...row]) => shapeOf(row.slice(0, 3))).toSorted()).toEqual([...all].toSorted());
});

test('both sides are treated alike', () => {
  const mirrored: Readonly<Record<Merge, Merge>> = {
    none: 'none',
    same: 'same',
    take: 'send',
    send: 'take',
    conflict: 'conflict',
  };
  for (const [, base, local, team, expected] of cases) {
    expect(merge({ base, local: team, team: local })).toBe(mirrored[expected]);
  }
});

test('a side is only overwritten when it has what both sides had', () => {
  for (const [, base, local, team, expected] of cases) {
    const overwritten = { take: [local], send: [team], none: [], same: [], conflict: [] }[expected];
    expect(overwritten.filter((version) => version !== base)).toEqual([]);
  }
});
