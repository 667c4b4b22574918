import type { AssetHead } from '../assets/asset.ts';

export function exampleHead(fields: Partial<AssetHead> & Pick<AssetHead, 'name'>): AssetHead {
  const { name, productLine = 'general' } = fields;
  return {
    productLine,
    type: 'reference',
    title: name,
    tags: [],
    status: 'active',
    paths: [],
    id: `${productLine}/${name}`,
    createdMs: 0,
    changedMs: 0,
    isPromoted: false,
    isUnshared: false,
    hasConflict: false,
    needsReview: false,
    characters: 100,
    ...fields,
  };
}
