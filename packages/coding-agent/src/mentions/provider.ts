import { checkArguments } from '@cairn/tool/kernel';
import { CairnError, FileType, fuzzyFind } from '@cairn/natives';
import type { FuzzyFindMatch, FuzzyFindResult, GuessKind, StopReason } from '@cairn/natives';
import { ToolError } from '@cairn/tool';
import { relative, resolve, sep } from 'node:path';
import { isWithin } from '../files/confine.ts';
import { workspaceOf, type Workspace, type WorkspaceChoice } from '../workspace.ts';
import { formatMention } from './parse.ts';
import { Reach } from './reach.ts';
import { findMatches, findEntry, visibleOnly, everything, type Visibility, type SearchRequest } from './search.ts';

/** A path that may be mentioned. */
export interface MentionSuggestion extends Readonly<Pick<FuzzyFindMatch, 'path' | 'isDirectory' | 'guess'>> {
  /** Hidden, or left out by an ignore file. */
  readonly ignored: boolean;
  /** The matched characters of `path`, in UTF-16 code units. */
  readonly positions: readonly number[];
  /** The text to insert, with the `@`. */
  readonly mention: string;
}

/** The answer to one keystroke. */
export interface MentionAnswer {
  /** Visible paths first, then ignored ones; each best first, equal ones by recency of use. */
  readonly suggestions: readonly MentionSuggestion[];
  /** The kind of the first suggestion if every suggestion is a guess. */
  readonly guess?: GuessKind;
  /** The number of matching paths, with ignored ones. */
  readonly totalMatches: number;
  /** Whether the whole tree was searched. */
  readonly complete: boolean;
  /** Why it is not complete: the tree has more entries than a scan collects, or the query is too long. */
  readonly stopReason?: StopReason | 'query';
}

