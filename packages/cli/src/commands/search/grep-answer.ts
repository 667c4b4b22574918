import { quotePath } from '@cairn/tool/paths';
import type { GrepMatch } from '@cairn/natives';
import { errorText, type MatchesDocument } from '../../terminal/answer.ts';
import { createPaint, usesColor } from '../../terminal/output.ts';
import type { Session } from '../../terminal/session.ts';
import type { GrepForm } from './grep-lines.ts';
import { appliesIgnoreFiles, modeOf, type GrepFlags } from './grep-options.ts';
import type { GrepTotals } from './grep-totals.ts';
import { replaceNotices } from './grep-replace.ts';
import { grepNotices, nothingFoundNotice } from './notices.ts';

/** A longer line is cut around its first match. */
const MAX_ROWS = 3;

/** What the form of the results depends on besides the options. */
export interface FormContext {
  /** Whether only standard input is searched: its lines have no number unless it is asked for, as in ripgrep. */
  readonly isFromInput: boolean;
  /** Whether one text or file is searched, which is not a directory: its lines have no path unless it is asked for. */
  readonly isOneFile: boolean;
  /** Called for each line that is cut to the width of the terminal. */
  readonly onCut: () => void;
}

/** Returns how to print the results. */
export function formOf(flags: GrepFlags, session: Session, { isFromInput, isOneFile, onCut }: FormContext): GrepForm {
  const { isTerminal, width } = session.out;
  const { vimgrep = false, column = false, onlyMatching = false } = flags;
  return {
    paint: createPaint(usesColor(flags.color, isTerminal, session.env)),
    isTerminal,
    heading: !vimgrep && (flags.heading ?? isTerminal),
    path: flags.paths ?? (vimgrep || !isOneFile),
    lineNumber: flags.lineNumber ?? (vimgrep || column || !isFromInput),
    column: vimgrep || column,
    onlyMatching,
    eachMatch: vimgrep,
    joinsLines: flags.multiline === true && (vimgrep || flags.replace !== undefined),
    nul: flags.null === true,
    hasContext: (flags.context ?? 0) + (flags.beforeContext ?? 0) + (flags.afterContext ?? 0) > 0,
    columns: flags.maxColumns === undefined ? width * MAX_ROWS : undefined,
    onCut,
  };
}

/** Returns how many files or paths were not searched to their end, though no option asks for that. */
export function unseen({ skipped, failures }: GrepTotals, { maxFilesize }: GrepFlags): number {
  // Without the option, only a line that is too long to search skips a file.
  const oversized = maxFilesize === undefined ? skipped.oversized : 0;
  return skipped.unreadable + (skipped.tooCostly ?? 0) + oversized + failures.length;
}

/** The document counts in `matches`: lines in content mode, files in the other modes. */
export function documentOf(
  totals: GrepTotals,
  flags: GrepFlags,
  { matches, roots }: { readonly matches: readonly GrepMatch[]; readonly roots: readonly string[] },
): MatchesDocument & Readonly<Record<string, unknown>> {
  const { shown, linesCut: _cut, linesReplaced: _replaced, lossyPaths: _lossy, ...seen } = totals;
  const { failures: _failures, ...facts } = seen;
  const { totalMatches, filesWithMatches, complete, limitReached, stopReason, ...rest } = facts;
  const reason = stopReason ?? (limitReached === true ? 'limit' : undefined);
  const mode = modeOf(flags);
  const isWhole = complete && reason === undefined && unseen(totals, flags) === 0;
  return {
    matches,
    shown,
    totalMatches: mode === 'content' ? totalMatches : filesWithMatches,
    complete: isWhole && rest.filesCut === undefined,
    ...(reason !== undefined && { stopReason: reason }),
    ...(mode === 'count' && { totalLines: totalMatches }),
    filesWithMatches,
    ...(roots.length > 1 && { paths: roots }),
    ...rest,
  };
}

/** What the notices need besides the result. */
export interface NoticeContext {
  readonly patterns: readonly string[];
  /** How many lines were cut to the width of the terminal. */
  readonly linesCut: number;
  readonly session: Session;
}

/** Returns the notice that a search selected no file at all, as ripgrep reports it. */
function noFileNotices({ filesSearched, skipped, hint, stopReason, failures }: GrepTotals, flags: GrepFlags): string[] {
  const isCut = stopReason !== undefined || flags.limit === 0 || flags.maxCount === 0;
  const seen = filesSearched + skipped.binary + skipped.oversized + skipped.unreadable + failures.length;
  if (seen > 0 || isCut || hint !== undefined) return [];
  const filters = [
    ...(flags.glob === undefined ? [] : ['--glob']),
    ...(flags.type === undefined ? [] : ['--type']),
    ...(flags.typeNot === undefined ? [] : ['--type-not']),
    ...(flags.maxDepth === undefined ? [] : ['--max-depth']),
  ];
  const reason = filters.length === 0 ? 'there is no file' : `no file passes ${filters.join(' and ')}`;
  const others = appliesIgnoreFiles(flags) ? '; --no-ignore adds what ignore files exclude' : '';
  return [`searched no file: ${reason}${others}`];
}

/** Returns what a pattern of basic grep without a match may have meant. */
function basicNotices({ totalMatches }: GrepTotals, { literal }: GrepFlags, patterns: readonly string[]): string[] {
  if (literal === true || totalMatches > 0) return [];
  const hasBar = patterns.some((pattern) => /(?<!\\)(?:\\\\)*\\\|/u.test(pattern));
  return hasBar ? [String.raw`\| matches the character |; for one of two, write ONE|OTHER`] : [];
}

/** Returns what the answer leaves out, and other remarks. */
export function noticesOf(
  summary: GrepTotals,
  flags: GrepFlags,
  { patterns, linesCut, session }: NoticeContext,
): string[] {
  const { shown, asTyped, limitReached, filesCut = 0, totalMatches, engine, failures, globs } = summary;
  const isForLineFeeds = (pattern: string): boolean =>
    (flags.literal === true ? /\n/u : /\n|\\n/u).test(pattern) && !/\r|\\r/u.test(pattern);
  const notices = grepNotices({
    ...summary,
    isForLineFeeds: flags.multiline === true && totalMatches === 0 && patterns.some(isForLineFeeds),
    totalMatches: modeOf(flags) === 'content' ? totalMatches : summary.filesWithMatches,
    isLimited: flags.limit !== undefined && shown >= flags.limit && limitReached === true,
    offset: flags.offset ?? 0,
    filesCut,
    linesCut: linesCut + summary.linesCut,
    isLiteral: engine === 'literal' && flags.literal !== true,
    asTyped: asTyped && { ...asTyped, path: quotePath(asTyped.path) },
    // Only a --glob that was split is worth a notice.
    globs: globs?.length === flags.glob?.length ? undefined : globs,
    givenPattern: patterns.join('\n'),
  });
  if (flags.replace !== undefined && totalMatches === 0) notices.push(...replaceNotices(flags.replace));
  notices.push(...basicNotices(summary, flags, patterns), ...noFileNotices(summary, flags));
  const all = [...failures.map(errorText), ...notices];
  const isForPerson = session.err.isTerminal && flags.json !== true;
  if (shown > 0 || all.length > 0 || !isForPerson) return all;
  return [nothingFoundNotice(flags.hidden ?? true, appliesIgnoreFiles(flags))];
}
