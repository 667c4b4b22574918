import { quotePath } from '@cairn/tool/paths';
import { errorText } from '../../terminal/answer.ts';
import type { CommandContext } from '../../terminal/command-context.ts';
import { countOf, formatCount } from '../../terminal/text.ts';
import { unreadableNotice, cutNotice, lossyNotice, nothingFoundNotice, offsetNotice, stopNotice } from './listing.ts';
import { hasGroup, SEARCHED_ANYWAY, type GrepPlan } from './grep-plan.ts';
import { MAX_SUBMATCHES, type GrepTotals } from './grep-totals.ts';

type Asked = Pick<GrepPlan, 'patterns' | 'matching' | 'filter' | 'page'>;

const MAX_NAMED = 3;

const MOST = formatCount(MAX_SUBMATCHES);
const CROWDED = 'the rest is left out; break such a line for all of them';
const COSTLY = 'because the pattern backtracks too often; simplify it';
const REPLACED = 'U+FFFD, which stands for bytes that are not UTF-8, too; columns count it as 3 bytes';

function patternNotices(totals: GrepTotals, { patterns, matching }: Asked): string[] {
  const { engine, asTyped, searchedPattern, searchedPatterns = [] } = totals;
  if (engine === 'literal' && matching.literal !== true) {
    const given = patterns.join('\n');
    return [`searched for the plain text "${given}", because it is not a valid expression; use -F for plain text`];
  }
  if (asTyped !== undefined) {
    const place = `${quotePath(asTyped.path)}:${asTyped.lineNumber}`;
    return [`nothing matches the expression, but the text "${asTyped.text}" is in ${place}; use -F for plain text`];
  }
  if (searchedPattern !== undefined) return [`repaired the pattern; searched for "${searchedPattern}"`];
  const named = searchedPatterns
    .slice(0, MAX_NAMED)
    .map(({ pattern, searched }) => `repaired the pattern "${pattern}"; searched for "${searched}"`);
  const more = searchedPatterns.length - named.length;
  return more > 0 ? [...named, `repaired ${countOf(more, 'more pattern')}; use -F for plain text`] : named;
}

/** Returns the notice about a pattern with a line feed that the lines of a file with CRLF do not match. */
function lineFeedNotices({ totalMatches }: GrepTotals, { patterns, matching }: Asked): string[] {
  if (matching.multiline !== true || totalMatches > 0) return [];
  const lineFeed = matching.literal === true ? /\n/u : /\n|\\n/u;
  const isForLineFeeds = patterns.some((pattern) => lineFeed.test(pattern) && !/\r|\\r/u.test(pattern));
  return isForLineFeeds ? [String.raw`\n does not match the line ends of files with CRLF; write \r?\n for both`] : [];
}

function replaceNotices({ totalMatches }: GrepTotals, { matching: { replacement: text } }: Asked): string[] {
  if (text === undefined || totalMatches > 0 || hasGroup(text)) return [];
  return [
    `-r shows "${text}" in place of each match; ${SEARCHED_ANYWAY}, so leave it out to search them for "${text}"`,
  ];
}

/** Returns the possible intent of a pattern of basic grep without a match. */
function basicNotices({ totalMatches }: GrepTotals, { patterns, matching }: Asked): string[] {
  if (matching.literal === true || totalMatches > 0) return [];
  const hasBar = patterns.some((pattern) => /(?<!\\)(?:\\\\)*\\\|/u.test(pattern));
  return hasBar ? [String.raw`\| matches the character |; for one of two, write ONE|OTHER`] : [];
}

