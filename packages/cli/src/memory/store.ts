import { statSync } from 'node:fs';
import { resolve } from 'node:path';
import { Option } from 'commander';
import { homeDirectory } from '@cairn/tool/paths';
import type { Memory, MemoryBackend, UnreadableRecord, Retention } from '@cairn/memory';
import { listDocument, writeAnswer, writeNotices, type AnswerFlags, type Page } from '../terminal/answer.ts';
import { UsageError } from '../terminal/errors.ts';
import { ExitCode } from '../terminal/exit.ts';
import { colorOption, filled, oneOf, wholeNumber } from '../terminal/options.ts';
import type { Session } from '../terminal/session.ts';

/** The options of every command on a memory, as parsed. */
export interface StoreFlags extends AnswerFlags {
  readonly backend?: 'sqlite' | 'redis';
  readonly store?: string;
  readonly url?: string;
}

/** The options of commands on facts, as parsed. */
export interface ProjectFlags extends StoreFlags {
  /** The identity of the project. */
  readonly project?: string;
}

/** The options of commands that write messages, as parsed. */
export interface RetentionFlags extends StoreFlags {
  readonly keep?: number;
  readonly days?: number;
}

export function storeOptions(): Option[] {
  return [
    new Option('--backend <name>', 'sqlite or redis (default: redis if there is a URL, otherwise sqlite)').argParser(
      oneOf('--backend', ['sqlite', 'redis'] as const),
    ),
    new Option('--store <file>', "SQLite file (default: the user's own)").argParser(filled('--store')),
    new Option('--url <url>', 'URL of the Redis (default: CAIRN_REDIS_URL)')
      .argParser(filled('--url'))
      .conflicts('store'),
    new Option('--json', 'print one JSON document'),
    colorOption(),
  ];
}

export function projectOption(): Option {
  return new Option(
    '--project <identity>',
    'project of the facts (default: the git repository of the current directory, else the directory; none for a Redis)',
  ).argParser(filled('--project'));
}

export function retentionOptions(): Option[] {
  return [
    new Option('--keep <n>', 'keep the newest N messages of the group (default: 50)').argParser(
      wholeNumber('--keep', '', 1),
    ),
    new Option('--days <n>', 'keep messages for N days (default: 30)').argParser(wholeNumber('--days', 'days', 1)),
  ];
}

/** The store that the options choose. */
interface Choice {
  readonly backend: 'sqlite' | 'redis';
  readonly path?: string;
  readonly url?: string;
}

async function choose(flags: Omit<StoreFlags, 'color'>, session: Pick<Session, 'env' | 'cwd'>): Promise<Choice> {
  const { userStorePath } = await import('@cairn/memory');
  const known = flags.url ?? (session.env['CAIRN_REDIS_URL'] || undefined);
  const isFile = flags.store !== undefined;
  const backend = flags.backend ?? (known !== undefined && !isFile ? 'redis' : 'sqlite');
  if (backend === 'redis') {
    if (isFile) {
      throw new UsageError('--store works only with SQLite', 'leave it out, or use --backend sqlite');
    }
    if (known === undefined) {
      throw new UsageError('the URL of the Redis is missing', 'use --url, or set CAIRN_REDIS_URL');
    }
    return { backend, url: known };
  }
  if (flags.url !== undefined) {
    throw new UsageError('--url works only with Redis', 'leave it out, or use --backend redis');
  }
  const { env, cwd } = session;
  if (flags.store !== undefined) return { backend, path: resolve(cwd, flags.store) };
  return { backend, path: userStorePath({ env, home: homeDirectory(env), platform: process.platform }) };
}

/** A command on a memory. */
export interface MemoryRun {
  readonly flags: RetentionFlags & ProjectFlags;
  /**
   * Whether the command is about facts of a project: `needed` fails without one, `wanted` reports that facts of projects are
   * left out. @default neither
   */
  readonly ofProject?: 'needed' | 'wanted' | undefined;
  /** Whether the command writes. Only then is a missing SQLite file created. */
  readonly writes?: boolean;
  /** The JSON document when the SQLite file is missing; `undefined` prints nothing. @default an empty list */
  readonly absent?: (where: string) => object | undefined;
  /** @returns the exit status. */
  readonly run: (memory: Memory, printer: Printer) => Promise<number>;
}

