import { sep } from 'node:path';

/** Returns whether a path is the directory or below it. */
export function isWithin(path: string, directory: string): boolean {
  return path === directory || path.startsWith(directory.endsWith(sep) ? directory : directory + sep);
}

/** Returns whether some file system reads the name as `.git`: other case, trailing dots and spaces, streams, ignored code points. */
function isGitName(name: string): boolean {
  const plain = name
    .replaceAll(/[\u200c-\u200f\u202a-\u202e\u206a-\u206f\ufeff]/gu, '')
    .replace(/:.*$/u, '')
    .replace(/[. ]+$/u, '')
    .toLowerCase();
  return plain === '.git' || plain === 'git~1';
}

/** Returns whether a path is a `.git` or inside one. */
export function isGitInternal(path: string): boolean {
  return path.split(/[/\\]/u).some(isGitName);
}
