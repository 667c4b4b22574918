/** What a table of vectors has: one row for each record, and one for the table. */
import { hash } from 'node:crypto';
import { parseFields } from '../records/record.ts';
import { decodeNumbers, encodeNumbers } from './numbers.ts';

/** The row of the table itself. The ids of other rows begin with {@link OF_RECORD}. */
export const STATE_ID = 'state';
const OF_RECORD = '=';

export function vectorIdOf(id: string): string {
  return `${OF_RECORD}${id}`;
}

/** Returns the id of the record that a row belongs to; `undefined` for another row. */
export function recordIdOf(id: string): string | undefined {
  return id.startsWith(OF_RECORD) ? id.slice(OF_RECORD.length) : undefined;
}

/** Why a record has no vectors: it may have a secret, or the server rejected its text. */
type Unsent = 'secret' | 'rejected';

/** The vectors of one record. */
export interface VectorRow {
  /** The model as the server names it, with its dimension. Vectors of two models cannot be compared. */
  readonly model: string;
  readonly hash: string;
  /** One for each piece of the text. Without vectors, the record is ranked by its words. */
  readonly vectors: readonly Int16Array[];
  readonly unsent?: Unsent;
}

/** Returns what changes when a text does. */
export function hashOf(text: string): string {
  return hash('sha256', text, 'base64url');
}

export function formatVectors({ model, hash: digest, vectors, unsent }: VectorRow): string {
  const head = JSON.stringify({ model, hash: digest, dimension: vectors[0]?.length ?? 0, unsent });
  return `${head}\n${encodeNumbers(vectors)}`;
}

/** Parses a row; `undefined` when it has another form, so that its record counts as one without vectors. */
export function parseVectors(text: string): VectorRow | undefined {
  const end = text.indexOf('\n');
  const fields = parseFields(text.slice(0, Math.max(0, end)));
  const { model, hash: digest, dimension, unsent } = fields ?? {};
  if (typeof model !== 'string' || typeof digest !== 'string') return undefined;
  if (unsent === 'secret' || unsent === 'rejected') return { model, hash: digest, vectors: [], unsent };
  if (typeof dimension !== 'number' || !Number.isInteger(dimension) || dimension < 1) return undefined;
  const vectors = decodeNumbers(text.slice(end + 1), dimension);
  return vectors && { model, hash: digest, vectors };
}

/** How far a table of vectors has followed the table of its records. */
export interface TableState {
  /** The model that was asked for. */
  readonly asked: string;
  /** As in {@link VectorRow}; empty before the first vector. */
  readonly model: string;
  /** Identifies the table of the records. */
  readonly start: number;
  /** Each record up to this sequence has its row. */
  readonly followed: number;
  /** The process that makes vectors, and until when others leave it to that one. */
  readonly by?: string | undefined;
  readonly untilMs?: number | undefined;
}

export function parseState(text: string | undefined): TableState | undefined {
  const fields = text === undefined ? undefined : parseFields(text);
  const { asked, model, start, followed, by, untilMs } = fields ?? {};
  if (typeof asked !== 'string' || typeof model !== 'string') return undefined;
  if (typeof start !== 'number' || typeof followed !== 'number') return undefined;
  const isHeld = typeof by === 'string' && typeof untilMs === 'number';
  return { asked, model, start, followed, ...(isHeld && { by, untilMs }) };
}
