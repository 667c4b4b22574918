import { randomUUID } from 'node:crypto';
import type { ToolSet } from '@cairn/tool';
import type { MemoryNaming } from '@cairn/memory/tools';
import type { Session } from '../../terminal/session.ts';
import { openMemory } from './store.ts';

/** The memory that is served, and the names of its tools. */
export interface MemoryToolSetOptions {
  readonly naming: MemoryNaming;
  /** The SQLite file. Default: the user's store, or the Redis of `CAIRN_REDIS_URL`. */
  readonly store?: string | undefined;
  /** The identity of the project. Default: the git repository of `root`, or `root`; none in a Redis. */
  readonly project?: string | undefined;
  /** The first directory that is served. */
  readonly root: string;
  /** Whether each client has a server of its own, so that notes without a workflow belong to this process. */
  readonly isAlone: boolean;
  /** Called with a notice for each unreadable record. */
  readonly say: (text: string) => void;
}

/** Returns the tool set of `@cairn/memory` over the chosen store. */
export async function memoryToolSet(
  session: Pick<Session, 'env' | 'cwd'>,
  { naming, store, project, root, isAlone, say }: MemoryToolSetOptions,
): Promise<ToolSet> {
  const tools = await import('@cairn/memory/tools');
  const flags = { ...(store !== undefined && { store }), ...(project !== undefined && { project }) };
  const open = async () => (await openMemory(session, flags, { onUnreadable: say, directory: root })).memory;
  // An invalid CAIRN_REDIS_URL is reported at the start, like an invalid option.
  const opensAtStart = store === undefined && Boolean(session.env['CAIRN_REDIS_URL']);
  return tools.memoryToolSet({ open, opensAtStart, naming, ...(isAlone && { process: randomUUID() }) });
}
