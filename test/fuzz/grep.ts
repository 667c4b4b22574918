import { join } from 'node:path';
import { writeFileSync } from 'node:fs';
import { CairnError, grep } from '@cairn/natives';
import type { GrepMatch, GrepOptions, GrepResult } from '@cairn/natives';
import fc from 'fast-check';
import { difference } from '../support/difference.ts';
import type { FoundLine, FoundLines } from '../support/ripgrep-lines.ts';
import { describeLines, ourLines, ripgrepFlags, ripgrepLinesAndContext } from '../support/ripgrep-lines.ts';
import { ripgrep } from '../support/tools.ts';
import { newDirectory, removeTree } from '../support/tree.ts';
import { createFuzzer } from './fuzzer.ts';
import type { Fuzzer } from './fuzzer.ts';
import { fuzzFiles, hasNul, isLarge, toBytes } from './grep-files.ts';
import type { GrepQuery } from './grep-patterns.ts';
import { grepQuery } from './grep-patterns.ts';

const queriesPerTree = 8;

/** Grep against ripgrep: a case is a pattern with its options, over the files of one tree. */
export const grepFuzzer: Fuzzer = createFuzzer({
  name: 'grep',
  casesPerBatch: queriesPerTree,
  batch: fc.record({
    files: fuzzFiles,
    queries: fc.array(grepQuery, { minLength: 1, maxLength: queriesPerTree, size: 'max' }),
  }),
  compare: async ({ files, queries }) => {
    const root = newDirectory();
    try {
      const names = files.map((_, index) => `f${String(index).padStart(2, '0')}`);
      for (const [index, file] of files.entries()) writeFileSync(join(root, names[index] ?? ''), toBytes(file));
      const withNul = new Set(names.filter((_, index) => files.slice(index, index + 1).some(hasNul)));
      const tree: FuzzTree = {
        root,
        isLarge: files.some(isLarge),
        hasNul: withNul.size > 0,
        isText: (path) => !withNul.has(path),
      };
      const differences: string[] = [];
      let hits = 0;
      for (const query of queries) {
        const compared = await compareQuery(tree, query);
        if (compared.hasLines) hits++;
        if (compared.differences.length > 0) differences.push(JSON.stringify(query), ...compared.differences);
      }
      return { cases: queries.length, hits, differences };
    } finally {
      removeTree(root);
    }
  },
});

interface FuzzTree {
  readonly root: string;
  /** Whether there may be more matches than one wants to know the places of. */
  readonly isLarge: boolean;
  readonly hasNul: boolean;
  /** Where a NUL ends its search, ripgrep takes back the matches before it, but not when it prints them. */
  readonly isText: (path: string) => boolean;
}

interface Compared {
  readonly hasLines: boolean;
  readonly differences: string[];
}

/** A search that PCRE2 has not ended by then is not compared. Others get longer: the machine may be busy. */
const maxMs = { pcre2: 5000, regex: 120_000 };

