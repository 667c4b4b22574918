import { quotePath } from '@cairn/tool/paths';
import { lstat, stat } from 'node:fs/promises';
import { isAbsolute, join } from 'node:path';
import type { FileType, GlobMatch, GlobOptions } from '@cairn/natives';
import { CommandError, factsOf, UsageError } from '../../terminal/errors.ts';
import { hidden, MAX_COUNT, wholeNumber } from '../../terminal/options.ts';
import type { FlagsOf } from '../../terminal/parsed.ts';
import { withProgress } from '../../terminal/progress.ts';
import type { CommandContext } from '../../terminal/command-context.ts';
import { shellQuote } from '../../terminal/shell-quote.ts';
import { formatBytes } from '../../terminal/text.ts';
import { defineCommand, type CommandFactory } from '../command.ts';
import { pathStyle, printListing, type PathStyle } from './listing.ts';
import { checkListing, fileTypeOf, kindOption, listingOptions, rootsOf } from './options.ts';
import { searchAll, type ListingOfAll, type Placed } from './search-all.ts';

const options = [
  kindOption(['file', 'dir', 'symlink'], 'only files (f), directories (d) or links (l); a link counts as its target'),
  ['-d, --max-depth <n>', 'only N levels of directories', wholeNumber()],
  ['-L, --follow', 'follow symbolic links'],
  hidden('--no-follow'),
  ['--no-recursive', 'a pattern without / matches only directly in --path'],
  ['--sort-mtime', 'newest first; --limit then keeps the newest'],
  ['--include-node-modules', 'search node_modules too (automatic when the pattern names it)'],
  ['--long', 'show size and modification time before each path'],
  ...listingOptions('at most N paths (default: all)'),
] as const;

type GlobFlags = FlagsOf<typeof options>;

interface Details {
  readonly size?: number | undefined;
  readonly mtime?: number | undefined;
}

/** Parallel `lstat` calls: enough to keep the disk busy, below any limit on open files. */
const STAT_BATCH = 64;

async function detailsOf(matches: readonly Placed<GlobMatch>[], signal: AbortSignal): Promise<Details[]> {
  const details: Details[] = [];
  for (let start = 0; start < matches.length; start += STAT_BATCH) {
    signal.throwIfAborted();
    const batch = matches.slice(start, start + STAT_BATCH).map(async ({ root, match }): Promise<Details> => {
      const { path, size, mtime } = match;
      if (mtime !== undefined) return { size, mtime };
      try {
        const entry = await lstat(join(root, path));
        return { size: entry.isFile() ? entry.size : undefined, mtime: entry.mtimeMs };
      } catch {
        // Deleted since the scan, or a name that is not valid Unicode.
        return {};
      }
    });
    details.push(...(await Promise.all(batch)));
  }
  return details;
}

/** Returns the local time to the minute: `2025-11-21 14:05`. Swedish has this form. */
function localTime(mtime: number): string {
  return new Date(mtime).toLocaleString('sv-SE').slice(0, 16);
}

/** Returns the columns of `--long`: aligned in a terminal, exact and separated by tabs in a pipe. */
function longColumns({ size, mtime }: Details, isTerminal: boolean): string {
  if (!isTerminal) return `${size ?? '-'}\t${mtime === undefined ? '-' : new Date(mtime).toISOString()}\t`;
  const shownSize = size === undefined ? '-' : formatBytes(size);
  return `${shownSize.padStart(10)}  ${(mtime === undefined ? '-' : localTime(mtime)).padEnd(16)}  `;
}

function paintedPath(path: string, fileType: FileType, style: PathStyle & { readonly types: typeof FileType }): string {
  const shown = style.shown(path);
  if (fileType === style.types.Dir) return style.paint.directory(shown);
  return fileType === style.types.Symlink ? style.paint.link(shown) : shown;
}

async function linesOf(
  { matches }: ListingOfAll<GlobMatch>,
  flags: GlobFlags,
  context: CommandContext,
): Promise<readonly string[]> {
  const { FileType: types } = await import('@cairn/natives');
  const { out, signal } = context;
  const style = pathStyle(flags, context);
  const details = flags.long === true ? await detailsOf(matches, signal) : undefined;
  return matches.map(({ prefix, match }, index) => {
    const columns = details === undefined ? '' : style.paint.dim(longColumns(details[index] ?? {}, out.isTerminal));
    return columns + paintedPath(prefix + match.path, match.fileType, { ...style, types });
  });
}