interface SuggestOptions {
  /**
   * The maximum number of suggestions.
   * @default 20
   */
  readonly limit?: number | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** Suggests mentions while the user types. */
export interface MentionProvider {
  /**
   * Suggests paths for the text after the `@`. Returns `undefined` when a newer keystroke came first.
   *
   * @throws {CairnError} `PATH_NOT_FOUND`, `NOT_A_DIRECTORY` of the root; the signal's reason.
   * @throws {ToolError} `INVALID_OPTION` for a limit that is not a whole number from 0.
   */
  suggest(query: string, options?: SuggestOptions): Promise<MentionAnswer | undefined>;
  /** Counts a use of a path, so that it comes before equal matches. Edits and `expandMentions` are counted already. */
  noteUse(path: string): Promise<void>;
}

const DEFAULT_LIMIT = 20;

/** The maximum share of ignored paths in an answer. They replace visible paths only when they match better. */
const IGNORED_SHARE = 1 / 4;

function toSuggestion(match: FuzzyFindMatch, ignored: boolean): MentionSuggestion {
  const { path, isDirectory, guess, positions = [] } = match;
  return { path, isDirectory, ignored, ...(guess && { guess }), positions, mention: formatMention({ path }) };
}

/** Returns the weight of each used path, relative to the root, the highest first. */
async function weightsOf(workspace: Workspace): Promise<ReadonlyMap<string, number>> {
  const { recency, root } = workspace;
  const used = recency.paths();
  if (used.length === 0) return new Map();
  const [realRoot = root] = await workspace.realRoots();
  const below = used.filter((path) => path !== realRoot && isWithin(path, realRoot));
  return new Map(below.map((path) => [relative(realRoot, path).replaceAll(sep, '/'), recency.weightOf(path)]));
}

/** Returns the used paths of a visibility: the best matches of an empty query. */
async function usedMatches(
  weights: ReadonlyMap<string, number>,
  visibility: Visibility,
  request: SearchRequest,
): Promise<FuzzyFindMatch[]> {
  const paths = [...weights.keys()].slice(0, request.limit);
  const found = paths.map(async (path): Promise<FuzzyFindMatch | undefined> => {
    const entry = await findEntry(path, visibility, request);
    const isDirectory = entry?.fileType === FileType.Dir;
    return entry && { path: isDirectory ? `${path}/` : path, isDirectory, score: Number.MAX_VALUE };
  });
  return (await Promise.all(found)).filter((match) => match !== undefined);
}

/** Returns the number of ignored paths in an answer: those that match better than the visible ones they replace. */
function placesOf(ignored: readonly FuzzyFindMatch[], visible: readonly FuzzyFindMatch[], limit: number): number {
  let places = limit - visible.length;
  while ((ignored[places]?.score ?? 0) > (visible[limit - 1 - places]?.score ?? Infinity)) places++;
  return places;
}

async function answer(workspace: Workspace, reach: Reach, asked: Omit<SearchRequest, 'used'>): Promise<MentionAnswer> {
  const { limit, query } = asked;
  const weights = await weightsOf(workspace);
  const request = { ...asked, used: [...weights.keys()] };
  const weightOf = ({ path }: FuzzyFindMatch): number => weights.get(path.replace(/\/$/u, '')) ?? 0;
  const ordered = async (visibility: Visibility, found: FuzzyFindResult): Promise<FuzzyFindResult> => {
    const used = query === '' ? await usedMatches(weights, visibility, request) : [];
    const first = new Set(used.map(({ path }) => path));
    const rest = found.matches.filter(({ path, lossyPath }) => lossyPath === undefined && !first.has(path));
    const matches = [...used, ...rest];
    if (weights.size === 0) return { ...found, matches };
    return { ...found, matches: matches.toSorted((a, b) => b.score - a.score || weightOf(b) - weightOf(a)) };
  };
  const found = await findMatches(request);
  const [visible, whole] = await Promise.all([ordered(visibleOnly, found.visible), ordered(everything, found.whole)]);
  const first = await reach.firstOf(visible.matches, limit);
  const most = Math.max(limit - first.length, Math.floor(limit * IGNORED_SHARE));
  // Both lists are the best ones of one order, so a visible path that is among the best of all is also among the best visible ones.
  const known = new Set(visible.matches.map(({ path }) => path));
  const unknown = whole.matches.filter(({ path }) => !known.has(path));
  const candidates = await reach.firstOf(unknown, most);
  const ignored = candidates.slice(0, placesOf(candidates, first, limit));
  const stopReason = whole.stopReason === 'limit' ? undefined : whole.stopReason;
  const suggestions = [
    ...first.slice(0, limit - ignored.length).map((match) => toSuggestion(match, false)),
    ...ignored.map((match) => toSuggestion(match, true)),
  ];
  const guess = suggestions.every((one) => one.guess) ? suggestions[0]?.guess : undefined;
  return {
    suggestions,
    ...(guess && { guess }),
    totalMatches: whole.totalMatches,
    complete: stopReason === undefined,
    ...(stopReason && { stopReason }),
  };
}

/**
 * Makes the autocomplete of mentions for a workspace. It searches the cached scan, so what a tool wrote is in the next
 * answer; files changed otherwise are seen within the cache's time to live. `.git` and `node_modules` are never suggested,
 * nor paths behind a link out of the root, nor names that are not valid Unicode. `totalMatches` may count some of these.
 *
 * @throws {ToolError} `INVALID_OPTION`.
 */
export function createMentionProvider(options: WorkspaceChoice): MentionProvider {
  const workspace = workspaceOf('createMentionProvider', options);
  const { root, recency } = workspace;
  const reach = new Reach(workspace);
  let newest: AbortController | undefined;
  let warming: Promise<unknown> | undefined;

  /** Keeps the first scan running while the user types: aborted searches would each start it again. */
  const warm = (): void => {
    const scan = (visibility: Visibility): Promise<unknown> =>
      fuzzyFind({ query: '', path: root, cache: true, maxResults: 0, ...visibility });
    // A failure here repeats in the search that follows, which reports it.
    warming ??= Promise.allSettled([scan(visibleOnly), scan(everything)]);
  };

  return {
    suggest: async (query, call = {}) => {
      checkArguments.options('suggest', call, { limit: 'optional', signal: 'optional' });
      const { limit = DEFAULT_LIMIT, signal } = call;
      signal?.throwIfAborted();
      if (!Number.isSafeInteger(limit) || limit < 0) {
        const summary = `limit must be a whole number from 0, not ${limit}`;
        throw new ToolError('INVALID_OPTION', [summary, `Omit it for the default, ${DEFAULT_LIMIT}.`]);
      }
      newest?.abort();
      const current = (newest = new AbortController());
      warm();
      const plain = query.replace(/^(?:\.\/+)+/u, '');
      const signals = signal ? AbortSignal.any([signal, current.signal]) : current.signal;
      try {
        const found = await answer(workspace, reach, { root, query: plain, limit, signal: signals });
        signal?.throwIfAborted();
        return newest === current ? found : undefined;
      } catch (error) {
        signal?.throwIfAborted();
        if (newest !== current) return undefined;
        if (CairnError.isInstance(error) && error.option === 'query') {
          return { suggestions: [], totalMatches: 0, complete: false, stopReason: 'query' };
        }
        throw error;
      }
    },
    noteUse: async (path) => {
      const [realRoot = root] = await workspace.realRoots();
      recency.note(resolve(realRoot, path));
    },
  };
}
