import type { WorkspaceChange } from '@cairn/coding-agent';
import type { DynamicListing, ListedItem } from '../data.ts';
import type { FoundItem } from './items.ts';
import { isAffected, pathsOf } from './paths-of.ts';
import { isSecretDirectory, shownItems } from './shown-items.ts';

/** The limits of what a run shows in its prompts. */
export const MAX_ITEMS = 1000;
const MAX_LISTINGS = 200;
const MAX_CHARACTERS = 1024 * 1024;

/** A listing that was found during a run. */
interface FoundListing {
  /** As the caller named it. */
  readonly path: string;
  /** Canonical. */
  readonly real: string;
  readonly entries: readonly FoundItem[];
  /** The canonical roots of the workspace. */
  readonly roots: readonly string[];
  /** The state of the directory, when it is known: a listing of the same state is not added again. */
  readonly digest?: string;
  /** Returns whether the listing is still right. */
  readonly isCurrent: () => Promise<boolean>;
}

/** The listings of a run. */
export interface DynamicListingStore {
  /**
   * Adds a listing, without what names secrets, in the place of another one of the same directory. Returns its items, or
   * `undefined` when it is too large or not plain data, or when the name of the directory stands for secrets.
   */
  add(found: FoundListing): readonly ListedItem[] | undefined;
  /** Drops the listings of directories in which something changed. */
  drop(change: WorkspaceChange): void;
  /** Drops the listings that are not right any more. */
  check(): Promise<void>;
}

interface ShownListing {
  readonly items: readonly ListedItem[];
  readonly text: string;
}

/** Returns what prompts may show of a listing, as plain JSON; `undefined` when it is too large or not plain data. */
function shownOf({ path, real, entries, roots }: FoundListing): ShownListing | undefined {
  if (entries.length > MAX_ITEMS || isSecretDirectory({ path, real, roots })) return undefined;
  try {
    const plain = entries.map(({ item, below }) => ({ item: JSON.parse(JSON.stringify(item)) as ListedItem, below }));
    const items = shownItems(plain, roots);
    const text = JSON.stringify(items);
    return text.length > MAX_CHARACTERS ? undefined : { items, text };
  } catch {
    return undefined;
  }
}

/** The order in which listings were kept. */
const sequences = new WeakMap<DynamicListing, number>();
let latest = 0;

/** Returns a number that is higher for a listing that was kept later; 0 for one that no store made. */
export function sequenceOf(listing: DynamicListing): number {
  return sequences.get(listing) ?? 0;
}

/** By the record that they write into: sub-agents may have caches of their own for it. */
const stores = new WeakMap<object, DynamicListingStore>();

/** Returns the store of a record. */
export function dynamicListingsOf(record: Record<string, DynamicListing>, clock: () => number): DynamicListingStore {
  const store = stores.get(record) ?? createDynamicListings(record, clock);
  stores.set(record, store);
  return store;
}

/** Makes a store that writes its listings into a record, by their paths. */
function createDynamicListings(record: Record<string, DynamicListing>, clock: () => number): DynamicListingStore {
  const listings = new Map<string, Pick<FoundListing, 'real' | 'digest' | 'isCurrent'> & { readonly text: string }>();
  let characters = 0;
  const remove = (path: string): void => {
    characters -= listings.get(path)?.text.length ?? 0;
    listings.delete(path);
    delete record[path];
  };
  return {
    add: (found) => {
      const { path, real, digest, isCurrent } = found;
      if (digest !== undefined && listings.get(path)?.digest === digest) return record[path]?.items;
      const shown = shownOf(found);
      const isAsBefore = shown !== undefined && listings.get(path)?.text === shown.text;
      // What the prompts show already stays the same object.
      const before = isAsBefore ? record[path] : undefined;
      for (const [other, { real: otherReal }] of listings) if (otherReal === real) remove(other);
      remove(path);
      if (shown === undefined) return undefined;
      const { items, text } = shown;
      listings.set(path, { real, isCurrent, text, ...(digest !== undefined && { digest }) });
      characters += text.length;
      const listing = before ?? { items, cachedAt: new Date(clock()).toISOString() };
      if (!before) sequences.set(listing, ++latest);
      Object.defineProperty(record, path, {
        value: listing,
        configurable: true,
        enumerable: true,
        writable: true,
      });
      for (const oldest of listings.keys()) {
        if (listings.size <= MAX_LISTINGS && characters <= MAX_CHARACTERS) break;
        remove(oldest);
      }
      return items;
    },
    drop: (change) => {
      const changed = pathsOf(change);
      for (const [path, { real }] of listings) {
        if (isAffected(real, changed)) remove(path);
      }
    },
    check: async () => {
      for (const [path, listing] of listings) {
        const isCurrent = await listing.isCurrent().catch(() => false);
        if (!isCurrent && listings.get(path) === listing) remove(path);
      }
    },
  };
}
