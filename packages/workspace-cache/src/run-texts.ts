import type { TreeChange } from '@cairn/natives';
import type { ResolvedCacheOptions } from './cache-options.ts';
import { check, messageOf } from './checks.ts';
import type { DynamicListing, SectionOptions } from './data.ts';
import { renderChanges, TreeHistory } from './section/changes.ts';
import { renderListings, type PathListing } from './section/listings.ts';
import { renderSection, type SectionContent, type SectionStyle } from './section/section.ts';
import { sectionTexts } from './section/texts.ts';
import type { TreeSnapshot, TreeReader } from './tree/tree-state.ts';

/** An entry of the workspace that came or went. */
interface WorkspaceDifference {
  /** Relative to the root, with `/`. Bytes that are not UTF-8 are U+FFFD. */
  readonly path: string;
  /** An entry that became something else, such as a file in the place of a directory, was removed and added. */
  readonly change: 'added' | 'removed';
  readonly kind: 'file' | 'dir' | 'symlink';
}

/** The result of `WorkspaceRun.refresh`. */
export interface Refreshed {
  /** The changes since the run read the workspace last: at `init`, `refresh` or `updates`. At most 1,000 entries. */
  readonly changes: readonly WorkspaceDifference[];
  /** How many there are. A removed directory counts once, an added one with everything in it. */
  readonly total: number;
  /** How many of them no tool announced. */
  readonly others: number;
  /** Whether `updates()` names everything that changed since the section: the budget may cut it. */
  readonly isWhole: boolean;
  /** For `updates({ since })`. */
  readonly cursor: number;
  /** Why the workspace could not be compared with the disk; absent when it was. `changes` is empty then. */
  readonly error?: string;
}

export interface SinceOptions extends SectionOptions {
  /** The cursor of an earlier answer, or of `refresh`; 0 is the time of the section. */
  readonly since: number;
}

/** The news after a cursor. Templates print its text. */
export interface UpdatesSince {
  /** Empty when nothing is new. */
  readonly text: string;
  /** Pass it as `since` for what is new after this answer. */
  readonly cursor: number;
  /** How many changes of the workspace there are, and how many of them the text names: the budget may cut it. */
  readonly total: number;
  readonly shown: number;
  toString(): string;
}

interface RunTextParts extends Pick<ResolvedCacheOptions, 'style' | 'maxTokens' | 'count'> {
  readonly content: Omit<SectionContent, 'listings'>;
  readonly dynamic: Readonly<Record<string, DynamicListing>>;
  /** The state that the section shows; absent when it does not show all of the workspace. */
  readonly first: TreeSnapshot | undefined;
  readonly reader: TreeReader | undefined;
}

/** The budget of listings and updates together when no limit covers the section, too. */
const EXTRA_TOKENS = 2000;

/** The part of `maxTokens` that a section may take, its listings included. The rest is for what happens later. */
export const SECTION_SHARE = 0.7;

const MAX_DIFFERENCES = 1000;

/** No list names more changes than this, whatever the budget. */
const MAX_LINES = 5000;

/** The tokens of the empty line between two parts. */
const JOINT_TOKENS = 1;

function differenceOf({ path, appeared, kind }: TreeChange): WorkspaceDifference {
  return { path, change: appeared ? 'added' : 'removed', kind };
}

/** The texts of one run: the section, which stays as it is, and what is new since. */
export class RunTexts {
  readonly #parts: RunTextParts;
  readonly #history: TreeHistory | undefined;
  /** Rises with each thing that is new. A cursor is a moment. */
  #moment = 0;
  readonly #listed = new WeakMap<DynamicListing, number>();
  /** By the name of the list tool. All of them show the same. */
  readonly #sections = new Map<SectionOptions['list'], string>();
  #inSection: readonly PathListing[] = [];
  /** A workspace announced a change since the tree was read. */
  #isPending = false;
  #isUnknown = false;

  constructor(parts: RunTextParts) {
    this.#parts = parts;
    this.#history = parts.first && new TreeHistory(parts.first);
  }

  get firstSection(): string | undefined {
    return this.#sections.values().next().value;
  }

  noteChange(): void {
    this.#isPending = true;
  }

