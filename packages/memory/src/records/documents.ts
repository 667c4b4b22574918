/** A key with one text, which is changed by compare and swap: a table with one row. */
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

export async function readDocument(
  backend: MemoryBackend,
  key: string,
  options?: CallOptions,
): Promise<string | undefined> {
  return (await backend.rows(key, [DOCUMENT_ID], options))[0]?.text;
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
