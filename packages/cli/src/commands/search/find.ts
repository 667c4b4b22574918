import type { FuzzyFindMatch } from '@cairn/natives';
import { CommandError, factsOf, UsageError } from '../../terminal/errors.ts';
import { readNames, type NameList } from '../../terminal/name-list.ts';
import { MAX_COUNT } from '../../terminal/options.ts';
import { withProgress } from '../../terminal/progress.ts';
import type { Session } from '../../terminal/session.ts';
import { shellQuote } from '../../terminal/shell-quote.ts';
import { highlight, rangesOf } from '../../terminal/text.ts';
import { defineCommand, type CommandFactory } from '../command.ts';
import { findAll, type FindRules, type Placed } from './search-all.ts';
import { guessRemarks, queryRemarks } from './find-remarks.ts';
import { pathStyle, printListing, type PathStyle } from './listing.ts';
import {
  checkListing,
  choosePlaces,
  extensionOption,
  fileTypeOf,
  kindOption,
  listingOptions,
  type EntryKind,
  type ListingFlags,
} from './options.ts';

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

interface FindFlags extends ListingFlags {
  readonly type?: EntryKind;
  readonly extension?: readonly string[];
}

/** Returns the mark of directories in a list that seems to have none. */
function listRemarks(list: NameList | undefined, { type }: FindFlags, totalMatches: number): readonly string[] {
  if (list === undefined || type !== 'dir' || totalMatches > 0) return [];
  return list.names.some((name) => name.endsWith('/'))
    ? []
    : ["no name on standard input ends with '/', which marks a directory in a list; leave --type out"];
}

async function find(session: Session, flags: FindFlags, query: string, paths: readonly string[]): Promise<number> {
  checkListing(flags);
  const instead = "to search the current directory, add '.' after the query";
  const { roots, input, notices } = await choosePlaces(flags, paths, { session, instead });
  if (input && flags.hidden === false) {
    throw new UsageError('--no-hidden does not apply to names on standard input', 'leave it out');
  }
  const list = input && (await readNames(input));
  const { signal } = session;
  const style = pathStyle(flags, session);
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
  const listing = await withProgress(session, 'searching', () =>
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
  return printListing(session, { listing, lines, remarks, facts: guess && { guess } }, flags);
}

export const findCommand: CommandFactory = defineCommand({
  description: 'Find files and directories by a few letters of their path, best match first.',
  summary: 'find paths by a few of their letters',
  args: [
    ['[query]', 'letters of the name, in order; words and path segments may be abbreviated', ''],
    ['[path...]', 'directories to search (default: the current directory); - for names on standard input'],
  ],
  options: [
    kindOption(['file', 'dir'], 'only files (f) or directories (d); a link counts as its target'),
    extensionOption,
    ...listingOptions(`at most N paths (default: ${DEFAULT_LIMIT}; all for an empty query)`),
  ],
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