async function compareQuery(tree: FuzzTree, query: GrepQuery): Promise<Compared> {
  const { contextBefore, contextAfter, maxCountPerFile, ...search } = query;
  const options = { ...search, contextBefore, contextAfter, path: tree.root };
  const searchFor = (timeoutMs: number): Promise<unknown> =>
    grep({ ...options, timeoutMs }).catch((error: unknown) => error);
  const isOutOfTime = (error: unknown): boolean => CairnError.isInstance(error) && error.code === 'TIMEOUT';
  const searching = searchFor(maxMs.pcre2);
  const ask = (pattern: string, flags: readonly string[]): FoundLines | undefined => {
    const context = [`--before-context=${contextBefore}`, `--after-context=${contextAfter}`];
    const search = (all: readonly string[]): FoundLines | undefined =>
      ripgrepLinesAndContext(tree.root, pattern, all, { withoutPlaces: tree.isLarge });
    const found = search([...flags, ...context]);
    // Where a NUL ends ripgrep's search depends on the context.
    return found && tree.hasNul ? { lines: search(flags)?.lines ?? [], context: found.context } : found;
  };
  const asGiven = query.literal || !closesTooMuch(query.pattern) ? ask(query.pattern, flagsOf(query)) : undefined;
  let result = await searching;
  if (isOutOfTime(result) && asGiven !== undefined) result = await searchFor(maxMs.regex);
  if (!isResult(result)) {
    // Some expressions backtrack up to PCRE2's limit in line after line.
    if (isOutOfTime(result) && asGiven === undefined) return { hasLines: false, differences: [] };
    const isRefused = CairnError.isInstance(result) && result.code === 'INVALID_REGEX' && asGiven === undefined;
    return { hasLines: false, differences: isRefused ? [] : [`  ${String(result)}`] };
  }
  // What ripgrep does not take was repaired, or searched by another engine: then that is what both are asked for.
  const { engine, searchedPattern = query.pattern } = result;
  const flags = [...flagsOf(query), ...(asGiven === undefined ? engineFlags[engine] : [])];
  const theirs = asGiven ?? ask(searchedPattern, flags);
  if (theirs === undefined || (asGiven !== undefined && searchedPattern !== query.pattern))
    return { hasLines: false, differences: [`  we searched ${searchedPattern} with ${engine}`] };
  const searched = { ...query, pattern: searchedPattern };
  const [ours = [], expected = []] = comparable(searched, ourLines(result.matches), theirs.lines);
  // With PCRE2, ripgrep matches the line end of a line without a carriage return.
  const hasOracle = !(query.crlf && engine === 'pcre2');
  const isText = ({ path }: FoundLine): boolean => tree.isText(path);
  const ourContext = contextOf(result.matches)
    .filter(isText)
    .map((line) => endless(line, query.crlf));
  const theirContext = contextBeside(theirs, query)
    .filter(isText)
    .map((line) => endless(line, query.crlf));
  const differences = [
    ...(hasOracle ? show('lines', ours, expected) : []),
    ...(hasOracle ? show('context', describeLines(ourContext), describeLines(theirContext)) : []),
    ...comparePlaces(result.matches),
    ...(await compareContext(tree, query, result)),
    ...(await compareModes(tree, query, result)),
    ...(hasOracle ? compareSummaries(tree, searched, flags, countPerFile(result.matches)) : []),
  ];
  return { hasLines: result.matches.length > 0, differences };
}

/** Whether a `)` has no partner. ripgrep puts a pattern into a group of its own, in which `a)b(` is balanced. */
function closesTooMuch(pattern: string): boolean {
  const brackets = pattern.replaceAll(/\\[^]|\[\^?\]?[^\]]*\]|[^()]/gu, '');
  let depth = 0;
  return [...brackets].some((bracket) => (depth += bracket === '(' ? 1 : -1) < 0);
}

function isResult(value: unknown): value is GrepResult {
  return typeof value === 'object' && value !== null && 'matches' in value;
}

const engineFlags = { regex: [], literal: ['--fixed-strings'], pcre2: ['--pcre2'] } as const;

function flagsOf(query: GrepQuery): string[] {
  const { literal, ignoreCase, multiline, crlf, smartCase, wholeWord, wholeLine, invert } = query;
  return [
    '--hidden',
    ...(literal ? ['--fixed-strings'] : []),
    ...(smartCase && !ignoreCase ? ['--smart-case'] : []),
    ...(ignoreCase ? ['--ignore-case'] : []),
    ...(wholeWord ? ['--word-regexp'] : []),
    ...(wholeLine ? ['--line-regexp'] : []),
    ...(invert ? ['--invert-match'] : []),
    ...(multiline ? ['--multiline'] : []),
    ...(crlf ? ['--crlf'] : []),
  ];
}

/** Context must not change what matches, nor what was left out. */
async function compareContext(tree: FuzzTree, query: GrepQuery, whole: GrepResult): Promise<string[]> {
  const { maxCountPerFile: _, ...search } = query;
  const alone = await grep({ ...search, contextBefore: 0, contextAfter: 0, path: tree.root });
  const all = (result: GrepResult): string[] => [
    ...result.matches.map(({ contextBefore: _before, contextAfter: _after, ...match }) => JSON.stringify(match)),
    JSON.stringify(result.skipped),
  ];
  return show('without context', all(alone), all(whole));
}

