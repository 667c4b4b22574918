import { checkArguments, type OptionNames } from '@cairn/tool/kernel';
import type { CacheAccess } from '../content/types.ts';
import { checkFunction } from '../checks.ts';
import { report } from '../content/report.ts';
import type { Lifetime } from '../lifetime.ts';
import type { WrapOptions } from './call-arguments.ts';
import type { CallCache, CallResult, Wrapped } from './call-cache.ts';
import type { CallResults } from './call-results.ts';
import type { DynamicListings } from './dynamic-listings.ts';
import { itemsOf } from './items.ts';

type OnResult<Result> = (path: string, result: Awaited<Result>) => void;

/** Functions that wrap the list and read functions of a framework. */
export interface Interceptors {
  /**
   * Wraps a function that lists a directory: `list(path)` or `list({ path })`. The wrapped function returns what the original would,
   * as a promise. A call with equal arguments is answered from memory while the directory and its entries are unchanged: their
   * times, inodes and sizes are checked at each call, and everything below the directory when the result or the arguments go into
   * subdirectories.
   *
   * Equal calls share one while it is in flight; after five seconds, a call no longer waits for another. A call that a wrapped
   * function makes, such as one of itself, waits for none. Not kept: failures, results that are not plain data, results that depend on more
   * than 2,000 entries or take more than 1 MiB, directories that changed within the last 20 ms, paths that are not in the workspace,
   * and results that name entries which the directory does not have.
   *
   * @param onResult called for each result of the original function. Errors in it change nothing.
   */
  wrapWithCache<Args extends readonly unknown[], Result>(
    list: (...args: Args) => Result,
    onResult?: OnResult<Result>,
    options?: WrapOptions<Args>,
  ): Wrapped<Args, Result>;
  /** Wraps a function that reads a file in the same way. Not kept: files with secret names or
   * with several names (hard links), and files that changed within 220 ms. A relative path starts at the root of the cache. */
  wrapReadWithCache<Args extends readonly unknown[], Result>(
    read: (...args: Args) => Result,
    onResult?: OnResult<Result>,
    options?: WrapOptions<Args>,
  ): Wrapped<Args, Result>;
}

interface InterceptorParts {
  readonly lifetime: Lifetime;
  readonly calls: CallCache;
  readonly results: CallResults;
  /** Absent for interceptors that keep and count nothing. */
  readonly dynamic?: DynamicListings | undefined;
  readonly onAccess?: ((access: CacheAccess) => void) | undefined;
}

const wrapOptions: OptionNames<WrapOptions<[]>> = { keyOf: 'optional', pathOf: 'optional' };

export function createInterceptors({ lifetime, calls, results, dynamic, onAccess }: InterceptorParts): Interceptors {
  const keepListing = ({ path, real, value, state, roots }: CallResult): void => {
    const entries = real && state && itemsOf(value, [path, real]);
    if (!entries) return;
    dynamic?.add({ path, real, entries, roots, digest: state.digest, isCurrent: () => results.isCurrent(state) });
  };
  const wrap =
    (kind: 'list' | 'read') =>
    <Args extends readonly unknown[], Result>(
      original: (...args: Args) => Result,
      onResult?: OnResult<Result>,
      options: WrapOptions<Args> = {},
    ): Wrapped<Args, Result> => {
      lifetime.check();
      checkFunction('the wrapped function', original ?? null);
      checkFunction('onResult', onResult);
      checkArguments.options<object>('the wrapped function', options, wrapOptions);
      for (const [name, value] of Object.entries(options)) checkFunction(name, value);
      return calls.wrap({
        kind,
        original,
        options,
        isKept: dynamic !== undefined,
        onResult: (result) => {
          const { path, real = path, isHit, value } = result;
          report(onAccess, { kind, path: real, isHit });
          if (kind === 'list') keepListing(result);
          // The original function has returned it.
          if (!isHit) report((found: Awaited<Result>) => onResult?.(path, found), value as Awaited<Result>);
        },
      });
    };
  return { wrapWithCache: wrap('list'), wrapReadWithCache: wrap('read') };
}
