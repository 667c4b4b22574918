import { escapeControls } from '@cairn/tool/paths';
import { join } from 'node:path';
import type * as Natives from '@cairn/natives';
import type { FuzzyFindResult, GlobResult, GrepMatch, GrepResult, StopReason } from '@cairn/natives';
import type { Paint } from '../terminal/output.ts';
import { withProgress } from '../terminal/progress.ts';
import type { CommandContext } from '../terminal/command-context.ts';
import {
  countOf,
  displayWidth,
  ellipsisColumns,
  escapeLine,
  fitLine,
  fitPath,
  fitText,
  formatCount,
  formatMs,
  highlightFitted,
  rangesOf,
} from '../terminal/text.ts';
import { shellQuote } from '../terminal/shell-quote.ts';
import { createTourFile, type TourFile } from './tour-file.ts';
import { summarize, type Tally, type TreeSummary } from './choices.ts';

/** More entries than this are not counted one by one. */
const maxEntries = 1_000_000;
const maxLines = 1000;
/** No step runs longer than this, whatever the disk. */
const stepTimeoutMs = 30_000;
const shownHits = 3;

export interface Tour {
  readonly natives: typeof Natives;
  readonly context: CommandContext;
  readonly paint: Paint;
  readonly path: string;
  /** What the commands print before each path. */
  readonly prefix: string;
  /** `--path` for the commands to paste, or nothing in the current directory. */
  readonly pathFlag: string;
  readonly say: (line?: string) => Promise<void>;
}

type Add = (line: string) => void;

async function step<T>(tour: Tour, title: string, work: (add: Add) => Promise<T>): Promise<T> {
  await tour.say(tour.paint.title(title));
  const lines: string[] = [];
  const result = await work((line) => void lines.push(`  ${line}`));
  for (const line of lines) await tour.say(line);
  await tour.say();
  return result;
}

interface Timed<T> {
  readonly result: T;
  readonly durationMs: number;
  readonly fromCache: boolean;
}

async function timed<T>(tour: Tour, label: string, call: () => Promise<T>): Promise<Timed<T>> {
  const hitsBefore = tour.natives.fsScanCacheStats().hits;
  const startMs = performance.now();
  const result = await withProgress(tour.context, label, call);
  const durationMs = performance.now() - startMs;
  return { result, durationMs, fromCache: tour.natives.fsScanCacheStats().hits > hitsBefore };
}

function shared({
  path,
  context,
}: Tour): Pick<Natives.GlobOptions, 'path' | 'cache' | 'signal' | 'timeoutMs' | 'onTimeout'> {
  return { path, cache: true, signal: context.signal, timeoutMs: stepTimeoutMs, onTimeout: 'partial' };
}

/** The same call twice: on an emptied cache, then on a cache that has the scan. */
interface ColdAndCached<T> {
  readonly cold: Timed<T>;
  readonly again: Timed<T>;
}

/** Runs a call twice. `refresh` makes a new scan before the second run, because the first may outlast the cached one. */
async function coldAndCached<T>(
  tour: Tour,
  label: string,
  { search, refresh }: { readonly search: () => Promise<T>; readonly refresh?: () => Promise<unknown> },
): Promise<ColdAndCached<T>> {
  tour.natives.invalidateFsScanCache(tour.path);
  const cold = await timed(tour, label, search);
  if (refresh !== undefined) await timed(tour, label, refresh);
  return { cold, again: await timed(tour, label, search) };
}

function timesLine({ cold, again }: ColdAndCached<Pick<GlobResult, 'stopReason'>>): string {
  const factor = cold.durationMs / again.durationMs;
  const times = factor >= 10 ? formatCount(Math.round(factor)) : factor.toFixed(1);
  const isStopped = cold.result.stopReason === 'timeout';
  const faster = factor >= 1.5 && !isStopped ? `, ${times} times as fast` : '';
  const second = again.fromCache
    ? `with the cached scan ${formatMs(again.durationMs)}${faster}`
    : `the second time ${formatMs(again.durationMs)}, scanned again because the cached scan was too old`;
  return `first scan and search ${formatMs(cold.durationMs)}${isStopped ? ', stopped there' : ''}; ${second}`;
}

function stopText(stopReason: StopReason | undefined): string {
  if (stopReason === 'timeout') return ` (stopped after ${stepTimeoutMs / 1000} s, there may be more)`;
  if (stopReason === 'budget') return ' (stopped at the largest scan allowed, there may be more)';
  return stopReason === 'limit' ? ' (stopped at the limit, there are more)' : '';
}

function shownOf(count: number): string {
  return count > shownHits ? `, the first ${shownHits} shown` : '';
}

function commandLine({ paint, pathFlag }: Tour, command: string): string {
  return `${paint.dim('$')} cairn ${escapeControls(command)}${escapeControls(pathFlag)}`;
}