/** How a command prints. */
interface Printer {
  /** Prints lines, or with `--json` the document, and the notices so far. */
  readonly print: (lines: Iterable<string>, document: object) => Promise<void>;
  /** Prints a list, as lines or as a document of matches. @returns the exit status. */
  readonly printMatches: (lines: Iterable<string>, matches: readonly unknown[], cut?: Page) => Promise<number>;
  /** Adds a notice, which is printed with the answer. */
  readonly notice: (notice: string) => void;
  /** The place of the memory, for messages. */
  readonly where: string;
}

function retentionOf({ keep, days }: Pick<RetentionFlags, 'keep' | 'days'>): Retention {
  return {
    ...(keep !== undefined && { maxMessages: keep }),
    ...(days !== undefined && { messageLifetimeMs: days * 86_400_000 }),
  };
}

function unreadableNotice({ key, reason }: UnreadableRecord): string {
  const problem = reason === undefined ? `a record of ${key}` : `${key} (${reason})`;
  return `cannot read ${problem}; it stays in place: 'cairn memory stats --json' lists it`;
}

/** Returns the host of a Redis URL, which may hold a password. */
function hostOf(url: string): string {
  return URL.canParse(url) ? new URL(url).host : 'the URL';
}

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

/** A memory and its store. The first call opens the store. */
export interface OpenedMemory {
  readonly memory: Memory;
  readonly choice: Choice;
}

/** How a memory is opened. */
export interface OpenOptions {
  /** Called with a notice for each unreadable record. */
  readonly onUnreadable: (notice: string) => void;
  /**
   * The directory whose project is meant when the options name none. A store that machines share has no such project, because
   * a path of one machine means nothing on another. @default no project
   */
  readonly directory?: string | undefined;
}

/** Returns the memory that the options name. */
export async function openMemory(
  { env, cwd }: Pick<Session, 'env' | 'cwd'>,
  flags: Omit<RetentionFlags & ProjectFlags, 'color'>,
  { onUnreadable, directory }: OpenOptions,
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
    return (await import('@cairn/memory/sqlite')).sqlite({ path: choice.path });
  };
  const memory = createMemory({
    backend: await openBackend(),
    project,
    retention: retentionOf(flags),
    onUnreadable: (record) => onUnreadable(unreadableNotice(record)),
  });
  return { memory, choice };
}

/** Whether no file is there. Of a file that this user may not see, opening it reports the reason. */
export function isAbsent(path: string): boolean {
  try {
    return statSync(path, { throwIfNoEntry: false }) === undefined;
  } catch {
    return false;
  }
}

/** Opens the memory that the options name, runs the command on it, and closes it. */
export async function withMemory(
  session: Session,
  { flags, ofProject, writes = false, absent = () => listDocument([]), run }: MemoryRun,
): Promise<number> {
  const pending: string[] = [];
  const takeNotices = (): readonly string[] => pending.splice(0);
  let isWhole = true;
  const { memory, choice } = await openMemory(session, flags, {
    onUnreadable: (notice) => {
      isWhole = false;
      // One key may have many unreadable records.
      if (!pending.includes(notice)) pending.push(notice);
    },
    ...(ofProject !== undefined && { directory: session.cwd }),
  });
  const where = choice.path ?? hostOf(choice.url ?? '');
  const print: Printer['print'] = (lines, document) =>
    writeAnswer(session, flags, { lines, document, notices: takeNotices });
  const printer: Printer = {
    where,
    print,
    printMatches: async (lines, matches, cut) => {
      await print(lines, listDocument(matches, cut));
      return matches.length > 0 ? ExitCode.Hit : ExitCode.None;
    },
    // Facts and messages of one search may have the same notice.
    notice: (notice) => {
      if (!pending.includes(notice)) pending.push(notice);
    },
  };
  try {
    if (ofProject !== undefined && memory.project === undefined) {
      const problem = 'a Redis may be shared by machines, so the project has no name of its own';
      if (ofProject === 'needed') throw new UsageError(problem, 'use --project <name>, or --scope user');
      pending.push(`only facts of the user: ${problem}; use --project <name>`);
    }
    if (choice.path !== undefined && !writes && isAbsent(choice.path)) {
      pending.push(`there is no memory at ${choice.path}; 'cairn memory remember <text>' creates it`);
      const document = absent(where);
      if (document !== undefined) await print([], document);
      return ExitCode.None;
    }
    const exitCode = await run(memory, printer);
    // A record that cannot be read is missing in what was printed.
    return isWhole ? exitCode : ExitCode.Error;
  } finally {
    await memory.close();
    // The notices of commands that print no answer, such as export, and of failed ones. With --json the exit status remains.
    if (flags.json !== true) await writeNotices(session, flags.color, takeNotices());
  }
}
