import { CHECK_PATH } from '@cairn/tool/internal';
import { CairnError, type GrepResult } from '@cairn/natives';
import { ToolError, type ToolErrorCode } from '@cairn/tool';
import { count } from '@cairn/tool/prompt';
import { escapeControls, quotePath } from '@cairn/tool/paths';
import { realpathSync } from 'node:fs';
import { homedir } from 'node:os';
import { isAbsolute, parse } from 'node:path';
import type { ResolvedPath } from '../files/resolve.ts';

const codes: Readonly<Record<string, readonly [code: ToolErrorCode, hint: string]>> = {
  PATH_NOT_FOUND: ['NOT_FOUND', CHECK_PATH],
  NOT_A_DIRECTORY: ['NOT_A_DIRECTORY', 'Pass the directory that contains it.'],
  INVALID_GLOB: ['INVALID_PATTERN', 'Fix the glob: *, ?, **, [a-z] and {a,b} are special.'],
  INVALID_REGEX: ['INVALID_PATTERN', 'Fix the expression: a backslash before a special character makes it literal.'],
  INVALID_OPTION: ['INVALID_INPUT', 'Change that parameter.'],
  TIMEOUT: ['TIMEOUT', 'Search a smaller directory.'],
};

/** Runs a native search and converts its errors to `ToolError`s. */
export async function searching<T>(path: string, run: () => Promise<T>): Promise<T> {
  try {
    return await run();
  } catch (error) {
    const known = CairnError.isInstance(error) && !ToolError.isInstance(error) ? codes[error.code] : undefined;
    if (!known || !(error instanceof Error)) throw error;
    const summary = escapeControls(error.message).replace(/\.$/u, '');
    throw new ToolError(known[0], [summary, known[1]], { path, cause: error });
  }
}

const WIDE_SEARCH_MS = 2000;

/** Returns the canonical path of the home directory: on some systems its name is a link. */
function realHome(): string {
  try {
    return realpathSync(homedir());
  } catch {
    // A home directory that does not exist is not a root.
    return homedir();
  }
}

/** Returns the time limit of a search, and the notice about it: shorter for the root of the file system and the home directory. */
export function boundsFor(
  { real, display }: ResolvedPath,
  timeoutMs: number,
): { readonly timeoutMs: number; readonly notes: readonly string[] } {
  const isHome = real === realHome();
  if (real !== parse(real).root && !isHome) return { timeoutMs, notes: [] };
  const note = `${display} is an entire ${isHome ? 'home directory' : 'file system'}: the search stops after ${WIDE_SEARCH_MS / 1000} s or at the scan's entry limit; for a complete result, search one of its subdirectories`;
  return { timeoutMs: Math.min(timeoutMs, WIDE_SEARCH_MS), notes: [`[${note}]`] };
}

/** Returns a path below a search root in the form that the tools take; `.` is the root itself. */
export function pathBelow(base: ResolvedPath, path: string): string {
  if (path === '.') return base.path;
  if (base.path === '.') return path;
  return `${base.path.replace(/\/$/u, '')}/${path}`;
}

export function quotedNotes(shown: readonly string[]): string[] {
  const isQuoted = shown.some((path) => path.startsWith('"'));
  return isQuoted ? ['[a path in quotes is a JSON string; pass it with the quotes]'] : [];
}

/** The limits of the second pass after an empty search. */
export const SECOND_PASS_MS = 1500;
export const SECOND_PASS_RESULTS = 1000;

export function isHidden(path: string): boolean {
  return path.split('/').some((name) => name.startsWith('.'));
}

/** Returns a glob with single slashes, as in the paths that it is compared with. */
export function plainGlob(pattern: string): string {
  return pattern.replaceAll(/(?<!\\)\/(?:\.?\/)+/gu, '/');
}

export function hintNotes(hint: string | undefined): string[] {
  return hint === undefined ? [] : [`[${hint}]`];
}

/** Splits off the directories at the start of a pattern that is absolute or starts with `..`. */
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

/** Returns a notice about files that were not searched, with the reasons; empty when there are none. */
export function skippedNotes({ oversized, binary, tooCostly = 0 }: GrepResult['skipped']): string[] {
  const reasons = [`${oversized} too large`, `${binary} binary`, `${tooCostly} too costly for this pattern`];
  const parts = reasons.filter((reason) => !reason.startsWith('0 '));
  const total = oversized + binary + tooCostly;
  return total > 0 ? [`[${count(total, 'file')} not searched to the end: ${parts.join(', ')}]`] : [];
}

/** The space that the names of a note may take. */
const MAX_NAMES_LENGTH = 400;

const SHOWN_END = 120;

/** Returns the notice about `total` entries that could not be read, with the names of some. */
export function unreadableNotes(
  total: number,
  [one, several]: readonly [one: string, several: string],
  paths: readonly string[] = [],
): string[] {
  if (total === 0) return [];
  let left = MAX_NAMES_LENGTH;
  const names = paths
    .map((path) => (path.length > MAX_NAMES_LENGTH ? `…${path.slice(-SHOWN_END)} (${path.length} characters)` : path))
    .filter((path, index) => (left -= path.length) >= 0 || index === 0)
    .map(quotePath);
  const more = total > names.length && names.length > 0 ? ` and ${total - names.length} more` : '';
  const named = names.length > 0 ? `: ${names.join(', ')}${more}` : '';
  return [`[${count(total, one, several)} could not be read${named}]`];
}

export function brokenNameNotes(broken: number): string[] {
  if (broken === 0) return [];
  const names = `${count(broken, 'name')} ${broken === 1 ? 'is' : 'are'} not valid UTF-8`;
  return [`[${names}: U+FFFD replaces the invalid bytes, and no tool can open these names]`];
}
