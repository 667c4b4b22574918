import { isWithin } from '@cairn/coding-agent/internal';
import { isSecretName } from '@cairn/tool/internal';
import { relative, sep } from 'node:path';

/**
 * Returns whether a cache never keeps a file: its name, or the name of a directory below the root on the way to it, usually stands for
 * secrets, or it belongs to git's own data, which holds passwords in URLs.
 */
export function isNeverKept(path: string, roots: readonly string[]): boolean {
  const root = roots.find((directory) => isWithin(path, directory)) ?? sep;
  const directories = relative(root, path).split(sep);
  const name = directories.pop() ?? '';
  return (
    isSecretName(name) ||
    directories.some((directory) => directory.toLowerCase() === '.git' || isSecretName(directory, 'directory'))
  );
}