/** Places are in order and no two are the same, and none is inside a character. */
function comparePlaces(matches: readonly GrepMatch[]): string[] {
  return matches.flatMap(({ path, lineNumber, line, submatches = [] }) => {
    const splits = (at: number): boolean => /[\uDC00-\uDFFF]/u.test(line.charAt(at)) && at > 0 && isHigh(line, at - 1);
    const isWrong = submatches.some(
      ({ start, end }, index) =>
        splits(start) ||
        splits(end) ||
        start < (submatches[index - 1]?.end ?? 0) ||
        start === submatches[index - 1]?.start,
    );
    return isWrong ? [`  places of ${path}:${lineNumber}: ${JSON.stringify(submatches)}`] : [];
  });
}

function isHigh(line: string, at: number): boolean {
  const unit = line.charCodeAt(at);
  return unit >= 0xd800 && unit < 0xdc00;
}

/** The other modes, a page and a limit per file must give what the whole result leads to expect. */
async function compareModes(tree: FuzzTree, query: GrepQuery, whole: GrepResult): Promise<string[]> {
  const { maxCountPerFile, ...search } = query;
  const options: GrepOptions = { ...search, path: tree.root };
  const [count, files, page, first] = await Promise.all([
    grep({ ...options, mode: 'count' }),
    grep({ ...options, mode: 'filesWithMatches' }),
    grep({ ...options, offset: 2, maxCount: 3 }),
    grep({ ...options, maxCountPerFile }),
  ]);
  const all = ourLines(whole.matches);
  const perFile = countPerFile(whole.matches);
  const most = maxCountPerFile ?? Infinity;
  return [
    ...show(
      'in count mode',
      count.matches.map(({ path, matchCount }) => `${path} ${matchCount}`),
      counts(perFile),
    ),
    ...show('in files mode', pathsOf(files.matches), [...perFile.keys()]),
    ...show('on a page', describeLines(ourLines(page.matches)), describeLines(all.slice(2, 5))),
    ...(query.multiline === true
      ? compareLimited(first, whole, most)
      : [
          ...show('with a limit', describeLines(ourLines(first.matches)), describeLines(all.filter(firstOfFile(most)))),
          ...show(
            'files reported as left out',
            [String(first.filesCut ?? 0)],
            [String([...perFile.values()].filter((lines) => lines > most).length)],
          ),
        ]),
    ...show('reported as left out', [String(page.limitReached ?? false)], [String(all.length > 5)]),
  ];
}

/** A limit counts the lines in which a match begins, and shows the last match whole. Which lines begin one is not always known. */
function compareLimited(limited: GrepResult, whole: GrepResult, most: number): string[] {
  const faults: string[] = [];
  let cut = 0;
  for (const path of new Set(pathsOf(whole.matches))) {
    const [shown, lines] = [limited, whole].map(({ matches }) => matches.filter((match) => match.path === path)) as [
      GrepMatch[],
      GrepMatch[],
    ];
    const isContinued = lines.map(
      ({ lineNumber, submatches = [] }, index) =>
        lines[index - 1]?.lineNumber === lineNumber - 1 && submatches[0]?.start === 0,
    );
    const begun = isContinued.slice(0, shown.length).filter((continued) => !continued).length;
    const isCut = shown.length < lines.length;
    cut += isCut ? 1 : 0;
    faults.push(
      ...show(
        `with a limit in ${path}`,
        describeLines(ourLines(shown)),
        describeLines(ourLines(lines.slice(0, shown.length))),
      ),
    );
    if (begun > most || (isCut && shown.length < most)) {
      faults.push(`  with a limit of ${most} in ${path}: ${shown.length} lines, and ${begun} begin a match`);
    }
  }
  return [...faults, ...show('files reported as left out', [String(limited.filesCut ?? 0)], [String(cut)])];
}

/** ripgrep's own other modes. Over lines, it counts matches, not lines. */
function compareSummaries(
  { root, isText }: FuzzTree,
  { pattern, multiline, maxCountPerFile }: GrepQuery,
  flags: readonly string[],
  perFile: ReadonlyMap<string, number>,
): string[] {
  const ask = (more: readonly string[]): string =>
    ripgrep([...ripgrepFlags, '--null', ...flags, ...more, '-e', pattern], root).stdout.toString();
  const texts = new Map([...perFile].filter(([path]) => isText(path)));
  const theirFiles = ask(['--files-with-matches']).split('\0').slice(0, -1).filter(isText);
  const found = show('with --files-with-matches', [...texts.keys()], theirFiles);
  if (multiline) return found;
  const most = maxCountPerFile ?? Infinity;
  const limit = maxCountPerFile === undefined ? [] : [`--max-count=${maxCountPerFile}`];
  const theirCounts = ask(['--count', ...limit])
    .split('\n')
    .slice(0, -1)
    .map((line) => line.replace('\0', ' ').replace(/\r$/u, ''))
    .filter((line) => isText(line.slice(0, line.lastIndexOf(' '))));
  const ourCounts = counts(new Map([...texts].map(([path, lines]) => [path, Math.min(lines, most)])));
  return [...found, ...show('with --count', ourCounts, theirCounts)];
}

