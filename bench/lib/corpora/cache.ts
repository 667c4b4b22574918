/** Where corpora and Debian's programs are kept between runs. */
import { existsSync, mkdirSync, renameSync, rmSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';

/** `CAIRN_BENCH_DIR`, by default `cairn-bench` in the user's cache directory. */
export function cacheDirectory(): string {
  const { CAIRN_BENCH_DIR: own, XDG_CACHE_HOME: shared } = process.env;
  return own ?? join(shared ?? join(homedir(), '.cache'), 'cairn-bench');
}

/**
 * Makes `name` in the cache directory once. It gets its name only when it is whole, so that its existence means that
 * nothing is missing.
 */
export async function madeOnce(name: string, make: (directory: string) => void | Promise<void>): Promise<string> {
  const directory = join(cacheDirectory(), name);
  if (existsSync(directory)) return directory;
  const partial = `${directory}.partial`;
  rmSync(partial, { recursive: true, force: true });
  mkdirSync(partial, { recursive: true });
  await make(partial);
  renameSync(partial, directory);
  return directory;
}
