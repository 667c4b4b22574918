import { quotePath } from '@cairn/tool/paths';
import { Option } from 'commander';
import type { FileType, GlobMatch } from '@cairn/natives';
import type { ListingOfAll } from '../../search/search-all.ts';
import { errorText, writeAnswer, type MatchesDocument } from '../../terminal/answer.ts';
import { UsageError } from '../../terminal/errors.ts';
import { exitCodeOf } from '../../terminal/exit.ts';
import { createPaint, usesColor, type Paint } from '../../terminal/output.ts';
import type { Session } from '../../terminal/session.ts';
import { listingNotices, nothingFoundNotice } from './notices.ts';
import { repeated, searchOptions, type SearchFlags, type SearchWording } from './options.ts';

/** The options of find and glob, as parsed. */
export interface ListingFlags extends SearchFlags {
  readonly null?: boolean;
}

/** The fields of a match that the commands have in common. */
interface ListedMatch extends Pick<GlobMatch, 'path' | 'lossyPath'> {
  readonly positions?: readonly number[];
}

/** Returns the options that find and glob share. */
export function listingOptions(wording: Omit<SearchWording, 'root'>): Option[] {
  return [...searchOptions({ ...wording, root: 'a directory' }), nullOption()];
}

/** Returns the option that ends each path with a NUL. */
export function nullOption(): Option {
  return new Option('-0, --null', "end each path with a NUL and print names as they are, for 'xargs -0'");
}

/** What find and pick are asked for. */
export interface QueryCall<Flags> {
  readonly query: string;
  readonly paths: readonly string[];
  readonly flags: Flags;
}

/** The addon's names of the kinds of entries. */
const kindNames = { file: 'File', dir: 'Dir', symlink: 'Symlink' } as const;

/** A kind of entries. */
export type Kind = keyof typeof kindNames;

/** A kind where links count as their targets. */
export type EntryKind = Exclude<Kind, 'symlink'>;

/** Returns the addon's number of a kind. */
export async function fileTypeOf<Chosen extends Kind>(
  kind: Chosen | undefined,
): Promise<(typeof FileType)[(typeof kindNames)[Chosen]] | undefined> {
  return kind && (await import('@cairn/natives')).FileType[kindNames[kind]];
}

/** The words for a kind, those of fd and find among them. */
const kindWords: Readonly<Record<string, Kind>> = {
  f: 'file',
  file: 'file',
  d: 'dir',
  dir: 'dir',
  directory: 'dir',
  l: 'symlink',
  symlink: 'symlink',
};

const FIND = 'use find(1), which applies no ignore file: find .';

/** The other kinds of fd, and the commands that list them. */
const foreignKinds: readonly (readonly [words: readonly string[], instead: string])[] = [
  [['l', 'symlink'], "for links use 'cairn glob' with -t l; 'cairn find' and 'cairn pick' read its output"],
  [['x', 'executable'], `for executable files ${FIND} -type f -perm -u+x`],
  [['e', 'empty'], `for empty files and directories ${FIND} -empty`],
  [['s', 'socket'], `for sockets ${FIND} -type s`],
  [['p', 'pipe'], `for pipes ${FIND} -type p`],
  [['b', 'block-device'], `for block devices ${FIND} -type b`],
  [['c', 'char-device'], `for character devices ${FIND} -type c`],
];

/** Returns the option for the kind of entries. */
export function kindOption(kinds: readonly Kind[], description: string): Option {
  const wanted = kinds.map((kind) => `${kind[0] === 's' ? 'l' : kind[0]} (${kind})`);
  const fix = `use ${wanted.slice(0, -1).join(', ')} or ${wanted.at(-1) ?? ''}`;
  return new Option('-t, --type <kind>', description).argParser((value: string, previous: Kind | undefined) => {
    const kind = Object.hasOwn(kindWords, value) ? kindWords[value] : undefined;
    if (kind === undefined || !kinds.includes(kind)) {
      const instead = foreignKinds.find(([words]) => words.includes(value))?.[1];
      throw new UsageError(`invalid --type "${value}"`, instead === undefined ? fix : `${fix}; ${instead}`);
    }
    if (previous !== undefined && previous !== kind) {
      throw new UsageError('--type is given twice', 'leave it out for every kind');
    }
    return kind;
  });
}

