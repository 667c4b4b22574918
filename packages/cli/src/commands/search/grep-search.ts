import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import type { Readable } from 'node:stream';
import type { GrepMatch, GrepSummary } from '@cairn/natives';
import { CommandError } from '../../terminal/errors.ts';
import { pathBelow, pathPrefix } from '../../terminal/path-prefix.ts';
import type { Session } from '../../terminal/session.ts';
import { STANDARD_INPUT } from '../../terminal/standard-input.ts';
import { asIs, type PathNaming } from './grep-lines.ts';
import { modeOf, type GrepFlags } from './grep-options.ts';
import { filterOf, matchingOf } from './grep-request.ts';
import { TotalsBuilder, type GrepTotals } from './grep-totals.ts';

/** What to search, and where. */
export interface GrepRequest {
  readonly patterns: readonly string[];
  readonly roots: readonly string[];
  /** The text of the root `-`. */
  readonly input?: Readable | undefined;
  readonly flags: GrepFlags;
  /** Whether the caller keeps every match, so that the size of the result is limited. */
  readonly keepsAll: boolean;
  /** Whether the caller uses the places of the matches in their lines. */
  readonly usesPlaces: boolean;
}

/** Takes a part of the matches, in order. The next part waits for its promise. */
export type BatchReader = (matches: readonly GrepMatch[], pathOf: PathNaming) => Promise<void>;

/** A place to search. */
interface Source {
  readonly pathOf: PathNaming;
  /** Its text, when it is not a file or directory. */
  readonly text?: Readable;
  readonly isDirectory: boolean;
}

async function openSource(root: string, input: Readable | undefined): Promise<Source> {
  if (root === STANDARD_INPUT && input !== undefined) return { pathOf: asIs, text: input, isDirectory: false };
  const found = await stat(root).catch(() => undefined);
  if (found?.isFIFO() === true || found?.isCharacterDevice() === true) {
    return { pathOf: () => root, text: createReadStream(root), isDirectory: false };
  }
  if (found?.isSocket() === true || found?.isBlockDevice() === true) {
    const kind = found.isSocket() ? 'socket' : 'block device';
    throw new CommandError({ code: 'NOT_SEARCHED', message: `cannot search ${root}: it is a ${kind}`, path: root });
  }
  if (found?.isDirectory() === false) return { pathOf: () => root, isDirectory: false };
  const prefix = pathPrefix(root);
  return { pathOf: (path) => prefix + path, isDirectory: true };
}

/** The parts of the limits of a search that are left for the next root. */
interface Rest {
  readonly limit: number | undefined;
  readonly offset: number;
  readonly deadlineMs: number | undefined;
}

type OnBatch = (matches: readonly GrepMatch[]) => Promise<void>;

async function grepRoot(
  { root, source, rest }: { readonly root: string; readonly source: Source; readonly rest: Rest },
  { patterns, flags, keepsAll, usesPlaces }: GrepRequest,
  { session, onBatch }: { readonly session: Session; readonly onBatch: OnBatch },
): Promise<GrepSummary> {
  const { CairnError, grep, grepStream } = await import('@cairn/natives');
  const isCount = modeOf(flags) === 'count';
  const { text, isDirectory } = source;
  const { binary, maxFileSize, ...matching } = matchingOf(patterns, flags);
  const searchLines = async (crlf: boolean): Promise<GrepSummary> => {
    const shared = {
      ...matching,
      // As in ripgrep, what is named is searched, also if it is binary or large.
      binary: binary ?? (isDirectory ? undefined : 'search'),
      maxFileSize: isDirectory ? maxFileSize : undefined,
      submatches: usesPlaces,
      crlf,
      maxCount: isCount ? undefined : rest.limit,
      offset: isCount || rest.offset === 0 ? undefined : rest.offset,
      timeoutMs: rest.deadlineMs === undefined ? undefined : Math.max(rest.deadlineMs - performance.now(), 0),
      onTimeout: 'partial',
      signal: session.signal,
    } as const;
    // A pattern that is refused has read nothing, so the text stays open for the next try.
    const options =
      text === undefined
        ? { ...shared, ...filterOf(flags, { root, cwd: session.cwd }), path: root }
        : { ...shared, input: text.iterator({ destroyOnReturn: false }) };
    if (!keepsAll) return grepStream(options, onBatch);
    const { matches, ...facts } = await grep(options);
    await onBatch(matches);
    return facts;
  };
  try {
    return await searchLines(true);
  } catch (error) {
    if (!CairnError.isInstance(error) || error.code !== 'INVALID_REGEX') throw error;
    // The pattern may ask for the carriage return itself.
    return searchLines(false);
  } finally {
    text?.destroy();
  }
}

/** What an error of one root means for the search of all. */
function scopeOf(error: unknown, { type = [] }: GrepFlags): 'all' | 'root' | 'type' {
  if (!(error instanceof Error)) return 'all';
  // The type may be an extension that only the files of some roots have.
  if ('option' in error && error.option === 'type' && type.length === 1) return 'type';
  if (error instanceof CommandError) return 'root';
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
  const { roots, input, flags } = request;
  const { offset = 0, limit, timeout } = flags;
  const deadlineMs = timeout === undefined ? undefined : performance.now() + timeout;
  const page = modeOf(flags) === 'count' ? new CountPage(flags) : undefined;
  const totals = new TotalsBuilder();
  const errors: unknown[] = [];
  for (const root of roots) {
    const { shown, totalMatches } = totals;
    const rest = {
      limit: limit === undefined ? undefined : limit - shown,
      offset: Math.max(offset - totalMatches, 0),
      deadlineMs,
    };
    try {
      const source = await openSource(root, input);
      const { pathOf } = source;
      const naming: PathNaming = (path) => (path === '.' ? pathBelow(root, path) : pathOf(path));
      const pass = async (matches: readonly GrepMatch[]): Promise<void> => {
        const taken = page === undefined ? matches : page.take(matches);
        totals.addMatches(taken);
        await onBatch(taken, pathOf);
      };
      const facts = await grepRoot({ root, source, rest }, request, { session, onBatch: pass });
      totals.addResult(facts, naming);
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
