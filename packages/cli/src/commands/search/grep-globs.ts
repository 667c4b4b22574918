import { relative, resolve, sep } from 'node:path';

/** Returns whether a segment of a glob matches a name, for the segments that are easy to compare. */
function isName(segment: string | undefined, name: string): boolean {
  if (segment === undefined) return false;
  const alternatives = /^\{(?<names>[^{}]*)\}$/u.exec(segment)?.groups?.['names'];
  return segment === name || segment === '*' || alternatives?.split(',').includes(name) === true;
}

/** Returns a glob for the paths below a directory that matches what the glob matches below its parent directories. */
function globBelow(names: readonly string[], glob: string): string {
  const sign = glob.startsWith('!') ? '!' : '';
  const segments = glob
    .slice(sign.length)
    .replace(/^(?:\.\/)+/u, '')
    .split('/');
  if (segments.length === 1) return glob;
  let index = 0;
  for (const name of names) {
    const segment = segments[index];
    if (segment === '**') break;
    if (!isName(segment, name)) return glob;
    index += 1;
  }
  const rest = segments.slice(index).join('/');
  // A glob without / would match at any depth.
  return rest === '' ? glob : `${sign}./${rest}`;
}

export interface RootPlace {
  readonly root: string;
  readonly cwd: string;
}

/** Returns the globs for the paths below a root. As in ripgrep, `src/*.ts` is `./*.ts` below `src`. Others stay as they are. */
export function globsBelow({ root, cwd }: RootPlace, globs: readonly string[]): readonly string[] {
  const names = relative(cwd, resolve(cwd, root)).split(sep);
  if (names[0] === '' || names[0] === '..') return globs;
  // One value may hold several globs.
  const outsideBraces = /,(?![^{]*\})/u;
  return globs.map((glob) =>
    glob
      .split(outsideBraces)
      .map((one) => globBelow(names, one))
      .join(','),
  );
}