function extensionOf(value: string): string {
  const extension = value.replace(/^\.+/u, '');
  // Names hardly ever have signs of globs there, or the comma of a list.
  if (extension === '' || /[/\0*?,{}]/u.test(extension)) {
    const fix = "use the end of a name, such as 'ts' or 'tar.gz', and repeat -e for several";
    throw new UsageError(`invalid --extension "${value}"`, fix);
  }
  return extension;
}

/** Returns the option for the ends of names. */
export function extensionOption(): Option {
  return new Option('-e, --extension <ext>', 'only names with this extension, in any case; may be repeated').argParser(
    repeated(extensionOf),
  );
}

/** How to print paths. */
export interface PathStyle {
  readonly paint: Paint;
  /** Returns a path as it is shown. */
  readonly shown: (path: string) => string;
}

/**
 * Returns how to print paths. Those for a program (`-0`) are neither quoted nor painted; a terminal is protected from names
 * also then.
 */
export function pathStyle(flags: Pick<ListingFlags, 'color' | 'null'>, { out, env }: Session): PathStyle {
  const isForProgram = flags.null === true && !out.isTerminal;
  const isColored = isForProgram ? flags.color === 'always' : usesColor(flags.color, out.isTerminal, env);
  return { paint: createPaint(isColored), shown: isForProgram ? (path) => path : quotePath };
}

/** Refuses options that a listing cannot have together. */
export function checkListing({ null: endsWithNull, json }: ListingFlags): void {
  if (endsWithNull === true && json === true) {
    throw new UsageError('--null and --json exclude each other', 'use one of them; --json has names as they are, too');
  }
}

/** Returns a match as a program gets it: its path begins with the root as it was given, as in the lines. */
function matchOf<Match extends ListedMatch>({ prefix, match }: ListingOfAll<Match>['matches'][number]): Match {
  const positions = match.positions?.map((position) => position + prefix.length);
  return { ...match, path: prefix + match.path, ...(positions && { positions }) };
}

function documentOf(listing: ListingOfAll<ListedMatch>): MatchesDocument {
  const { matches, totalMatches, complete, stopReason, unreadable = 0, unreadablePaths, hints, roots } = listing;
  const isWhole = complete && unreadable === 0 && matches.length === totalMatches;
  const reason = stopReason ?? (matches.length < totalMatches ? 'limit' : undefined);
  return {
    matches: matches.map(matchOf),
    shown: matches.length,
    totalMatches,
    complete: isWhole,
    ...(reason !== undefined && { stopReason: reason }),
    ...(unreadable > 0 && { unreadable }),
    ...(unreadablePaths && { unreadablePaths }),
    ...(hints.length > 0 && { hint: hints.join('; ') }),
    ...(roots.length > 1 && { paths: roots }),
  };
}

function noticesOf(
  listing: ListingOfAll<ListedMatch>,
  flags: ListingFlags,
  { session, remarks }: { readonly session: Session; readonly remarks: readonly string[] },
): string[] {
  const shown = listing.matches.length;
  const lossyPaths = listing.matches.filter(({ match }) => match.lossyPath === true).length;
  const notices = [
    ...listing.failures.map(errorText),
    ...listingNotices({ ...listing, shown, lossyPaths }),
    ...remarks,
  ];
  const isForPerson = session.err.isTerminal && flags.json !== true;
  if (shown > 0 || notices.length > 0 || !isForPerson) return notices;
  return [nothingFoundNotice(flags.hidden ?? false, flags.ignore)];
}

/** What a command prints about its matches. */
interface ListingText {
  readonly lines: Iterable<string>;
  /** Remarks of the command itself. */
  readonly remarks?: readonly string[];
  /** Fields of the command itself, for the document. */
  readonly facts?: object | undefined;
}

/** Prints the result of find or glob and returns the exit status. */
export async function printListing(
  session: Session,
  { listing, lines, remarks = [], facts }: ListingText & { readonly listing: ListingOfAll<ListedMatch> },
  flags: ListingFlags,
): Promise<number> {
  await writeAnswer(session, flags, {
    lines,
    lineEnd: flags.null === true ? '\0' : '\n',
    document: { ...documentOf(listing), ...facts },
    notices: () => noticesOf(listing, flags, { session, remarks }),
  });
  const { matches, stopReason, unreadable = 0, failures } = listing;
  return exitCodeOf({ shown: matches.length, stopReason, unreadable: unreadable + failures.length });
}
