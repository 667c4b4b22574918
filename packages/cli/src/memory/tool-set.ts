import type { ToolSet } from '@cairn/tool';
import type { Memory } from '@cairn/memory';
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
  /** With the first call: loading what keeps it takes a tenth of the time in which a server is to answer. */
  const open = async (): Promise<Memory> => {
    opening ??= openMemory(session, store === undefined ? {} : { store }, say).catch((error: unknown) => {
      opening = undefined;
      throw error;
    });
    return (await opening).memory;
  };
  return {
    name: 'memory',
    open: async () => {
      const { createMemoryTools } = await import('@cairn/memory/tools');
      // An address that is none is said at the start, as a wrong option is.
      if (store === undefined && session.env['CAIRN_REDIS_URL']) await open();
      return { tools: createMemoryTools({ memory: open, naming }) };
    },
    close: async () => {
      const opened = await opening?.catch(() => undefined);
      await opened?.memory.close();
    },
  };
}
