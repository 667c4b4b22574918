import type { CallTable } from '@cairn/tool/errors';
import { callOptions, checkArguments } from '../errors.ts';
import { retry, type Language } from '@cairn/tool/kernel';
import type { CallOptions, Row, RowChange } from '@cairn/memory';
import { readQuery, termsOf } from '@cairn/retrieval';
import { setImmediate } from 'node:timers/promises';
import type { Asset } from '../assets/asset.ts';
import { secretError } from '../assets/secrets.ts';
import type { AssetDraft } from '../stores/draft.ts';
import type { LocalStoreOptions } from '../stores/local-store.ts';
import { GAPS_KEY, Rows } from '../stores/rows.ts';
import { draftOf, gapId } from './gap.ts';
import { formatGap, MAX_GAPS, parseGap, pendingGaps, readGapRows, readGaps, type Gap } from './pending.ts';

const MAX_QUERY_CHARACTERS = 200;
const MAX_ATTEMPTS = 100;

export interface GapsOptions extends LocalStoreOptions {
  /** The language of drafts. */
  readonly language: Language;
}

function removal({ id, text }: Row): RowChange {
  return { id, expected: text, next: undefined };
}

class StoredGaps {
  readonly #options: GapsOptions;
  readonly #table: Rows;

  constructor(options: GapsOptions) {
    this.#options = options;
    this.#table = new Rows(options.backend, GAPS_KEY);
  }

  /** Returns all gaps, the latest question first. */
  list(options: CallOptions = {}): Promise<Gap[]> {
    return readGaps(this.#table, options);
  }

  /** Returns the gaps that were asked three times or are seven days old, the latest question first. */
  async pending(options: CallOptions = {}): Promise<Gap[]> {
    return pendingGaps(await this.list(options), await this.#now(options));
  }

  /**
   * Records that a question had no answer. Questions with the same words are one gap. A question without words, or with what seems
   * to be a secret, is not recorded.
   */
  async record(query: string, { signal }: CallOptions = {}): Promise<Gap | undefined> {
    const text = query
      .replaceAll(/\p{Cs}/gu, '\uFFFD')
      .normalize('NFC')
      .replaceAll(/[\p{Cc}\s]+/gu, ' ')
      .trim();
    const id = gapId(text);
    if (id === undefined || secretError(query) !== undefined) return undefined;
    // Nothing when many others ask the same concurrently.
    const attempt = async (): Promise<Gap | undefined> => {
      const [row] = await this.#table.read([id], { signal });
      const nowMs = await this.#now({ signal });
      const known = row && parseGap(row);
      const shown = Array.from(text).slice(0, MAX_QUERY_CHARACTERS).join('');
      const gap: Gap = known
        ? { ...known, asked: known.asked + 1, lastMs: Math.max(known.lastMs, nowMs) }
        : { id, query: shown, asked: 1, firstMs: nowMs, lastMs: nowMs };
      const rows = row === undefined ? await this.#dropped({ signal }) : [];
      const change = { id, expected: row?.text, next: formatGap(gap) };
      return (await this.#table.change([change, ...rows], { signal })).isDone ? gap : undefined;
    };
    return retry(attempt, { attempts: MAX_ATTEMPTS, signal });
  }

  /** Closes a gap by its id. @returns whether it was open. */
  async close(id: string, { signal }: CallOptions = {}): Promise<boolean> {
    const attempt = async (): Promise<boolean | undefined> => {
      const [row] = await this.#table.read([id], { signal });
      if (row === undefined) return false;
      return (await this.#table.change([removal(row)], { signal })).isDone || undefined;
    };
    return (await retry(attempt, { attempts: MAX_ATTEMPTS, signal })) ?? false;
  }

  /** Closes the gap of a question that has an answer now. @returns whether it was open. */
  async closeQuery(query: string, options: CallOptions = {}): Promise<boolean> {
    const id = gapId(query.normalize('NFC'));
    return id !== undefined && this.close(id, options);
  }

  /**
   * Closes the gaps that changed assets fill, and returns them. `isAnswered` is only asked about gaps that have a word in common with
   * the assets.
   */
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

  /** Returns the draft of the asset that fills a gap. */
  draft(gap: Gap): AssetDraft {
    return draftOf(gap, this.#options.language);
  }

  async #now({ signal }: CallOptions): Promise<number> {
    const { backend, clock } = this.#options;
    return clock?.() ?? backend.now({ signal });
  }

  async #dropped(options: CallOptions): Promise<RowChange[]> {
    // Rows of another version come first.
    const rows = (await readGapRows(this.#table, options)).toSorted(({ gap: left }, { gap: right }) => {
      return (left?.asked ?? 0) - (right?.asked ?? 0) || (left?.lastMs ?? 0) - (right?.lastMs ?? 0);
    });
    return rows.slice(0, Math.max(0, rows.length + 1 - MAX_GAPS)).map(removal);
  }
}

/** The questions that the assets do not answer. */
export type Gaps = Pick<StoredGaps, keyof StoredGaps>;

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
  return checkArguments.directCalls(checkArguments.calls<Gaps>(new StoredGaps(options), gapCalls), directCalls);
}
