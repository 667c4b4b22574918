import { createHash, randomBytes } from 'node:crypto';
import { mkdir, open, readFile, rename, rm } from 'node:fs/promises';
import { isAbsolute, join } from 'node:path';
import type { HostContext } from '../hosts/host.ts';
import { setting } from '../hosts/host.ts';
import { ConfigError } from './config-error.ts';
import { isObject } from './config-format.ts';

/** What an installation did, for whoever wants it undone. */
export interface UndoNote {
  readonly path: string;
  /** The file as it was; `null` when there was none, absent when it was changed by others between two installations. */
  readonly before?: string | null;
  /** The SHA-256 of what was written. */
  readonly after: string;
  /** The entry as it was; absent when there was none. */
  readonly entryBefore?: unknown;
  /** The entry as it was written. */
  readonly entryAfter: unknown;
  /** Where the entry is. */
  readonly entryPath: readonly string[];
  /** How many of the objects above the entry were there before. */
  readonly knownParents: number;
  readonly directories: readonly string[];
}

/** The notes of this user, by what they are about. They may hold secrets, as configurations do, and nobody else reads them. */
export interface UndoNotes {
  readonly directory: string;
  get(subject: readonly string[]): Promise<UndoNote | undefined>;
  set(subject: readonly string[], note: UndoNote): Promise<void>;
  delete(subject: readonly string[]): Promise<void>;
}

/** Where Cairn keeps what has to outlive a restart: below `XDG_STATE_HOME`, or what the system has in its place. */
export function stateDirectory(context: HostContext): string {
  const xdg = setting(context, 'XDG_STATE_HOME');
  if (xdg !== undefined && isAbsolute(xdg)) return join(xdg, 'cairn');
  if (context.platform === 'win32') return join(setting(context, 'LOCALAPPDATA') ?? context.home, 'cairn');
  return join(context.home, '.local', 'state', 'cairn');
}

/** The hash by which a text is known again. */
export function hashOfText(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

function isStrings(value: unknown): value is string[] {
  return Array.isArray(value) && value.every((one) => typeof one === 'string');
}

function isNote(value: unknown): value is UndoNote {
  if (!isObject(value)) return false;
  const { before = null, path, after, entryPath, directories, knownParents } = value;
  return (
    typeof path === 'string' &&
    typeof after === 'string' &&
    typeof knownParents === 'number' &&
    (before === null || typeof before === 'string') &&
    isStrings(entryPath) &&
    isStrings(directories)
  );
}

function isMissing(error: unknown): boolean {
  return error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'ENOTDIR');
}

async function explained<T>(directory: string, run: () => Promise<T>): Promise<T> {
  try {
    return await run();
  } catch (error) {
    if (error instanceof ConfigError || !(error instanceof Error)) throw error;
    const message = `what has to be kept for --undo cannot be kept in ${directory}: ${error.message}; set XDG_STATE_HOME to a directory of yours`;
    throw new ConfigError('STATE', message, { path: directory, cause: error });
  }
}

async function writeWhole(path: string, text: string): Promise<void> {
  const temporary = `${path}.${randomBytes(6).toString('hex')}.tmp`;
  const file = await open(temporary, 'wx', 0o600);
  try {
    await file.writeFile(text);
    await file.sync();
    await file.close();
    await rename(temporary, path);
  } catch (error) {
    await file.close().catch(() => undefined);
    await rm(temporary, { force: true });
    throw error;
  }
}

/** TOML has larger whole numbers than JSON. */
function withoutBigInt(_: string, value: unknown): unknown {
  return typeof value === 'bigint' ? Number(value) : value;
}

/** One file for each entry of each configuration, in a directory of the state directory. */
export function createUndoNotes(state: string): UndoNotes {
  const directory = join(state, 'mcp-install');
  const fileOf = (subject: readonly string[]): string =>
    join(directory, `${hashOfText(JSON.stringify(subject)).slice(0, 32)}.json`);
  return {
    directory,
    get: (subject) =>
      explained(directory, async () => {
        try {
          const note: unknown = JSON.parse(await readFile(fileOf(subject), 'utf8'));
          return isNote(note) ? note : undefined;
        } catch (error) {
          // A note that a crash of the system left half written is none.
          if (isMissing(error) || error instanceof SyntaxError) return undefined;
          throw error;
        }
      }),
    set: (subject, note) =>
      explained(directory, async () => {
        await mkdir(directory, { recursive: true, mode: 0o700 });
        await writeWhole(fileOf(subject), JSON.stringify(note, withoutBigInt));
      }),
    delete: (subject) => explained(directory, () => rm(fileOf(subject), { force: true })),
  };
}
