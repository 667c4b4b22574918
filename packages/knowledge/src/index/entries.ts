import { setImmediate } from 'node:timers/promises';
import type { AssetHead } from '../assets/asset.ts';
import { foldName } from '../assets/names.ts';
import type { KnownAssets } from '../stores/changes.ts';
import { rowIdOf } from '../stores/record.ts';
import { formatLine } from './lines.ts';
import { createComparison } from './order.ts';
import { ScanTerms } from './scan-terms.ts';
import type { MatchVisitor } from './scan-terms.ts';
import { overviewOf } from './selection.ts';
import type { IndexOverview } from './selection.ts';

/** Assets that are split into terms before other work runs. */
const SLICE = 50;

/** An asset in the index. Its line is made once. */
export class Entry {
  readonly head: AssetHead;
  readonly sequence: number;
  rank = 0;
  /** Whether the asset was removed or changed since. */
  isGone = false;
  #line: string | undefined;

  constructor(head: AssetHead, sequence: number) {
    this.head = head;
    this.sequence = sequence;
  }

  get line(): string {
    return (this.#line ??= formatLine(this.head));
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
  #unreadable = 0;
  #opened: ReadonlyMap<string, number> = new Map();
  #ordered: readonly Entry[] = [];
  /** The entries that are not in the order yet; `undefined` when all are to be sorted. */
  #added: Entry[] | undefined = [];
  #isOrdered = true;

  get sequences(): KnownAssets['sequences'] {
    return this.#sequences;
  }

  get unreadable(): number {
    return this.#unreadable;
  }

  set unreadable(unreadable: number) {
    this.#unreadable = unreadable;
    this.#overview = undefined;
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
    this.#unreadable = 0;
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

  newest(): Entry | undefined {
    let newest: Entry | undefined;
    for (const entry of this.#bySequence.values()) if (entry.sequence > (newest?.sequence ?? 0)) newest = entry;
    return newest;
  }

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
    return (this.#overview ??= overviewOf(
      // Mostly the newest are last.
      Array.from(this.#entries.values(), ({ head }) => head).toReversed(),
      this.#unreadable,
    ));
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
