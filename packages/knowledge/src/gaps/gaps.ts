import type { CallTable, OptionNames } from '@cairn/tool/errors';
import type { Language } from '@cairn/tool/kernel';
import { checkArguments } from '../errors.ts';
import type { CallOptions, MemoryBackend } from '@cairn/memory';
import { readQuery, termsOf } from '@cairn/retrieval';
import { setImmediate } from 'node:timers/promises';
import type { Asset } from '../assets/asset.ts';
import { hasSecret } from '../assets/secrets.ts';
import type { AssetDraft } from '../stores/local-store.ts';
import { GAPS_KEY, Rows } from '../stores/rows.ts';
import type { Row, RowChange } from '../stores/rows.ts';
import { draftOf, gapId } from './gap.ts';
import { GAP_VERSION, MAX_GAPS, parseGap, pendingGaps, readGapRows, readGaps } from './pending.ts';
import type { Gap, GapRow } from './pending.ts';

const MAX_QUERY_CHARACTERS = 200;
const MAX_ATTEMPTS = 100;

export interface GapsOptions {
  readonly backend: MemoryBackend;
  /** Milliseconds since the epoch. @default the clock of the backend */
  readonly clock?: (() => number) | undefined;
  /** The language of drafts. */
  readonly language: Language;
}

/** The questions that the assets do not answer. */
export interface Gaps {
  /**
   * Records that a question had no answer. Questions with the same words are one gap. A question without words, or with what seems
   * to be a secret, is not recorded.
   */
  readonly record: (query: string, options?: CallOptions) => Promise<Gap | undefined>;
  /** Returns all gaps, the latest question first. */
  readonly list: (options?: CallOptions) => Promise<Gap[]>;
  /** Returns the gaps that were asked three times or are seven days old, the latest question first. */
  readonly pending: (options?: CallOptions) => Promise<Gap[]>;
  /** Closes a gap by its id. @returns whether it was open. */
  readonly close: (id: string, options?: CallOptions) => Promise<boolean>;
  /** Closes the gap of a question that has an answer now. @returns whether it was open. */
  readonly closeQuery: (query: string, options?: CallOptions) => Promise<boolean>;
  /**
   * Closes the gaps that changed assets fill.
   *
   * @param isAnswered returns whether a question has an answer now. Only asked about gaps that have a word in common with the assets.
   * @returns the closed gaps.
   */
  readonly settle: (
    assets: readonly Asset[],
    isAnswered: (query: string) => Promise<boolean>,
    options?: CallOptions,
  ) => Promise<Gap[]>;
  /** Returns the draft of the asset that fills a gap. */
  readonly draft: (gap: Gap) => AssetDraft;
}

function formatGap({ query, asked, firstMs, lastMs }: Gap): string {
  return JSON.stringify({ version: GAP_VERSION, query, asked, firstMs, lastMs });
}

function removal({ id, text }: Row): RowChange {
  return { id, expected: text, next: undefined };
}

class StoredGaps implements Gaps {
  readonly #options: GapsOptions;
  readonly #table: Rows;

  constructor(options: GapsOptions) {
    this.#options = options;
    this.#table = new Rows(options.backend, GAPS_KEY);
  }

  list(options: CallOptions = {}): Promise<Gap[]> {
    return readGaps(this.#table, options);
  }

  async pending(options: CallOptions = {}): Promise<Gap[]> {
    return pendingGaps(await this.list(options), await this.#now(options));
  }

  async record(query: string, { signal }: CallOptions = {}): Promise<Gap | undefined> {
    const text = query
      .replaceAll(/\p{Cs}/gu, '\uFFFD')
      .normalize('NFC')
      .replaceAll(/[\p{Cc}\s]+/gu, ' ')
      .trim();
    const id = gapId(text);
    if (id === undefined || hasSecret(query)) return undefined;
    for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
      const [row] = await this.#table.read([id], { signal });
      const nowMs = await this.#now({ signal });
      const known = row && parseGap(row);
      const shown = Array.from(text).slice(0, MAX_QUERY_CHARACTERS).join('');
      const gap: Gap = known
        ? { ...known, asked: known.asked + 1, lastMs: Math.max(known.lastMs, nowMs) }
        : { id, query: shown, asked: 1, firstMs: nowMs, lastMs: nowMs };
      const rows = row === undefined ? await this.#dropped({ signal }) : [];
      const change = { id, expected: row?.text, next: formatGap(gap) };
      if ((await this.#table.change([change, ...rows], { signal })).isDone) return gap;
      signal?.throwIfAborted();
    }
    // Many others ask the same concurrently.
    return undefined;
  }

  async close(id: string, { signal }: CallOptions = {}): Promise<boolean> {
    for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
      const [row] = await this.#table.read([id], { signal });
      if (row === undefined) return false;
      if ((await this.#table.change([removal(row)], { signal })).isDone) return true;
      signal?.throwIfAborted();
    }
    return false;
  }

  async closeQuery(query: string, options: CallOptions = {}): Promise<boolean> {
    const id = gapId(query.normalize('NFC'));
    return id !== undefined && this.close(id, options);
  }

  async settle(
    assets: readonly Asset[],
    isAnswered: (query: string) => Promise<boolean>,
    { signal }: CallOptions = {},
  ): Promise<Gap[]> {
    const gaps = await this.list({ signal });
    if (gaps.length === 0 || assets.length === 0) return [];
    const words = new Set<string>();
    for (const { name, title, tags, body } of assets) {
      for (const term of termsOf([name, title, ...tags, body].join('\n'))) words.add(term);
      await setImmediate();
      signal?.throwIfAborted();
    }
    const closed: Gap[] = [];
    for (const gap of gaps) {
      const terms = readQuery(gap.query).terms.map(({ term }) => term);
      if (!terms.some((term) => words.has(term)) || !(await isAnswered(gap.query))) continue;
      if (await this.close(gap.id, { signal })) closed.push(gap);
    }
    return closed;
  }

  draft(gap: Gap): AssetDraft {
    return draftOf(gap, this.#options.language);
  }

  async #now({ signal }: CallOptions): Promise<number> {
    const { backend, clock } = this.#options;
    return clock?.() ?? backend.now({ signal });
  }

  /** Returns the changes that make room for a new gap. */
  async #dropped(options: CallOptions): Promise<RowChange[]> {
    // Rows of another version come first.
    const order = ({ gap }: GapRow): readonly [number, number] => [gap?.asked ?? 0, gap?.lastMs ?? 0];
    const rows = (await readGapRows(this.#table, options)).toSorted((left, right) => {
      const [[asked, lastMs], [otherAsked, otherMs]] = [order(left), order(right)];
      return asked - otherAsked || lastMs - otherMs;
    });
    return rows.slice(0, Math.max(0, rows.length + 1 - MAX_GAPS)).map(removal);
  }
}

const callOptions: OptionNames<CallOptions> = { signal: 'optional' };

const gapCalls: CallTable<Gaps> = {
  record: ['any', callOptions],
  list: [callOptions],
  pending: [callOptions],
  close: ['any', callOptions],
  closeQuery: ['any', callOptions],
  settle: ['any', 'any', callOptions],
};

const directCalls: CallTable<Gaps> = { draft: ['any'] };

/** Opens the gaps of a store. Nothing is read before the first call. */
export function openGaps(options: GapsOptions): Gaps {
  checkArguments.options('openGaps', options, { backend: 'required', clock: 'optional', language: 'required' });
  return checkArguments.directCalls(checkArguments.calls<Gaps>(new StoredGaps(options), gapCalls), directCalls);
}