function fitToTerminal({ context: { out } }: Tour, text: string, used: number): string {
  return out.isTerminal ? fitText(text, Math.max(out.width - used - 1, 10)) : text;
}

function tallyLine(tour: Tour, label: string, tallies: readonly Tally[], show: (name: string) => string): string {
  const { out } = tour.context;
  const room = (out.isTerminal ? out.width - 1 : 100) - 2;
  let line = label.padEnd(22);
  for (const [index, { name, count }] of tallies.slice(0, 8).entries()) {
    const next = `${index === 0 ? '' : ', '}${show(escapeControls(name))} ${formatCount(count)}`;
    if (index > 0 && line.length + next.length > room) break;
    line += next;
  }
  return fitToTerminal(tour, line, 2);
}

export function showTree(tour: Tour): Promise<TreeSummary> {
  const { natives } = tour;
  return step(tour, '1. The content of the tree', async (add) => {
    natives.invalidateFsScanCache(tour.path);
    const { result, durationMs } = await timed(tour, 'scanning the tree', () =>
      natives.glob({ ...shared(tour), pattern: '**', maxResults: maxEntries }),
    );
    const { matches, unreadable = 0, stopReason } = result;
    const summary = summarize(matches, natives.FileType);
    const { files, directories, links, extensions, biggest } = summary;
    const counts = `${countOf(files, 'file')}, ${countOf(directories, 'directory', 'directories')}`;
    const others = links > 0 ? `, ${countOf(links, 'link')}` : '';
    add(`${counts}${others} in ${formatMs(durationMs)}${stopText(stopReason)}`);
    if (extensions.length > 0) add(tallyLine(tour, 'most frequent', extensions, (name) => `.${name}`));
    if (biggest.length > 0) add(tallyLine(tour, 'most files below', biggest, (name) => `${name}/`));
    if (unreadable > 0) add(`${countOf(unreadable, 'entry', 'entries')} could not be read and are not counted.`);
    add(
      'Left out: names that start with a dot, node_modules, and files that .gitignore and other ignore files exclude.',
    );
    add('Times are from this run; a first scan also waits for the disk if the system has not read the tree recently.');
    if (matches.length === 0) add('Nothing to search here; the steps below show what an empty answer looks like.');
    return summary;
  });
}

export function showGlob(tour: Tour, pattern: string): Promise<void> {
  return step(tour, '2. glob: paths that match a pattern', async (add) => {
    add(commandLine(tour, `glob ${shellQuote(pattern)}`));
    const search = (): Promise<GlobResult> => tour.natives.glob({ ...shared(tour), pattern, maxResults: maxEntries });
    const runs = await coldAndCached(tour, 'glob', { search });
    const { matches, totalMatches, stopReason } = runs.again.result;
    for (const { path } of matches.slice(0, shownHits)) {
      add(`  ${fitToTerminal(tour, escapeControls(tour.prefix + path), 4)}`);
    }
    add(`${countOf(totalMatches, 'path')}${shownOf(matches.length)}${stopText(stopReason)}`);
    add(timesLine(runs));
  });
}

export function showFind(tour: Tour, query: string, file: string | undefined): Promise<void> {
  const { natives, context, paint, prefix } = tour;
  return step(tour, '3. find: a few letters of a path', async (add) => {
    if (file !== undefined) add(`The letters '${query}' stand for ${fitToTerminal(tour, escapeControls(file), 30)}.`);
    add(commandLine(tour, `find ${shellQuote(query)}`));
    const search = (): Promise<FuzzyFindResult> =>
      natives.fuzzyFind({ ...shared(tour), query, includePositions: true });
    const runs = await coldAndCached(tour, 'find', { search });
    const { matches, totalMatches, stopReason } = runs.again.result;
    const room = (context.out.isTerminal ? context.out.width : 120) - 5 - ellipsisColumns;
    for (const { path, positions } of matches.slice(0, shownHits)) {
      const fitted = fitLine(prefix + path, rangesOf(positions ?? [], prefix.length), room);
      add(`  ${highlightFitted(fitted, { paint: paint.hit, escape: escapeControls }, paint.dim)}`);
    }
    // A stop at the limit is what a ranking is for: the best are here.
    const stopped = stopReason === 'limit' ? '' : stopText(stopReason);
    const place = matches.findIndex(({ path }) => path === file) + 1;
    const meant = place > shownHits ? `; the intended file is number ${place}` : '';
    add(`${countOf(totalMatches, 'path')} with these letters, best first${shownOf(matches.length)}${meant}${stopped}`);
    add(timesLine(runs));
  });
}

