import { realpath, stat } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import type { CodingTools, FileDiff } from '@cairn/coding-agent';
import type { ConfigFile } from '@cairn/hosts';
import type { ToolErrorCode, ToolFailure } from '@cairn/tool';
import { isMissing } from '@cairn/tool/kernel';
import { CommandError } from '../../terminal/errors.ts';

const byteOrderMark = '\ufeff';

interface RefusalFacts {
  readonly path: string;
  readonly fix?: string;
  readonly cause?: unknown;
}

function refusal(code: ToolErrorCode, message: string, { path, fix, cause }: RefusalFacts): CommandError {
  const options = cause === undefined ? undefined : { cause };
  return new CommandError({ code, message: `${path} was not changed: ${message}`, fix, path, changed: false }, options);
}

export interface PreviewedFile extends ConfigFile {
  /** Returns the diff to a new text. Rejects where the system would reject the change. */
  preview(text: string): Promise<FileDiff>;
}

function failure(result: ToolFailure, path: string): CommandError {
  const { reason, hint } = result.details;
  const [part] = result.content;
  const [paragraph = ''] = (part?.text ?? '').split('\n\n', 1);
  // The hint of the tool asks a model to read the file again.
  return reason === 'STALE' || reason === 'NOT_READ'
    ? refusal(reason, 'it changed since it was read', { path, fix: 'run the command again' })
    : refusal(reason, paragraph.replace(hint, '').trim(), { path, fix: hint });
}

async function missingAbove(path: string): Promise<string[]> {
  const directory = dirname(path);
  const found = await stat(directory).catch((error: unknown) => {
    if (!isMissing(error)) throw error;
  });
  if (directory === path || found) return [];
  return [...(await missingAbove(directory)), directory];
}

function decode(bytes: Uint8Array, path: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch (error) {
    throw refusal('ENCODING', 'it is not valid UTF-8', { path, fix: 'convert it to UTF-8 first', cause: error });
  }
}

/** Returns the diff of a deleted file. The delete tool shows none, because its files need not be text. */
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

/** Opens a configuration through the file tools, which replace files atomically. @throws {CommandError} with their code. */
export async function openConfig(
  path: string,
  { signal, stateDirectory }: { readonly signal: AbortSignal; readonly stateDirectory: string | undefined },
): Promise<PreviewedFile> {
  const [{ createCodingTools, createWorkspace }, { readWholeFile }] = await Promise.all([
    import('@cairn/coding-agent'),
    import('@cairn/coding-agent/internal'),
  ]);
  const workspace = createWorkspace({
    root: resolve(dirname(path)),
    policy: { confine: false },
    stateDirectory,
  });
  const tools: CodingTools = createCodingTools({ workspace });
  const read = await tools.read.execute({ path, limit: 1 }, { signal });
  let text: string | undefined;
  if (!read.isError) {
    if (read.details.kind !== 'text') {
      const is = read.details.kind === 'directory' ? 'a directory' : 'an image';
      throw refusal('NOT_A_FILE', `it is ${is}, not a configuration file`, { path, fix: 'move it away first' });
    }
    const { bytes } = await readWholeFile(workspace, path, { maxBytes: Infinity, signal });
    text = decode(bytes, path);
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
    text: text?.startsWith(byteOrderMark) === true ? text.slice(1) : text,
    missingDirectories: text === undefined ? await missingAbove(path) : [],
    preview: (content) => write(content, true),
    write: async (content) => void (await write(content, false)),
    remove: async () => {
      // Of a link, only its target was created.
      const result = await tools.delete.execute({ path: await realpath(path) }, { signal });
      if (result.isError) throw failure(result, path);
    },
  };
}
