import type { ToolSet } from '@cairn/mcp-server';
import type { MemoryNaming } from '@cairn/memory/tools';
import type { Session } from '../session.ts';
import { openMemory } from './store.ts';
import type { OpenedMemory } from './store.ts';

/** Which memory is served, and by whose names. */
export interface MemoryToolSetOptions {
  readonly naming: MemoryNaming;
  /** The SQLite file. Default: the user's own, or the Redis of `CAIRN_REDIS_URL`. */
  readonly store?: string | undefined;
  /** Told of records that cannot be read. */
  readonly say: (text: string) => void;
}

/** The tools of `@cairn/memory`: one memory for all clients, which the first call opens. */
export function memoryToolSet(
  session: Pick<Session, 'env' | 'cwd'>,
  { naming, store, say }: MemoryToolSetOptions,
): ToolSet {
  let opening: Promise<OpenedMemory> | undefined;
  return {
    name: 'memory',
    create: async () => {
      const { createMemoryTools } = await import('@cairn/memory/tools');
      opening ??= openMemory(session, store === undefined ? {} : { store }, say);
      const { memory } = await opening;
      return createMemoryTools({ memory, naming });
    },
    close: async () => {
      const opened = await opening?.catch(() => undefined);
      await opened?.memory.close();
    },
  };
}
