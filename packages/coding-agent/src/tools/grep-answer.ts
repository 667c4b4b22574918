import type { GrepMatch, GrepResult } from '@cairn/natives';
import { count } from '@cairn/tool/prompt';
import { quotePath } from '@cairn/tool/paths';
import type { GlobInput, LeftOut } from './glob.ts';
import { hintNotes, skippedNotes, unreadableNotes } from './search.ts';
import type { Names, RunContext } from './spec.ts';

export const MAX_MATCHES = 100;
export const MAX_PER_FILE = 20;
export const MAX_COLUMNS = 512;
export type GrepMode = 'content' | 'files' | 'count';

export interface GrepInput extends Omit<GlobInput, 'hidden'> {
  readonly glob?: string | undefined;
  /** A type of file, as ripgrep names them, or an extension. */
  readonly type?: string | undefined;
  readonly mode?: GrepMode | undefined;
  readonly context?: number | undefined;
  readonly ignore_case?: boolean | undefined;
  readonly literal?: boolean | undefined;
  readonly multiline?: boolean | undefined;
}

/** The result of `@cairn/natives`, with paths in the form that the other tools take. */
export interface GrepDetails extends GrepResult {
  readonly skip: number;
  /** The files of this page that have more matches than one search shows of each, when several files are searched. */
  readonly cutFiles: readonly string[];
  /** Only when nothing was found. */
  readonly leftOut?: LeftOut;
}

/** Returns the lines of each file under its name; with context, dashes mark a gap. */
function contentLines(matches: readonly GrepMatch[]): string[] {
  const lines: string[] = [];
  const hasContext = matches.some(({ contextBefore, contextAfter }) => contextBefore ?? contextAfter);
  let file: string | undefined;
  let last = 0;
  for (const { path, lineNumber, line, contextBefore = [], contextAfter = [] } of matches) {
    const first = contextBefore[0]?.lineNumber ?? lineNumber;
    if (path !== file) lines.push(...(file === undefined ? [] : ['']), quotePath(path));
    else if (hasContext && first > last + 1) lines.push('--');
    file = path;
    // The next page begins with the next match.
    const next = contextAfter.findIndex(({ isMatch }) => isMatch);
    const after = next === -1 ? contextAfter : contextAfter.slice(0, next);
    const shown = [
      ...contextBefore.map((one) => `${one.lineNumber}- ${one.line}`),
      `${lineNumber}: ${line}`,
      ...after.map((one) => `${one.lineNumber}- ${one.line}`),
    ];
    lines.push(...shown.map((one) => one.replace(/\r$/u, '')));
    last = after.at(-1)?.lineNumber ?? lineNumber;
  }
  return lines;
}

export function linesOf(mode: GrepMode, matches: readonly GrepMatch[]): string[] {
  if (mode === 'content') return contentLines(matches);
  return matches.map(({ path, matchCount }) =>
    mode === 'count' ? `${quotePath(path)}: ${matchCount ?? 0}` : quotePath(path),
  );
}

/** Returns the answer of a page after the last one. */
function pastTheEnd({ totalMatches, filesWithMatches, filesCut }: GrepDetails, mode: GrepMode, names: Names): string {
  if (mode !== 'content') return `[no more files: there are ${mode === 'count' ? filesWithMatches : totalMatches}]`;
  if (filesCut === undefined) return `[no more matches: there are ${totalMatches}]`;
  const more = `${count(filesCut, 'file')} ${filesCut === 1 ? 'has' : 'have'} more`;
  const next = `${names.setting('grep', 'mode', 'count')} ${names.setting('grep', 'skip', '0')} counts them`;
  return `[no more matches: ${totalMatches} are shown, at most ${MAX_PER_FILE} of each file; ${more}: ${next}]`;
}

const stopTexts: Readonly<Record<string, string>> = {
  timeout: 'the time limit was reached',
  budget: 'the size limit of one search was reached',
};

