import { setImmediate } from 'node:timers/promises';
import type { AssetHead } from '../assets/asset.ts';
import { foldName } from '../assets/names.ts';
import type { KnownAssets } from '../stores/changes.ts';
import { rowIdOf } from '../stores/record.ts';
import { rowOf } from './index-file.ts';
import { formatLine } from './lines.ts';
import { createComparison } from './order.ts';
import { ScanTerms } from './scan-terms.ts';
import type { MatchVisitor } from './scan-terms.ts';
import type { IndexOverview } from './selection.ts';

/** Assets that are split into terms before other work runs. */
const SLICE = 50;
const MAX_UNSHARED = 5;

/** The newest first. No two assets are equal. */
function compareAge(a: AssetHead, b: AssetHead): number {
  return b.changedMs - a.changedMs || (a.id < b.id ? -1 : 1);
}

/** An asset in the index. Its line and its row are made once. */
export class Entry {
  readonly head: AssetHead;
  readonly sequence: number;
  /** Its place in the order of the index. */
  rank = 0;
  /** Whether the asset was removed or changed since. */
  isGone = false;
  #line: string | undefined;
  #row: { readonly text: string; readonly opened: number } | undefined;

  constructor(head: AssetHead, sequence: number) {
    this.head = head;
    this.sequence = sequence;
  }

  get line(): string {
    return (this.#line ??= formatLine(this.head));
  }

  /** Returns its line of `index.jsonl`. */
  row(opened: number): string {
    if (this.#row?.opened !== opened) {
      this.#row = { text: JSON.stringify(rowOf(this.head, this.sequence, opened)), opened };
    }
    return this.#row.text;
  }
}

function namesOf({ head: { name, id } }: Entry): readonly string[] {
  return [foldName(name), foldName(id)];
}

function addNames(named: Map<string, Set<Entry>>, entry: Entry): void {
  for (const name of namesOf(entry)) {
    const entries = named.get(name);
    if (entries === undefined) named.set(name, new Set([entry]));
    else entries.add(entry);
  }
}

/** All assets of the store, without their texts. */
export class Entries {
  /** By the id of the row: a new case of a name replaces the asset. */
  readonly #entries = new Map<string, Entry>();
  readonly #sequences = new Map<string, number>();
  readonly #bySequence = new Map<number, Entry>();
  /** By their folded names and ids. Made when it is first needed. */
  #named: Map<string, Set<Entry>> | undefined;
  /** `undefined` after a change. */
  #overview: IndexOverview | undefined;
  #terms = new ScanTerms<Entry>();
  /** The entries that the terms lack. */
  readonly #unread = new Set<Entry>();
  /** The rows of the store that this version cannot read. */
  unreadable = 0;
  #opened: ReadonlyMap<string, number> = new Map();
  #ordered: readonly Entry[] = [];
  /** The entries that are not in the order yet; `undefined` when all are to be sorted. */
  #added: Entry[] | undefined = [];
  #isOrdered = true;

  /** The sequence of each asset, by its id. */
  get sequences(): KnownAssets['sequences'] {
    return this.#sequences;
  }

  get opened(): ReadonlyMap<string, number> {
    return this.#opened;
  }

  set opened(opened: ReadonlyMap<string, number>) {
    const isEqual =
      opened.size === this.#opened.size && [...opened].every(([id, times]) => this.#opened.get(id) === times);
    if (isEqual) return;
    this.#opened = opened;
    this.#added = undefined;
    this.#isOrdered = false;
  }