/** Newest first. A file without a time was deleted since the scan. */
function byTime(one: GlobMatch, other: GlobMatch): number {
  return (other.mtime ?? 0) - (one.mtime ?? 0);
}

const GLOB_SIGNS = /[*?[\]{}!\\]/u;
const MAX_NAMED = 3;

/** Returns the directory that other tools would search for a name after a pattern. */
async function directoryRemarks(patterns: readonly string[]): Promise<readonly string[]> {
  const areDirectories = await Promise.all(
    patterns.map(async (pattern) => {
      if (GLOB_SIGNS.test(pattern) || pattern === '') return false;
      return stat(pattern).then(
        (entry) => entry.isDirectory(),
        () => false,
      );
    }),
  );
  const directories = patterns.filter((_, index) => areDirectories[index] === true);
  if (directories.length === 0) return [];
  const named = directories.slice(0, MAX_NAMED).map(quotePath).join(', ');
  const more = directories.length > MAX_NAMED ? ` and ${directories.length - MAX_NAMED} more` : '';
  const fix = `use --path ${shellQuote(directories[0] ?? '')}`;
  return [`each argument is a pattern, also the name of a directory (${named}${more}); to search in it, ${fix}`];
}

/** Returns an error with what an absolute directory among the patterns may have meant. */
async function withPathFix(error: unknown, patterns: readonly string[]): Promise<unknown> {
  const facts = factsOf(error);
  if (facts.code !== 'INVALID_GLOB') return error;
  const remarks = await directoryRemarks(patterns.filter((pattern) => isAbsolute(pattern)));
  return remarks.length === 0 ? error : new CommandError({ ...facts, fix: remarks.join('; ') }, { cause: error });
}

async function listPaths(context: CommandContext, flags: GlobFlags, patterns: readonly string[]): Promise<number> {
  checkListing(flags);
  const { json = false, long = false, sortMtime } = flags;
  if (json && long) {
    throw new UsageError('--long and --json exclude each other', 'use --json with --sort-mtime for sizes and times');
  }
  if (patterns.includes('')) throw new UsageError('a pattern is empty', "use '**' to list everything");
  const { glob } = await import('@cairn/natives');
  const options: Omit<GlobOptions, 'path'> = {
    pattern: patterns,
    hidden: flags.hidden,
    gitignore: flags.ignore,
    fileType: await fileTypeOf(flags.type),
    recursive: flags.recursive,
    maxDepth: flags.maxDepth,
    followLinks: flags.follow,
    maxResults: flags.limit,
    sortByMtime: sortMtime,
    includeNodeModules: flags.includeNodeModules,
    timeoutMs: flags.timeout,
    onTimeout: 'partial',
    signal: context.signal,
  };
  const order = { limit: flags.limit ?? MAX_COUNT, compare: sortMtime === true ? byTime : undefined };
  const listing = await withProgress(context, 'searching', () =>
    searchAll(rootsOf(flags), (path) => glob({ ...options, path }), order).catch(async (error: unknown) => {
      throw await withPathFix(error, patterns);
    }),
  );
  context.signal.throwIfAborted();
  const lines = json ? [] : await linesOf(listing, flags, context);
  const remarks = patterns.length < 2 ? [] : await directoryRemarks(patterns);
  return printListing(context, { listing, lines, remarks }, flags);
}

export const globCommand: CommandFactory = defineCommand({
  description: 'List the files and directories with a path that matches patterns.',
  summary: 'list paths that match a pattern',
  args: [['<pattern...>', "glob patterns; without / they match names at any depth, with '!' before them they exclude"]],
  options,
  examples: `
Examples:
  $ cairn glob '*.ts'                          TypeScript files at any depth
  $ cairn glob 'src/**/*.test.ts'              a pattern with / starts at --path
  $ cairn glob '*.{ts,md}' --sort-mtime --limit 5 --long
                                               the five newest, with size and time
  $ cairn glob '*.ts' '*.tsx' '!*.test.*'      two kinds of names, without tests
  $ cairn glob '*.md' --path docs --path src   in two directories
  $ cairn glob '*' -t d -d 1                   directories directly here
  $ cairn glob '*.ts' -0 | xargs -0 wc -l      names with any characters, for another program
  $ cairn glob '*.json' --no-ignore --hidden   ignored and hidden files as well

Quote patterns, or the shell expands them. A path is listed if the last pattern that matches it has no '!'.
* and ? match within a name, ** crosses directories, {a,b} and [a-z] work.
Paths begin with --path as it was given, also with --json.
Hidden names, node_modules and ignored files are skipped.`,
  run: listPaths,
});
