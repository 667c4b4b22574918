import { setImmediate } from 'node:timers/promises';
import type { AssetHead } from '../assets/asset.ts';
import { foldName } from '../assets/names.ts';
import { stackMatcherOf } from '../stack/stack.ts';
import { rowIdOf } from '../stores/record.ts';
import { formatLine } from './lines.ts';
import { ScanTerms } from './scan-terms.ts';
import { createComparison, createFilter, overviewOf, type IndexFilters, type IndexOverview } from './selection.ts';

/** Assets that are split into terms before other work runs. */
const SLICE = 50;

export interface ScanResult {
  /** Assets with all words of the query. An asset with this name comes first; then the order of the index. */
  readonly exact: readonly AssetHead[];
  /** Assets with some words of the query: those with more of it first, then in the order of the index. */
  readonly vague: readonly AssetHead[];
}

/** An asset in the index. Its line is made once. */
export class Entry {
  readonly head: AssetHead;
  readonly sequence: number;
  readonly rowId: string;
  rank = 0;
  #line: string | undefined;

  constructor(head: AssetHead, sequence: number) {
    this.head = head;
    this.sequence = sequence;
    this.rowId = rowIdOf(head.id);
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
  /** By the id of the row: a new case of a name replaces the asset. Mostly in the order of the index. */
  #entries = new Map<string, Entry>();
  /** The sequence of each asset, by its id. */
  readonly sequences: Map<string, number> = new Map();
  /** The number of rows in the store that this version cannot read. Set it before the first asset. */
  unreadable = 0;
  readonly #bySequence = new Map<number, Entry>();
  /** By their folded names and ids. Made when it is first needed. */
  #named: Map<string, Set<Entry>> | undefined;
  /** `undefined` after a change. */
  #overview: IndexOverview | undefined;
  /** `undefined` after a change. */
  #glossary: string | undefined;
  #terms = new ScanTerms<Entry>();
  /** The entries that the terms lack. */
  readonly #unread = new Set<Entry>();
  #opened: ReadonlyMap<string, number> = new Map();
  /** `undefined` after a change. */
  #ordered: readonly Entry[] | undefined;

  get opened(): ReadonlyMap<string, number> {
    return this.#opened;
  }

  set opened(opened: ReadonlyMap<string, number>) {
    const isEqual =
      opened.size === this.#opened.size && [...opened].every(([id, times]) => this.#opened.get(id) === times);
    if (isEqual) return;
    this.#opened = opened;
    this.#ordered = undefined;
  }

  set(head: AssetHead, sequence: number): void {
    this.delete(head.id);
    const entry = new Entry(head, sequence);
    this.#entries.set(entry.rowId, entry);
    this.sequences.set(head.id, sequence);
    this.#bySequence.set(sequence, entry);
    this.#unread.add(entry);
    if (this.#named !== undefined) addNames(this.#named, entry);
    this.#overview = undefined;
    this.#glossary = undefined;
    this.#ordered = undefined;
  }

  delete(asset: string): void {
    const entry = this.get(asset);
    if (entry === undefined) return;
    const { id } = entry.head;
    this.#entries.delete(entry.rowId);
    this.sequences.delete(id);
    this.#bySequence.delete(entry.sequence);
    if (!this.#unread.delete(entry)) this.#terms.delete(entry);
    if (this.#named !== undefined) for (const name of namesOf(entry)) this.#named.get(name)?.delete(entry);
    this.#overview = undefined;
    this.#glossary = undefined;
    this.#ordered = undefined;
  }

  clear(): void {
    this.#entries.clear();
    this.sequences.clear();
    this.#bySequence.clear();
    this.#unread.clear();
    this.#named = undefined;
    this.#overview = undefined;
    this.#glossary = undefined;
    this.#terms = new ScanTerms();
    this.#ordered = undefined;
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

  ordered(): readonly Entry[] {
    if (this.#ordered === undefined) {
      const compare = createComparison(this.#opened);
      const all = [...this.#entries.values()].sort((a, b) => compare(a.head, b.head));
      for (const [rank, entry] of all.entries()) entry.rank = rank;
      // In order, sorting takes one pass after the next change.
      this.#entries = new Map(all.map((entry) => [entry.rowId, entry]));
      this.#ordered = all;
    }
    return this.#ordered;
  }

  /** Returns the numbers of all entries. They are counted once after each change. */
  overview(): IndexOverview {
    this.#overview ??= overviewOf(
      Array.from(this.#entries.values(), ({ head }) => head),
      this.unreadable,
    );
    return this.#overview;
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
      this.#terms.add(entry);
    }
  }

  similar(query: string): Promise<Map<Entry, number>> {
    return this.#terms.similar(query);
  }

  /** Returns the relations of all glossary assets, each after a comment with its id. They are collected once after each change. */
  glossary(): string {
    this.#glossary ??= Array.from(this.#entries.values(), ({ head: { id, relations } }) =>
      relations === undefined ? '' : `# ${id}\n${relations.trim()}\n`,
    )
      .toSorted()
      .join('');
    return this.#glossary;
  }

  /**
   * Finds the assets with words of a query. No list is sorted: the matches are read in the order of the index, each into the list
   * of those with as much of the query.
   */
  scan(query: string, filters: IndexFilters): ScanResult {
    const isSelected = createFilter(filters);
    const matches = filters.stack && stackMatcherOf(filters.stack);
    const asked = query.trim().toLowerCase();
    const ordered = this.ordered();
    /** By rank the half words of a vague match, a negative number for an exact one, 0 for none. */
    const strengths = new Int32Array(ordered.length);
    let strongest = 0;
    this.#terms.match(query, ordered.length, ({ head, rank }, isExact, halves) => {
      if (!isSelected(head)) return;
      // Of exact matches, the asset of that name is the strongest.
      if (isExact) {
        strengths[rank] = head.name.length === asked.length && head.name.toLowerCase() === asked ? -2 : -1;
      } else {
        strengths[rank] = halves;
        if (halves > strongest) strongest = halves;
      }
    });
    /** The strongest first; of equally strong ones those of the stack. */
    const exact: AssetHead[][] = [[], [], [], []];
    const vague: AssetHead[][] = Array.from({ length: 2 * strongest }, () => []);
    // An iterator takes longer than all the rest.
    for (let rank = 0; rank < strengths.length; rank++) {
      const strength = strengths[rank] ?? 0;
      const head = strength === 0 ? undefined : ordered[rank]?.head;
      if (head === undefined) continue;
      const after = matches === undefined || matches(head.productLine) ? 0 : 1;
      const list = strength < 0 ? exact[2 * (2 + strength) + after] : vague[2 * (strongest - strength) + after];
      list?.push(head);
    }
    return { exact: exact.flat(), vague: vague.flat() };
  }
}
