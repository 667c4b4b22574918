import type { CallOptions, MemoryBackend } from '../records/backend.ts';
import type { ProblemListener } from './problems.ts';

/**
 * Runs a generator on a store, or, if the store is damaged, on a copy with every readable record. The damage and what is lost are
 * reported first.
 */
export async function* fromReadable<T>(
  backend: MemoryBackend,
  { onProblem, signal }: CallOptions & { readonly onProblem: ProblemListener },
  read: (backend: MemoryBackend) => AsyncGenerator<T, void, undefined>,
): AsyncGenerator<T, void, undefined> {
  const damage = (await backend.check?.({ signal })) ?? [];
  if (damage.length === 0 || backend.salvage === undefined) return yield* read(backend);
  const { backend: copy, lost } = await backend.salvage({ signal });
  try {
    for (const { key, message } of [...damage, ...lost]) onProblem({ key, code: 'CORRUPT_STORE', message });
    yield* read(copy);
  } finally {
    await copy.close();
  }
}
