import { statSync } from 'node:fs';
import { join } from 'node:path';
import { CairnError, FileType, glob, grep } from '@cairn/natives';
import type { GlobOptions } from '@cairn/natives';
import fc from 'fast-check';
import { difference } from '../support/difference.ts';
import { globOracle } from '../support/glob-oracle.ts';
import type { GlobOracle } from '../support/glob-oracle.ts';
import { diskListing } from '../support/listings.ts';
import type { Tree } from '../support/tree.ts';
import { bytesName, newDirectory, removeTree, symlink, writeTree } from '../support/tree.ts';
import { createFuzzer } from './fuzzer.ts';
import type { Fuzzer } from './fuzzer.ts';
import { decorated, globSoup, otherGlobs, patternArbitrary } from './glob-patterns.ts';

const queriesPerTree = 20;

interface GlobQuery {
  readonly pattern: string;
  readonly recursive: boolean;
  readonly hidden: boolean;
  readonly fileType: FileType | undefined;
  readonly maxResults: number;
}

type Kind = 'file' | 'directory' | 'to a file' | 'to a directory' | 'broken';

/** A name by its pieces; `bad` is a byte that is not valid UTF-8. */
type Name = readonly string[];

interface GlobTree {
  readonly entries: readonly (readonly [path: readonly Name[], kind: Kind])[];
  readonly queries: readonly GlobQuery[];
}

const bad = 'bad';

const name = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.constantFrom('a', 'b', 'ab', 'x', 'a.ts', 'b.ts', '.a', 'lib', 'é', '...').map((one) => [one]),
  },
  {
    weight: 3,
    arbitrary: fc.array(
      fc.constantFrom(
        ...[
          [
            'a',
            'b',
            'x',
            '.',
            '-',
            'é',
            '漢',
            '😀',
            ' ',
            'A',
            '1',
            '[',
            ']',
            '{',
            '}',
            ',',
            '*',
            '?',
            '\\',
            '!',
            '^',
            '_',
            bad,
          ],
        ].flat(),
      ),
      { minLength: 1, maxLength: 4 },
    ),
  },
  { weight: 1, arbitrary: fc.constantFrom('node_modules', 'node_modules_not', '\n').map((one) => [one]) },
);

const entry = fc.tuple(
  fc.array(name, { minLength: 1, maxLength: 4 }),
  fc.constantFrom<Kind>('file', 'file', 'file', 'directory', 'to a file', 'to a directory', 'broken'),
);

/** Globs against a slow matcher: a case is a pattern with its options, over the entries of one tree. */
export const globFuzzer: Fuzzer = createFuzzer<GlobTree>({
  name: 'glob',
  casesPerBatch: queriesPerTree,
  batch: fc.array(entry, { minLength: 1, maxLength: 30, size: 'max' }).chain((entries) => {
    const paths = entries.map(([path]) =>
      path.map((pieces) => pieces.filter((piece) => piece !== bad).join('')).join('/'),
    );
    // Through a link, which is listed but not entered.
    const pattern = fc.oneof(
      { weight: 3, arbitrary: decorated(patternArbitrary([...paths, ...paths.map((path) => `${path}/a`)])) },
      { weight: 2, arbitrary: decorated(globSoup) },
      { weight: 1, arbitrary: otherGlobs },
    );
    const query = fc.record<GlobQuery>({
      pattern,
      recursive: fc.oneof({ weight: 2, arbitrary: fc.constant(true) }, fc.constant(false)),
      hidden: fc.oneof({ weight: 2, arbitrary: fc.constant(true) }, fc.constant(false)),
      fileType: fc.oneof({ weight: 2, arbitrary: fc.constant(undefined) }, fc.constantFrom(...Object.values(FileType))),
      maxResults: fc.nat(4),
    });
    return fc.record({
      entries: fc.constant(entries),
      queries: fc.array(query, { minLength: 1, maxLength: queriesPerTree, size: 'max' }),
    });
  }),
  compare: async ({ entries, queries }) => {
    const root = newDirectory();
    try {
      writeTree(join(root, 'outside'), { 'a.ts': 'x\n', directory: { a: '' } });
      writeTree(join(root, 'root'), toTree(entries));
      const listed = diskListing(join(root, 'root')).toSorted((a, b) => (a.bytes < b.bytes ? -1 : 1));
      const differences: string[] = [];
      let hits = 0;
      for (const query of queries) {
        const found = await compareQuery(join(root, 'root'), listed, query);
        if (found.hasMatches) hits++;
        if (found.differences.length > 0) differences.push(JSON.stringify(query), ...found.differences);
      }
      return { cases: queries.length, hits, differences };
    } finally {
      removeTree(root);
    }
  },
});

