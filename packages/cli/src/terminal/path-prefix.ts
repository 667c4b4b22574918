/**
 * Returns the prefix that makes a result's path relative to the current directory: the root as it was given, or nothing for
 * the current directory.
 */
export function pathPrefix(root: string): string {
  const plain = root.replace(/^(?:\.\/+)+(?=.)/u, '').replace(/(?<=.)\/+$/u, '');
  if (plain === '.' || plain === '') return '';
  return plain.endsWith('/') ? plain : `${plain}/`;
}
