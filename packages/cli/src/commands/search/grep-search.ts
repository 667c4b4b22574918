import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import type { Readable } from 'node:stream';
import type { GrepMatch, GrepOptions, GrepSummary } from '@cairn/natives';
import { CommandError } from '../../terminal/errors.ts';
import { pathBelow, pathPrefix } from '../../terminal/path-prefix.ts';
import type { CommandContext } from '../../terminal/command-context.ts';
import { STANDARD_INPUT } from '../../terminal/standard-input.ts';
import { asIs, type BatchReader, type PathNaming } from './grep-lines.ts';
import type { FileFilter } from './grep-options.ts';
import type { GrepPage, GrepPlan } from './grep-plan.ts';
import { TotalsBuilder, type GrepTotals } from './grep-totals.ts';
import { relative, resolve, sep } from 'node:path';

interface Source {
  readonly root: string;
  readonly pathOf: PathNaming;
  /** Its text, when it is not a file or directory. */
  readonly text?: Readable;
  readonly isDirectory: boolean;
}

async function openSource(root: string, input: Readable | undefined): Promise<Source> {
  if (root === STANDARD_INPUT && input !== undefined) return { root, pathOf: asIs, text: input, isDirectory: false };
  const found = await stat(root).catch(() => undefined);
  if (found?.isFIFO() === true || found?.isCharacterDevice() === true) {
    return { root, pathOf: () => root, text: createReadStream(root), isDirectory: false };
  }
  if (found?.isSocket() === true || found?.isBlockDevice() === true) {
    const kind = found.isSocket() ? 'socket' : 'block device';
    throw new CommandError({ code: 'NOT_SEARCHED', message: `cannot search ${root}: it is a ${kind}`, path: root });
  }
  if (found?.isDirectory() === false) return { root, pathOf: () => root, isDirectory: false };
  const prefix = pathPrefix(root);
  return { root, pathOf: (path) => prefix + path, isDirectory: true };
}

export function filterBelow(root: string, filter: FileFilter, { cwd }: CommandContext): FileFilter {
  return { ...filter, glob: filter.glob && globsBelow({ root, cwd }, filter.glob) };
}

/** The parts of the limits of a search that are left for the next root. */
type Rest = Pick<GrepOptions, 'maxCount' | 'offset' | 'timeoutMs'>;

async function grepRoot(
  { root, text, isDirectory }: Source,
  { rest, onBatch }: { readonly rest: () => Rest; readonly onBatch: (matches: readonly GrepMatch[]) => Promise<void> },
  { plan, context }: { readonly plan: GrepPlan; readonly context: CommandContext },
): Promise<GrepSummary> {
  const { CairnError, grep, grepStream } = await import('@cairn/natives');
  const { binary, maxFileSize, ...matching } = plan.matching;
  const searchLines = async (crlf: boolean): Promise<GrepSummary> => {
    const shared = {
      ...matching,
      ...rest(),
      // As in ripgrep, what is named is searched, even if it is binary or large.
      binary: binary ?? (isDirectory ? undefined : 'search'),
      maxFileSize: isDirectory ? maxFileSize : undefined,
      crlf,
      onTimeout: 'partial',
      signal: context.signal,
    } as const;
    // A pattern that is rejected has read nothing, so the text stays open for the next try.
    const options =
      text === undefined
        ? { ...shared, ...filterBelow(root, plan.filter, context), path: root }
        : { ...shared, input: text.iterator({ destroyOnReturn: false }) };
    // A document holds every match, so the size of the result is limited.
    if (plan.prints !== 'document') return grepStream(options, onBatch);
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

function scopeOf(error: unknown, { type = [] }: FileFilter): 'all' | 'root' | 'type' {
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

  constructor({ offset, limit = Infinity }: GrepPage) {
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

/** Searches the roots in sequence, as ripgrep does. A failed root is reported. @throws the first error when all failed */
export async function searchRoots(plan: GrepPlan, context: CommandContext, onBatch: BatchReader): Promise<GrepTotals> {
  const { roots, page, filter, timeoutMs } = plan;
  const deadlineMs = timeoutMs === undefined ? undefined : performance.now() + timeoutMs;
  const counts = plan.matching.mode === 'count' ? new CountPage(page) : undefined;
  const totals = new TotalsBuilder();
  const rest = (): Rest => ({
    maxCount: counts !== undefined || page.limit === undefined ? undefined : page.limit - totals.shown,
    offset: counts === undefined && page.offset > totals.totalMatches ? page.offset - totals.totalMatches : undefined,
    timeoutMs: deadlineMs === undefined ? undefined : Math.max(deadlineMs - performance.now(), 0),
  });
  const errors: unknown[] = [];
  for (const root of roots) {
    try {
      const source = await openSource(root, plan.input);
      const pass = async (matches: readonly GrepMatch[]): Promise<void> => {
        const taken = counts === undefined ? matches : counts.take(matches);
        totals.addMatches(taken);
        await onBatch(taken, source.pathOf);
      };
      const facts = await grepRoot(source, { rest, onBatch: pass }, { plan, context });
      totals.addResult(facts, (path) => (path === '.' ? pathBelow(root, path) : source.pathOf(path)));
    } catch (error) {
      const scope = scopeOf(error, filter);
      if (scope === 'all') throw error;
      errors.push(error);
      if (scope === 'root') totals.addFailure(error);
    }
    if (totals.isEnded) break;
  }
  if (errors.length === roots.length) throw errors[0];
  if (counts?.isCut === true) totals.addLimit();
  return totals.finish();
}

/** Returns whether a segment of a glob matches a name, for the segments that are easy to compare. */
function isName(segment: string | undefined, name: string): boolean {
  if (segment === undefined) return false;
  const alternatives = /^\{(?<names>[^{}]*)\}$/u.exec(segment)?.groups?.['names'];
  return segment === name || segment === '*' || alternatives?.split(',').includes(name) === true;
}

/** Returns a glob for the paths below a directory that matches what the glob matches below its parent directories. */
function globBelow(names: readonly string[], glob: string): string {
  const sign = glob.startsWith('!') ? '!' : '';
  const segments = glob
    .slice(sign.length)
    .replace(/^(?:\.\/)+/u, '')
    .split('/');
  if (segments.length === 1) return glob;
  let index = 0;
  for (const name of names) {
    const segment = segments[index];
    if (segment === '**') break;
    if (!isName(segment, name)) return glob;
    index += 1;
  }
  const rest = segments.slice(index).join('/');
  // A glob without / would match at any depth.
  return rest === '' ? glob : `${sign}./${rest}`;
}

/** Returns the globs for the paths below a root. As in ripgrep, `src/*.ts` is `./*.ts` below `src`. Others stay as they are. */
export function globsBelow(
  { root, cwd }: { readonly root: string; readonly cwd: string },
  globs: readonly string[],
): readonly string[] {
  const names = relative(cwd, resolve(cwd, root)).split(sep);
  if (names[0] === '' || names[0] === '..') return globs;
  // One value may hold several globs.
  const outsideBraces = /,(?![^{]*\})/u;
  return globs.map((glob) =>
    glob
      .split(outsideBraces)
      .map((one) => globBelow(names, one))
      .join(','),
  );
}