function hitLine({ context, paint, prefix }: Tour, { path, lineNumber, line, submatches = [] }: GrepMatch): string {
  const width = context.out.isTerminal ? context.out.width : 120;
  const place = fitPath(escapeControls(prefix + path), Math.floor(width / 2));
  const room = Math.max(width - displayWidth(place) - String(lineNumber).length - 8 - ellipsisColumns, 10);
  const indent = line.length - line.trimStart().length;
  const hits = submatches.map(({ start, end }) => ({
    start: Math.max(start - indent, 0),
    end: Math.max(end - indent, 0),
  }));
  const fitted = fitLine(line.trim(), hits, room);
  const text = highlightFitted(fitted, { paint: paint.hit, escape: escapeLine }, paint.dim);
  return `  ${paint.path(place)}:${paint.lineNumber(String(lineNumber))}: ${text}`;
}

export function showGrep(tour: Tour, word: string, source: string | undefined): Promise<void> {
  const { natives } = tour;
  return step(tour, '4. grep: the content of the files', async (add) => {
    if (source !== undefined) {
      add(`The word '${word}' is taken from ${fitToTerminal(tour, escapeControls(source), 30)}.`);
    }
    add(commandLine(tour, `grep ${shellQuote(word)} --limit ${maxLines}`));
    const search = (): Promise<GrepResult> => natives.grep({ ...shared(tour), pattern: word, maxCount: maxLines });
    // grep searches hidden names; a listing with hidden names shares its scan.
    const refresh = (): Promise<GlobResult> =>
      natives.glob({ ...shared(tour), pattern: '*', recursive: false, hidden: true });
    const runs = await coldAndCached(tour, 'grep', { search, refresh });
    const { matches, filesWithMatches, filesSearched, skipped, stopReason } = runs.again.result;
    for (const match of matches.slice(0, shownHits)) add(hitLine(tour, match));
    const notSearched = skipped.binary + skipped.oversized + skipped.unreadable;
    const facts = [
      `${countOf(matches.length, 'line')} in ${countOf(filesWithMatches, 'file')}, ${countOf(filesSearched, 'file')} searched${shownOf(matches.length)}${stopText(stopReason)}`,
      ...(notSearched > 0 ? [`${countOf(notSearched, 'file')} not searched to the end (binary or unreadable)`] : []),
      ...(skipped.nodeModules === undefined ? [] : ['node_modules not searched']),
    ];
    add(facts.join('; '));
    add(timesLine(runs));
    add('The cache holds the list of files, never their content: every grep reads the files.');
  });
}

async function topNames(tour: Tour): Promise<Timed<GlobResult>> {
  return timed(tour, 'glob', () => tour.natives.glob({ ...shared(tour), pattern: '*', recursive: false }));
}

function namesIn({ result, durationMs }: Timed<GlobResult>): string {
  return `${countOf(result.totalMatches, 'name')} in ${formatMs(durationMs)}`;
}

async function showInvalidation(tour: Tour, file: TourFile, add: Add): Promise<void> {
  const { natives } = tour;
  const knows = ({ result }: Timed<GlobResult>): boolean => result.matches.some(({ path }) => path === file.name);
  const before = await topNames(tour);
  const startMs = performance.now();
  const cached = natives.fsScanCacheStats().entries.length;
  natives.invalidateFsScanCache(join(tour.path, file.name));
  const dropped = cached - natives.fsScanCacheStats().entries.length;
  const invalidateMs = performance.now() - startMs;
  const after = await topNames(tour);
  add(`Wrote ${file.name} without invalidating the cache.`);
  add(
    knows(before)
      ? 'A listing already has it: the cached scan was too old, so the directory was scanned again.'
      : `A cached listing does not have it: ${namesIn(before)}.`,
  );
  const scans = `${countOf(dropped, 'cached scan')} of ${formatCount(cached)}`;
  add(`invalidateFsScanCache dropped ${scans} in ${formatMs(invalidateMs)}.`);
  add(
    knows(after)
      ? `The next listing has it: ${namesIn(after)}.`
      : 'The next listing still leaves it out: an ignore file of this tree excludes it.',
  );
}

export function showCache(tour: Tour): Promise<void> {
  const { natives, context } = tour;
  return step(tour, '5. The cache learns about a change', async (add) => {
    natives.invalidateFsScanCache(tour.path);
    await topNames(tour);
    let file: TourFile;
    try {
      file = createTourFile(tour.path);
    } catch (error) {
      const reason = error instanceof Error && 'code' in error ? ` (${String(error.code)})` : '';
      add(`Skipped: this directory is not writable${reason}. Nothing was changed.`);
      return;
    }
    const forget = context.onAbruptEnd(file.remove);
    try {
      await showInvalidation(tour, file, add);
    } finally {
      file.remove();
      forget();
      natives.invalidateFsScanCache(tour.path);
    }
    add('Deleted the file. A program that writes files calls invalidateFsScanCache after every write.');
  });
}