/** The first entry of each path counts; one below a file does not count. */
function toTree(entries: GlobTree['entries']): Tree {
  const kinds = new Map<string, Kind>();
  for (const [path, kind] of entries) {
    const names = path.map(toName);
    if (names.some((one) => one === '.' || one === '..')) continue;
    const above = names.slice(0, -1).map((_, index) => names.slice(0, index + 1).join('/'));
    const whole = names.join('/');
    if (kinds.has(whole) || above.some((directory) => (kinds.get(directory) ?? 'directory') !== 'directory')) continue;
    for (const directory of above) kinds.set(directory, 'directory');
    kinds.set(whole, kind);
  }
  return Object.fromEntries([...kinds].map(([path, kind]) => [path, nodeOf(kind, path.split('/').length)]));
}

function toName(pieces: Name): string {
  return pieces.includes(bad)
    ? bytesName(...Buffer.concat(pieces.map((piece) => (piece === bad ? Buffer.of(0xff) : Buffer.from(piece)))))
    : pieces.join('');
}

function nodeOf(kind: Kind, depth: number) {
  const outside = `${'../'.repeat(depth)}outside`;
  if (kind === 'file') return 'x\n';
  if (kind === 'directory') return {};
  const targets = { 'to a file': `${outside}/a.ts`, 'to a directory': `${outside}/directory`, broken: 'nowhere' };
  return symlink(targets[kind]);
}

interface Listed {
  readonly path: string;
  readonly bytes: string;
  readonly fileType: FileType;
}

interface Compared {
  readonly hasMatches: boolean;
  readonly differences: string[];
}

