import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import { resolve } from 'node:path';
import { Option } from 'commander';
import type { Memory, MemoryBackend, QuarantinedRecord, Retention } from '@cairn/memory';
import { colorOption, oneOf, wholeNumber } from '../args.ts';
import { UsageError } from '../errors.ts';
import { ExitCode } from '../exit.ts';
import { writeNotices } from '../notices.ts';
import { writeLines, type ColorMode } from '../output.ts';
import { loadSqliteQuietly } from './quiet-sqlite.ts';
import type { Session } from '../session.ts';

/** The options of every command on a memory, as parsed. */
export interface StoreFlags {
  readonly backend?: 'sqlite' | 'redis';
  readonly store?: string;
  readonly project?: boolean;
  readonly url?: string;
  readonly json?: boolean;
  readonly color: ColorMode;
}

/** Those of commands that write messages. */
export interface RetentionFlags extends StoreFlags {
  readonly keep?: number;
  readonly days?: number;
}

/** A value that is not empty. */
export function filled(flag: string): (value: string) => string {
  return (value) => {
    if (value === '') throw new UsageError(`${flag} takes a value, not an empty text`);
    return value;
  };
}

export function storeOptions(): Option[] {
  return [
    new Option('--backend <name>', 'sqlite or redis (default: sqlite, or redis where a URL is known)').argParser(
      oneOf('--backend', ['sqlite', 'redis'] as const),
    ),
    new Option('--store <file>', "the SQLite file (default: the user's own)").argParser(filled('--store')),
    new Option('--project', 'the file .cairn/memory.db of the current directory').conflicts(['store', 'url']),
    new Option('--url <url>', 'of the Redis (default: CAIRN_REDIS_URL)').argParser(filled('--url')).conflicts('store'),
    new Option('--json', 'print the answer as one JSON document'),
    colorOption(),
  ];
}

export function retentionOptions(): Option[] {
  return [
    new Option('--keep <n>', 'the newest so many of the group, now and of what is written (default: 50)').argParser(
      wholeNumber('--keep', '', 1),
    ),
    new Option('--days <n>', 'for so many days (default: 30)').argParser(wholeNumber('--days', 'days', 1)),
  ];
}

/** A store that was chosen: what it is, and for messages, where. */
interface Choice {
  readonly backend: 'sqlite' | 'redis';
  readonly path?: string;
  readonly url?: string;
}

async function choose(flags: Omit<StoreFlags, 'color'>, session: Pick<Session, 'env' | 'cwd'>): Promise<Choice> {
  const { projectStorePath, userStorePath } = await import('@cairn/memory');
  const known = flags.url ?? (session.env['CAIRN_REDIS_URL'] || undefined);
  const isFile = flags.store !== undefined || flags.project === true;
  const backend = flags.backend ?? (known !== undefined && !isFile ? 'redis' : 'sqlite');
  if (backend === 'redis') {
    if (isFile) throw new UsageError('--store and --project name a file, which is for --backend sqlite');
    if (known === undefined) throw new UsageError('give the URL of the Redis with --url, or in CAIRN_REDIS_URL');
    return { backend, url: known };
  }
  if (flags.url !== undefined) throw new UsageError('--url is for --backend redis; --store names a file');
  const { env, cwd } = session;
  if (flags.store !== undefined) return { backend, path: resolve(cwd, flags.store) };
  if (flags.project === true) return { backend, path: projectStorePath(cwd) };
  return { backend, path: userStorePath({ env, home: env['HOME'] ?? homedir(), platform: process.platform }) };
}

/** What a command does with a memory. */
export interface MemoryRun {
  readonly flags: RetentionFlags;
  /** A file that is not there is not made only to find that it is empty. */
  readonly writes?: boolean;
  /** What `--json` prints when there is no memory; `undefined` for nothing. @default an empty list */
  readonly absent?: (where: string) => unknown;
  /** @returns the exit status. */
  readonly run: (memory: Memory, answer: Answer) => Promise<number>;
}

