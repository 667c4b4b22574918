import { CHECK_PATH, explaining } from '@cairn/tool/internal';
import { ToolError } from '@cairn/tool';
import { kindNames, usingFile, type FileOperations, type FileStat, type OpenFile } from './operations.ts';
import type { ResolvedPath } from './resolve.ts';

/** @throws {ToolError} when the path is not a file. */
export function requireFile(target: ResolvedPath): FileStat {
  const { display: path, stat } = target;
  if (stat === undefined) throw new ToolError('NOT_FOUND', [`${path} does not exist`, CHECK_PATH], { path });
  if (stat.kind === 'directory') {
    throw new ToolError('IS_DIRECTORY', [`${path} is a directory, not a file`, 'Name a file in it.'], { path });
  }
  if (stat.kind !== 'file') {
    const summary = `${path} is ${kindNames[stat.kind]}, not a file`;
    throw new ToolError('NOT_A_FILE', [summary, 'Name a regular file.'], { path });
  }
  return stat;
}

/**
 * Opens a resolved file to read it. Its path still leads to it: `open` fails when a link has replaced a part of the path. With
 * `cached` the content may come from memory: for answers, not for changes.
 *
 * @throws {ToolError} `STALE`, and what `requireFile` throws.
 */
export function openResolved<T>(
  operations: FileOperations,
  target: ResolvedPath,
  mode: 'read' | 'cached',
  use: (file: OpenFile, stat: FileStat) => Promise<T>,
): Promise<T> {
  requireFile(target);
  const { real, absolute, display: path } = target;
  return explaining(path, () => {
    const cached = mode === 'cached' ? operations.openCached?.(real, absolute) : undefined;
    return usingFile(cached ?? operations.open(real, 'read'), async (file) => {
      const stat = await file.stat();
      if (stat.kind === 'file') return use(file, stat);
      throw new ToolError('STALE', [`${path} was replaced while it was opened`, 'Read it again.'], { path });
    });
  });
}
