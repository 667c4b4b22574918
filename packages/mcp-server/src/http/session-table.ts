import { toError } from '../transport.ts';
import type { Session } from './session.ts';

/** Options of {@link createSessionTable}. */
export interface SessionTableOptions {
  /** The limit of open sessions. */
  readonly maxSessions: number;
  /** The time after which an unused session ends. Milliseconds. */
  readonly idleMs: number;
  /** The clock, in milliseconds. */
  readonly now: () => number;
  readonly onError: (error: Error) => void;
}

/** The open sessions, their use and their limit. */
export interface SessionTable {
  readonly size: number;
  /** Whether {@link SessionTable.close} was called. */
  readonly isClosed: boolean;
  has(id: string): boolean;
  /** Reserves a place; when all are taken, ends the session that was unused longest. Returns `false` when all are in use. */
  reserve(): boolean;
  /** Returns a reserved place: its session has been added, or could not be opened. */
  release(): void;
  add(id: string, session: Session): void;
  remove(id: string): void;
  /** Starts an exchange of a session. Returns the session, and a function for the end of the exchange. */
  use(id: string): { readonly session: Session; readonly done: () => void } | undefined;
  /** Ends the sessions that were unused for too long. */
  sweep(): void;
  /** Ends all sessions. */
  close(): Promise<void>;
}

interface Entry {
  readonly session: Session;
  /** The number of running exchanges, including an open event stream. */
  active: number;
  /** When the last exchange began or ended, by the clock of the options. */
  usedMs: number;
}

/** Makes an empty table. */
export function createSessionTable({ maxSessions, idleMs, now, onError }: SessionTableOptions): SessionTable {
  const entries = new Map<string, Entry>();
  /** The number of sessions that are being opened. They count, or simultaneous requests would exceed the limit. */
  let reserved = 0;
  let isClosed = false;
  const end = async (id: string): Promise<void> => {
    const entry = entries.get(id);
    entries.delete(id);
    await entry?.session.close().catch((error: unknown) => onError(toError(error)));
  };
  return {
    get size(): number {
      return entries.size;
    },
    get isClosed(): boolean {
      return isClosed;
    },
    has: (id) => entries.has(id),
    reserve: () => {
      if (entries.size + reserved >= maxSessions) {
        const unused = [...entries].filter(([, { active }]) => active === 0);
        const [oldest] = unused.toSorted(([, a], [, b]) => a.usedMs - b.usedMs);
        if (!oldest) return false;
        void end(oldest[0]);
      }
      reserved += 1;
      return true;
    },
    release: () => {
      reserved -= 1;
    },
    add: (id, session) => void entries.set(id, { session, active: 0, usedMs: now() }),
    remove: (id) => void entries.delete(id),
    use: (id) => {
      const entry = entries.get(id);
      if (entry === undefined) return undefined;
      const count = (change: 1 | -1): void => {
        entry.active += change;
        entry.usedMs = now();
      };
      count(1);
      return { session: entry.session, done: () => count(-1) };
    },
    sweep: () => {
      for (const [id, { active, usedMs }] of entries) if (active === 0 && now() - usedMs >= idleMs) void end(id);
    },
    close: async () => {
      isClosed = true;
      await Promise.all([...entries.keys()].map(end));
    },
  };
}
