import type { Gaps } from '../gaps/gaps.ts';
import { ChangeFollower } from '../stores/change-follower.ts';
import type { LocalStore } from '../stores/local-store.ts';
import type { Layers } from './layers.ts';

/** Closes gaps in the background as soon as an asset that was added or changed answers them. */
export function createGapSettler(
  gaps: Gaps,
  { store, layers }: { readonly store: LocalStore; readonly layers: Pick<Layers, 'isAnswered'> },
): ChangeFollower {
  return new ChangeFollower(store, async (ids) => {
    // Mostly no question is open, and the assets need not be read.
    if ((await gaps.list()).length === 0) return;
    const assets = (await store.getMany(ids)).filter((asset) => asset !== undefined);
    await gaps.settle(assets, (query) => layers.isAnswered(query));
  });
}
