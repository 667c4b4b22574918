import type { GrepMatch, GuessKind } from '@cairn/natives';
import type { NameFeed } from '../../picker/name-feed.ts';
import type { Found, PickItem, PickSource } from '../../picker/source.ts';
import { errorText } from '../../terminal/answer.ts';
import { STANDARD_INPUT } from '../../terminal/standard-input.ts';
import { countOf, formatCount, rangesOf } from '../../terminal/text.ts';
import { findAll, searchAll, type FindRules, type Placed } from '../search/search-all.ts';

export interface PickScope {
  readonly roots: readonly string[];
  readonly hidden: boolean | undefined;
  readonly gitignore: boolean;
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

function summaryOf(
  [shown, total]: readonly [number, number],
  noun: string,
  facts: {
    readonly isCut: boolean;
    readonly unreadable?: number | undefined;
    readonly lossy: number;
    readonly stopped: boolean;
    readonly failures: readonly unknown[];
    readonly guessed?: string | undefined;
  },
): string {
  const more = total > shown ? `${formatCount(shown)} of ${countOf(total, noun)}` : `the first ${countOf(shown, noun)}`;
  const notes = [facts.isCut ? more : countOf(shown, noun), ...facts.failures.map(errorText)];
  if (facts.guessed !== undefined) notes.push(facts.guessed);
  if (facts.stopped) notes.push('the tree is too large, only a part was searched');
  if (facts.unreadable !== undefined && facts.unreadable > 0) notes.push(`${formatCount(facts.unreadable)} unreadable`);
  if (facts.lossy > 0) notes.push(`skipped ${countOf(facts.lossy, 'name')} not in valid Unicode`);
  return notes.join(', ');
}

async function findItems(
  query: string,
  { roots, names, fileType, extensions, signal, ...scope }: Search,
): Promise<Found> {
  const places = names === undefined ? { ...scope, roots, cache: true } : { roots: [STANDARD_INPUT], list: names.list };
  const rules = { query, fileType, extensions, signal, maxResults: MAX_ITEMS, includePositions: true };
  const { matches, totalMatches, unreadable, stopReason, failures, guess } = await findAll(places, rules);
  const usable = matches.filter(({ match }) => match.lossyPath === undefined);
  const items = usable.map(({ prefix, match }): PickItem => {
    const paths = pathsOf(prefix, match.path, roots.length === 1);
    const ranges = rangesOf(match.positions ?? [], paths.shownPath.length - match.path.length);
    return { ...paths, isDirectory: match.isDirectory, text: paths.shownPath, ranges };
  });
  const summary = summaryOf([items.length, totalMatches], 'path', {
    isCut: totalMatches > matches.length,
    unreadable,
    lossy: matches.length - usable.length,
    stopped: stopReason === 'budget',
    // With several roots, each path begins with its root, which does not count.
    guessed: guess && `none as typed${roots.length === 1 ? '' : ' below the searched paths'}: ${guessLabels[guess]}`,
    failures: names?.failure === undefined ? failures : [...failures, names.failure],
  });
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
  { roots, extensions, fileType, hidden, gitignore, signal }: Search,
): Promise<Found> {
  const { FileType: types, grep } = await import('@cairn/natives');
  if (fileType === types.Dir) return { items: [], summary: 'directories have no lines; Tab searches for paths' };
  if (pattern === '') return { items: [], summary: 'type to search in files' };
  // As in many editors: case matters only when the pattern has capitals.
  const ignoreCase = pattern === pattern.toLowerCase();
  const glob = extensions?.map(globOfExtension);
  const limits = { maxCount: MAX_ITEMS, maxColumns: LINE_COLUMNS };
  const options = { hidden, gitignore, signal, ...limits, pattern, glob, ignoreCase, crlf: true, cache: true };
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
  const { matches, totalMatches, unreadable, stopReason, failures } = listing;
  const usable = matches.filter(({ match }) => match.lossyPath === undefined);
  const items = usable.map((match) => lineItem(match, roots.length === 1));
  const summary = summaryOf([items.length, totalMatches], 'line', {
    isCut: isCut || totalMatches > matches.length,
    unreadable,
    lossy: matches.length - usable.length,
    stopped: stopReason === 'budget',
    failures,
  });
  const notes = [
    summary,
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
