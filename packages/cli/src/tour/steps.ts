import { escapeControls } from '@cairn/tool/paths';
import { join } from 'node:path';
import type * as Natives from '@cairn/natives';
import type { FuzzyFindResult, GlobMatch, GlobResult, GrepResult, StopReason } from '@cairn/natives';
import type { Paint } from '../terminal/output.ts';
import { withProgress } from '../terminal/progress.ts';
import type { Session } from '../terminal/session.ts';
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
/** Lines after which the tour's content search stops. */
const maxLines = 1000;
/** No step runs longer than this, whatever the disk. */
const stepTimeoutMs = 30_000;
const shownHits = 3;

/** One tour: the tree that it shows, and how it prints. */
export interface Tour {
  readonly natives: typeof Natives;
  readonly session: Session;
  readonly paint: Paint;
  /** As it was typed; the searches get it. */
  readonly path: string;
  /** What the commands print before each path. */
  readonly prefix: string;
  /** `--path` for the commands to paste, or nothing in the current directory. */
  readonly pathFlag: string;
  readonly say: (line?: string) => Promise<void>;
}

interface Timed<T> {
  readonly result: T;
  readonly durationMs: number;
  readonly fromCache: boolean;
}

async function timed<T>(tour: Tour, label: string, call: () => Promise<T>): Promise<Timed<T>> {
  const hitsBefore = tour.natives.fsScanCacheStats().hits;
  const startMs = performance.now();
  const result = await withProgress(tour.session, label, call);
  const durationMs = performance.now() - startMs;
  return { result, durationMs, fromCache: tour.natives.fsScanCacheStats().hits > hitsBefore };
}

function shared(tour: Tour): {
  path: string;
  cache: true;
  signal: AbortSignal;
  timeoutMs: number;
  onTimeout: 'partial';
} {
  return { path: tour.path, cache: true, signal: tour.session.signal, timeoutMs: stepTimeoutMs, onTimeout: 'partial' };
}

/** The same call twice: on an emptied cache, then on a cache that has the scan. */
interface ColdAndCached<T> {
  readonly cold: Timed<T>;
  readonly again: Timed<T>;
}

/**
 * Runs a call twice. Where the first run outlasts the time a scan is kept, `refresh` makes a new scan of the same kind
 * before the second run; its time is not counted.
 */
async function coldAndCached<T>(
  tour: Tour,
  label: string,
  calls: { readonly search: () => Promise<T>; readonly refresh?: () => Promise<unknown> },
): Promise<ColdAndCached<T>> {
  tour.natives.invalidateFsScanCache(tour.path);
  const cold = await timed(tour, label, calls.search);
  if (calls.refresh !== undefined) await timed(tour, label, calls.refresh);
  return { cold, again: await timed(tour, label, calls.search) };
}

/** A result that says whether it was stopped, as all of them do. */
interface Stoppable {
  readonly stopReason?: StopReason;
}

function timesLine({ cold, again }: ColdAndCached<Stoppable>): string {
  const factor = cold.durationMs / again.durationMs;
  const times = factor >= 10 ? formatCount(Math.round(factor)) : factor.toFixed(1);
  const isStopped = cold.result.stopReason === 'timeout';
  const faster = factor >= 1.5 && !isStopped ? `, ${times} times as fast` : '';
  const second = again.fromCache
    ? `with the cached scan ${formatMs(again.durationMs)}${faster}`
    : `the second time ${formatMs(again.durationMs)}, scanned again because the cached scan was too old`;
  return `  first scan and search ${formatMs(cold.durationMs)}${isStopped ? ', stopped there' : ''}; ${second}`;
}

function stopText(stopReason: StopReason | undefined): string {
  if (stopReason === 'timeout') return ` (stopped after ${stepTimeoutMs / 1000} s, there may be more)`;
  if (stopReason === 'budget') return ' (stopped at the largest scan allowed, there may be more)';
  return stopReason === 'limit' ? ' (stopped at the limit, there are more)' : '';
}

async function sayCommand(tour: Tour, command: string): Promise<void> {
  await tour.say(`  ${tour.paint.dim('$')} cairn ${escapeControls(command)}${escapeControls(tour.pathFlag)}`);
}

function tallyLine(tour: Tour, label: string, tallies: readonly Tally[], show: (tally: Tally) => string): string {
  const room = tour.session.out.isTerminal ? tour.session.out.width - 1 : 100;
  let line = `  ${label.padEnd(22)}`;
  for (const [index, tally] of tallies.slice(0, 8).entries()) {
    const next = `${index === 0 ? '' : ', '}${show(tally)}`;
    if (index > 0 && line.length + next.length > room) break;
    line += next;
  }
  return tour.session.out.isTerminal ? fitText(line, room) : line;
}

