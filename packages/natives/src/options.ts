import { CairnError, quoted } from '@cairn/tool/kernel';

/** Options that select files by their type and place. */
export interface FileSelection {
  /**
   * Only files of this type, or of one of these: one of ripgrep's types (`fileTypes()`), another common name of one (`golang`,
   * `c++`), or an extension that one of the files has. Otherwise the call rejects with `INVALID_OPTION` and near names.
   */
  type?: string | readonly string[] | undefined;
  /** No files of this type, or of any of these; `type` does not bring them back. */
  typeNot?: string | readonly string[] | undefined;
  /** The depth of the deepest results; 1 means only those in the root itself. Default: no limit. */
  maxDepth?: number | undefined;
  /**
   * Follow symbolic links, also out of the root, and visit each directory once. A link that is followed counts as what it leads to.
   * @default false
   */
  followLinks?: boolean | undefined;
}

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
   * `invalidateFsScanCache` after you change files. The second `grep` of a large tree begins an index of its contents.
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

/** The facts about an incomplete result. */
export interface ScanFacts {
  /** Whether nothing is missing, except entries that could not be read. */
  complete: boolean;
  /** Why something is missing. */
  stopReason?: StopReason;
  /** How many directories or entries could not be read; absent when none. */
  unreadable?: number;
  /**
   * The first 16 of them in path order, relative to the root; `.` is the root itself. A directory is one whose contents are
   * missing: for lack of permission, or because its path is longer than the system accepts. Absent when none.
   */
  unreadablePaths?: string[];
}

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
const isWellFormed = (value: unknown): boolean => typeof value === 'string' && !/\p{Surrogate}/u.test(value);

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

/** The rules of {@link FileSelection}. */
export const selectionRules: OptionRules<FileSelection> = {
  type: texts,
  typeNot: texts,
  maxDepth: count,
  followLinks: flag,
};

const invalidOption = (message: string, option?: string): CairnError =>
  new CairnError('INVALID_OPTION', message, { option });

/**
 * Checks the options of a call. The value `undefined` counts as not given.
 *
 * @throws {CairnError} `INVALID_OPTION` with the first option that is unknown or not valid.
 */
export function checkOptions<T extends object>(name: string, options: T, rules: OptionRules<T>): void {
  if (typeof options !== 'object' || options === null) {
    throw invalidOption(`invalid options of ${name}: ${describe(options)}; use an object`);
  }
  const known: Record<string, OptionRule> = rules;
  for (const [option, value] of Object.entries(options)) {
    const rule = Object.hasOwn(known, option) ? known[option] : undefined;
    if (!rule) {
      const names = Object.keys(rules).join(', ');
      throw invalidOption(`unknown option ${option} of ${name}; use ${names}`, option);
    }
    if (value !== undefined && !rule.test(value)) {
      throw invalidOption(`invalid option ${option} of ${name}: ${describe(value)}; use ${rule.expected}`, option);
    }
  }
  for (const [option, rule] of Object.entries(known)) {
    if (rule.required && (options as Record<string, unknown>)[option] === undefined) {
      throw invalidOption(`missing option ${option} of ${name}; set it to ${rule.expected}`, option);
    }
  }
}

/** Checks the callback of a call. @throws {CairnError} `INVALID_OPTION` when it is something else. */
export function checkCallback(name: string, callback: unknown, option: 'onMatch' | 'onBatch' = 'onMatch'): void {
  const isLeftOut = option === 'onMatch' && (callback === undefined || callback === null);
  if (!isLeftOut && typeof callback !== 'function') {
    throw invalidOption(`invalid second argument of ${name}: ${describe(callback)}; use a function`, option);
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
  if (typeof value === 'string') return quoted(value);
  if (typeof value === 'number' || typeof value === 'boolean' || value === null) return String(value);
  return Array.isArray(value) ? 'an array' : `a value of type ${typeof value}`;
}
