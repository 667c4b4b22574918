import { stat } from 'node:fs/promises';
import type { GrepMatch } from '@cairn/natives';
import { pathPrefix } from '../../terminal/path-prefix.ts';
import type { Session } from '../../terminal/session.ts';
import type { PathNaming } from './grep-lines.ts';
import { modeOf, type GrepFlags } from './grep-options.ts';
import { filterOf, matchingOf } from './grep-request.ts';
import { TotalsBuilder, type GrepSummary, type GrepTotals } from './grep-totals.ts';

/** What to search, and where. */
export interface GrepRequest {
  readonly patterns: readonly string[];
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

type OnBatch = (matches: readonly GrepMatch[]) => Promise<void>;

async function grepRoot(
  { root, rest }: { readonly root: string; readonly rest: Rest },
  { patterns, flags }: GrepRequest,
  { session, onBatch }: { readonly session: Session; readonly onBatch: OnBatch },
): Promise<GrepSummary> {
  const { CairnError, grep } = await import('@cairn/natives');
  const isCount = modeOf(flags) === 'count';
  const searchLines = async (crlf: boolean): Promise<GrepSummary> => {
    const { matches, ...facts } = await grep({
      ...matchingOf(patterns, flags),
      ...filterOf(flags),
      path: root,
      crlf,
      maxCount: isCount ? undefined : rest.limit,
      offset: isCount || rest.offset === 0 ? undefined : rest.offset,
      timeoutMs: rest.deadlineMs === undefined ? undefined : Math.max(rest.deadlineMs - performance.now(), 0),
      onTimeout: 'partial',
      signal: session.signal,
    });
    await onBatch(matches);
    return facts;
  };
  try {
    return await searchLines(true);
  } catch (error) {
    if (!CairnError.isInstance(error) || error.code !== 'INVALID_REGEX') throw error;
    // The pattern may ask for the carriage return itself.
    return searchLines(false);
  }
}

/** What an error of one root means for the search of all. */
function scopeOf(error: unknown, { type = [] }: GrepFlags): 'all' | 'root' | 'type' {
  if (!(error instanceof Error)) return 'all';
  // The type may be an extension that only the files of some roots have.
  if ('option' in error && error.option === 'type' && type.length === 1) return 'type';
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
    const pass = async (matches: readonly GrepMatch[]): Promise<void> => {
      const taken = page === undefined ? matches : page.take(matches);
      totals.addMatches(taken);
      await onBatch(taken, pathOf);
    };
    try {
      const facts = await grepRoot({ root, rest }, request, { session, onBatch: pass });
      totals.addResult(facts, roots.length > 1 ? (path) => (path === '.' ? root : pathOf(path)) : undefined);
    } catch (error) {
      const scope = scopeOf(error, flags);
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