function noFileNotices(totals: GrepTotals, { matching, filter, page }: Asked): string[] {
  const { filesSearched, skipped, hint, stopReason, failures } = totals;
  const isCut = stopReason !== undefined || page.limit === 0 || matching.maxCountPerFile === 0;
  const seen = filesSearched + skipped.binary + skipped.oversized + skipped.unreadable + failures.length;
  if (seen > 0 || isCut || hint !== undefined) return [];
  const { glob, type, typeNot, maxDepth } = filter;
  const given = { '--glob': glob, '--type': type, '--type-not': typeNot, '--max-depth': maxDepth };
  const filters = Object.keys(given).filter((name) => Reflect.get(given, name) !== undefined);
  const reason = filters.length === 0 ? 'there is no file' : `no file passes ${filters.join(' and ')}`;
  const others = filter.gitignore === true ? '; --no-ignore adds what ignore files exclude' : '';
  return [`searched no file: ${reason}${others}`];
}

function counted(count: number, noun: string, notice: (counted: string) => string): string[] {
  return count > 0 ? [notice(countOf(count, noun))] : [];
}

function stopNotices({ stopReason, shown }: GrepTotals, { page }: Asked): readonly string[] {
  if (stopReason !== 'budget') return stopNotice(stopReason);
  const next = shown === 0 ? '' : `--offset ${page.offset + shown} to continue, or `;
  return [`the tree or the result is too large for one search; use ${next}a smaller --path`];
}

export function grepNotices(totals: GrepTotals, asked: Asked): string[] {
  const { shown, skipped, limitReached, globs, hint, linesReplaced } = totals;
  const { matching, filter, page } = asked;
  const total = matching.mode === 'content' ? totals.totalMatches : totals.filesWithMatches;
  const isLimited = page.limit !== undefined && shown >= page.limit && limitReached === true;
  const next = `use --limit for more, or --offset ${page.offset + shown} to continue`;
  return [
    ...patternNotices(totals, asked),
    // Only a --glob that was split is worth a notice.
    ...(globs === undefined || globs.length === filter.glob?.length
      ? []
      : [`--glob holds ${globs.length} globs: ${globs.join(' ')}`]),
    ...(hint === undefined ? [] : [hint]),
    ...lineFeedNotices(totals, asked),
    // The total includes the matches that --offset skipped.
    ...(isLimited ? [cutNotice(shown, total - page.offset, next)] : []),
    ...(shown === 0 ? offsetNotice(page.offset, total) : []),
    ...counted(totals.filesCut ?? 0, 'file', (n) => `${n} had more matches than --max-count; raise it for more`),
    ...counted(totals.linesCut, 'line', (n) => `shortened ${n}; --max-columns 0 shows whole lines`),
    ...counted(totals.linesCrowded, 'line', (n) => `${n} had more than ${MOST} matches; ${CROWDED}`),
    ...stopNotices(totals, asked),
    ...counted(skipped.binary, 'binary file', (n) => `skipped ${n} from the first NUL byte on`),
    ...counted(skipped.oversized, 'file', (n) => `skipped ${n} over --max-filesize or with a line too long to search`),
    ...counted(skipped.tooCostly ?? 0, 'file', (n) => `searched ${n} only in part, ${COSTLY}`),
    ...unreadableNotice(skipped.unreadable, 'file or directory', 'files or directories', totals.unreadablePaths),
    ...lossyNotice(totals.lossyPaths),
    ...counted(linesReplaced, 'line', (n) => `${n} ${linesReplaced === 1 ? 'has' : 'have'} ${REPLACED}`),
    ...replaceNotices(totals, asked),
    ...basicNotices(totals, asked),
    ...noFileNotices(totals, asked),
  ];
}

/** Returns the notices about roots that failed and about the result. A person who found nothing learns what was not searched. */
export function noticesOf(totals: GrepTotals, plan: GrepPlan, context: CommandContext): readonly string[] {
  const { filter, notices, prints } = plan;
  const all = [...totals.failures.map(errorText), ...grepNotices(totals, plan)];
  const isForPerson = context.err.isTerminal && prints !== 'document';
  if (totals.shown > 0 || all.length > 0 || !isForPerson) return [...notices, ...all];
  return [...notices, nothingFoundNotice(filter.hidden ?? true, filter.gitignore === true)];
}
