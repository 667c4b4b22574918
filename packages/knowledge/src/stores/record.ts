import { hashOf, contentHash, type ParsedAsset } from '../assets/markdown.ts';
import type { Asset, AssetFields, AssetHead, AssetKey, AssetReports } from '../assets/asset.ts';
import { REVIEW_REPORTS } from '../assets/marks.ts';
import { assetId } from '../assets/names.ts';
import { relationsIn } from '../assets/relations.ts';

/** What the team store had at the last synchronization. */
export interface TeamState {
  readonly hash: string;
  /** Git's object id of the file. */
  readonly oid: string;
}

/** The version of the format. Raise it when `fields` are read from the text in another way. */
const VERSION = 1;

/** An asset in the store. `fields`, `bodyStart` and `hash` are derived from `text` when it is written. */
export interface StoredAsset extends Pick<Asset, 'text' | 'hash' | 'createdMs' | 'changedMs' | 'origin' | 'conflict'> {
  readonly version: number;
  readonly bodyStart: number;
  readonly fields: AssetFields;
  readonly team?: TeamState | undefined;
  readonly reports?: AssetReports | undefined;
}

/** An asset that was removed here, until the team store has removed it too. */
export interface StoredRemoval extends Pick<Asset, 'conflict'> {
  readonly version: number;
  readonly removed: AssetKey;
  readonly team: TeamState;
}

export type StoredRow = StoredAsset | StoredRemoval;

/**
 * Returns the id of an asset's row. Names that differ in case only are one row, because they would be one file where the file system
 * ignores case.
 */
export function rowIdOf(id: string): string {
  return id.normalize('NFC').toLowerCase();
}

export function isRemoval(row: StoredRow): row is StoredRemoval {
  return 'removed' in row;
}

/** Reads a row; `undefined` when it is not readable, such as one of a later version. */
export function parseRow(record: string): StoredRow | undefined {
  try {
    const row = JSON.parse(record) as StoredRow | null;
    return row?.version === VERSION && ('removed' in row || typeof row.text === 'string') ? row : undefined;
  } catch {
    return undefined;
  }
}

type NewRow = Pick<StoredAsset, 'createdMs' | 'changedMs' | 'origin' | 'team' | 'conflict'>;

export function rowOf({ fields, text, bodyStart }: ParsedAsset, facts: NewRow): StoredAsset {
  return { version: VERSION, text, hash: hashOf(text), bodyStart, fields, ...facts };
}

export function removalOf(
  { productLine, name }: AssetKey,
  facts: Pick<StoredRemoval, 'team' | 'conflict'>,
): StoredRemoval {
  return { version: VERSION, removed: { productLine, name }, ...facts };
}

/** Returns the text that at most one asset may have; `undefined` when there is no body. */
export function uniqueOf(row: StoredRow): string | undefined {
  const body = isRemoval(row) ? '' : row.text.slice(row.bodyStart);
  return body.trim() === '' ? undefined : contentHash(body);
}

const NO_REPORTS: AssetReports = { helpful: 0, wrong: 0, notes: [] };

export function assetOf(row: StoredAsset): Asset {
  const { text, hash, bodyStart, fields, createdMs, changedMs, origin, team, conflict, reports = NO_REPORTS } = row;
  return {
    ...fields,
    id: assetId(fields),
    text,
    hash,
    body: text.slice(bodyStart),
    createdMs,
    changedMs,
    origin,
    isPromoted: team !== undefined,
    isUnshared: team?.hash !== hash,
    ...(conflict !== undefined && { conflict }),
    reports,
  };
}

export function headOf(asset: Asset): AssetHead {
  const { text, hash: _hash, body, origin: _origin, conflict, reports, ...fields } = asset;
  const relations = relationsIn(asset, body);
  return {
    ...fields,
    hasConflict: conflict !== undefined,
    needsReview: reports.wrong >= REVIEW_REPORTS,
    characters: text.length,
    ...(relations !== undefined && { relations }),
  };
}

function linesOf(row: StoredRow | undefined): string[] {
  if (row === undefined) return [];
  const { theirs = '', base = '' } = row.conflict ?? {};
  const own = isRemoval(row) ? [] : [row.text, ...(row.reports?.notes ?? [])];
  return [...own, theirs ?? '', base].flatMap((text) => text.split('\n'));
}

/** Returns whether rows had a line of text that the rows in their place lack. */
export function losesLines(
  before: readonly (StoredRow | undefined)[],
  next: readonly (StoredRow | undefined)[],
): boolean {
  const lines = before.flatMap(linesOf);
  if (lines.length === 0) return false;
  const kept = new Set(['', ...next.flatMap(linesOf)]);
  return lines.some((line) => !kept.has(line));
}
