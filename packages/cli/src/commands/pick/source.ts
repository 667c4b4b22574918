import type { GrepMatch, GuessKind } from '@cairn/natives';
import type { NameFeed } from '../../picker/name-feed.ts';
import type { Found, PickItem, PickSource } from '../../picker/source.ts';
import { errorText } from '../../terminal/answer.ts';
import { STANDARD_INPUT } from '../../terminal/standard-input.ts';
import { countOf, formatCount, rangesOf } from '../../terminal/text.ts';
import { findAll, searchAll, type FindRules, type ListingOfAll, type Placed } from '../search/search-all.ts';

export interface PickScope {
  readonly roots: readonly string[];
  readonly hidden: boolean | undefined;
  readonly gitignore: boolean;
  readonly watch: boolean | undefined;
  readonly fileType?: FindRules['fileType'];
  readonly extensions?: readonly string[] | undefined;
  /** The names to choose from, instead of the files in the roots. */
  readonly names?: NameFeed | undefined;
}

/** More than a user scrolls through. */
const MAX_ITEMS = 500;
const LINE_COLUMNS = 400;

type Search = PickScope & { readonly signal: AbortSignal };

function pathsOf(prefix: string, path: string, hasOneRoot: boolean): Pick<PickItem, 'path' | 'shownPath'> {
  const whole = prefix + path;
  return { path: whole, shownPath: hasOneRoot ? path : whole };
}

const guessLabels: Readonly<Record<GuessKind, string>> = {
  initials: 'beginnings of words',
  typo: 'with a typo',
  scattered: 'scattered letters',
};

/** Returns whether a match can be opened: its name is valid Unicode. */
function isUsable({ match }: Placed<Pick<GrepMatch, 'lossyPath'>>): boolean {
  return match.lossyPath === undefined;
}

function summaryOf(
  { matches, totalMatches: total, unreadable = 0, stopReason, failures }: ListingOfAll<Pick<GrepMatch, 'lossyPath'>>,
  noun: string,
  { isCut = false, guessed }: { readonly isCut?: boolean; readonly guessed?: string | undefined },
): string {
  const shown = matches.filter(isUsable).length;
  const lossy = matches.length - shown;
  const more = total > shown ? `${formatCount(shown)} of ${countOf(total, noun)}` : `the first ${countOf(shown, noun)}`;
  const notes = [isCut || total > matches.length ? more : countOf(shown, noun), ...failures.map(errorText)];
  if (guessed !== undefined) notes.push(guessed);
  if (stopReason === 'budget') notes.push('the tree is too large, only a part was searched');
  if (unreadable > 0) notes.push(`${formatCount(unreadable)} unreadable`);
  if (lossy > 0) notes.push(`skipped ${countOf(lossy, 'name')} not in valid Unicode`);
  return notes.join(', ');
}

async function findItems(
  query: string,
  { roots, names, fileType, extensions, signal, hidden, gitignore }: Search,
): Promise<Found> {
  const places =
    names === undefined ? { hidden, gitignore, roots, cache: true } : { roots: [STANDARD_INPUT], list: names.list };
  const rules = { query, fileType, extensions, signal, maxResults: MAX_ITEMS, includePositions: true };
  const found = await findAll(places, rules);
  const items = found.matches.filter(isUsable).map(({ prefix, match }): PickItem => {
    const paths = pathsOf(prefix, match.path, roots.length === 1);
    const ranges = rangesOf(match.positions ?? [], paths.shownPath.length - match.path.length);
    return { ...paths, isDirectory: match.isDirectory, text: paths.shownPath, ranges };
  });
  const failures = names?.failure === undefined ? found.failures : [...found.failures, names.failure];
  // With several roots, each path begins with its root, which does not count.
  const where = roots.length === 1 ? '' : ' below the searched paths';
  const guessed = found.guess && `none as typed${where}: ${guessLabels[found.guess]}`;
  const summary = summaryOf({ ...found, failures }, 'path', { guessed });
  return { items, summary: names?.isComplete === false ? `${summary}, reading standard input …` : summary };
}

function lineItem({ prefix, match }: Placed<GrepMatch>, hasOneRoot: boolean): PickItem {
  const { path, lineNumber, line, submatches = [] } = match;
  const indent = /^\s*/u.exec(line)?.[0].length ?? 0;
  const ranges = submatches.map(({ start, end }) => ({ start: Math.max(start - indent, 0), end: end - indent }));
  const text = line.slice(indent).replace(/\r$/u, '');
  return { ...pathsOf(prefix, path, hasOneRoot), isDirectory: false, lineNumber, text, ranges };
}

/** Returns a glob for the files with an extension, in any case of its letters, as the paths are found. */
function globOfExtension(extension: string): string {
  const characters = [...extension].map((one) => {
    const [lower, upper] = [one.toLowerCase(), one.toUpperCase()];
    return lower === upper ? `\\${one}` : `[${lower}${upper}]`;
  });
  return `*.${characters.join('')}`;
}

async function grepItems(
  pattern: string,
  { roots, extensions, fileType, hidden, gitignore, watch, signal }: Search,
): Promise<Found> {
  const { FileType: types, grep } = await import('@cairn/natives');
  if (fileType === types.Dir) return { items: [], summary: 'directories have no lines; Tab searches for paths' };
  if (pattern === '') return { items: [], summary: 'type to search in files' };
  // As in many editors: case matters only when the pattern has capitals.
  const ignoreCase = pattern === pattern.toLowerCase();
  const glob = extensions?.map(globOfExtension);
  const limits = { maxCount: MAX_ITEMS, maxColumns: LINE_COLUMNS };
  const options = { hidden, gitignore, signal, ...limits, pattern, glob, ignoreCase, crlf: true, cache: true, watch };
  let isCut = false;
  let isLiteral = false;
  let skipsNodeModules = false;
  const listing = await searchAll(
    roots,
    async (path) => {
      const { skipped, limitReached = false, engine, ...result } = await grep({ ...options, path });
      isCut ||= limitReached;
      isLiteral ||= engine === 'literal';
      skipsNodeModules ||= skipped.nodeModules !== undefined;
      return { ...result, unreadable: skipped.unreadable };
    },
    { limit: MAX_ITEMS },
  );
  const items = listing.matches.filter(isUsable).map((match) => lineItem(match, roots.length === 1));
  const notes = [
    summaryOf(listing, 'line', { isCut }),
    ...(isLiteral ? ['searched as plain text'] : []),
    ...(skipsNodeModules ? ['node_modules not searched'] : []),
  ];
  return { items, summary: notes.join(', ') };
}

/** Starts one scan of each root that survives further typing. Each aborted search would otherwise start it again. */
function warmUp({ roots, names, hidden, gitignore, signal }: Search): void {
  if (names !== undefined) return;
  const options = { hidden, gitignore, signal, query: '', cache: true, maxResults: 0 };
  void import('@cairn/natives')
    .then(({ fuzzyFind }) => Promise.all(roots.map((path) => fuzzyFind({ ...options, path }))))
    // The search reports the same failure.
    .catch(() => undefined);
}

export function pickSource(scope: PickScope): PickSource {
  return {
    names: scope.names,
    warmUp: (signal) => warmUp({ ...scope, signal }),
    search: (query, { mode, signal }) => (mode === 'find' ? findItems : grepItems)(query, { ...scope, signal }),
  };
}