  section(options: SectionOptions): string {
    const { content, dynamic, count } = this.#parts;
    const style = this.#styleFor(options);
    const { list } = style.toolNames;
    const known = this.#sections.get(list);
    if (known !== undefined) return known;
    const base = renderSection(content, style);
    const isFirst = this.#sections.size === 0;
    const maxTokens = isFirst ? this.#extra(base) / 2 - JOINT_TOKENS : Infinity;
    const listings = renderListings(isFirst ? Object.entries(dynamic) : this.#inSection, style, { maxTokens, count });
    if (isFirst) this.#inSection = listings.shown;
    const section = listings.text === '' ? base : renderSection({ ...content, listings: listings.text }, style);
    this.#sections.set(list, section);
    return section;
  }

  updates(options: SectionOptions & { readonly since?: number | undefined }): UpdatesSince {
    const { count } = this.#parts;
    this.#readAnnounced();
    this.#noteListings();
    const style = this.#styleFor(options);
    const texts = sectionTexts[style.language];
    const since = options.since ?? 0;
    check('since', since, since <= this.#moment, `a cursor of this run, at most ${this.#moment}, or 0`);
    const from = this.#history?.knows(since) === true ? since : 0;
    const listings = this.#laterListings(since);
    let left = this.#left(style);
    const unknown = this.#isUnknown ? texts.unknownChanges : '';
    if (unknown !== '') left -= count(unknown) + JOINT_TOKENS;
    const heading = from === 0 ? texts.changes : texts.laterChanges;
    const budget = { maxTokens: listings.length > 0 ? Math.floor(left / 2) : left, count };
    const maxListed = Math.max(0, Math.min(MAX_LINES, Math.ceil(left)));
    const found = this.#history?.since(from, maxListed) ?? { listed: [], total: 0 };
    const changes = renderChanges(found, { language: style.language, heading, budget });
    if (changes.text !== '') left -= count(changes.text) + JOINT_TOKENS;
    const kept = renderListings(listings, style, { maxTokens: left, count });
    const text = [changes.text, unknown, kept.text].filter((part) => part !== '').join('\n\n');
    return { text, cursor: this.#moment, total: found.total, shown: changes.shown, toString: () => text };
  }

  async refresh(): Promise<Refreshed> {
    const { reader } = this.#parts;
    const before = this.#moment;
    this.#readAnnounced();
    const announced = this.#moment;
    const hadPending = this.#isPending;
    try {
      if (reader === undefined || this.#history === undefined) throw new Error('the run began without the whole tree');
      this.#isPending = false;
      this.#see(await reader.fromDisk());
    } catch (error) {
      this.#isPending ||= hadPending;
      this.#isUnknown = reader !== undefined;
      const reason = messageOf(error);
      return { changes: [], total: 0, others: 0, isWhole: false, cursor: this.#moment, error: reason };
    }
    const { listed, total } = this.#history.since(before, MAX_DIFFERENCES);
    const others = this.#history.since(announced, 0).total;
    const all = this.updates({});
    const isWhole = all.shown === all.total;
    return { changes: listed.map(differenceOf), total, others, isWhole, cursor: all.cursor };
  }

  #styleFor({ list = this.#parts.style.toolNames.list }: SectionOptions): SectionStyle {
    return { ...this.#parts.style, toolNames: { list } };
  }

  /** Returns what listings and updates may take together. */
  #extra(base: string): number {
    const { maxTokens, count } = this.#parts;
    return maxTokens === undefined ? EXTRA_TOKENS : Math.max(0, maxTokens - count(base));
  }

  /** Returns what updates may take: what the section left. */
  #left(style: SectionStyle): number {
    const { content, count } = this.#parts;
    const base = renderSection(content, style);
    const section = this.firstSection ?? base;
    return this.#extra(base) - Math.max(0, count(section) - count(base)) - JOINT_TOKENS;
  }

  #laterListings(since: number): PathListing[] {
    if (this.#sections.size === 0) return [];
    const shown = new Set(this.#inSection.map(([, listing]) => listing));
    const isLater = ([, listing]: PathListing): boolean =>
      !shown.has(listing) && (since === 0 || (this.#listed.get(listing) ?? 0) > since);
    return Object.entries(this.#parts.dynamic).filter(isLater);
  }

  #noteListings(): void {
    const unseen = Object.values(this.#parts.dynamic).filter((listing) => !this.#listed.has(listing));
    if (unseen.length === 0) return;
    this.#moment += 1;
    for (const listing of unseen) this.#listed.set(listing, this.#moment);
  }

  #see(snapshot: TreeSnapshot): void {
    this.#isUnknown = false;
    if (this.#history?.add(snapshot, this.#moment + 1) === true) this.#moment += 1;
  }

  #readAnnounced(): void {
    const { reader } = this.#parts;
    if (!this.#isPending || reader === undefined) return;
    try {
      if (this.#history === undefined) throw new Error('the run began without the whole tree');
      this.#see(reader.afterAnnouncement());
      this.#isPending = false;
    } catch {
      // The text states it.
      this.#isUnknown = true;
    }
  }
}