  set(head: AssetHead, sequence: number): void {
    const rowId = rowIdOf(head.id);
    this.#delete(rowId);
    const entry = new Entry(head, sequence);
    this.#overview = undefined;
    this.#entries.set(rowId, entry);
    this.#sequences.set(head.id, sequence);
    this.#bySequence.set(sequence, entry);
    this.#unread.add(entry);
    this.#added?.push(entry);
    if (this.#named !== undefined) addNames(this.#named, entry);
    this.#isOrdered = false;
  }

  delete(id: string): void {
    this.#delete(rowIdOf(id));
  }

  #delete(rowId: string): void {
    const entry = this.#entries.get(rowId);
    if (entry === undefined) return;
    const { id } = entry.head;
    this.#overview = undefined;
    this.#entries.delete(rowId);
    this.#sequences.delete(id);
    this.#bySequence.delete(entry.sequence);
    entry.isGone = true;
    if (!this.#unread.delete(entry)) this.#terms.delete(id);
    if (this.#named !== undefined) for (const name of namesOf(entry)) this.#named.get(name)?.delete(entry);
    this.#isOrdered = false;
  }

  clear(): void {
    this.#entries.clear();
    this.#sequences.clear();
    this.#bySequence.clear();
    this.#unread.clear();
    this.#named = undefined;
    this.#overview = undefined;
    this.#terms = new ScanTerms();
    this.#added = undefined;
    this.#isOrdered = false;
    this.unreadable = 0;
  }

  get(id: string): Entry | undefined {
    return this.#entries.get(rowIdOf(id));
  }

  /** Returns the entries with this name or id, whatever its case and the characters that join its words. */
  named(name: string): readonly Entry[] {
    if (this.#named === undefined) {
      this.#named = new Map();
      for (const entry of this.#entries.values()) addNames(this.#named, entry);
    }
    return [...(this.#named.get(foldName(name)) ?? [])].toSorted((a, b) => (a.head.id < b.head.id ? -1 : 1));
  }

  at(sequence: number): Entry | undefined {
    return this.#bySequence.get(sequence);
  }

  /** Returns the entry that the store wrote last. */
  newest(): Entry | undefined {
    let newest: Entry | undefined;
    for (const entry of this.#bySequence.values()) if (entry.sequence > (newest?.sequence ?? 0)) newest = entry;
    return newest;
  }

  /** Returns all entries in the order of the index without a stack. */
  ordered(): readonly Entry[] {
    if (!this.#isOrdered) {
      const compare = createComparison({ opened: this.#opened });
      const isPresent = ({ isGone }: Entry): boolean => !isGone;
      // Most of it is in order, so that sorting takes one pass.
      const all =
        this.#added === undefined
          ? [...this.#entries.values()]
          : [...this.#ordered.filter(isPresent), ...this.#added.filter(isPresent)];
      this.#ordered = all.sort((a, b) => compare(a.head, b.head));
      this.#added = [];
      for (const [rank, entry] of this.#ordered.entries()) entry.rank = rank;
      this.#isOrdered = true;
    }
    return this.#ordered;
  }

  /** Returns the numbers of all entries. They are counted once after each change. */
  overview(): IndexOverview {
    this.#overview ??= this.#count();
    const { counts, ...rest } = this.#overview;
    return { counts: { ...counts, ...(this.unreadable > 0 && { unreadable: this.unreadable }) }, ...rest };
  }

  #count(): IndexOverview {
    let [promoted, inactive, skills] = [0, 0, 0];
    let lastUpdatedMs: number | undefined;
    let unshared = 0;
    const newest: AssetHead[] = [];
    // Mostly the newest are last.
    for (const { head } of [...this.#entries.values()].toReversed()) {
      if (head.isPromoted) promoted++;
      if (head.status !== 'active') inactive++;
      else if (head.type === 'skill') skills++;
      lastUpdatedMs = Math.max(lastUpdatedMs ?? head.changedMs, head.changedMs);
      if (!head.isUnshared) continue;
      unshared++;
      const last = newest.at(-1);
      if (newest.length === MAX_UNSHARED && last !== undefined && compareAge(last, head) < 0) continue;
      newest.push(head);
      newest.sort(compareAge).splice(MAX_UNSHARED);
    }
    return {
      counts: { total: this.#entries.size, promoted, inactive, skills },
      lastUpdatedMs,
      unshared: { count: unshared, newest },
    };
  }

  /** Splits new assets into terms. Other work runs in between. */
  async readTerms(): Promise<void> {
    let left = SLICE;
    for (const entry of this.#unread) {
      if (left-- === 0) {
        await setImmediate();
        left = SLICE;
        // It was removed meanwhile.
        if (!this.#unread.has(entry)) continue;
      }
      this.#unread.delete(entry);
      this.#terms.set(entry);
    }
  }

  similar(query: string): Promise<Map<Entry, number>> {
    return this.#terms.similar(query);
  }

  match(query: string, visit: MatchVisitor<Entry>): void {
    this.#terms.match(query, visit);
  }
}
