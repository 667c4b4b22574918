/** Returns the prefix of the paths below a root: the root as it was given, or nothing for the current directory. */
export function pathPrefix(root: string): string {
  const plain = root.replace(/^(?:\.\/+)+(?=.)/u, '').replace(/(?<=.)\/+$/u, '');
  // The root `-` is standard input; a directory of this name is `./-`.
  if (root === '-' || plain === '.' || plain === '') return '';
  return plain.endsWith('/') ? plain : `${plain}/`;
}

/** Returns the printed path of an entry below a root, where `.` is the root itself. */
export function pathBelow(root: string, path: string): string {
  const prefix = pathPrefix(root);
  return path === '.' ? prefix.replace(/(?<=.)\/$/u, '') || '.' : prefix + path;
}
