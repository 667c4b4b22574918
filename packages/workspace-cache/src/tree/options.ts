import type { Language, OptionNames } from '@cairn/tool/kernel';
import type { CountTokens } from '@cairn/tool/prompt';
import { checkValues, flag, isCount, isFunction, namesIn, type Rule, type Rules } from '../checks.ts';

/** The form of a tree: lines as the command `tree` draws them, two spaces a level, or one path a line. */
export type TreeForm = 'box' | 'indent' | 'paths';

/** A form; or `source`, the form of the source document: `box` with three levels and 10,000 characters. */
export type TreeFormat = TreeForm | 'source';

export interface TreeOptions {
  /**
   * The levels that are shown; 1 is the children of the root. `auto`: 4 with fewer than 20 entries in the root, 3 with fewer
   * than 100, else 2; and one more below `src`, `docs`, `examples` and `packages` in the root. `fit`: as many levels as fit whole,
   * into the limits that are given or else into 450 tokens; at least 2, of which the limits may cut a part.
   * @default 'fit'; with the format `source` 3
   */
  readonly depth?: number | 'auto' | 'fit' | undefined;
  /**
   * The maximal length of the tree in UTF-16 code units, its notice included.
   * @default no limit; with the format `source` and without `maxTokens` 10_000
   */
  readonly maxCharacters?: number | undefined;
  /**
   * The maximal number of tokens of the tree, its notice included. For a run: of the section, the kept listings and the updates together.
   * @default 1000; with `maxCharacters` or the format `source` no limit
   */
  readonly maxTokens?: number | undefined;
  /** Counts tokens. Default: an estimate for trees, within a tenth of `o200k_base` for names of English words. */
  readonly countTokens?: CountTokens | undefined;
  /** @default 'indent' */
  readonly format?: TreeFormat | undefined;
  /** @default 'en' */
  readonly language?: Language | undefined;
  /** Names of directories that are left out. Default: {@link EXCLUDED_DIRECTORIES}. */
  readonly exclude?: readonly string[] | undefined;
  /** Names that are shown though they are hidden, ignored or excluded. Default: {@link ALLOWED_NAMES}. */
  readonly allow?: readonly string[] | undefined;
  /** Show hidden directories. @default false */
  readonly hidden?: boolean | undefined;
  /** Apply ignore files. @default true */
  readonly gitignore?: boolean | undefined;
  /** Paths relative to the root, which are shown at any depth with their ancestors and siblings. Default: none. */
  readonly focus?: readonly string[] | undefined;
  /** Milliseconds until the scan ends with the part of the tree that it knows; `metadata.error` states it. @default 10_000 */
  readonly timeoutMs?: number | undefined;
}

/** The directories that a tree leaves out. */
export const EXCLUDED_DIRECTORIES: readonly string[] = [
  'node_modules',
  '.git',
  'dist',
  'build',
  'coverage',
  '.next',
  '.nuxt',
  'out',
  '__pycache__',
  'venv',
  '.venv',
  'target',
];

/** The hidden directories that a tree shows. */
export const ALLOWED_NAMES: readonly string[] = ['.github', '.aigne'];

/** The limits of a tree that no option gives: in tokens, and for the levels that it shows whole. */
const MAX_TOKENS = 1000;
const MAX_WHOLE_TOKENS = 450;

/** The depth and the limit in UTF-16 code units of the source document. */
const SOURCE_DEPTH = 3;
const SOURCE_CHARACTERS = 10_000;

const DEFAULT_TIMEOUT_MS = 10_000;

export type ResolvedTreeOptions = {
  readonly [Name in Exclude<keyof TreeOptions, 'countTokens' | 'format'>]-?: NonNullable<TreeOptions[Name]>;
} & {
  readonly format: TreeForm;
  readonly countTokens: CountTokens | undefined;
  /** The limit in tokens of the levels that the depth `fit` shows whole. */
  readonly maxWholeTokens: number;
};

const oneOf = (...allowed: readonly string[]): Rule => [
  (value) => typeof value === 'string' && allowed.includes(value),
  allowed.map((one) => JSON.stringify(one)).join(', '),
];

const limit: Rule = [(value) => value === Infinity || isCount(value), 'a whole number from 0'];

const isName = (value: unknown): boolean =>
  typeof value === 'string' && value !== '' && value !== '.' && value !== '..' && !/[/\0]/u.test(value);

const names: Rule = [
  (value) => Array.isArray(value) && value.every(isName),
  'a list of names; a name is not empty and has no slash',
];

const rules: Rules<TreeOptions> = {
  depth: [
    (value) =>
      value === 'auto' || value === 'fit' || (typeof value === 'number' && Number.isSafeInteger(value) && value >= 1),
    'a whole number from 1, "auto" or "fit"',
  ],
  maxCharacters: limit,
  maxTokens: limit,
  countTokens: [isFunction, 'a function that returns a number'],
  format: oneOf('box', 'indent', 'paths', 'source'),
  language: oneOf('en', 'zh'),
  exclude: names,
  allow: names,
  hidden: flag,
  gitignore: flag,
  focus: [
    (value) =>
      Array.isArray(value) && value.every((path) => typeof path === 'string' && path !== '' && !path.includes('\0')),
    'a list of paths relative to the root',
  ],
  timeoutMs: [
    (value) => typeof value === 'number' && value >= 0 && !Number.isNaN(value),
    'a number of milliseconds from 0',
  ],
};

export const treeOptionNames: OptionNames<TreeOptions> = namesIn(rules);

type Form = Pick<ResolvedTreeOptions, 'format' | 'depth' | 'maxCharacters' | 'maxTokens' | 'maxWholeTokens'>;

function sourceForm({ depth = SOURCE_DEPTH, maxTokens = Infinity, maxCharacters }: TreeOptions): Form {
  const characters = maxCharacters ?? (maxTokens === Infinity ? SOURCE_CHARACTERS : Infinity);
  return { format: 'box', depth, maxCharacters: characters, maxTokens, maxWholeTokens: maxTokens };
}

function ownForm({ depth = 'fit', maxTokens, maxCharacters }: TreeOptions, format: TreeForm): Form {
  const isLimited = maxTokens !== undefined || maxCharacters !== undefined;
  const tokens = maxTokens ?? (isLimited ? Infinity : MAX_TOKENS);
  const maxWholeTokens = isLimited ? tokens : MAX_WHOLE_TOKENS;
  return { format, depth, maxCharacters: maxCharacters ?? Infinity, maxTokens: tokens, maxWholeTokens };
}

/** Checks options and adds the defaults. The value `undefined` counts as not given. @throws {ToolError} `INVALID_OPTION` */
export function resolveTreeOptions(options: TreeOptions): ResolvedTreeOptions {
  checkValues<TreeOptions>(options, rules);
  const { format = 'indent' } = options;
  return {
    ...(format === 'source' ? sourceForm(options) : ownForm(options, format)),
    countTokens: options.countTokens,
    language: options.language ?? 'en',
    exclude: options.exclude ?? EXCLUDED_DIRECTORIES,
    allow: options.allow ?? ALLOWED_NAMES,
    hidden: options.hidden ?? false,
    gitignore: options.gitignore ?? true,
    focus: options.focus ?? [],
    timeoutMs: options.timeoutMs ?? DEFAULT_TIMEOUT_MS,
  };
}