export function headerOf(details: GrepDetails, mode: GrepMode, names: Names): string {
  const { totalMatches, filesWithMatches, filesCut, limitReached, stopReason, skip, matches } = details;
  const stopped = stopReason === undefined ? undefined : stopTexts[stopReason];
  if (matches.length === 0) {
    if (stopped !== undefined) return `[nothing found so far: ${stopped}; search a smaller directory or fewer files]`;
    return skip > 0 && totalMatches > 0 ? pastTheEnd(details, mode, names) : '[no match]';
  }
  // Counts are of all files, whichever are shown.
  const isCut = mode !== 'count' && limitReached === true;
  const most = isCut || filesCut !== undefined || stopped !== undefined ? 'at least ' : '';
  const unit =
    mode === 'files'
      ? count(totalMatches, 'file')
      : `${count(totalMatches, 'match', 'matches')} in ${count(filesWithMatches, 'file')}`;
  return `[${most}${unit}${stopped === undefined ? '' : `; incomplete: ${stopped}`}]`;
}

export function filterNotes(
  { filesSearched, stopReason, skipped, hint }: GrepDetails,
  { glob, type }: GrepInput,
): string[] {
  const given = Object.entries({ glob, type });
  const filters = given.flatMap(([name, value]) => (value === undefined ? [] : [`${name} ${quotePath(value)}`]));
  const isNone = filesSearched === 0 && stopReason === undefined && skipped.oversized + skipped.unreadable === 0;
  if (filters.length === 0 || !isNone) return hintNotes(hint);
  return [`[no file was searched: none is selected by ${filters.join(' and ')}]`, ...hintNotes(hint)];
}

export function notesOf(details: GrepDetails, input: GrepInput, shown: number, { names }: RunContext): string[] {
  const notes: string[] = [];
  const skipping = (matches: number): string => names.setting('grep', 'skip', `${matches}`);
  if (details.limitReached) {
    const unit = input.mode === 'count' ? ' files' : '';
    notes.push(`[cut by the limit of ${shown}${unit}; continue with ${skipping(details.skip + shown)}]`);
  }
  if (details.stopReason === 'budget' && details.matches.length > 0 && input.mode !== 'count') {
    notes.push(`[continue with ${skipping(details.skip + details.matches.length)}]`);
  }
  for (const path of details.cutFiles.map(quotePath)) {
    const next = path.includes('\ufffd')
      ? 'its name is not valid UTF-8, so no search can name it'
      : `continue with ${names.setting('grep', 'path', path)} ${skipping(MAX_PER_FILE)}`;
    notes.push(`[${path} has more than the ${MAX_PER_FILE} matches shown of each file; ${next}]`);
  }
  const cut = details.matches.filter(({ truncated }) => truncated).length;
  if (cut > 0) notes.push(`[${count(cut, 'line')} cut to ${MAX_COLUMNS} characters]`);
  notes.push(...skippedNotes(details.skipped));
  const nouns = ['file or directory', 'files or directories'] as const;
  notes.push(...unreadableNotes(details.skipped.unreadable, nouns, details.unreadablePaths));
  if (details.engine === 'literal' && !input.literal)
    notes.push('[the pattern is not a valid regular expression; it was searched as literal text]');
  else if (details.searchedPattern !== undefined) notes.push(`[searched for: ${quotePath(details.searchedPattern)}]`);
  if (details.globs !== undefined) notes.push(`[globs: ${details.globs.map(quotePath).join(' ')}]`);
  if (details.asTyped !== undefined) {
    const { text, path, lineNumber } = details.asTyped;
    const found = `the text ${quotePath(text)} is in ${quotePath(path)}:${lineNumber}`;
    const literal = names.setting('grep', 'literal', 'true');
    notes.push(`[nothing matches the expression, but ${found}; ${literal} finds it]`);
  }
  return notes;
}
