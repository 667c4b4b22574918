import { CairnError } from '@cairn/tool/kernel';

/** Options of every search. */
export interface SearchOptions {
  /** The root: absolute, or relative to the working directory at the time of the call. */
  path: string;
  /** Include names that begin with a dot. `.git` is never included. */
  hidden?: boolean | undefined;
  /**
   * Apply ignore files: `.gitignore`, `.ignore`, `.git/info/exclude`, the global excludes file, and those above the root.
   * @default true
   */
  gitignore?: boolean | undefined;
  /**
   * Resolve symbolic links in `path`. With false, `path` is absolute and canonical, and a link in it is `PATH_NOT_FOUND`: a
   * directory that became a link after the caller checked the path is not searched. On Linux this holds until the search has
   * read its last file; elsewhere a short gap remains.
   * @default true
   */
  resolveLinks?: boolean | undefined;
  /**
   * Allow a scan from the shared cache that is at most `FS_SCAN_CACHE_TTL_MS` (1000) old, and cache a new scan. Call
   * `invalidateFsScanCache` after you change files.
   * @default false
   */
  cache?: boolean | undefined;
  /** Ends the call with the reason of the signal. One signal can be used for any number of calls. */
  signal?: AbortSignal | undefined;
  /** Milliseconds until the call rejects with code `TIMEOUT`; 0 rejects immediately. Default: no timeout. */
  timeoutMs?: number | undefined;
  /**
   * Whether the call rejects when `timeoutMs` has passed, or returns a partial result with `stopReason: 'timeout'`.
   * @default 'reject'
   */
  onTimeout?: 'reject' | 'partial' | undefined;
}

/** Why a result is not complete: a limit was reached, the time ran out, or the tree or the result is too large. */
export type StopReason = 'limit' | 'timeout' | 'budget';

/** The rule for the value of an option. */
export interface OptionRule {
  test: (value: unknown) => boolean;
  /** What to use, as the end of a sentence with "use". */
  expected: string;
  required?: true;
}

/** The rules for the options of a function, by name. */
export type OptionRules<T> = { readonly [Name in keyof Required<T>]: OptionRule };

/** The maximal value that is exact. */
const MAX = Number.MAX_SAFE_INTEGER;

export const text: OptionRule = { test: (value) => typeof value === 'string', expected: 'a string' };
export const flag: OptionRule = { test: (value) => typeof value === 'boolean', expected: 'true or false' };
export const count: OptionRule = {
  test: (value) => typeof value === 'number' && Number.isInteger(value) && value >= 0 && value <= MAX,
  expected: 'a whole number from 0',
};
/** Whether a value is a string that crosses to the addon as it is: half of a surrogate pair would become U+FFFD. */
function isWellFormed(value: unknown): boolean {
  return typeof value === 'string' && !/\p{Surrogate}/u.test(value);
}

export const texts: OptionRule = {
  test: (value) => isWellFormed(value) || isArrayOf(value, isWellFormed),
  expected: 'a string or an array of strings, in well-formed Unicode',
};

/** Whether every item passes, also those that an array with holes lacks. */
export function isArrayOf(value: unknown, test: (item: unknown) => boolean): boolean {
  return Array.isArray(value) && Array.from<unknown>(value).every((item) => test(item));
}

/** A rule that accepts the values of `allowed`. */
export function oneOf(allowed: readonly (string | number)[]): OptionRule {
  return {
    test: (value) => allowed.some((one) => one === value),
    expected: `one of ${allowed.map((one) => JSON.stringify(one)).join(', ')}`,
  };
}

/** The rules of {@link SearchOptions}. */
export const searchRules: OptionRules<SearchOptions> = {
  path: {
    test: (value) => typeof value === 'string' && value !== '' && !value.includes('\0'),
    expected: "a path that is not empty and has no NUL character; '.' is the working directory",
    required: true,
  },
  hidden: flag,
  gitignore: flag,
  resolveLinks: flag,
  cache: flag,
  signal: { test: (value) => value instanceof AbortSignal, expected: 'an AbortSignal' },
  timeoutMs: {
    test: (value) => typeof value === 'number' && value >= 0 && !Number.isNaN(value),
    expected: 'a number of milliseconds from 0',
  },
  onTimeout: oneOf(['reject', 'partial']),
};

/**
 * Checks the options of a call. The value `undefined` counts as not given.
 *
 * @throws {CairnError} `INVALID_OPTION` with the first option that is unknown or not valid.
 */
export function checkOptions<T extends object>(name: string, options: T, rules: OptionRules<T>): void {
  if (typeof options !== 'object' || options === null) {
    throw new CairnError('INVALID_OPTION', `invalid options of ${name}: ${describe(options)}; use an object`);
  }
  const known: Record<string, OptionRule> = rules;
  for (const [option, value] of Object.entries(options)) {
    const rule = Object.hasOwn(known, option) ? known[option] : undefined;
    if (!rule) {
      const names = Object.keys(rules).join(', ');
      throw new CairnError('INVALID_OPTION', `unknown option ${option} of ${name}; use ${names}`, { option });
    }
    if (value !== undefined && !rule.test(value)) {
      const message = `invalid option ${option} of ${name}: ${describe(value)}; use ${rule.expected}`;
      throw new CairnError('INVALID_OPTION', message, { option });
    }
  }
  for (const [option, rule] of Object.entries(known)) {
    if (rule.required && (options as Record<string, unknown>)[option] === undefined) {
      throw new CairnError('INVALID_OPTION', `missing option ${option} of ${name}; set it to ${rule.expected}`, {
        option,
      });
    }
  }
}

/** Checks the callback of a call. @throws {CairnError} `INVALID_OPTION` when it is something else. */
export function checkCallback(name: string, callback: unknown, option: 'onMatch' | 'onBatch' = 'onMatch'): void {
  const isLeftOut = option === 'onMatch' && (callback === undefined || callback === null);
  if (!isLeftOut && typeof callback !== 'function') {
    const message = `invalid second argument of ${name}: ${describe(callback)}; use a function`;
    throw new CairnError('INVALID_OPTION', message, { option });
  }
}

/** The options without those that are `undefined`, which the addon would not accept. */
export function given<T extends object>(options: T): { [Name in keyof T]: Exclude<T[Name], undefined> } {
  const entries = Object.entries(options).filter(([, value]) => value !== undefined);
  return Object.fromEntries(entries) as { [Name in keyof T]: Exclude<T[Name], undefined> };
}

/** The values of an option that takes one or several; empty when it is not given. */
export function list(value: string | readonly string[] | undefined): string[] {
  if (value === undefined) return [];
  return typeof value === 'string' ? [value] : [...value];
}

/** A value in a message. */
export function describe(value: unknown): string {
  if (typeof value === 'string') return JSON.stringify(value.length > 60 ? `${value.slice(0, 60)}…` : value);
  if (typeof value === 'number' || typeof value === 'boolean' || value === null) return String(value);
  return Array.isArray(value) ? 'an array' : `a value of type ${typeof value}`;
}
