import { isStrings, quoted } from '@cairn/tool/kernel';
import { MemoryError } from '../errors.ts';
import type { CallOptions, MemoryBackend } from '../records/backend.ts';
import { DOCUMENT_ID, readDocument, swapDocument } from '../records/documents.ts';
import { streamKey } from '../records/keys.ts';
import { removeRows } from '../records/lists.ts';
import { parseFields } from '../records/record.ts';

/** The name of a stream with the streams that it merges. It is kept in the store, so that all processes agree. */
export interface StreamClaim {
  readonly name: string;
  /** The merged streams, the main one first; empty for a plain stream. */
  readonly parents: readonly string[];
}

/** Returns whether two claims of one name are the same stream. */
export function isSameStream(a: StreamClaim, b: StreamClaim): boolean {
  return JSON.stringify(a.parents) === JSON.stringify(b.parents);
}

export function nameInUse({ name, parents }: StreamClaim): MemoryError {
  const owner = parents.length === 0 ? 'another stream' : `the merge of ${parents.join(' + ')}`;
  return new MemoryError('STREAM_EXISTS', [
    `The name ${quoted(name)} is in use by ${owner}`,
    'Use another name: two streams with one name would share one memory.',
  ]);
}

/** Returns the merged streams of a claim; `undefined` when the document is not a claim. */
export function parentsOf(document: string): readonly string[] | undefined {
  const { parents } = parseFields(document) ?? {};
  return isStrings(parents) ? parents : undefined;
}

/** @throws {MemoryError} `CORRUPT_RECORD`. */
async function readClaim(backend: MemoryBackend, name: string, options: CallOptions): Promise<StreamClaim | undefined> {
  const key = streamKey(name);
  const document = await readDocument(backend, key, options);
  if (document === undefined) return undefined;
  const parents = parentsOf(document);
  if (parents) return { name, parents };
  const hint = 'Forget the stream to remove it; its memory is not known to be yours.';
  throw new MemoryError('CORRUPT_RECORD', [`The claim of the stream ${quoted(name)} is not readable`, hint], { key });
}

/**
 * Claims the name of a stream. The claim has no end.
 *
 * @returns whether the name was free. @throws {MemoryError} `STREAM_EXISTS` when another stream has it, `CORRUPT_RECORD`.
 */
export async function claimStream(
  backend: MemoryBackend,
  { name, parents }: StreamClaim,
  options: CallOptions = {},
): Promise<boolean> {
  for (;;) {
    const known = await readClaim(backend, name, options);
    if (known !== undefined) {
      if (isSameStream(known, { name, parents })) return false;
      throw nameInUse(known);
    }
    const swap = { expected: undefined, next: JSON.stringify({ name, parents }) };
    if (await swapDocument(backend, streamKey(name), swap, options)) return true;
  }
}

/** The claims that this process has made. */
export class Claims {
  readonly #backend: MemoryBackend;
  readonly #made = new Set<string>();

  constructor(backend: MemoryBackend) {
    this.#backend = backend;
  }

  /**
   * Claims the names of a stream and its parents, the name of the stream last. Those of the parents are claimed once in a process.
   * That of the stream is read each time, because another process may have forgotten the stream, so that its name was free.
   *
   * @throws {MemoryError} `STREAM_EXISTS`.
   */
  async ensure(claims: readonly StreamClaim[], options: CallOptions): Promise<void> {
    for (const [index, claim] of claims.entries()) {
      if (this.#made.has(claim.name) && index < claims.length - 1) continue;
      try {
        await claimStream(this.#backend, claim, options);
        this.#made.add(claim.name);
      } catch (error) {
        // A store that is not writable can still be read. A later write fails by itself.
        if (!MemoryError.isInstance(error) || error.code !== 'STORE_DENIED') throw error;
        const known = await readClaim(this.#backend, claim.name, options);
        if (known && !isSameStream(known, claim)) throw nameInUse(known);
      }
    }
  }

  async release(name: string, options: CallOptions): Promise<boolean> {
    this.#made.delete(name);
    return (await removeRows(this.#backend, streamKey(name), [DOCUMENT_ID], options)) > 0;
  }
}
