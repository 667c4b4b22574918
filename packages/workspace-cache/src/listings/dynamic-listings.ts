import type { WorkspaceChange } from '@cairn/coding-agent';
import type { DynamicListing, ListedItem } from '../data.ts';
import type { FoundItem } from './items.ts';
import { isAffected, pathsOf } from './paths.ts';
import { isSecretDirectory, shownItems } from './shown-items.ts';

/** The limits of what a run shows in its prompts. */
export const MAX_ITEMS = 1000;
const MAX_LISTINGS = 200;
const MAX_CHARACTERS = 1024 * 1024;

interface FoundListing {
  /** As the caller named it. */
  readonly path: string;
  /** Canonical. */
  readonly real: string;
  readonly entries: readonly FoundItem[];
  /** The canonical roots of the workspace. */
  readonly roots: readonly string[];
  /** The state of the directory, when it is known: a listing of the same state is not added again. */
  readonly digest?: string | undefined;
  /** Returns whether the listing is still right. */
  readonly isCurrent: () => Promise<boolean>;
}

/** Returns what prompts may show of a listing, as plain JSON; `undefined` when it is too large or not plain data. */
function shownOf(found: FoundListing): readonly ListedItem[] | undefined {
  const { entries, roots } = found;
  if (entries.length > MAX_ITEMS || isSecretDirectory(found)) return undefined;
  try {
    const plain = entries.map(({ item, below }) => ({ item: JSON.parse(JSON.stringify(item)) as ListedItem, below }));
    return shownItems(plain, roots);
  } catch {
    return undefined;
  }
}

const sequences = new WeakMap<DynamicListing, number>();
let latest = 0;

/** Returns a number that is higher for a listing that was kept later; 0 for one that no store made. */
export function sequenceOf(listing: DynamicListing): number {
  return sequences.get(listing) ?? 0;
}

interface Kept extends Pick<FoundListing, 'real' | 'digest' | 'isCurrent'> {
  readonly text: string;
}

/** The listings of a run, which it writes into a record, by their paths. */
export class DynamicListings {
  readonly record: Record<string, DynamicListing>;
  readonly #clock: () => number;
  readonly #listings = new Map<string, Kept>();
  readonly #listeners = new Set<() => void>();
  #characters = 0;

  constructor(record: Record<string, DynamicListing>, clock: () => number) {
    this.record = record;
    this.#clock = clock;
  }

  /** Calls `listener` after a listing came or went. Returns a function that ends the calls. */
  onChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  /** Adds a listing without what names secrets. Returns its items, or `undefined` when prompts may not show it. */
  add(found: FoundListing): readonly ListedItem[] | undefined {
    const before = { ...this.record };
    const items = this.#put(found);
    this.#announce(before);
    return items;
  }

  drop(change: WorkspaceChange): void {
    const before = { ...this.record };
    const changed = pathsOf(change);
    for (const [path, { real }] of this.#listings) {
      if (isAffected(real, changed)) this.#remove(path);
    }
    this.#announce(before);
  }

  async check(): Promise<void> {
    const before = { ...this.record };
    for (const [path, listing] of this.#listings) {
      const isCurrent = await listing.isCurrent().catch(() => false);
      if (!isCurrent && this.#listings.get(path) === listing) this.#remove(path);
    }
    this.#announce(before);
  }

  #put(found: FoundListing): readonly ListedItem[] | undefined {
    const { path, real, digest, isCurrent } = found;
    const known = this.#listings.get(path);
    if (digest !== undefined && known?.digest === digest) return this.record[path]?.items;
    const items = shownOf(found);
    const text = JSON.stringify(items ?? []);
    // What the prompts show already stays the same object.
    const same = items !== undefined && known?.text === text ? this.record[path] : undefined;
    for (const [other, { real: otherReal }] of this.#listings) if (otherReal === real) this.#remove(other);
    this.#remove(path);
    if (items === undefined || text.length > MAX_CHARACTERS) return undefined;
    this.#listings.set(path, { real, isCurrent, text, digest });
    this.#characters += text.length;
    const listing = same ?? { items, cachedAt: new Date(this.#clock()).toISOString() };
    if (!same) sequences.set(listing, ++latest);
    const property = { value: listing, configurable: true, enumerable: true, writable: true };
    Object.defineProperty(this.record, path, property);
    for (const oldest of this.#listings.keys()) {
      if (this.#listings.size <= MAX_LISTINGS && this.#characters <= MAX_CHARACTERS) break;
      this.#remove(oldest);
    }
    return items;
  }

  #remove(path: string): void {
    this.#characters -= this.#listings.get(path)?.text.length ?? 0;
    this.#listings.delete(path);
    delete this.record[path];
  }

  /** Calls the listeners when the paths, or their listings, are others than before. */
  #announce(before: Readonly<Record<string, DynamicListing>>): void {
    if (this.#listeners.size === 0) return;
    const [old, now] = [Object.entries(before), Object.entries(this.record)];
    const isSame = old.length === now.length && old.every(([path, listing]) => this.record[path] === listing);
    if (!isSame) for (const listener of this.#listeners) listener();
  }
}

/** By the record that they write into: sub-agents may have caches of their own for it. */
const stores = new WeakMap<object, DynamicListings>();

export function dynamicListingsOf(record: Record<string, DynamicListing>, clock: () => number): DynamicListings {
  const store = stores.get(record) ?? new DynamicListings(record, clock);
  stores.set(record, store);
  return store;
}
