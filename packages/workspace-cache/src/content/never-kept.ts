import { isWithin } from '@cairn/coding-agent/internal';
import { isSecretName } from '@cairn/tool/internal';
import { relative, sep } from 'node:path';

/**
 * Returns whether the last name of a relative path, or the name of a directory on the way to it, usually stands for secrets, or the path
 * is in git's own data, which holds passwords in URLs.
 */
export function isSecretPath(path: string, isDirectory: boolean | undefined): boolean {
  const names = path.split(/[/\\]/u).filter((name) => name !== '');
  const directories = isDirectory === false ? names.slice(0, -1) : names;
  return (
    (isDirectory !== true && isSecretName(names.at(-1) ?? '')) ||
    directories.some((name) => name.toLowerCase() === '.git' || isSecretName(name, 'directory'))
  );
}

/** Returns whether a cache never keeps a file: its path below the root is one of {@link isSecretPath}. */
export function isNeverKept(path: string, roots: readonly string[]): boolean {
  const root = roots.find((directory) => isWithin(path, directory)) ?? sep;
  return isSecretPath(relative(root, path), false);
}
