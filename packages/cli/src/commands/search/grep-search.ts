import { stat } from 'node:fs/promises';
import type { GrepMatch, GrepOutputMode, GrepResult } from '@cairn/natives';
import { pathPrefix } from '../../terminal/path-prefix.ts';
import type { Session } from '../../terminal/session.ts';
import type { PathNaming } from './grep-lines.ts';
import { modeOf, type GrepFlags, type ModeName } from './grep-options.ts';
import { TotalsBuilder, type GrepTotals } from './grep-totals.ts';

const libraryModes: Readonly<Record<ModeName, GrepOutputMode>> = {
  content: 'content',
  count: 'count',
  files: 'filesWithMatches',
};

/** What to search, and where. */
export interface GrepRequest {
  readonly pattern: string;
  readonly roots: readonly string[];
  readonly flags: GrepFlags;
}

/** Takes a part of the matches, in order. The next part waits for its promise. */
export type BatchReader = (matches: readonly GrepMatch[], pathOf: PathNaming) => Promise<void>;

/** Returns how to print a path. When the root is a file, its results have the path that was given. */
async function pathNaming(root: string): Promise<PathNaming> {
  const isFile = await stat(root).then(
    (found) => !found.isDirectory(),
    () => false,
  );
  const prefix = pathPrefix(root);
  return isFile ? () => root : (path) => prefix + path;
}

/** The parts of the limits of a search that are left for the next root. */
interface Rest {
  readonly limit: number | undefined;
  readonly offset: number;
  readonly deadlineMs: number | undefined;
}

async function grepRoot(
  root: string,
  { pattern, flags }: GrepRequest,
  rest: Rest,
  session: Session,
): Promise<GrepResult> {
  const { CairnError, grep } = await import('@cairn/natives');
  const isCount = modeOf(flags) === 'count';
  const searchLines = (crlf: boolean): Promise<GrepResult> =>
    grep({
      pattern,
      path: root,
      literal: flags.literal,
      glob: flags.glob,
      type: flags.type,
      ignoreCase: flags.ignoreCase,
      multiline: flags.multiline,
      crlf,
      hidden: flags.hidden,
      gitignore: flags.ignore,
      maxCount: isCount ? undefined : rest.limit,
      offset: isCount || rest.offset === 0 ? undefined : rest.offset,
      context: flags.context,
      contextBefore: flags.beforeContext,
      contextAfter: flags.afterContext,
      maxColumns: flags.maxColumns === 0 ? undefined : flags.maxColumns,
      maxCountPerFile: flags.maxCount,
      maxFileSize: flags.maxFilesize,
      mode: libraryModes[modeOf(flags)],
      timeoutMs: rest.deadlineMs === undefined ? undefined : Math.max(rest.deadlineMs - performance.now(), 0),
      onTimeout: 'partial',
      signal: session.signal,
    });
  try {
    return await searchLines(true);
  } catch (error) {
    if (!CairnError.isInstance(error) || error.code !== 'INVALID_REGEX') throw error;
    // The pattern may ask for the carriage return itself.
    return searchLines(false);
  }
}

/** What an error of one root means for the search of all. */
function scopeOf(error: unknown): 'all' | 'root' | 'type' {
  if (!(error instanceof Error)) return 'all';
  // A type may be an extension that only the files of some roots have.
  if ('option' in error && error.option === 'type') return 'type';
  return 'code' in error && error.code === 'PATH_NOT_FOUND' ? 'root' : 'all';
}

/** One page of the counts. The search has no limit of its own, which would cut a count short. */
class CountPage {
  #skip: number;
  #left: number;
  isCut = false;

  constructor({ offset = 0, limit = Infinity }: GrepFlags) {
    this.#skip = offset;
    this.#left = limit;
  }

  take(matches: readonly GrepMatch[]): readonly GrepMatch[] {
    const start = Math.min(this.#skip, matches.length);
    const taken = matches.slice(start, start + this.#left);
    this.#skip -= start;
    this.#left -= taken.length;
    if (start + taken.length < matches.length) this.isCut = true;
    return taken;
  }
}

/**
 * Searches the roots one after the other, as ripgrep does, and passes the matches on. A root that does not exist is reported beside
 * the results of the others.
 *
 * @throws the error of the only root, or of the first one when every root failed
 */
export async function searchRoots(request: GrepRequest, session: Session, onBatch: BatchReader): Promise<GrepTotals> {
  const { roots, flags } = request;
  const { offset = 0, limit, timeout } = flags;
  const deadlineMs = timeout === undefined ? undefined : performance.now() + timeout;
  const page = modeOf(flags) === 'count' ? new CountPage(flags) : undefined;
  const totals = new TotalsBuilder();
  const errors: unknown[] = [];
  for (const root of roots) {
    const pathOf = await pathNaming(root);
    const { shown, totalMatches } = totals;
    const rest = {
      limit: limit === undefined ? undefined : limit - shown,
      offset: Math.max(offset - totalMatches, 0),
      deadlineMs,
    };
    try {
      const { matches, ...facts } = await grepRoot(root, request, rest, session);
      const taken = page === undefined ? matches : page.take(matches);
      await onBatch(taken, pathOf);
      totals.addMatches(taken);
      totals.addResult(facts, roots.length > 1 ? (path) => (path === '.' ? root : pathOf(path)) : undefined);
    } catch (error) {
      const scope = scopeOf(error);
      if (scope === 'all') throw error;
      errors.push(error);
      if (scope === 'root') totals.addFailure(error);
    }
    if (totals.isEnded) break;
  }
  if (errors.length === roots.length) throw errors[0];
  if (page?.isCut === true) totals.addLimit();
  return totals.finish();
}
