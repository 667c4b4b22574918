import type { CallTable } from '@cairn/tool/errors';
import { callOptions, checkArguments } from '../errors.ts';
import type { CallOptions, Memory, Namespace, NamespaceChanges, NamespaceRecord } from '@cairn/memory';
import { secretError } from '../assets/secrets.ts';
import { rowIdOf } from '../stores/record.ts';
import { learnRanking, type LearnedRanking, type OpenedEvent } from './learned-ranking.ts';

/** The newest events that are kept, and for how long. */
const LIMITS = { maxRecords: 2000, lifetimeMs: 180 * 86_400_000 };
const LIST = 'usage';

/** Longer queries are texts; their beginning says what they are about. UTF-16 code units. */
const MAX_QUERY_UNITS = 300;

export interface UsageOptions {
  /**
   * Opens the memory that keeps the events, in its namespace `knowledge`. Its export, statistics and `forget` include them. It is
   * called once, for the first event or the first call that needs them.
   */
  readonly open: () => Promise<Pick<Memory, 'namespace'>>;
  /** Whether events are recorded and used. @default true */
  readonly learn?: boolean | undefined;
}

/** Which assets were opened after which queries. */
export interface Usage {
  /** Whether events are recorded and used. */
  readonly isOn: boolean;
  /**
   * Records that an asset was opened. It returns before the event is stored and never fails, because the reader does not
   * depend on it. A query that seems to have a secret is not stored.
   */
  readonly recordOpened: (event: OpenedEvent) => void;
  /** Returns the number of sessions that opened each asset, by its id. */
  readonly opened: (options?: CallOptions) => Promise<ReadonlyMap<string, number>>;
  /** Returns the ranking that the events so far teach. */
  readonly ranking: (options?: CallOptions) => Promise<LearnedRanking>;
  /** Returns the events, oldest first. */
  readonly events: (options?: CallOptions) => Promise<readonly OpenedEvent[]>;
  /** Removes the events of an asset, in any case of its id. @returns the number of removed events. */
  readonly forget: (asset: string, options?: CallOptions) => Promise<number>;
  /** Resolves when all events are stored. */
  readonly flush: () => Promise<void>;
}

/** The list of events, as it was last read. */
interface Reading {
  readonly position: Pick<NamespaceChanges, 'start' | 'sequence'>;
  readonly records: readonly NamespaceRecord[];
  readonly events: readonly OpenedEvent[];
  readonly opened: ReadonlyMap<string, number>;
  /** Made when it is first needed. */
  ranking?: LearnedRanking;
}

function read(position: Reading['position'], all: readonly NamespaceRecord[]): Reading {
  const records = all.slice(-LIMITS.maxRecords);
  const events = records.flatMap(({ value: { asset, session, query } }): OpenedEvent[] => {
    if (typeof asset !== 'string' || typeof session !== 'string') return [];
    return [{ asset, session, ...(typeof query === 'string' && { query }) }];
  });
  const sessions = new Map<string, Set<string>>();
  for (const { asset, session } of events) {
    const known = sessions.get(asset);
    if (known === undefined) sessions.set(asset, new Set([session]));
    else known.add(session);
  }
  const opened = new Map(Array.from(sessions, ([asset, { size }]) => [asset, size]));
  return { position, records, events, opened };
}

const usageCalls: CallTable<Usage> = {
  opened: [callOptions],
  ranking: [callOptions],
  events: [callOptions],
  forget: ['any', callOptions],
};

/** Opens the events of a memory. Nothing is read before the first call that needs them. */
export function openUsage({ open, learn = true }: UsageOptions): Usage {
  let opening: Promise<Namespace> | undefined;
  const namespace = (): Promise<Namespace> =>
    (opening ??= open().then((memory) => memory.namespace('knowledge', LIMITS)));
  let reading: Reading | undefined;
  let writing: Promise<unknown> = Promise.resolve();

  const refresh = async ({ signal }: CallOptions = {}): Promise<Reading> => {
    const known = reading;
    const { records, isContinued, start, sequence } = await (
      await namespace()
    ).changes(LIST, { since: known?.position, signal });
    if (known !== undefined && isContinued && records.length === 0) return known;
    return (reading = read({ start, sequence }, isContinued ? [...(known?.records ?? []), ...records] : records));
  };
  const current = async (options?: CallOptions): Promise<Reading> =>
    learn ? refresh(options) : read({ start: 0, sequence: 0 }, []);

  const api: Usage = {
    isOn: learn,
    recordOpened: ({ asset, session, query = '' }) => {
      if (!learn) return;
      const text = query.normalize('NFC').replaceAll(/\s+/gu, ' ').trim().slice(0, MAX_QUERY_UNITS);
      const isStored = text !== '' && secretError(query) === undefined;
      const event = { asset, session, ...(isStored && { query: text }) };
      writing = writing.then(async () => (await namespace()).append(LIST, [event])).catch(() => undefined);
    },
    opened: async (options) => (await current(options)).opened,
    ranking: async (options) => {
      const now = await current(options);
      return (now.ranking ??= learnRanking(now.events));
    },
    events: async (options) => (await current(options)).events,
    forget: async (asset, options = {}) => {
      await writing;
      const list = await namespace();
      const records = (await list.list(LIST, options)).filter(
        ({ value }) => typeof value['asset'] === 'string' && rowIdOf(value['asset']) === rowIdOf(asset),
      );
      // The removal shows in the changes only when something is added.
      reading = undefined;
      return records.length === 0 ? 0 : list.remove(LIST, records, options);
    },
    flush: async () => void (await writing),
  };
  return checkArguments.calls(api, usageCalls);
}
