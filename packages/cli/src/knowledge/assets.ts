import type { Asset, Knowledge } from '@cairn/knowledge';
import { CommandError, UsageError } from '../terminal/errors.ts';

/** Returns the asset that an argument names: `product_line/name`, or a name that one product line has. */
export async function findAsset(knowledge: Knowledge, given: string, signal: AbortSignal): Promise<Asset> {
  const { store } = knowledge;
  const isId = given.includes('/');
  const own = isId ? await store.get(given, { signal }) : undefined;
  if (own !== undefined) return own;
  const { changed } = await store.changes(undefined, { signal });
  const wanted = given.normalize('NFC').toLowerCase();
  const found = isId ? [] : changed.filter(({ asset }) => asset.name.toLowerCase() === wanted);
  const [first] = found;
  if (first === undefined) {
    const near = changed.map(({ asset }) => asset.id).filter((id) => id.toLowerCase().includes(wanted));
    const shown = near.slice(0, 3).join(', ');
    throw new CommandError({
      code: 'UNKNOWN_ASSET',
      message: `unknown asset ${JSON.stringify(given)}`,
      fix: shown === '' ? "'cairn knowledge list' lists the assets" : `similar: ${shown}`,
      changed: false,
    });
  }
  if (found.length === 1) return first.asset;
  const ids = found.map(({ asset }) => asset.id).join(', ');
  throw new UsageError(`several product lines have ${JSON.stringify(given)}: ${ids}`, 'write product_line/name');
}

/** Returns an asset as JSON documents have it, without its text. */
export function assetDocument(asset: Asset): object {
  const { id, name, productLine, type, title, tags, status, supersededBy, verifiedMs, paths } = asset;
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
    created_at: new Date(createdMs).toISOString(),
    changed_at: new Date(changedMs).toISOString(),
    origin,
    promoted: isPromoted,
    unshared: isUnshared,
    conflict: conflict !== undefined,
    reports,
    hash,
  };
}
