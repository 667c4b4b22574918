import type { AssetHead } from '../assets/asset.ts';
import { stackMatcherOf } from '../stack/match-stack.ts';
import type { Stack } from '../stack/stack.ts';

interface OrderOptions {
  readonly stack?: Stack | undefined;
  readonly opened?: ReadonlyMap<string, number> | undefined;
}

/** Types that prevent mistakes come before those that explain. */
function isUrgent({ type }: AssetHead): boolean {
  return type === 'pitfall' || type === 'best-practice';
}

/** Returns a function that compares two assets by their order in the index. No two assets are equal. */
export function createComparison({ stack, opened }: OrderOptions): (a: AssetHead, b: AssetHead) => number {
  const matches = stack && stackMatcherOf(stack);
  return (a, b) =>
    (matches === undefined ? 0 : Number(matches(b.productLine)) - Number(matches(a.productLine))) ||
    (opened === undefined ? 0 : (opened.get(b.id) ?? 0) - (opened.get(a.id) ?? 0)) ||
    Number(isUrgent(b)) - Number(isUrgent(a)) ||
    b.changedMs - a.changedMs ||
    (a.id < b.id ? -1 : 1);
}
