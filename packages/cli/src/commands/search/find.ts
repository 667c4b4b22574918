import type { FuzzyFindMatch } from '@cairn/natives';
import { byScore, searchAll, type Placed } from '../../search/search-all.ts';
import { CommandError, factsOf } from '../../terminal/errors.ts';
import { MAX_COUNT } from '../../terminal/options.ts';
import { withProgress } from '../../terminal/progress.ts';
import type { Session } from '../../terminal/session.ts';
import { highlight, rangesOf, shellQuote } from '../../terminal/text.ts';
import type { CommandFactory } from '../command.ts';
import { checkListing, listingOptions, pathStyle, printListing, type ListingFlags, type PathStyle } from './listing.ts';
import { rootsOf } from './options.ts';

const examples = `
Examples:
  $ cairn find readme                 README files first, then looser matches
  $ cairn find schcor                 letters in order: finds sched/core.c
  $ cairn find 'api test' --limit 5   every word must match, in any order
  $ cairn find a/b src test           path segments, each abbreviated, in two directories
  $ cairn find ''                     every path
  $ cairn find test -0 | xargs -0 ls -d   names with any characters, for another program
  $ cairn find readme --json          with scores and positions, for a program

Printed paths are relative to the current directory; with --json they are relative to the searched directory, or with several
begin with it. Directories end with '/'. Hidden names, node_modules and ignored files are skipped.`;

/** The limit of a query that ranks; an empty one lists everything. */
const DEFAULT_LIMIT = 100;

/** Returns a path as a line. */
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

/** Returns why a query cannot find anything. */
function remarksOf(query: string, totalMatches: number): string[] {
  const isSearchable = query.trim() === '' || /[\p{L}\p{N}]/u.test(query);
  if (isSearchable || totalMatches > 0) return [];
  return [`the query "${query}" has no letters or digits to search for; use '' to list every path`];
}

/** Returns an error with what several arguments may have meant: the words of one query. */
function withQuoteFix(error: unknown, words: readonly string[]): unknown {
  const facts = factsOf(error);
  if (facts.code !== 'PATH_NOT_FOUND' || words.length < 2) return error;
  const fix = `or quote a query of several words: ${shellQuote(words.join(' '))}`;
  return new CommandError({ ...facts, fix }, { cause: error });
}

async function runFind(
  query: string,
  {
    paths,
    flags,
    session,
  }: { readonly paths: readonly string[]; readonly flags: ListingFlags; readonly session: Session },
): Promise<number> {
  checkListing(flags);
  const { fuzzyFind } = await import('@cairn/natives');
  const style = pathStyle(flags, session);
  const limit = flags.limit ?? (query.trim() === '' ? MAX_COUNT : DEFAULT_LIMIT);
  const listing = await withProgress(session, 'searching', () =>
    searchAll(
      rootsOf(flags, paths),
      (path) =>
        fuzzyFind({
          query,
          path,
          hidden: flags.hidden,
          gitignore: flags.ignore,
          maxResults: limit,
          includePositions: style.paint.isColored || flags.json === true,
          timeoutMs: flags.timeout,
          onTimeout: 'partial',
          signal: session.signal,
        }),
      { limit, compare: byScore },
    ).catch((error: unknown) => {
      throw withQuoteFix(error, [query, ...paths]);
    }),
  );
  session.signal.throwIfAborted();
  const lines = listing.matches.map((match) => findLine(match, style));
  return printListing(session, { listing, lines, remarks: remarksOf(query, listing.totalMatches) }, flags);
}

export const findCommand: CommandFactory = (command, session, done) => {
  command
    .description('Find files and directories by a few letters of their path, best match first.')
    .summary('find paths by a few of their letters')
    .argument('[query]', 'letters of the name, in order; words and path segments may be abbreviated', '')
    .argument('[path...]', 'directories to search (default: the current directory)')
    .addHelpText('after', examples)
    .action(async (query: string, paths: readonly string[], flags: ListingFlags) =>
      done(await runFind(query, { paths, flags, session })),
    );
  const limit = `at most N paths (default: ${DEFAULT_LIMIT}; all for an empty query)`;
  for (const option of listingOptions({ limit, searchesHidden: false })) command.addOption(option);
};
