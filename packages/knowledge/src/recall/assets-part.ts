import { count } from '@cairn/tool/prompt';
import type { RecallPart } from '@cairn/memory/internal';
import type { Knowledge } from '../create-knowledge.ts';

/** Knowledge whose assets are recalled. */
export interface AssetsPartOptions {
  /** Returns the knowledge. A failure is one of the assets. */
  readonly open: () => Promise<Knowledge>;
  /** Returns whether the store exists. Without it, a question creates none. @default it exists */
  readonly exists?: (() => boolean) | undefined;
}

/** Returns the assets as a part of what is recalled. */
export function assetsPart({ open, exists = () => true }: AssetsPartOptions): RecallPart {
  return {
    kind: 'asset',
    find: async (options) => {
      if (!exists()) return { hits: [], searched: 0, hasMore: false, notices: [] };
      const [knowledge, { findAssetHits }] = await Promise.all([open(), import('./find-assets.ts')]);
      return findAssetHits(knowledge, options);
    },
    elsewhere: async ({ signal }) => {
      if (!exists()) return [];
      const { index } = await open();
      await index.refresh({ signal });
      const { inactive } = index.overview().counts;
      if (inactive === 0) return [];
      const message = `Kept, but not searched: ${count(inactive, 'deprecated asset')} ('cairn knowledge list').`;
      return [{ code: 'KEPT_ELSEWHERE', message }];
    },
  };
}
