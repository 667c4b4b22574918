import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import { resolve } from 'node:path';
import { Option } from 'commander';
import type { Memory, QuarantinedRecord, Retention } from '@cairn/memory';
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

function filled(flag: string): (value: string) => string {
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

async function choose(flags: StoreFlags, session: Session): Promise<Choice> {
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

function retentionOf({ keep, days }: RetentionFlags): Retention {
  return {
    ...(keep !== undefined && { maxMessages: keep }),
    ...(days !== undefined && { messageLifetimeMs: days * 86_400_000 }),
  };
}

function quarantineNotice({ key, time }: QuarantinedRecord): string {
  const where = time === undefined ? 'where it is' : 'aside';
  return `a record under ${key} could not be read and was left ${where}; 'cairn memory stats --json' lists such records`;
}

/** Where a Redis is, without its password. */
function placeOf(url: string): string {
  return URL.canParse(url) ? new URL(url).host : 'the URL';
}

/** Opens the memory that the options name, runs the command on it, and closes it. */
export async function withMemory(session: Session, { flags, writes = false, run }: MemoryRun): Promise<number> {
  const { createMemory, MemoryError } = await import('@cairn/memory');
  const choice = await choose(flags, session);
  const where = choice.path ?? placeOf(choice.url ?? '');
  const notices: string[] = [];
  const answer: Answer = {
    where,
    print: (lines, document) =>
      writeLines(session.out, flags.json === true ? [JSON.stringify(document)] : lines, session.signal),
    notice: async (...more) => {
      if (flags.json !== true) await writeNotices(session, flags.color, more);
    },
  };
  if (choice.path !== undefined && !writes && !existsSync(choice.path)) {
    await answer.print([], []);
    await answer.notice(`there is no memory yet at ${choice.path}; 'cairn memory add <text>' begins one`);
    return ExitCode.None;
  }
  if (choice.backend === 'sqlite') await loadSqliteQuietly();
  const { sqlite } = await import('@cairn/memory/sqlite');
  const { redis } = await import('@cairn/memory/redis');
  const backend = choice.url === undefined ? sqlite({ path: choice.path }) : redis({ url: choice.url });
  const memory = createMemory({
    backend,
    retention: retentionOf(flags),
    onQuarantine: (record) => notices.push(quarantineNotice(record)),
  });
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
