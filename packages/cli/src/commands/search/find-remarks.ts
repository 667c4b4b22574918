import { quotePath } from '@cairn/tool/paths';
import type { GuessKind } from '@cairn/natives';
import { realpath, stat } from 'node:fs/promises';
import { basename, dirname, isAbsolute, relative } from 'node:path';
import { pathBelow, pathPrefix } from '../../terminal/path-prefix.ts';
import { shellQuote } from '../../terminal/shell-quote.ts';

interface Found {
  readonly query: string;
  readonly roots: readonly string[];
  /** Whether names on standard input were ranked. */
  readonly isList: boolean;
  readonly paths: readonly string[];
}

/** Signs of an expression and of a glob, and an alternative without spaces, which fzf takes as a part of the name. */
const EXPRESSION = /\.[*+?]|\\[.$^dwsbDWS]|\][*+?]/u;
const GLOB = /[*?]|\{[^{}]*,[^{}]*\}/u;
const ALTERNATIVE = /(?<=[^\s|])\|(?=[^\s|])/gu;

/** Returns the meaning of a query with the syntax of other patterns, unless a listed path has such a sign itself. */
function signRemarks({ query, roots, isList, paths }: Found): string[] {
  const sign = /[*?\\{|]|\][+]|\.[+]/u.exec(query)?.[0].at(-1);
  if (sign === undefined || paths.some((path) => path.includes(sign))) return [];
  const wherever = roots.filter((root) => root !== '.').map((root) => ` --path ${shellQuote(root)}`);
  if (EXPRESSION.test(query)) {
    if (isList) return [`a query is letters, not an expression; for one, use cairn grep ${shellQuote(query)}`];
    // A name begins after a slash too.
    const expression = shellQuote(query.replace(/^\^/u, '(^|/)'));
    const names = `cairn glob '*'${wherever.join('')}`;
    return [`a query is letters, not an expression; for one, use ${names} | cairn grep ${expression}`];
  }
  if (GLOB.test(query)) {
    const fix = isList ? '' : `; for a glob, use cairn glob ${shellQuote(query)}${wherever.join('')}`;
    return [`a query is letters, without wildcards${fix}`];
  }
  const spaced = query.replaceAll(ALTERNATIVE, ' | ');
  return spaced === query ? [] : [`| needs spaces around it: ${shellQuote(spaced)}`];
}

/** Returns the way to search for a place in a file, as compilers and grep print it. */
function placeRemarks({ query, isList, paths }: Found): string[] {
  const path = /^(\S*\p{L}\S*?):\d+(?::\d+)?:?$/u.exec(query.trim())?.[1];
  if (path === undefined || isList || paths.length > 0) return [];
  return [`nothing has the line in its name; without it, use cairn find ${shellQuote(path)}`];
}

async function isOutside(path: string, root: string): Promise<boolean> {
  const way = relative(await realpath(root), path);
  return way === '..' || way.startsWith('../') || isAbsolute(way);
}

/** Returns the way to search an absolute path, if that is not below a searched directory. */
async function outsideRemarks({ query, roots, isList }: Found): Promise<string[]> {
  if (!isAbsolute(query) || isList) return [];
  try {
    const [path, entry] = [await realpath(query), await stat(query)];
    const areOutside = await Promise.all(roots.map((root) => isOutside(path, root)));
    if (areOutside.includes(false)) return [];
    const [words, directory] = entry.isDirectory() ? ["''", query] : [shellQuote(basename(query)), dirname(query)];
    return [`${query} is not below a searched directory; use cairn find ${words} ${shellQuote(directory)}`];
  } catch {
    // Not a path that exists.
    return [];
  }
}

const guessNotices: Readonly<Record<GuessKind, string>> = {
  initials: 'matched by beginnings of words',
  typo: 'matched with a typo',
  scattered: 'matched by scattered letters',
};

/** Returns that the listed paths are guesses, and how to search without any. The searched path does not count. */
export function guessRemarks({ query, roots, isList }: Found, guess: GuessKind | undefined): string[] {
  if (guess === undefined) return [];
  const words = query.trim();
  const what = /\s/u.test(words) ? `every word of "${words}"` : `"${words}"`;
  const [root = '.'] = roots;
  const searched = roots.length === 1 ? quotePath(pathBelow(root, '.')) : 'the searched paths';
  const where = isList || roots.every((one) => pathPrefix(one) === '') ? '' : ` below ${searched}`;
  const fix = "put ' before a word to find only paths that contain it";
  return [`no listed path contains ${what}${where}: ${guessNotices[guess]}; ${fix}`];
}

export async function queryRemarks(found: Found): Promise<string[]> {
  const { query, paths } = found;
  if (query.trim() === '.' && paths.length > 0) {
    return [`the query "." finds names with a dot; use '' to list every path`];
  }
  const isSearchable = query.trim() === '' || /[\p{L}\p{N}]/u.test(query);
  if (!isSearchable && paths.length === 0) {
    return [`the query "${query}" has no letters or digits to search for; use '' to list every path`];
  }
  return [...signRemarks(found), ...placeRemarks(found), ...(await outsideRemarks(found))];
}
