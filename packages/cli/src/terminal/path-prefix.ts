/**
 * What stands before a result's path so that it opens from where the command was typed: nothing for the current
 * directory, else the root as it was given.
 */
export function pathPrefix(root: string): string {
  const plain = root.replace(/^(?:\.\/+)+(?=.)/u, '').replace(/(?<=.)\/+$/u, '');
  if (plain === '.' || plain === '') return '';
  return plain.endsWith('/') ? plain : `${plain}/`;
}
