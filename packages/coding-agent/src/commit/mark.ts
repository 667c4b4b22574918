import { hashOf, hashOfStart } from '../files/content-hash.ts';
import { withFile, type FileOperations, type FileStat } from '../files/operations.ts';
import { statOf } from './temporary.ts';

/** What a path held. It tells later whether another program changed it. */
export interface Mark {
  /** The number of the file in its file system. The number of the file system itself may change with a reboot. */
  readonly inode: string;
  /** Absent for a directory, and where nothing compares the content. */
  readonly hash?: string | undefined;
}

export type Expectation = (path: string) => Promise<boolean>;

export function deviceOf({ identity }: FileStat): string {
  return identity.slice(0, identity.indexOf(':'));
}

export function inodeOf({ identity }: FileStat): string {
  return identity.slice(identity.indexOf(':') + 1);
}

export async function hashAt(
  operations: FileOperations,
  path: string,
  { kind }: FileStat,
): Promise<string | undefined> {
  if (kind === 'symlink') return hashOf(Buffer.from(await operations.readLink(path)));
  if (kind !== 'file') return undefined;
  // However large it became.
  return withFile(operations, path, 'read', async (file) => hashOfStart(file, (await file.stat()).size));
}

export async function markOf(operations: FileOperations, path: string): Promise<Mark> {
  const stat = await operations.lstat(path);
  return { inode: inodeOf(stat), hash: await hashAt(operations, path, stat) };
}

/** Returns which of the marks a path has. With `byContent`, equal content suffices. */
export async function find<Name extends string>(
  operations: FileOperations,
  path: string,
  marks: Readonly<Record<Name, Mark>>,
  byContent: boolean = false,
): Promise<Name | 'missing' | 'other'> {
  const stat = await statOf(operations, path);
  if (stat === undefined) return 'missing';
  const inode = inodeOf(stat);
  const isHashed = Object.values<Mark>(marks).some((mark) => mark.hash !== undefined);
  const hash = isHashed ? await hashAt(operations, path, stat) : undefined;
  const isEqual = ({ hash: wanted }: Mark): boolean => wanted === undefined || wanted === hash;
  const names = Object.keys(marks) as Name[];
  return (
    names.find((name) => marks[name].inode === inode && isEqual(marks[name])) ??
    names.find((name) => byContent && marks[name].hash !== undefined && isEqual(marks[name])) ??
    'other'
  );
}

export function expects(operations: FileOperations, before: Mark): Expectation {
  return async (path) => (await find(operations, path, { before })) === 'before';
}
