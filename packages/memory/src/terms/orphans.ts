import { MemoryError } from '../errors.ts';
import type { CallOptions, KeyInfo, MemoryBackend } from '../records/backend.ts';
import { TERMS_PREFIX, termsSourceKey } from '../records/keys.ts';

async function collect(backend: MemoryBackend, { key, kind }: KeyInfo, call: CallOptions): Promise<void> {
  if (kind === 'document') {
    // The index of an earlier version.
    await backend.swap(key, { expected: await backend.read(key, call), next: undefined, ttlMs: Infinity }, call);
  } else if ((await backend.changes(termsSourceKey(key), { limit: 1, ...call })).count === 0) {
    await backend.remove(key, 'all', call);
  }
}

/** Removes the indexes that belong to nothing: a list ends by itself, and its index does not. */
export async function collectOrphans(backend: MemoryBackend, call: CallOptions): Promise<void> {
  for (const info of await backend.keys(TERMS_PREFIX, call)) {
    try {
      await collect(backend, info, call);
    } catch (error) {
      // A value that another program wrote under one of the keys.
      if (!MemoryError.isInstance(error)) throw error;
    }
  }
}
