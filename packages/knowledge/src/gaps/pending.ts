/** How gaps are read, and which wait to be filled. Loads little, so that the start of a session can use it. */
import type { CallOptions, Row } from '@cairn/memory';
import type { Rows } from '../stores/rows.ts';

/** A question that the assets do not answer. */
export interface Gap {
  readonly id: string;
  /** The question as it was first asked. */
  readonly query: string;
  /** How often it was asked, in any order of its words. */
  readonly asked: number;
  readonly firstMs: number;
  readonly lastMs: number;
}

/** A gap is pending when it was asked this often, or is this old. */
const PENDING_ASKED = 3;
const PENDING_MS: number = 7 * 24 * 60 * 60 * 1000;

function compareGaps(left: Gap, right: Gap): number {
  return right.lastMs - left.lastMs || (left.id < right.id ? -1 : 1);
}

/** Returns the gaps that should be filled now, the latest question first. */
export function pendingGaps(gaps: readonly Gap[], nowMs: number): Gap[] {
  const isPending = ({ asked, firstMs }: Gap): boolean => asked >= PENDING_ASKED || nowMs - firstMs >= PENDING_MS;
  return gaps.filter(isPending).toSorted(compareGaps);
}

const VERSION = 1;

/** More gaps are dropped, those that were asked least and longest ago first. */
export const MAX_GAPS = 500;

export function formatGap({ query, asked, firstMs, lastMs }: Gap): string {
  return JSON.stringify({ version: VERSION, query, asked, firstMs, lastMs });
}

export function parseGap({ id, text }: Row): Gap | undefined {
  try {
    const { version, query, asked, firstMs, lastMs } = JSON.parse(text) as Partial<Gap> & { version?: number };
    if (version !== VERSION || typeof query !== 'string') return undefined;
    if (typeof asked !== 'number' || typeof firstMs !== 'number' || typeof lastMs !== 'number') return undefined;
    return { id, query, asked, firstMs, lastMs };
  } catch {
    return undefined;
  }
}

export async function readGapRows(
  table: Rows,
  { signal }: CallOptions,
): Promise<(Row & { readonly gap: Gap | undefined })[]> {
  const { rows } = await table.changes({ after: 0, limit: 2 * MAX_GAPS, signal });
  return rows.map((row) => ({ ...row, gap: parseGap(row) }));
}

/** Returns all gaps, the latest question first. */
export async function readGaps(table: Rows, options: CallOptions): Promise<Gap[]> {
  return (await readGapRows(table, options)).flatMap(({ gap }) => gap ?? []).toSorted(compareGaps);
}
