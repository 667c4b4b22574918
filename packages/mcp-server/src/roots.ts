import { constants } from 'node:fs';
import { access, realpath, stat } from 'node:fs/promises';
import { homedir } from 'node:os';
import { isAbsolute, parse, resolve } from 'node:path';
import { McpServerError } from './errors.ts';

function reasonOf(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  if (code === 'ENOENT') return 'does not exist';
  if (code === 'EACCES' || code === 'EPERM') return 'cannot be read by this user';
  return `cannot be used (${error instanceof Error ? error.message : String(error)})`;
}

async function checkRoot(root: string): Promise<{ readonly path: string; readonly real: string }> {
  const fail = (what: string, cause?: unknown): McpServerError => {
    const message = `the root ${root} ${what}; use a directory that can be read`;
    return new McpServerError('INVALID_ROOT', message, { path: root, cause });
  };
  if (!isAbsolute(root)) throw fail('is not absolute');
  try {
    const real = await realpath(root);
    if (!(await stat(real)).isDirectory()) throw fail('is not a directory');
    await access(real, constants.R_OK | constants.X_OK);
    return { path: resolve(root), real };
  } catch (error) {
    throw McpServerError.isInstance(error) ? error : fail(reasonOf(error), error);
  }
}

/** Returns the distinct roots, as the caller named them. @throws {McpServerError} `INVALID_ROOT`; `INVALID_OPTION` for an empty list. */
export async function checkRoots(roots: readonly string[]): Promise<readonly [string, ...string[]]> {
  const checked = await Promise.all(roots.map(checkRoot));
  const distinct = checked.filter(({ real }, index) => checked.findIndex((other) => other.real === real) === index);
  const [first, ...others] = distinct.map(({ path }) => path);
  if (first === undefined)
    throw new McpServerError('INVALID_OPTION', 'the list of roots is empty; name at least one directory');
  return [first, ...others];
}

/** Returns a warning for a root that is rarely intended: a whole file system or a home directory. */
export async function wideRootNotice(root: string): Promise<string | undefined> {
  const real = await realpath(root);
  // A home directory that does not exist equals no root.
  const isHome = real === (await realpath(homedir()).catch(homedir));
  if (!isHome && real !== parse(real).root) return undefined;
  const what = isHome ? 'a whole home directory' : 'a whole file system';
  return `${root} is ${what}: clients may read and change all of it; use --root for a smaller directory`;
}
