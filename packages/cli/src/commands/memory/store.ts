import { randomUUID } from 'node:crypto';
import { statSync } from 'node:fs';
import { resolve } from 'node:path';
import { homeDirectory } from '@cairn/tool/paths';
import type { ToolSet } from '@cairn/tool';
import type { MemoryNaming } from '@cairn/memory/tools';
import type { Memory, MemoryBackend, UnreadableRecord } from '@cairn/memory';
import { UsageError } from '../../terminal/errors.ts';
import { openGlossary } from '../../terminal/glossary.ts';
import type { CommandContext } from '../../terminal/command-context.ts';
import { embeddingsOf } from '../../terminal/embeddings.ts';
import type { ProjectFlags } from './options.ts';

export interface MemoryFlags extends Omit<ProjectFlags, 'color'> {
  /** The messages of a group, and the days, that are kept. */
  readonly keep?: number;
  readonly days?: number;
}

interface Choice {
  readonly backend: 'sqlite' | 'redis';
  readonly path?: string;
  readonly url?: string;
}

async function choose(flags: MemoryFlags, context: Pick<CommandContext, 'env' | 'cwd'>): Promise<Choice> {
  const { userStorePath } = await import('@cairn/memory');
  const known = flags.url ?? (context.env['CAIRN_REDIS_URL'] || undefined);
  const isFile = flags.store !== undefined;
  const backend = flags.backend ?? (known !== undefined && !isFile ? 'redis' : 'sqlite');
  if (backend === 'redis') {
    if (isFile) throw new UsageError('--store works only with SQLite', 'leave it out, or use --backend sqlite');
    if (known === undefined) {
      throw new UsageError('the URL of the Redis is missing', 'use --url, or set CAIRN_REDIS_URL');
    }
    return { backend, url: known };
  }
  if (flags.url !== undefined) {
    throw new UsageError('--url works only with Redis', 'leave it out, or use --backend redis');
  }
  const { env, cwd } = context;
  if (flags.store !== undefined) return { backend, path: resolve(cwd, flags.store) };
  return { backend, path: userStorePath({ env, home: homeDirectory(env), platform: process.platform }) };
}

function unreadableNotice({ key, reason }: UnreadableRecord): string {
  const problem = reason === undefined ? `a record of ${key}` : `${key} (${reason})`;
  return `cannot read ${problem}; it stays in place: 'cairn memory stats --json' lists it`;
}

/** Returns the place of a memory, for messages. The URL of a Redis may hold a password. */
function placeOf({ path, url = '' }: Choice): string {
  return path ?? (URL.canParse(url) ? new URL(url).host : 'the URL');
}

/** The problem of a store that machines share. */
export const NO_OWN_PROJECT = 'a Redis may be shared by machines, so the project has no name of its own';

/** How a path begins that names a directory, also one that is gone. `acme/app` is a name, unless that directory exists. */
const PATH_START = /^(?:\.{0,2}[\\/]|\.{1,2}$|[A-Za-z]:[\\/])/u;

/** Returns the identity that a value names: the project of a directory, the path of one that is gone, or a name. */
export async function projectNamed(
  value: string,
  { cwd, isShared = false }: { readonly cwd: string; readonly isShared?: boolean },
): Promise<string> {
  const path = resolve(cwd, value);
  // In a store that machines share, a name must not depend on the directory of the process.
  const isPath = PATH_START.test(value) || (!isShared && /[\\/]/u.test(value) && isDirectory(path));
  if (!isPath) return value;
  if (!isDirectory(path)) return path;
  return (await import('@cairn/memory')).projectOf(path);
}

function isDirectory(path: string): boolean {
  try {
    return statSync(path).isDirectory();
  } catch {
    return false;
  }
}

/** A memory. Its first call opens the store. */
export interface OpenedMemory {
  readonly memory: Memory;
  readonly where: string;
  readonly isShared: boolean;
  /** Whether the SQLite file does not exist. */
  readonly isAbsent: () => boolean;
}

export interface OpenOptions {
  readonly onUnreadable: (notice: string) => void;
  /** Called with problems of the glossaries. @default searches use only the glossary of Cairn */
  readonly onNotice?: ((notice: string) => void) | undefined;
  /**
   * The directory whose project is meant when the options name none. A store that machines share has no such project, because
   * a path of one machine means nothing on another. @default no project
   */
  readonly directory?: string | undefined;
}

export async function openMemory(
  { env, cwd }: Pick<CommandContext, 'env' | 'cwd'>,
  flags: MemoryFlags,
  { onUnreadable, onNotice, directory }: OpenOptions,
): Promise<OpenedMemory> {
  const { createMemory, projectOf } = await import('@cairn/memory');
  const choice = await choose(flags, { env, cwd });
  const isShared = choice.backend === 'redis';
  const own = directory === undefined || isShared ? undefined : await projectOf(directory);
  const project = flags.project === undefined ? own : await projectNamed(flags.project, { cwd, isShared });
  const openBackend = async (): Promise<MemoryBackend> => {
    if (choice.url !== undefined) {
      const { redis } = await import('@cairn/memory/redis');
      try {
        return redis({ url: choice.url });
      } catch (error) {
        // The user did not type it here, so the error names its source.
        if (flags.url !== undefined || !(error instanceof Error)) throw error;
        throw new UsageError(`CAIRN_REDIS_URL: ${error.message}`, 'correct the variable', { cause: error });
      }
    }
    return (await import('@cairn/memory/sqlite')).sqlite({ path: choice.path, backups: true });
  };
  const memory = createMemory({
    backend: await openBackend(),
    project,
    embeddings: await embeddingsOf(env),
    retention: {
      maxMessages: flags.keep,
      messageLifetimeMs: flags.days === undefined ? undefined : flags.days * 86_400_000,
    },
    glossary: onNotice && (await openGlossary({ env, ofTeam: true, onNotice })),
    onUnreadable: (record) => onUnreadable(unreadableNotice(record)),
  });
  return {
    memory,
    where: placeOf(choice),
    isShared,
    isAbsent: () => choice.path !== undefined && isAbsent(choice.path),
  };
}

/** Whether no file is there. Of a file that this user may not see, opening it reports the reason. */
export function isAbsent(path: string): boolean {
  try {
    statSync(path);
    return false;
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'ENOENT';
  }
}

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
  context: Pick<CommandContext, 'env' | 'cwd'>,
  { naming, store, project, root, isAlone, say }: MemoryToolSetOptions,
): Promise<ToolSet> {
  const tools = await import('@cairn/memory/tools');
  const flags = { ...(store !== undefined && { store }), ...(project !== undefined && { project }) };
  const open = async () =>
    (await openMemory(context, flags, { onUnreadable: say, onNotice: say, directory: root })).memory;
  // An invalid CAIRN_REDIS_URL is reported at the start, like an invalid option.
  const opensAtStart = store === undefined && Boolean(context.env['CAIRN_REDIS_URL']);
  return tools.memoryToolSet({ open, opensAtStart, naming, ...(isAlone && { process: randomUUID() }) });
}
