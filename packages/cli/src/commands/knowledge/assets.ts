import type { Asset, Knowledge } from '@cairn/knowledge';

/** @throws {KnowledgeError} `UNKNOWN_ASSET`, `AMBIGUOUS_ASSET`. */
export async function findAsset({ layers }: Knowledge, given: string, signal: AbortSignal): Promise<Asset> {
  return (await layers.getAsset({ name: given, signal })).asset;
}

export function unreadableNotice(id: string): string {
  return `cannot read ${id}; it stays in place; a later version may have written it`;
}

/** Returns an asset as JSON documents have it, without its text. */
export async function assetDocument(asset: Asset): Promise<object> {
  const { headOf, marksOf } = await import('@cairn/knowledge/internal');
  const { id, name, productLine, type, title, tags, status, supersededBy, verifiedMs, paths, allowSecret } = asset;
  const { createdMs, changedMs, origin, isPromoted, isUnshared, conflict, reports, hash } = asset;
  return {
    id,
    name,
    product_line: productLine,
    type,
    title,
    tags,
    status,
    ...(supersededBy !== undefined && { superseded_by: supersededBy }),
    ...(verifiedMs !== undefined && { verified_at: new Date(verifiedMs).toISOString() }),
    paths,
    ...(allowSecret === true && { allow_secret: true }),
    created_at: new Date(createdMs).toISOString(),
    changed_at: new Date(changedMs).toISOString(),
    origin,
    promoted: isPromoted,
    unshared: isUnshared,
    conflict: conflict !== undefined,
    reports,
    marks: marksOf(headOf(asset), Date.now()),
    hash,
  };
}
