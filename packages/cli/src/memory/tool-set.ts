import type { ToolSet } from '@cairn/tool';
import type { MemoryNaming } from '@cairn/memory/tools';
import type { Session } from '../terminal/session.ts';
import { openMemory } from './store.ts';

/** The memory that is served, and the names of its tools. */
export interface MemoryToolSetOptions {
  readonly naming: MemoryNaming;
  /** The SQLite file. Default: the user's store, or the Redis of `CAIRN_REDIS_URL`. */
  readonly store?: string | undefined;
  /** Called with a notice for each unreadable record. */
  readonly say: (text: string) => void;
}

/** Returns the tool set of `@cairn/memory` over the chosen store. */
export async function memoryToolSet(
  session: Pick<Session, 'env' | 'cwd'>,
  { naming, store, say }: MemoryToolSetOptions,
): Promise<ToolSet> {
  const tools = await import('@cairn/memory/tools');
  const open = async () => (await openMemory(session, store === undefined ? {} : { store }, say)).memory;
  // An invalid CAIRN_REDIS_URL is reported at the start, like an invalid option.
  const opensAtStart = store === undefined && Boolean(session.env['CAIRN_REDIS_URL']);
  return tools.memoryToolSet({ open, opensAtStart, naming });
}
