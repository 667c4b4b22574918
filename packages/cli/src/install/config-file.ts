import { readFile, realpath, rmdir, stat } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import type { CodingTools, FileDiff, ToolFailure } from '@cairn/coding-agent';
import { ConfigError } from './config-error.ts';

const mark = '\ufeff';

/** A configuration as it is on the disk, to be changed as one. */
export interface ConfigFile {
  readonly path: string;
  /** `undefined` when there is no file. Without the byte order mark, which stays. */
  readonly text: string | undefined;
  /** The directories that a new file needs, the outermost first. */
  readonly missingDirectories: readonly string[];
  /** What a new text would change; also says beforehand what the system would refuse. */
  preview(text: string): Promise<FileDiff>;
  /** Replaces the file as one, or makes it. Refuses when it is not what was read any more. */
  write(text: string): Promise<void>;
  /** Removes it, and those of the directories that are empty then. */
  remove(directories: readonly string[]): Promise<void>;
}

function failure(result: ToolFailure, path: string): ConfigError {
  const [part] = result.content;
  const [message = ''] = (part?.text ?? '').split('\n\n', 1);
  const again = result.details.reason === 'STALE' || result.details.reason === 'NOT_READ';
  // The tools speak to who can read the file again; here that is to run the command again.
  const text = `${path} was left alone: ${again ? 'it was changed meanwhile; run it again' : message}`;
  return new ConfigError(result.details.reason, text, { path });
}

async function isMissing(path: string): Promise<boolean> {
  try {
    await stat(path);
    return false;
  } catch (error) {
    if (error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'ENOTDIR')) return true;
    throw error;
  }
}

async function missingAbove(path: string): Promise<string[]> {
  const directory = dirname(path);
  if (directory === path || !(await isMissing(directory))) return [];
  return [...(await missingAbove(directory)), directory];
}

function decode(bytes: Uint8Array, path: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch (error) {
    throw new ConfigError('ENCODING', `${path} is no UTF-8 text, so it was left alone; convert it first`, {
      path,
      cause: error,
    });
  }
}

/**
 * The difference of a file that goes. The tool that deletes shows none: its files can be of any kind.
 */
export function diffOfRemoval(text: string): FileDiff {
  const lines = text === '' ? [] : text.replace(/\n$/u, '').split('\n');
  const hunk = {
    oldStart: 1,
    oldLines: lines.length,
    newStart: 1,
    newLines: 0,
    lines: lines.map((line) => `-${line}`),
  };
  return { hunks: lines.length === 0 ? [] : [hunk], addedLines: 0, removedLines: lines.length, cut: false };
}

function notEmpty(error: unknown): boolean {
  return error instanceof Error && 'code' in error && ['ENOTEMPTY', 'EEXIST', 'ENOENT'].includes(String(error.code));
}

/**
 * Opens a configuration through the tools that change files: they commit as one, keep modes and links, and know a file that
 * somebody else changed since.
 *
 * @throws {ConfigError} with the reason of the tool; `ENCODING`.
 */
export async function openConfig(path: string, signal: AbortSignal): Promise<ConfigFile> {
  const { createCodingTools } = await import('@cairn/coding-agent');
  // Messages show paths below the root without it; outside of any root they are whole.
  const tools: CodingTools = createCodingTools({ root: resolve(dirname(path)), policy: { confine: false } });
  const read = await tools.read.execute({ path, limit: 1 }, { signal });
  let text: string | undefined;
  if (!read.isError) {
    if (read.details.kind !== 'text') {
      const is = read.details.kind === 'directory' ? 'a directory' : 'an image';
      throw new ConfigError('NOT_A_FILE', `${path} is ${is}, where a configuration belongs; move it away first`, {
        path,
      });
    }
    text = decode(await readFile(path), path);
  } else if (read.details.reason !== 'NOT_FOUND') {
    throw failure(read, path);
  }
  const write = async (content: string, dryRun: boolean): Promise<FileDiff> => {
    const result = await tools.write.execute({ path, content }, { signal, dryRun });
    if (result.isError) throw failure(result, path);
    return result.details.diff;
  };
  return {
    path,
    text: text?.startsWith(mark) === true ? text.slice(1) : text,
    missingDirectories: text === undefined ? await missingAbove(path) : [],
    preview: (content) => write(content, true),
    write: async (content) => void (await write(content, false)),
    remove: async (directories) => {
      // Behind a link it is the file that was made, not the link.
      const result = await tools.delete.execute({ path: await realpath(path) }, { signal });
      if (result.isError) throw failure(result, path);
      for (const directory of directories.toReversed()) {
        try {
          await rmdir(directory);
        } catch (error) {
          // Somebody keeps something in it.
          if (!notEmpty(error)) throw error;
        }
      }
    },
  };
}
