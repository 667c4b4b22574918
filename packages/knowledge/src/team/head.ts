import { readFileSync } from 'node:fs';
import { join } from 'node:path';

function read(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8').trim();
  } catch {
    return undefined;
  }
}

/**
 * Returns the commit of a clone's work tree without running git; `undefined` when it has none, or when this cannot tell. Reads two
 * or three small files.
 */
export function readTeamHead(clone: string): string | undefined {
  const gitDirectory = join(clone, '.git');
  const head = read(join(gitDirectory, 'HEAD'));
  const name = head?.startsWith('ref: ') === true ? head.slice('ref: '.length) : undefined;
  if (name === undefined) return head;
  // Git writes no such name; another program could.
  if (name.split('/').includes('..')) return undefined;
  const own = read(join(gitDirectory, name));
  if (own !== undefined) return own;
  const packed = read(join(gitDirectory, 'packed-refs')) ?? '';
  return packed
    .split('\n')
    .find((line) => line.endsWith(` ${name}`))
    ?.split(' ')[0];
}
