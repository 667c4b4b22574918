import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { ASSET_TYPES } from '../assets/asset.ts';
import type { AssetHead } from '../assets/asset.ts';
import type { Stack } from '../stack/stack.ts';
import { exampleHead } from './heads.examples.ts';
import { areaOf, createComparison } from './selection.ts';

const stack: Stack = { projects: [['acme', 'exchange', 'core']], names: ['redis'], unreadable: [] };

function names(heads: readonly AssetHead[]): string[] {
  return heads.map(({ name }) => name);
}

test('the stack comes before opened assets, then pitfalls and best practices, then the newest', () => {
  const heads = [
    exampleHead({ name: 'old', changedMs: 1 }),
    exampleHead({ name: 'new', changedMs: 3 }),
    exampleHead({ name: 'pitfall', type: 'pitfall', changedMs: 1 }),
    exampleHead({ name: 'practice', type: 'best-practice', changedMs: 2 }),
    exampleHead({ name: 'opened', changedMs: 0 }),
    exampleHead({ name: 'opened-more', changedMs: 0 }),
    exampleHead({ name: 'of-the-stack', productLine: 'exchange/core' }),
  ];
  const opened = new Map([
    ['general/opened', 1],
    ['general/opened-more', 2],
  ]);
  expect(names(heads.toSorted(createComparison(opened, stack)))).toEqual([
    'of-the-stack',
    'opened-more',
    'opened',
    'practice',
    'pitfall',
    'new',
    'old',
  ]);
  expect(names(heads.toSorted(createComparison()))).toEqual([
    'practice',
    'pitfall',
    'new',
    'old',
    'of-the-stack',
    'opened',
    'opened-more',
  ]);
});

const lines = ['payments', 'exchange/core', 'general', 'payments', 'redis/ops', 'billing', 'payments', 'billing'];
const areas = lines.map((productLine, index) => exampleHead({ name: `a${index}`, productLine }));

test.each([
  ['without a project all', undefined, undefined, ['a0', 'a1', 'a2', 'a3', 'a4', 'a5', 'a6', 'a7'], []],
  ['those of the stack and the general ones', stack, false, ['a1', 'a2', 'a4'], ['payments 3', 'billing 2']],
  ['only those of the stack', stack, true, ['a1', 'a4'], ['payments 3', 'billing 2', 'general 1']],
  [
    'all when none is of the stack',
    { ...stack, projects: [], names: ['php'] },
    false,
    areas.map(({ name }) => name),
    [],
  ],
  [
    'none when only those are asked for',
    { ...stack, projects: [], names: ['php'] },
    true,
    [],
    ['payments 3', 'billing 2', 'exchange/core 1', 'general 1', 'redis/ops 1'],
  ],
])('the area of a project has %s', (_, ofProject, onlyMatching, own, counted) => {
  const { area, others } = areaOf(areas, { stack: ofProject, onlyMatching });
  expect(names(area)).toEqual(own);
  expect(others.map(({ productLine, assets }) => `${productLine} ${assets}`)).toEqual(counted);
});

test('the order does not depend on the order before', () => {
  const head = fc
    .record({
      name: fc.stringMatching(/^[ab]{1,2}$/u),
      productLine: fc.constantFrom('exchange/core', 'redis', 'general'),
      type: fc.constantFrom(...ASSET_TYPES),
      changedMs: fc.integer({ min: 0, max: 2 }),
    })
    .map(exampleHead);
  const heads = fc.uniqueArray(head, { selector: ({ id }) => id, maxLength: 12 });
  fc.assert(
    fc.property(heads, fc.infiniteStream(fc.nat()), (all, random) => {
      const opened = new Map(all.map(({ id }) => [id, (random.next().value ?? 0) % 3]));
      const shuffled = all
        .map((one) => ({ one, key: random.next().value ?? 0 }))
        .sort((a, b) => a.key - b.key)
        .map(({ one }) => one);
      const compare = createComparison(opened, stack);
      expect(shuffled.toSorted(compare)).toEqual(all.toSorted(compare));
    }),
  );
});
