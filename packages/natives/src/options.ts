import { CairnError } from './errors.ts';

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
   * Allow a scan from the shared cache, up to `FS_SCAN_CACHE_TTL_MS` (1000) old, and keep the one that is made. Whoever
   * changes files calls `invalidateFsScanCache`.
   * @default false
   */
  cache?: boolean | undefined;
  /** Rejects with the signal's reason when it aborts. One signal serves any number of calls. */
  signal?: AbortSignal | undefined;
  /** Milliseconds until the call rejects with code `TIMEOUT`; 0 is at once. Default: none. */
  timeoutMs?: number | undefined;
  /**
   * What to do when `timeoutMs` passes: reject, or return what was found with `stopReason: 'timeout'`.
   * @default 'reject'
   */
  onTimeout?: 'reject' | 'partial' | undefined;
}

/** Why a result is not the whole answer: more matched than was asked for, the time ran out, the tree is too large. */
export type StopReason = 'limit' | 'timeout' | 'budget';

/** What a value of an option must be. */
export interface OptionRule {
  test: (value: unknown) => boolean;
  /** Completes "must be …". */
  expected: string;
  required?: true;
}

/** The rules of a function's options, by name. */
export type OptionRules<T> = { readonly [Name in keyof Required<T>]: OptionRule };

/** Largest value that is still a whole number without doubt. */
const MOST = Number.MAX_SAFE_INTEGER;

export const text: OptionRule = { test: (value) => typeof value === 'string', expected: 'a string' };
export const flag: OptionRule = { test: (value) => typeof value === 'boolean', expected: 'true or false' };
export const count: OptionRule = {
  test: (value) => typeof value === 'number' && Number.isInteger(value) && value >= 0 && value <= MOST,
  expected: 'a whole number from 0',
};
export const requiredText: OptionRule = { ...text, required: true };

/** A rule that takes the values of `allowed`. */
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
    expected: "a path: a string that is not empty and has no NUL character; '.' is the working directory",
    required: true,
  },
  hidden: flag,
  gitignore: flag,
  cache: flag,
  signal: { test: (value) => value instanceof AbortSignal, expected: 'an AbortSignal' },
  timeoutMs: {
    test: (value) => typeof value === 'number' && value >= 0 && !Number.isNaN(value),
    expected: 'a number of milliseconds from 0',
  },
  onTimeout: oneOf(['reject', 'partial']),
};

/**
 * Checks the options of a call. `undefined` stands for an option that was not given.
 *
 * @throws {CairnError} `INVALID_OPTION`, naming the first option that is unknown or not as its rule says.
 */
export function checkOptions<T extends object>(name: string, options: T, rules: OptionRules<T>): void {
  if (typeof options !== 'object' || options === null) {
    throw new CairnError('INVALID_OPTION', `${name} takes an object of options, not ${describe(options)}`);
  }
  const known: Record<string, OptionRule> = rules;
  for (const [option, value] of Object.entries(options)) {
    const rule = Object.hasOwn(known, option) ? known[option] : undefined;
    if (!rule) {
      const names = Object.keys(rules).join(', ');
      throw new CairnError('INVALID_OPTION', `${name} has no option ${option}; it has ${names}`, { option });
    }
    if (value !== undefined && !rule.test(value)) {
      const message = `the option ${option} of ${name} must be ${rule.expected}, not ${describe(value)}`;
      throw new CairnError('INVALID_OPTION', message, { option });
    }
  }
  for (const [option, rule] of Object.entries(known)) {
    if (rule.required && (options as Record<string, unknown>)[option] === undefined) {
      throw new CairnError('INVALID_OPTION', `${name} needs the option ${option}: ${rule.expected}`, { option });
    }
  }
}

/** Checks the callback of a call. @throws {CairnError} `INVALID_OPTION` when it is something else. */
export function checkCallback(name: string, onMatch: unknown): void {
  if (onMatch !== undefined && onMatch !== null && typeof onMatch !== 'function') {
    const message = `the second argument of ${name} must be a function, not ${describe(onMatch)}`;
    throw new CairnError('INVALID_OPTION', message, { option: 'onMatch' });
  }
}

/** The given options but `undefined` ones, which the addon would take for a value. */
export function given<T extends object>(options: T): { [Name in keyof T]: Exclude<T[Name], undefined> } {
  const entries = Object.entries(options).filter(([, value]) => value !== undefined);
  return Object.fromEntries(entries) as { [Name in keyof T]: Exclude<T[Name], undefined> };
}

function describe(value: unknown): string {
  if (typeof value === 'string') return JSON.stringify(value.length > 60 ? `${value.slice(0, 60)}…` : value);
  if (typeof value === 'number' || typeof value === 'boolean' || value === null) return String(value);
  return Array.isArray(value) ? 'an array' : `a value of type ${typeof value}`;
}