async function compareQuery(root: string, listed: readonly Listed[], given: GlobQuery): Promise<Compared> {
  // What an exclusion leaves is compared in grep.
  const query = { ...given, pattern: given.pattern.replace(/^!(?!\()/u, String.raw`\!`) };
  const { pattern, recursive, hidden, fileType, maxResults } = query;
  const options: GlobOptions = { pattern, recursive, hidden, fileType, path: root, gitignore: false };
  const asked = await glob(options).catch((error: unknown) => error);
  const oracle = oracleOf(query);
  if (!isResult(asked) || oracle === undefined) {
    const isRefused = CairnError.isInstance(asked) && asked.code === 'INVALID_GLOB' && oracle === undefined;
    return {
      hasMatches: false,
      differences: isRefused ? [] : [`  ${isResult(asked) ? 'not rejected' : String(asked)}`],
    };
  }
  const expected = listed
    .filter((entry) => isVisible(entry.path, query) && oracle.matches(entry.path))
    .flatMap((entry) => asKind(root, entry, fileType, oracle.onlyDirectories));
  const differences = show('uncached', describe(asked.matches), expected);
  const [cached, first, newest] = await Promise.all([
    glob({ ...options, cache: true }),
    glob({ ...options, maxResults }),
    glob({ ...options, sortByMtime: true, cache: true }),
  ]);
  differences.push(
    ...show('cached', describe(cached.matches), expected),
    ...show('limited', describe(first.matches), expected.slice(0, maxResults)),
    ...show('by time', describe(newest.matches), expected),
  );
  if (maxResults > 0 && first.complete !== expected.length <= maxResults) differences.push('  complete is wrong');
  if (describe(asked.matches).join('\n') !== expected.join('\n')) differences.push('  the order is wrong');
  const times = newest.matches.map(({ mtime = 0 }) => mtime);
  if (times.some((time, index) => time > (times[index - 1] ?? Infinity))) differences.push('  the newest is not first');
  if (recursive) differences.push(...(await grepDifferences(root, listed, given)));
  return { hasMatches: expected.length > 0, differences };
}

/** The filter of grep goes by the same rules; it has only files, and no links. */
async function grepDifferences(root: string, listed: readonly Listed[], query: GlobQuery): Promise<string[]> {
  const { pattern, hidden } = query;
  const selects = grepOracle(pattern);
  const found = await grep({
    pattern: '',
    glob: pattern,
    path: root,
    hidden,
    gitignore: false,
    mode: 'filesWithMatches',
  }).catch((error: unknown) => error);
  if (!isGrepResult(found) || selects === undefined) {
    const isRefused = CairnError.isInstance(found) && found.code === 'INVALID_GLOB' && selects === undefined;
    return isRefused ? [] : [`  in grep: ${isGrepResult(found) ? 'not rejected' : String(found)}`];
  }
  const files = listed.filter(({ path, fileType }) => fileType === FileType.File && isHidden(path) <= hidden);
  const expected = files.filter(({ path }) => selects(path)).map(({ path }) => path);
  return show(
    'in grep',
    found.matches.map(({ path }) => path),
    expected,
  );
}

function isGrepResult(value: unknown): value is Awaited<ReturnType<typeof grep>> {
  return typeof value === 'object' && value !== null && 'filesSearched' in value;
}

/**
 * What grep's option selects: any of the globs that do not begin with `!`, or all without any, but nothing that the others
 * match, nor anything below it. A comma outside of braces and classes separates globs if every one has a wildcard or begins
 * with `!`.
 */
function grepOracle(option: string): ((path: string) => boolean) | undefined {
  const blank = (glob: string): string =>
    glob
      .replaceAll(/\\[^]/gu, '--')
      .replaceAll(/\[[!^]?\]?(?:\[:[a-zA-Z0-9]+:\]|[^\]])*\]/gu, (text) => `?${'-'.repeat(text.length - 1)}`);
  const blanked = blank(option);
  const parts = [''];
  let depth = 0;
  for (let at = 0; at < option.length; at++) {
    if (blanked[at] === '{') depth++;
    if (blanked[at] === '}') depth = Math.max(0, depth - 1);
    if (blanked[at] === ',' && depth === 0) parts.push('');
    else parts.push(`${parts.pop() ?? ''}${option[at] ?? ''}`);
  }
  const globs =
    parts.length > 1 && parts.every((part) => /[*?[{]|^\s*!/u.test(blank(part)))
      ? parts.map((part) => part.trim())
      : [option];
  try {
    const excludes = (glob: string): boolean => /^!(?!\()/u.test(glob);
    if (globs.some((glob) => /^!(?:!.*|\*{0,2}|\*\*\/\*)$/u.test(glob))) return undefined;
    const oracles = globs.map((glob) => ({ glob, ...globOracle(excludes(glob) ? glob.slice(1) : glob) }));
    const included = oracles.filter(({ glob }) => !excludes(glob));
    const excluded = oracles.filter(({ glob }) => excludes(glob));
    return (path) => {
      const above = path.split('/').map((_, index, names) => names.slice(0, index).join('/'));
      const isMatch = (oracle: GlobOracle): boolean => !oracle.onlyDirectories && oracle.matches(path);
      const isBelow = (oracle: GlobOracle): boolean => above.slice(1).some((directory) => oracle.matches(directory));
      if (excluded.some((oracle) => isMatch(oracle) || isBelow(oracle))) return false;
      return included.length === 0 || included.some(isMatch);
    };
  } catch {
    return undefined;
  }
}

function isResult(value: unknown): value is Awaited<ReturnType<typeof glob>> {
  return typeof value === 'object' && value !== null && 'matches' in value;
}

function oracleOf({ pattern, recursive }: GlobQuery): GlobOracle | undefined {
  try {
    return globOracle(pattern, { recursive });
  } catch {
    return undefined;
  }
}

function isHidden(path: string): boolean {
  return path.split('/').some((one) => one.startsWith('.'));
}

function isVisible(path: string, { hidden, pattern }: GlobQuery): boolean {
  return isHidden(path) <= hidden && (pattern.includes('node_modules') || !path.split('/').includes('node_modules'));
}

/** The entry as it is reported, if it is of the kind asked for: a link may be what it leads to. */
function asKind(root: string, entry: Listed, wanted: FileType | undefined, onlyDirectories: boolean): string[] {
  if (onlyDirectories && wanted !== undefined && wanted !== FileType.Dir) return [];
  const kind = onlyDirectories ? FileType.Dir : wanted;
  if (kind === undefined || kind === entry.fileType) return describe([entry]);
  const isLinkTo = entry.fileType === FileType.Symlink && kind === targetOf(root, entry.bytes);
  return isLinkTo ? describe([{ path: entry.path, fileType: kind }]) : [];
}

function targetOf(root: string, bytes: string): FileType | undefined {
  const path = Buffer.from(Buffer.from(`${root}/`).toString('latin1') + bytes, 'latin1');
  const stats = statSync(path, { throwIfNoEntry: false });
  return stats?.isDirectory() === true ? FileType.Dir : stats?.isFile() === true ? FileType.File : undefined;
}

function describe(matches: readonly { readonly path: string; readonly fileType: FileType }[]): string[] {
  return matches.map(({ path, fileType }) => `${fileType} ${JSON.stringify(path)}`);
}

function show(what: string, ours: readonly string[], theirs: readonly string[]): string[] {
  const { onlyOurs, onlyTheirs } = difference(ours, theirs);
  return [
    ...onlyOurs.map((line) => `  ${what}, only ours: ${line}`),
    ...onlyTheirs.map((line) => `  ${what}, only the rules': ${line}`),
  ];
}
