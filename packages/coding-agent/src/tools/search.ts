import { CairnError } from '@cairn/natives';
import { CHECK_PATH, ToolError } from '@cairn/tool';
import type { ToolErrorCode } from '@cairn/tool';
import { count } from '@cairn/tool/prompt';
import { realpathSync } from 'node:fs';
import { homedir } from 'node:os';
import { isAbsolute, parse } from 'node:path';
import type { ResolvedPath } from '../files/resolve.ts';

const codes: Readonly<Record<string, readonly [code: ToolErrorCode, hint: string]>> = {
  PATH_NOT_FOUND: ['NOT_FOUND', CHECK_PATH],
  NOT_A_DIRECTORY: ['NOT_A_DIRECTORY', 'Name the directory it is in.'],
  INVALID_GLOB: ['INVALID_PATTERN', 'Fix the glob: *, ?, **, [a-z] and {a,b} are special.'],
  INVALID_REGEX: ['INVALID_PATTERN', 'Fix the expression: a backslash before a special character makes it literal.'],
  INVALID_OPTION: ['INVALID_INPUT', 'Change that parameter.'],
  TIMEOUT: ['TIMEOUT', 'Search a smaller directory.'],
};

/** Runs a native search; its refusals become those of a tool. */
export async function searching<T>(path: string, run: () => Promise<T>): Promise<T> {
  try {
    return await run();
  } catch (error) {
    const known = CairnError.isInstance(error) && !ToolError.isInstance(error) ? codes[error.code] : undefined;
    if (!known || !(error instanceof Error)) throw error;
    throw new ToolError(known[0], [error.message.replace(/\.$/u, ''), known[1]], { path, cause: error });
  }
}

/** How long a search of a whole machine or home directory takes at most. */
const WIDE_SEARCH_MS = 2000;

/** What bounds a search. */
export interface SearchBounds {
  readonly timeoutMs: number;
  /** What has to be said of a root that is too large to be searched as others are. */
  readonly note?: string;
}

/** The home directory's canonical path: on some systems its name is a link. */
function realHome(): string {
  try {
    return realpathSync(homedir());
  } catch {
    // One that does not exist is nobody's root.
    return homedir();
  }
}

/** The time a search may take: less where the root is that of the file system, or the home directory. */
export function boundsFor({ real, display }: ResolvedPath, timeoutMs: number): SearchBounds {
  const isHome = real === realHome();
  if (real !== parse(real).root && !isHome) return { timeoutMs };
  const note = `${display} is an entire ${isHome ? 'home directory' : 'file system'}: the search stops after ${WIDE_SEARCH_MS / 1000} s or at the scan's entry limit; search a directory in it to cover all of that`;
  return { timeoutMs: Math.min(timeoutMs, WIDE_SEARCH_MS), note: `[${note}]` };
}

/** A path below a search's root as the tools take it. */
export function pathBelow(base: ResolvedPath, path: string): string {
  if (base.display === '.') return path;
  return `${base.display.replace(/\/$/u, '')}/${path}`;
}

/** The second pass of an empty search is as short as this. */
export const SECOND_PASS_MS = 1500;
export const SECOND_PASS_RESULTS = 1000;

/** Whether a path has a name that begins with a dot. */
export function isHidden(path: string): boolean {
  return path.split('/').some((name) => name.startsWith('.'));
}

/** A glob whose names are parted by one slash each, as those of the paths that it is compared with. */
export function plainGlob(pattern: string): string {
  return pattern.replaceAll(/(?<!\\)\/(?:\.?\/)+/gu, '/');
}

/** What has to be said when nothing was found by a glob that was meant to leave files out. */
export function negationNotes(pattern: string | undefined): string[] {
  return pattern?.startsWith('!') ? ["['!' before a glob does not exclude files: it matches a literal '!']"] : [];
}

/** Splits the directories off that a pattern begins with, where it leaves the root or names it. */
export function splitPattern(pattern: string): { readonly base?: string; readonly pattern: string } {
  const plain = plainGlob(pattern).replace(/^(?:\.\/)+/u, '');
  if (!isAbsolute(plain) && !/^\.\.(?:\/|$)/u.test(plain)) return { pattern: plain };
  const segments = plain.split('/');
  const magic = segments.findIndex((segment) => /[*?[{\\]/u.test(segment));
  const split = magic === -1 ? segments.length - 1 : magic;
  return {
    base: segments.slice(0, split).join('/') || (isAbsolute(plain) ? '/' : '.'),
    pattern: segments.slice(split).join('/') || '*',
  };
}

/** How many were not looked at, and why, in words; empty when none. */
export function skippedNotes(skipped: Readonly<Record<string, number | undefined>>): string[] {
  const words: Readonly<Record<string, string>> = {
    oversized: 'too large',
    binary: 'binary',
    unreadable: 'not readable',
    tooCostly: 'too costly for this pattern',
  };
  const parts = Object.entries(skipped).flatMap(([reason, number = 0]) =>
    number > 0 ? [`${number} ${words[reason] ?? reason}`] : [],
  );
  const total = Object.values(skipped).reduce<number>((sum, number = 0) => sum + number, 0);
  return total > 0 ? [`[${count(total, 'file')} not searched to the end: ${parts.join(', ')}]`] : [];
}