export async function showTree(tour: Tour): Promise<{ matches: readonly GlobMatch[]; summary: TreeSummary }> {
  const { natives, paint, say } = tour;
  await say(paint.title('1. The content of the tree'));
  natives.invalidateFsScanCache(tour.path);
  const { result, durationMs } = await timed(tour, 'scanning the tree', () =>
    natives.glob({ ...shared(tour), pattern: '**', maxResults: maxEntries }),
  );
  const summary = summarize(result.matches, natives.FileType);
  const links = summary.links > 0 ? `, ${countOf(summary.links, 'link')}` : '';
  const counts = `${countOf(summary.files, 'file')}, ${countOf(summary.directories, 'directory', 'directories')}${links}`;
  await say(`  ${counts} in ${formatMs(durationMs)}${stopText(result.stopReason)}`);
  if (summary.extensions.length > 0)
    await say(
      tallyLine(
        tour,
        'most frequent',
        summary.extensions,
        ({ name, count }) => `.${escapeControls(name)} ${formatCount(count)}`,
      ),
    );
  if (summary.biggest.length > 0)
    await say(
      tallyLine(
        tour,
        'most files below',
        summary.biggest,
        ({ name, count }) => `${escapeControls(name)}/ ${formatCount(count)}`,
      ),
    );
  if (result.unreadable !== undefined && result.unreadable > 0)
    await say(`  ${countOf(result.unreadable, 'entry', 'entries')} could not be read and are not counted.`);
  await say(
    '  Left out: names that start with a dot, node_modules, and files that .gitignore and other ignore files exclude.',
  );
  await say(
    '  Times are from this run; a first scan also waits for the disk if the system has not read the tree recently.',
  );
  if (result.matches.length === 0)
    await say('  Nothing to search here; the steps below show what an empty answer looks like.');
  await say();
  return { matches: result.matches, summary };
}

export async function showGlob(tour: Tour, pattern: string): Promise<void> {
  const { natives, paint, say } = tour;
  await say(paint.title('2. glob: paths that match a pattern'));
  await sayCommand(tour, `glob ${shellQuote(pattern)}`);
  const search = (): Promise<GlobResult> => natives.glob({ ...shared(tour), pattern, maxResults: maxEntries });
  const runs = await coldAndCached(tour, 'glob', { search });
  const { matches, totalMatches, stopReason } = runs.again.result;
  for (const { path } of matches.slice(0, shownHits))
    await say(`    ${fitToTerminal(tour, escapeControls(tour.prefix + path), 4)}`);
  await say(`  ${countOf(totalMatches, 'path')}${shownOf(matches.length)}${stopText(stopReason)}`);
  await say(timesLine(runs));
  await say();
}

function shownOf(count: number): string {
  return count > shownHits ? `, the first ${shownHits} shown` : '';
}

function fitToTerminal(tour: Tour, text: string, used: number): string {
  return tour.session.out.isTerminal ? fitText(text, Math.max(tour.session.out.width - used - 1, 10)) : text;
}

export async function showFind(tour: Tour, query: string, file: string | undefined): Promise<void> {
  const { natives, paint, say } = tour;
  await say(paint.title('3. find: a few letters of a path'));
  if (file !== undefined)
    await say(`  The letters '${query}' stand for ${fitToTerminal(tour, escapeControls(file), 30)}.`);
  await sayCommand(tour, `find ${shellQuote(query)}`);
  const search = (): Promise<FuzzyFindResult> => natives.fuzzyFind({ ...shared(tour), query, includePositions: true });
  const runs = await coldAndCached(tour, 'find', { search });
  const { matches, totalMatches, stopReason } = runs.again.result;
  const room = (tour.session.out.isTerminal ? tour.session.out.width : 120) - 5 - ellipsisColumns;
  for (const { path, positions } of matches.slice(0, shownHits)) {
    const fitted = fitLine(tour.prefix + path, rangesOf(positions ?? [], tour.prefix.length), room);
    await say(`    ${highlightFitted(fitted, { paint: paint.hit, escape: escapeControls }, paint.dim)}`);
  }
  // A stop at the limit is what a ranking is for: the best are here.
  const stopped = stopReason === 'limit' ? '' : stopText(stopReason);
  const place = matches.findIndex(({ path }) => path === file) + 1;
  const meant = place > shownHits ? `; the intended file is number ${place}` : '';
  const total = countOf(totalMatches, 'path');
  await say(`  ${total} with these letters, best first${shownOf(matches.length)}${meant}${stopped}`);
  await say(timesLine(runs));
  await say();
}

