import type { AssetHead, AssetType } from '../assets/asset.ts';
import { DEFAULT_PRODUCT_LINE } from '../assets/names.ts';
import { deciding, stackMatcherOf, type Stack } from '../stack/stack.ts';

export const MAX_LISTED = 200;

export interface IndexFilters {
  /** A product line, in any case; lines below it are included: `exchange` selects `exchange/core`. */
  readonly productLine?: string | undefined;
  /** Skills are selected only by `skill`. */
  readonly type?: AssetType | undefined;
  /** The tech stack of a project: assets of matching product lines come first. */
  readonly stack?: Stack | undefined;
  /** Whether only product lines that match the stack are selected. Has no effect without `stack`. @default false */
  readonly onlyMatching?: boolean | undefined;
}

/** Filters by the fields of an asset. */
export interface FieldFilters extends Pick<IndexFilters, 'productLine' | 'type'> {
  /** All of these tags. Case does not matter. */
  readonly tags?: readonly string[] | undefined;
  /** Last changed at this time or later, milliseconds since the epoch. */
  readonly since?: number | undefined;
  /** Last changed before this time. */
  readonly until?: number | undefined;
}

function foldTag(tag: string): string {
  return tag.normalize('NFKC').trim().toLowerCase();
}

export interface IndexCounts {
  readonly total: number;
  /** Those that the team store has. */
  readonly promoted: number;
  /** Deprecated or superseded. */
  readonly inactive: number;
  /** Active skills. */
  readonly skills: number;
  /** Written by a later version, so that `total` does not include them; absent for none. */
  readonly unreadable?: number | undefined;
}

/** A product line and the number of its assets. */
export interface LineCount {
  readonly productLine: string;
  readonly assets: number;
}

/** How many assets of the store are not listed, by the first reason that holds. */
export interface Omitted extends Pick<IndexCounts, 'inactive' | 'skills' | 'unreadable'> {
  /** Of a product line that does not match the stack. */
  readonly otherLines: number;
  /** These product lines, the largest first. @default not named */
  readonly lines?: readonly LineCount[] | undefined;
  /** More than the limit. */
  readonly more: number;
}

export interface IndexOverview {
  readonly counts: IndexCounts;
  /** The newest change time of all assets; `undefined` without assets. */
  readonly lastUpdatedMs: number | undefined;
  /** Assets that the team store lacks, or has in another form: the five newest, and the number of all. */
  readonly unshared: { readonly count: number; readonly newest: readonly AssetHead[] };
}

const MAX_UNSHARED = 5;

export function overviewOf(heads: readonly AssetHead[], unreadable: number): IndexOverview {
  const count = (is: (head: AssetHead) => boolean): number => heads.filter(is).length;
  const counts = {
    total: heads.length,
    promoted: count(({ isPromoted }) => isPromoted),
    inactive: count(({ status }) => status !== 'active'),
    skills: count(({ status, type }) => status === 'active' && type === 'skill'),
    ...(unreadable > 0 && { unreadable }),
  };
  const times = heads.map(({ changedMs }) => changedMs);
  const unshared = heads.filter(({ isUnshared }) => isUnshared);
  const newest = unshared.toSorted((a, b) => b.changedMs - a.changedMs || (a.id < b.id ? -1 : 1));
  return {
    counts,
    lastUpdatedMs: heads.length === 0 ? undefined : times.reduce((last, time) => Math.max(last, time)),
    unshared: { count: unshared.length, newest: newest.slice(0, MAX_UNSHARED) },
  };
}

export function omittedOf(
  { total, inactive, skills, unreadable }: IndexCounts,
  listed: number,
  otherLines: number = 0,
): Omitted {
  const more = total - inactive - skills - otherLines - listed;
  return { inactive, skills, otherLines, more, ...(unreadable !== undefined && { unreadable }) };
}

export function isListed({ status, type }: Pick<AssetHead, 'status' | 'type'>): boolean {
  return status === 'active' && type !== 'skill';
}

/** Whether the filters leave out any asset. */
export function isFiltered({ productLine, type, tags = [], since, until }: FieldFilters): boolean {
  return tags.length > 0 || [productLine, type, since, until].some((filter) => filter !== undefined);
}

