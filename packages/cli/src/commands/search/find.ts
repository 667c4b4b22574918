import type { FuzzyFindMatch, GuessKind } from '@cairn/natives';
import { CommandError, factsOf, UsageError } from '../../terminal/errors.ts';
import { readNames, type NameList } from '../../terminal/name-list.ts';
import { MAX_COUNT } from '../../terminal/options.ts';
import type { FlagsOf } from '../../terminal/parsed.ts';
import { withProgress } from '../../terminal/progress.ts';
import type { CommandContext } from '../../terminal/command-context.ts';
import { shellQuote } from '../../terminal/shell-quote.ts';
import { highlight, rangesOf } from '../../terminal/text.ts';
import { defineCommand, type CommandFactory } from '../command.ts';
import { findAll, type FindRules, type Placed } from './search-all.ts';
import { pathStyle, printListing, type PathStyle } from './listing.ts';
import { checkListing, choosePlaces, extensionOption, fileTypeOf, kindOption, listingOptions } from './options.ts';
import { quotePath } from '@cairn/tool/paths';
import { realpath, stat } from 'node:fs/promises';
import { basename, dirname, isAbsolute, relative } from 'node:path';
import { pathBelow, pathPrefix } from '../../terminal/path-prefix.ts';

/** The limit of a query that ranks; an empty one lists everything. */
const DEFAULT_LIMIT = 100;

function findLine({ prefix, match }: Placed<FuzzyFindMatch>, { paint, shown: show }: PathStyle): string {
  const path = prefix + match.path;
  const shown = show(path);
  const rest = match.isDirectory ? paint.directory : (text: string) => text;
  // Quoting moves the highlighted ranges.
  if (shown !== path) return rest(shown);
  return highlight(shown, rangesOf(match.positions ?? [], prefix.length), {
    paint: paint.hit,
    rest,
    escape: (text) => text,
  });
}

/** Returns an error with what several arguments may have meant: the words of one query. */
function withQuoteFix(error: unknown, words: readonly string[]): unknown {
  const facts = factsOf(error);
  if (facts.code !== 'PATH_NOT_FOUND' || words.length < 2) return error;
  const fix = `or quote a query of several words: ${shellQuote(words.join(' '))}`;
  return new CommandError({ ...facts, fix }, { cause: error });
}

const options = [
  kindOption(['file', 'dir'], 'only files (f) or directories (d); a link counts as its target'),
  extensionOption,
  ...listingOptions(`at most N paths (default: ${DEFAULT_LIMIT}; all for an empty query)`),
] as const;

type FindFlags = FlagsOf<typeof options>;

/** Returns the mark of directories in a list that seems to have none. */
function listRemarks(list: NameList | undefined, { type }: FindFlags, totalMatches: number): readonly string[] {
  if (list === undefined || type !== 'dir' || totalMatches > 0) return [];
  return list.names.some((name) => name.endsWith('/'))
    ? []
    : ["no name on standard input ends with '/', which marks a directory in a list; leave --type out"];
}

async function find(
  context: CommandContext,
  flags: FindFlags,
  query: string,
  paths: readonly string[],
): Promise<number> {
  checkListing(flags);
  const instead = "to search the current directory, add '.' after the query";
  const { roots, input, notices } = await choosePlaces(flags, paths, { context, instead });
  if (input && flags.hidden === false) {
    throw new UsageError('--no-hidden does not apply to names on standard input', 'leave it out');
  }
  const list = input && (await readNames(input));
  const { signal } = context;
  const style = pathStyle(flags, context);
  const rules: FindRules = {
    query,
    fileType: await fileTypeOf(flags.type),
    extensions: flags.extension,
    maxResults: flags.limit ?? (query.trim() === '' ? MAX_COUNT : DEFAULT_LIMIT),
    includePositions: style.paint.isColored || flags.json === true,
    timeoutMs: flags.timeout,
    onTimeout: 'partial',
    signal,
  };
  const listing = await withProgress(context, 'searching', () =>
    findAll({ roots, list, hidden: flags.hidden, gitignore: flags.ignore }, rules).catch((error: unknown) => {
      throw withQuoteFix(error, [query, ...paths]);
    }),
  );
  signal.throwIfAborted();
  const { matches, totalMatches, guess } = listing;
  const found = { query, roots, isList: list !== undefined, paths: matches.map(({ match }) => match.path) };
  const remarks = [
    ...notices,
    ...guessRemarks(found, guess),
    ...(await queryRemarks(found)),
    ...listRemarks(list, flags, totalMatches),
  ];
  const lines = matches.map((match) => findLine(match, style));
  return printListing(context, { listing, lines, remarks, facts: guess && { guess } }, flags);
}

