import { sep } from 'node:path';

/** Whether a path is a directory or lies below it. */
export function isWithin(path: string, directory: string): boolean {
  return path === directory || path.startsWith(directory.endsWith(sep) ? directory : directory + sep);
}

/** Names that some file system takes for `.git`: other cases, trailing dots and blanks, streams, ignored code points. */
function isGitName(name: string): boolean {
  const plain = name
    .replaceAll(/[\u200c-\u200f\u202a-\u202e\u206a-\u206f\ufeff]/gu, '')
    .replace(/:.*$/u, '')
    .replace(/[. ]+$/u, '')
    .toLowerCase();
  return plain === '.git' || plain === 'git~1';
}

/** Whether a path is a `.git` or lies in one. */
export function isGitInternal(path: string): boolean {
  return path.split(/[/\\]/u).some(isGitName);
}