/**
 * Bytes inside a character have no place in a string, ripgrep does not find again what a line alone made match, and it was
 * not always asked for the places.
 */
function comparable({ pattern, literal, crlf }: GrepQuery, ours: readonly FoundLine[], theirs: readonly FoundLine[]) {
  const isUnclear = !literal && /\(\?[a-zA-Z]*-[a-z]*[um]|\\[Az]/u.test(pattern);
  const hasPlaces = theirs.some(({ submatches }) => submatches !== undefined);
  const reachesEnd = crlf ? new Set(ours.filter(matchesLineEnd).map(lineKey)) : new Set<string>();
  const compared = (line: FoundLine): FoundLine =>
    isUnclear || !hasPlaces || reachesEnd.has(lineKey(line)) ? withoutPlaces(line) : line;
  return [ours, theirs].map((lines) => describeLines(lines.map((line) => endless(compared(line), crlf))));
}

function lineKey({ path, lineNumber }: FoundLine): string {
  return `${path}:${lineNumber}`;
}

/** Whether a match contains the `\r` of a line end. With --crlf, ripgrep cuts it off before it searches for the places. */
function matchesLineEnd({ line, submatches = '' }: FoundLine): boolean {
  const length = line.replace(/\r$/u, '').length;
  return [...submatches.matchAll(/-(\d+)/gu)].some(([, end]) => Number(end) > length);
}

/** Where it does not print JSON, ripgrep adds a `\r` with --crlf to a last line without an end. */
function endless(line: FoundLine, crlf: boolean): FoundLine {
  return crlf ? { ...line, line: line.line.replace(/\r+$/u, '') } : line;
}

function withoutPlaces(line: FoundLine): FoundLine {
  return { ...line, submatches: undefined };
}

function contextOf(matches: readonly GrepMatch[]): FoundLine[] {
  return matches.flatMap(({ path, contextBefore = [], contextAfter = [] }) =>
    [...contextBefore, ...contextAfter].map(({ lineNumber, line }) => ({ path, lineNumber, line })),
  );
}

/**
 * ripgrep's lines of context, but for those next to an empty match at the very end, after the last line: that match has no
 * line, and ripgrep shows context of nothing.
 */
function contextBeside({ lines, context }: FoundLines, { contextBefore, contextAfter }: GrepQuery): FoundLine[] {
  const reached = new Set<string>();
  for (const { path, lineNumber } of lines) {
    for (let near = lineNumber - contextBefore; near <= lineNumber + contextAfter; near++)
      reached.add(`${path} ${near}`);
  }
  return context.filter(({ path, lineNumber }) => reached.has(`${path} ${lineNumber}`)).map(withoutPlaces);
}

function pathsOf(matches: readonly GrepMatch[]): string[] {
  return matches.map(({ path }) => path);
}

function countPerFile(matches: readonly GrepMatch[]): Map<string, number> {
  const perFile = new Map<string, number>();
  for (const { path } of matches) perFile.set(path, (perFile.get(path) ?? 0) + 1);
  return perFile;
}

function counts(perFile: ReadonlyMap<string, number>): string[] {
  return [...perFile].map(([path, lines]) => `${path} ${lines}`);
}

/** A filter that keeps the first N lines of each file. */
function firstOfFile(most: number): (line: FoundLine) => boolean {
  const seen = new Map<string, number>();
  return ({ path }) => {
    const nth = (seen.get(path) ?? 0) + 1;
    seen.set(path, nth);
    return nth <= most;
  };
}

function show(what: string, ours: readonly string[], theirs: readonly string[]): string[] {
  const { onlyOurs, onlyTheirs } = difference(ours, theirs);
  return [
    ...onlyOurs.map((line) => `  ${what}, only ours: ${line}`),
    ...onlyTheirs.map((line) => `  ${what}, only theirs: ${line}`),
  ];
}