async function sayGrepHits(tour: Tour, result: GrepResult): Promise<void> {
  const { session, paint } = tour;
  const width = session.out.isTerminal ? session.out.width : 120;
  for (const { path, lineNumber, line, submatches } of result.matches.slice(0, shownHits)) {
    const place = fitPath(escapeControls(tour.prefix + path), Math.floor(width / 2));
    const room = Math.max(width - displayWidth(place) - String(lineNumber).length - 8 - ellipsisColumns, 10);
    const indent = line.length - line.trimStart().length;
    const hits = (submatches ?? []).map(({ start, end }) => ({
      start: Math.max(start - indent, 0),
      end: Math.max(end - indent, 0),
    }));
    const fitted = fitLine(line.trim(), hits, room);
    const text = highlightFitted(fitted, { paint: paint.hit, escape: escapeLine }, paint.dim);
    await tour.say(`    ${paint.path(place)}:${paint.lineNumber(String(lineNumber))}: ${text}`);
  }
}

export async function showGrep(tour: Tour, word: string, source: string | undefined): Promise<void> {
  const { natives, paint, say } = tour;
  await say(paint.title('4. grep: the content of the files'));
  if (source !== undefined)
    await say(`  The word '${word}' is taken from ${fitToTerminal(tour, escapeControls(source), 30)}.`);
  await sayCommand(tour, `grep ${shellQuote(word)} --limit ${maxLines}`);
  const search = (): Promise<GrepResult> => natives.grep({ ...shared(tour), pattern: word, maxCount: maxLines });
  // grep searches hidden names; a listing with hidden names shares its scan.
  const refresh = (): Promise<GlobResult> =>
    natives.glob({ ...shared(tour), pattern: '*', recursive: false, hidden: true });
  const runs = await coldAndCached(tour, 'grep', { search, refresh });
  const { result } = runs.again;
  await sayGrepHits(tour, result);
  const { binary, oversized, unreadable, nodeModules } = result.skipped;
  const skipped =
    binary + oversized + unreadable > 0
      ? `; ${countOf(binary + oversized + unreadable, 'file')} not searched to the end (binary or unreadable)`
      : '';
  const leftOut = nodeModules === undefined ? '' : '; node_modules not searched';
  const lines = `${countOf(result.matches.length, 'line')} in ${countOf(result.filesWithMatches, 'file')}`;
  await say(
    `  ${lines}, ${countOf(result.filesSearched, 'file')} searched${shownOf(result.matches.length)}${stopText(result.stopReason)}${skipped}${leftOut}`,
  );
  await say(timesLine(runs));
  await say('  The cache holds the list of files, never their content: every grep reads the files.');
  await say();
}

/** The names right below the root, with the cache: what a program would see. */
async function topNames(tour: Tour): Promise<Timed<GlobResult>> {
  return timed(tour, 'glob', () => tour.natives.glob({ ...shared(tour), pattern: '*', recursive: false }));
}

async function showInvalidation(tour: Tour, file: TourFile): Promise<void> {
  const { natives, say } = tour;
  const knows = ({ result }: Timed<GlobResult>): boolean => result.matches.some(({ path }) => path === file.name);
  const before = await topNames(tour);
  const startMs = performance.now();
  const statsBefore = natives.fsScanCacheStats();
  natives.invalidateFsScanCache(join(tour.path, file.name));
  const statsAfter = natives.fsScanCacheStats();
  const invalidateMs = performance.now() - startMs;
  const after = await topNames(tour);
  await say(`  Wrote ${file.name} without invalidating the cache.`);
  if (!knows(before)) {
    await say(
      `  A cached listing does not have it: ${countOf(before.result.totalMatches, 'name')} in ${formatMs(before.durationMs)}.`,
    );
  } else {
    await say('  A listing already has it: the cached scan was too old, so the directory was scanned again.');
  }
  const dropped = statsBefore.entries.length - statsAfter.entries.length;
  await say(
    `  invalidateFsScanCache dropped ${countOf(dropped, 'cached scan')} of ${formatCount(statsBefore.entries.length)} in ${formatMs(invalidateMs)}.`,
  );
  if (knows(after)) {
    await say(
      `  The next listing has it: ${countOf(after.result.totalMatches, 'name')} in ${formatMs(after.durationMs)}.`,
    );
  } else {
    await say('  The next listing still leaves it out: an ignore file of this tree excludes it.');
  }
}

export async function showCache(tour: Tour): Promise<void> {
  const { natives, session, paint, say } = tour;
  await say(paint.title('5. The cache learns about a change'));
  natives.invalidateFsScanCache(tour.path);
  await topNames(tour);
  let file: TourFile;
  try {
    file = createTourFile(tour.path);
  } catch (error) {
    const reason = error instanceof Error && 'code' in error ? ` (${String(error.code)})` : '';
    await say(`  Skipped: this directory is not writable${reason}. Nothing was changed.`);
    await say();
    return;
  }
  const forget = session.onAbruptEnd(file.remove);
  try {
    await showInvalidation(tour, file);
  } finally {
    file.remove();
    forget();
    natives.invalidateFsScanCache(tour.path);
  }
  await say('  Deleted the file. A program that writes files calls invalidateFsScanCache after every write.');
  await say();
}
