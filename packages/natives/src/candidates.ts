import { setImmediate } from 'node:timers/promises';
import { NativePathList } from '../binding/index.js';
import type { EndOptions } from './abort.ts';
import { CairnError } from '@cairn/tool/kernel';
import { describe, searchRules, type OptionRule, type OptionRules, type SearchOptions } from './options.ts';

/** The options that name what is searched: a directory or a list. */
interface Source {
  path?: string | undefined;
  candidates?: readonly string[] | undefined;
}

const SCAN_OPTIONS = ['hidden', 'gitignore', 'resolveLinks', 'cache'] as const;

/** The paths that the addon receives together, before the event loop gets a turn. */
const PATHS_PER_TURN = 10_000;

/** The lists of frozen arrays, which cannot change. */
const prepared = new WeakMap<readonly string[], NativePathList>();

const path: OptionRule = { test: searchRules.path.test, expected: searchRules.path.expected };
/** The paths themselves are checked when they are passed on, because there may be a million. */
const candidates: OptionRule = {
  test: (value) => Array.isArray(value),
  expected: 'an array of paths that are not empty and have no NUL character',
};

export const candidateRules: OptionRules<Source> = { path, candidates };

/** Checks that a call names either a directory or a list. @throws {CairnError} `INVALID_OPTION`. */
export function checkSource(name: string, options: Omit<SearchOptions, 'path'> & Source): void {
  if (options.candidates === undefined) {
    if (options.path !== undefined) return;
    const message = `missing option path of ${name}; set it to ${path.expected}; or set candidates`;
    throw new CairnError('INVALID_OPTION', message, { option: 'path' });
  }
  const unused = (['path', ...SCAN_OPTIONS] as const).find((option) => options[option] !== undefined);
  if (unused === undefined) return;
  const message = `invalid option ${unused} of ${name}: candidates are not scanned; leave out ${unused} or candidates`;
  throw new CairnError('INVALID_OPTION', message, { option: unused });
}

/** @throws {CairnError} `INVALID_OPTION` when a candidate is not a path. */
function checkPath(value: unknown, index: number): void {
  if (typeof value === 'string' && value !== '' && !value.includes('\0')) return;
  const message = `invalid option candidates of fuzzyFind: item ${index} is ${describe(value)}; use ${candidates.expected}`;
  throw new CairnError('INVALID_OPTION', message, { option: 'candidates' });
}

/**
 * Passes `paths` to the addon, over as many turns of the event loop as it takes. Returns also the time that is left for the search.
 *
 * @throws {CairnError} `INVALID_OPTION`; or the reason of the signal.
 */
export async function prepare(
  paths: readonly string[],
  { signal, timeoutMs }: EndOptions,
): Promise<{ list: NativePathList; timeoutMs: number | undefined }> {
  const known = prepared.get(paths);
  if (known) return { list: known, timeoutMs };
  const start = performance.now();
  const list = new NativePathList();
  for (let at = 0; at < paths.length; at += PATHS_PER_TURN) {
    if (at > 0) {
      await setImmediate();
      signal?.throwIfAborted();
      if (timeoutMs !== undefined && performance.now() - start >= timeoutMs) return { list, timeoutMs: 0 };
    }
    const part = paths.slice(at, at + PATHS_PER_TURN);
    for (const [index, one] of part.entries()) checkPath(one, at + index);
    list.add(Buffer.from(`${part.join('\0')}\0`));
  }
  if (Object.isFrozen(paths)) prepared.set(paths, list);
  const spentMs = performance.now() - start;
  return { list, timeoutMs: timeoutMs === undefined ? undefined : Math.max(0, timeoutMs - spentMs) };
}