export const findCommand: CommandFactory = defineCommand({
  description: 'Find files and directories by a few letters of their path, best match first.',
  summary: 'find paths by a few of their letters',
  args: [
    ['[query]', 'letters of the name, in order; words and path segments may be abbreviated', ''],
    ['[path...]', 'directories to search (default: the current directory); - for names on standard input'],
  ],
  options,
  examples: `
Examples:
  $ cairn find readme                 README files first, then looser matches
  $ cairn find schcor                 letters in order: finds sched/core.c
  $ cairn find 'api test' --limit 5   every word must match, in any order
  $ cairn find a/b src test           path segments, each abbreviated, in two directories
  $ cairn find 'api !test .ts$'       the operators of fzf: !not, ^start, end$, 'exact, one | other
  $ cairn find test -t d              only directories; -t f only files, -e ts only *.ts
  $ cairn find ''                     every path
  $ git ls-files | cairn find api     names on standard input instead of files
  $ cairn find test -0 | xargs -0 ls -d   names with any characters, for another program
  $ cairn find readme --json          with scores and positions, for a program

Without a path, names on standard input are ranked if it is a pipe or a file: one a line, or each with a NUL after it.
Paths begin with the searched directory as it was given, also with --json.
Directories end with '/'. Hidden names, node_modules and ignored files are skipped.`,
  run: find,
});

interface Found {
  readonly query: string;
  readonly roots: readonly string[];
  /** Whether names on standard input were ranked. */
  readonly isList: boolean;
  readonly paths: readonly string[];
}

/** Signs of an expression and of a glob, and an alternative without spaces, which fzf takes as a part of the name. */
const EXPRESSION = /\.[*+?]|\\[.$^dwsbDWS]|\][*+?]/u;
const GLOB = /[*?]|\{[^{}]*,[^{}]*\}/u;
const ALTERNATIVE = /(?<=[^\s|])\|(?=[^\s|])/gu;

/** Returns the meaning of a query with the syntax of other patterns, unless a listed path has such a sign itself. */
function signRemarks({ query, roots, isList, paths }: Found): string[] {
  const sign = /[*?\\{|]|\][+]|\.[+]/u.exec(query)?.[0].at(-1);
  if (sign === undefined || paths.some((path) => path.includes(sign))) return [];
  const wherever = roots.filter((root) => root !== '.').map((root) => ` --path ${shellQuote(root)}`);
  if (EXPRESSION.test(query)) {
    if (isList) return [`a query is letters, not an expression; for one, use cairn grep ${shellQuote(query)}`];
    // A name begins after a slash too.
    const expression = shellQuote(query.replace(/^\^/u, '(^|/)'));
    const names = `cairn glob '*'${wherever.join('')}`;
    return [`a query is letters, not an expression; for one, use ${names} | cairn grep ${expression}`];
  }
  if (GLOB.test(query)) {
    const fix = isList ? '' : `; for a glob, use cairn glob ${shellQuote(query)}${wherever.join('')}`;
    return [`a query is letters, without wildcards${fix}`];
  }
  const spaced = query.replaceAll(ALTERNATIVE, ' | ');
  return spaced === query ? [] : [`| needs spaces around it: ${shellQuote(spaced)}`];
}

/** Returns the way to search for a place in a file, as compilers and grep print it. */
function placeRemarks({ query, isList, paths }: Found): string[] {
  const path = /^(\S*\p{L}\S*?):\d+(?::\d+)?:?$/u.exec(query.trim())?.[1];
  if (path === undefined || isList || paths.length > 0) return [];
  return [`nothing has the line in its name; without it, use cairn find ${shellQuote(path)}`];
}

async function isOutside(path: string, root: string): Promise<boolean> {
  const way = relative(await realpath(root), path);
  return way === '..' || way.startsWith('../') || isAbsolute(way);
}

/** Returns the way to search an absolute path, if that is not below a searched directory. */
async function outsideRemarks({ query, roots, isList }: Found): Promise<string[]> {
  if (!isAbsolute(query) || isList) return [];
  try {
    const [path, entry] = [await realpath(query), await stat(query)];
    const areOutside = await Promise.all(roots.map((root) => isOutside(path, root)));
    if (areOutside.includes(false)) return [];
    const [words, directory] = entry.isDirectory() ? ["''", query] : [shellQuote(basename(query)), dirname(query)];
    return [`${query} is not below a searched directory; use cairn find ${words} ${shellQuote(directory)}`];
  } catch {
    // Not a path that exists.
    return [];
  }
}

const guessNotices: Readonly<Record<GuessKind, string>> = {
  initials: 'matched by beginnings of words',
  typo: 'matched with a typo',
  scattered: 'matched by scattered letters',
};

/** Returns that the listed paths are guesses, and how to search without any. The searched path does not count. */
export function guessRemarks({ query, roots, isList }: Found, guess: GuessKind | undefined): string[] {
  if (guess === undefined) return [];
  const words = query.trim();
  const what = /\s/u.test(words) ? `every word of "${words}"` : `"${words}"`;
  const [root = '.'] = roots;
  const searched = roots.length === 1 ? quotePath(pathBelow(root, '.')) : 'the searched paths';
  const where = isList || roots.every((one) => pathPrefix(one) === '') ? '' : ` below ${searched}`;
  const fix = "put ' before a word to find only paths that contain it";
  return [`no listed path contains ${what}${where}: ${guessNotices[guess]}; ${fix}`];
}

export async function queryRemarks(found: Found): Promise<string[]> {
  const { query, paths } = found;
  if (query.trim() === '.' && paths.length > 0) {
    return [`the query "." finds names with a dot; use '' to list every path`];
  }
  const isSearchable = query.trim() === '' || /[\p{L}\p{N}]/u.test(query);
  if (!isSearchable && paths.length === 0) {
    return [`the query "${query}" has no letters or digits to search for; use '' to list every path`];
  }
  return [...signRemarks(found), ...placeRemarks(found), ...(await outsideRemarks(found))];
}
