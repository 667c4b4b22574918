import type { Draft, ListRule, MemoryBackend } from '../records/backend.ts';

/** An empty store with a clock. */
export interface BackendHarness {
  readonly backend: MemoryBackend;
  /** Moves the clock of the store, forward or back. Otherwise the clock stands still. */
  readonly advance: (ms: number) => Promise<void>;
}

export interface ContractCase {
  readonly name: string;
  /** Rejects when the store fails the case. Closes the store. */
  readonly run: (open: () => Promise<BackendHarness>) => Promise<void>;
}

export const forever: ListRule = {
  maxRecords: Infinity,
  maxTemporaryRecords: Infinity,
  lifetimeMs: Infinity,
  temporaryLifetimeMs: Infinity,
};
export const HOUR = 3_600_000;
export const hourly: ListRule = { maxRecords: 5, maxTemporaryRecords: 5, lifetimeMs: HOUR, temporaryLifetimeMs: HOUR };
/** Permanent records live an hour, temporary ones a minute. */
export const notes: ListRule = { maxRecords: 5, maxTemporaryRecords: 5, lifetimeMs: HOUR, temporaryLifetimeMs: 60_000 };

export const draft = (text: string, timeMs?: number): Draft => ({
  before: `{"text":${JSON.stringify(text)},"time":`,
  after: '}',
  timeMs,
});
export const note = (text: string, temporary: boolean): Draft => ({
  ...draft(text),
  after: `,"temporary":${temporary}}`,
});

/** The texts of records. */
export function textsOf(records: readonly string[]): unknown[] {
  return records.map((record) => (JSON.parse(record) as { text: unknown }).text);
}

export function timeOf(record: string | undefined): number {
  return (JSON.parse(record ?? '') as { time: number }).time;
}

type Body = (harness: BackendHarness) => Promise<void>;

export function contractCase(name: string, body: Body): ContractCase {
  return {
    name,
    run: async (open) => {
      const harness = await open();
      try {
        await body(harness);
      } finally {
        await harness.backend.close();
      }
    },
  };
}
