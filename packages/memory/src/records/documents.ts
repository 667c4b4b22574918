/** A key with one text, which is changed by compare and swap: a table with one row. */
import { MemoryError } from '../errors.ts';
import type { CallOptions, MemoryBackend } from './backend.ts';

/** The id of the row, which no record of a list has. */
export const DOCUMENT_ID = 'document';

/** A change of a document that is made only if the document is as expected. */
export interface Swap {
  /** The expected document; `undefined` for none. */
  readonly expected: string | undefined;
  /** The new document; `undefined` removes it. */
  readonly next: string | undefined;
  /** How long the new document is kept, from now. @default Infinity */
  readonly ttlMs?: number | undefined;
}

/** @throws {MemoryError} `CORRUPT_RECORD` when the store damaged it. */
export async function readDocument(
  backend: MemoryBackend,
  key: string,
  options?: CallOptions,
): Promise<string | undefined> {
  const [row] = await backend.rows(key, [DOCUMENT_ID], options);
  if (row?.isDamaged !== true) return row?.text;
  const summary = `[memory:${backend.name}] The document of ${key} is damaged`;
  throw new MemoryError('CORRUPT_RECORD', [summary, 'It was left in place; restore a backup of the store.'], { key });
}

/** Changes a document if it is as expected. @returns whether it was changed. */
export async function swapDocument(
  backend: MemoryBackend,
  key: string,
  { expected, next, ttlMs }: Swap,
  options?: CallOptions,
): Promise<boolean> {
  const row = { id: DOCUMENT_ID, expected, next, lifetimeMs: ttlMs };
  return (await backend.change(key, { rows: [row] }, options)).isDone;
}