/** Returns a function that decides whether the fields of an asset are selected, whatever its status. */
export function createFieldFilter({
  productLine,
  type,
  tags = [],
  since = -Infinity,
  until = Infinity,
}: FieldFilters): (head: AssetHead) => boolean {
  const above = productLine
    ?.normalize('NFC')
    .trim()
    .replaceAll(/^\/+|\/+$/gu, '')
    .toLowerCase();
  const selectsLine = deciding((line) => `${line.toLowerCase()}/`.startsWith(`${above}/`));
  const wanted = tags.map(foldTag);
  const hasTags = (own: readonly string[]): boolean => {
    const folded = new Set(own.map(foldTag));
    return wanted.every((tag) => folded.has(tag));
  };
  return (head) =>
    (type === undefined ? head.type !== 'skill' : head.type === type) &&
    (above === undefined || selectsLine(head.productLine)) &&
    head.changedMs >= since &&
    head.changedMs < until &&
    (wanted.length === 0 || hasTags(head.tags));
}

export function createFilter({ stack, onlyMatching, ...fields }: IndexFilters): (head: AssetHead) => boolean {
  const matches = stack !== undefined && onlyMatching === true ? stackMatcherOf(stack) : () => true;
  const selects = createFieldFilter(fields);
  return (head) => head.status === 'active' && selects(head) && matches(head.productLine);
}

export interface ListResult {
  /** In the order of the index. */
  readonly heads: readonly AssetHead[];
  /** All assets of the store. */
  readonly total: number;
  /** The number of assets that `onlyMatching` leaves out. */
  readonly otherLines: number;
}

export function listHeads(ordered: readonly AssetHead[], filters: IndexFilters): ListResult {
  const heads = ordered.filter(createFilter(filters));
  const matches = filters.stack ? stackMatcherOf(filters.stack) : () => false;
  const all = ordered.filter(createFilter({ ...filters, onlyMatching: false }));
  return {
    heads: [
      ...heads.filter(({ productLine }) => matches(productLine)),
      ...heads.filter(({ productLine }) => !matches(productLine)),
    ],
    total: ordered.length,
    otherLines: all.length - heads.length,
  };
}

/**
 * Divides assets by the area of a project: the product lines that match its stack and, unless `onlyMatching`, the general one. When no
 * asset matches, the area is not known, and all assets are in it. Both parts keep the order.
 */
export function areaOf(
  heads: readonly AssetHead[],
  { stack, onlyMatching = false }: Pick<IndexFilters, 'stack' | 'onlyMatching'>,
): { readonly area: readonly AssetHead[]; readonly others: readonly LineCount[] } {
  if (stack === undefined) return { area: heads, others: [] };
  const matches = stackMatcherOf(stack);
  if (!onlyMatching && !heads.some(({ productLine }) => matches(productLine))) return { area: heads, others: [] };
  const isOwn = ({ productLine }: AssetHead): boolean =>
    matches(productLine) || (!onlyMatching && productLine === DEFAULT_PRODUCT_LINE);
  const counts = new Map<string, number>();
  for (const head of heads) {
    if (!isOwn(head)) counts.set(head.productLine, (counts.get(head.productLine) ?? 0) + 1);
  }
  const others = Array.from(counts, ([productLine, assets]): LineCount => ({ productLine, assets }));
  return {
    area: heads.filter(isOwn),
    others: others.toSorted((a, b) => b.assets - a.assets || (a.productLine < b.productLine ? -1 : 1)),
  };
}

/** Types that prevent mistakes come before those that explain. */
function isUrgent({ type }: AssetHead): boolean {
  return type === 'pitfall' || type === 'best-practice';
}

/**
 * Returns a function that compares two assets by their order in the index. No two assets are equal. `opened`: how often each asset
 * was opened, by id.
 */
export function createComparison(
  opened?: ReadonlyMap<string, number>,
  stack?: Stack,
): (a: AssetHead, b: AssetHead) => number {
  const matches = stack ? stackMatcherOf(stack) : () => false;
  return (a, b) =>
    Number(matches(b.productLine)) - Number(matches(a.productLine)) ||
    (opened?.get(b.id) ?? 0) - (opened?.get(a.id) ?? 0) ||
    Number(isUrgent(b)) - Number(isUrgent(a)) ||
    b.changedMs - a.changedMs ||
    (a.id < b.id ? -1 : 1);
}