/** How a command answers. */
interface Answer {
  /** Prints lines, or with `--json` the document. */
  readonly print: (lines: Iterable<string>, document: unknown) => Promise<void>;
  /** Says something on standard error; not with `--json`, where the document says it. */
  readonly notice: (...notices: readonly string[]) => Promise<void>;
  /** Where the memory lies, for messages. */
  readonly where: string;
}

function retentionOf({ keep, days }: Pick<RetentionFlags, 'keep' | 'days'>): Retention {
  return {
    ...(keep !== undefined && { maxMessages: keep }),
    ...(days !== undefined && { messageLifetimeMs: days * 86_400_000 }),
  };
}

function quarantineNotice({ key, time }: QuarantinedRecord): string {
  const where = time === undefined ? 'where it is' : "aside; 'cairn memory stats --json' lists such records";
  return `a record under ${key} could not be read and was left ${where}`;
}

/** Where a Redis is, without its password. */
function placeOf(url: string): string {
  return URL.canParse(url) ? new URL(url).host : 'the URL';
}

/** A memory, and the file that it is in. It is opened by the first call. */
export interface OpenedMemory {
  readonly memory: Memory;
  readonly choice: Choice;
}

/** The memory that the options name. */
export async function openMemory(
  { env, cwd }: Pick<Session, 'env' | 'cwd'>,
  flags: Omit<RetentionFlags, 'color'>,
  onQuarantine: (notice: string) => void,
): Promise<OpenedMemory> {
  const { createMemory } = await import('@cairn/memory');
  const choice = await choose(flags, { env, cwd });
  const openBackend = async (): Promise<MemoryBackend> => {
    if (choice.url !== undefined) {
      const { redis } = await import('@cairn/memory/redis');
      try {
        return redis({ url: choice.url });
      } catch (error) {
        // Nobody typed it here, so it is said where it comes from.
        if (flags.url !== undefined || !(error instanceof Error)) throw error;
        throw new UsageError(`CAIRN_REDIS_URL: ${error.message}`, { cause: error });
      }
    }
    await loadSqliteQuietly();
    return (await import('@cairn/memory/sqlite')).sqlite({ path: choice.path });
  };
  const memory = createMemory({
    backend: await openBackend(),
    retention: retentionOf(flags),
    onQuarantine: (record) => onQuarantine(quarantineNotice(record)),
  });
  return { memory, choice };
}

/** Opens the memory that the options name, runs the command on it, and closes it. */
export async function withMemory(
  session: Session,
  { flags, writes = false, absent = () => [], run }: MemoryRun,
): Promise<number> {
  const { MemoryError } = await import('@cairn/memory');
  const notices: string[] = [];
  const { memory, choice } = await openMemory(session, flags, (notice) => notices.push(notice));
  const where = choice.path ?? placeOf(choice.url ?? '');
  const answer: Answer = {
    where,
    print: (lines, document) =>
      writeLines(session.out, flags.json === true ? [JSON.stringify(document)] : lines, session.signal),
    notice: async (...more) => {
      if (flags.json !== true) await writeNotices(session, flags.color, more);
    },
  };
  if (choice.path !== undefined && !writes && !existsSync(choice.path)) {
    const document = absent(where);
    if (document !== undefined) await answer.print([], document);
    await answer.notice(`there is no memory yet at ${choice.path}; 'cairn memory add <text>' begins one`);
    await memory.close();
    return ExitCode.None;
  }
  try {
    return await run(memory, answer);
  } catch (error) {
    if (flags.json !== true || !MemoryError.isInstance(error)) throw error;
    const { code: reason, message, isDone: changed } = error;
    await writeLines(session.out, [JSON.stringify({ error: { reason, message, changed } })], session.signal);
    return ExitCode.Error;
  } finally {
    await memory.close();
    // Also with `--json`: what is left out is always said.
    await writeNotices(session, flags.color, notices);
  }
}
