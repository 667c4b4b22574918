import { MemoryError } from '../errors.ts';
import type { MemoryBackend } from '../records/backend.ts';

/** The calls that a store does not have yet. */
export function unfinished(
  name: string,
): Pick<MemoryBackend, 'trustedNow' | 'changes' | 'fetch' | 'sequences' | 'rows' | 'change' | 'erase'> {
  const fail = async (): Promise<never> => {
    throw new MemoryError('STORE_UNSUPPORTED', [
      `[memory:${name}] The store does not have this call yet`,
      'Use another store.',
    ]);
  };
  return { trustedNow: fail, changes: fail, fetch: fail, sequences: fail, rows: fail, change: fail, erase: fail };
}
