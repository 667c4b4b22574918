import type { FuzzyFindMatch } from '@cairn/natives';
import { findAll, type FindRules } from '../../search/find-all.ts';
import { readNames, type NameList } from '../../search/name-list.ts';
import type { Placed } from '../../search/search-all.ts';
import { CommandError, factsOf, UsageError } from '../../terminal/errors.ts';
import { MAX_COUNT } from '../../terminal/options.ts';
import { withProgress } from '../../terminal/progress.ts';
import type { Session } from '../../terminal/session.ts';
import { chooseInput, openStandardInput, STANDARD_INPUT } from '../../terminal/standard-input.ts';
import { shellQuote } from '../../terminal/shell-quote.ts';
import { highlight, rangesOf } from '../../terminal/text.ts';
import type { CommandFactory } from '../command.ts';
import { guessRemarks, queryRemarks } from './find-remarks.ts';
import {
  checkListing,
  extensionOption,
  fileTypeOf,
  kindOption,
  listingOptions,
  pathStyle,
  printListing,
  type EntryKind,
  type ListingFlags,
  type PathStyle,
  type QueryCall,
} from './listing.ts';
import { rootsOf } from './options.ts';

const examples = `
Examples:
  $ cairn find readme                 README files first, then looser matches
  $ cairn find schcor                 letters in order: finds sched/core.c
  $ cairn find 'api test' --limit 5   every word must match, in any order
  $ cairn find a/b src test           path segments, each abbreviated, in two directories
  $ cairn find 'api !test .ts$'       the signs of fzf: !not, ^start, end$, 'exact, one | other
  $ cairn find test -t d              only directories; -t f only files, -e ts only *.ts
  $ cairn find ''                     every path
  $ git ls-files | cairn find api     names on standard input instead of files
  $ cairn find test -0 | xargs -0 ls -d   names with any characters, for another program
  $ cairn find readme --json          with scores and positions, for a program

Without a path, names on standard input are ranked if it is a pipe or a file: one a line, or each with a NUL after it.
Paths begin with the searched directory as it was given, also with --json.
Directories end with '/'. Hidden names, node_modules and ignored files are skipped.`;

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

type FindCall = QueryCall<FindFlags>;

/** Where to search: directories, names on standard input, or both. */
interface Places {
  readonly roots: readonly string[];
  readonly list?: NameList;
  readonly notices: readonly string[];
}

const INSTEAD = "to search the current directory, add '.' after the query";

async function placesOf({ paths, flags }: FindCall, session: Session): Promise<Places> {
  const roots = rootsOf(flags, paths);
  const isGiven = paths.length > 0 || flags.path !== undefined;
  const { input, notices } = isGiven ? { notices: [] } : await chooseInput(session, INSTEAD);
  if (!input && !roots.includes(STANDARD_INPUT)) return { roots, notices };
  if (flags.hidden === false) {
    throw new UsageError('--no-hidden does not apply to names on standard input', 'leave it out');
  }
  const { stream } = input ?? (await openStandardInput(session, INSTEAD));
  return { roots: input ? [STANDARD_INPUT] : roots, list: await readNames(stream), notices };
}

/** Returns what is to be known about a list without a match. */
function listRemarks({ list }: Pick<Places, 'list'>, { flags }: FindCall, totalMatches: number): string[] {
  if (list === undefined || flags.type !== 'dir' || totalMatches > 0) return [];
  return list.names.some((name) => name.endsWith('/'))
    ? []
    : ["no name on standard input ends with '/', which marks a directory in a list; leave --type out"];
}

async function runFind(call: FindCall, session: Session): Promise<number> {
  const { query, paths, flags } = call;
  checkListing(flags);
  const style = pathStyle(flags, session);
  const maxResults = flags.limit ?? (query.trim() === '' ? MAX_COUNT : DEFAULT_LIMIT);
  const { notices, ...places } = await placesOf(call, session);
  const rules: FindRules = {
    query,
    fileType: await fileTypeOf(flags.type),
    extensions: flags.extension,
    maxResults,
    includePositions: style.paint.isColored || flags.json === true,
    timeoutMs: flags.timeout,
    onTimeout: 'partial',
    signal: session.signal,
  };
  const listing = await withProgress(session, 'searching', () =>
    findAll({ ...places, hidden: flags.hidden, gitignore: flags.ignore }, rules).catch((error: unknown) => {
      throw withQuoteFix(error, [query, ...paths]);
    }),
  );
  session.signal.throwIfAborted();
  const lines = listing.matches.map((match) => findLine(match, style));
  const { totalMatches } = listing;
  const listed = listing.matches.map(({ match }) => match.path);
  const found = { query, roots: places.roots, isList: places.list !== undefined, paths: listed };
  const remarks = [
    ...notices,
    ...guessRemarks(found, listing.guess),
    ...(await queryRemarks(found)),
    ...listRemarks(places, call, totalMatches),
  ];
  const facts = listing.guess && { guess: listing.guess };
  return printListing(session, { listing, lines, remarks, facts }, flags);
}

export const findCommand: CommandFactory = (command, session, done) => {
  command
    .description('Find files and directories by a few letters of their path, best match first.')
    .summary('find paths by a few of their letters')
    .argument('[query]', 'letters of the name, in order; words and path segments may be abbreviated', '')
    .argument('[path...]', 'directories to search (default: the current directory); - for names on standard input')
    .addHelpText('after', examples)
    .action(async (query: string, paths: readonly string[], flags: FindFlags) =>
      done(await runFind({ query, paths, flags }, session)),
    )
    .addOption(kindOption(['file', 'dir'], 'only files (f) or directories (d); a link counts as its target'))
    .addOption(extensionOption());
  const limit = `at most N paths (default: ${DEFAULT_LIMIT}; all for an empty query)`;
  for (const option of listingOptions({ limit, searchesHidden: false })) command.addOption(option);
};
