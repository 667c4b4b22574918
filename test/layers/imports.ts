import { readdirSync, readFileSync } from 'node:fs';
import { join, posix, relative, sep } from 'node:path';

/** A source file with the module names that it imports, as they are written. */
export interface SourceFile {
  /** Relative to `src`, with forward slashes. */
  readonly path: string;
  readonly imports: readonly string[];
}

const IMPORTS =
  /(?:^|\n)[ \t]*(?:import|export)\s[^'"`;]*?\bfrom\s*'([^']+)'|(?:^|\n)import\s*'([^']+)'|\bimport\(\s*'([^']+)'/gu;

/** The module names in the static and dynamic imports and the re-exports of a TypeScript source. */
export function importsOf(source: string): string[] {
  const code = source.replaceAll(/\/\*[^]*?\*\/|^\s*\/\/.*$/gmu, '');
  return [...code.matchAll(IMPORTS)].map((match) => match[1] ?? match[2] ?? match[3] ?? '');
}

/** All sources below a directory, tests left out. */
export function readSources(directory: string): SourceFile[] {
  return readdirSync(directory, { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.ts') && !path.endsWith('.test.ts'))
    .map((path) => ({
      path: relative(directory, join(directory, path)).split(sep).join('/'),
      imports: importsOf(readFileSync(join(directory, path), 'utf8')),
    }));
}

const roomOf = (path: string): string => path.split('/')[0] ?? path;

/**
 * Returns one line for each import that goes against the order of the rooms, and for each directory that has no place in
 * the order.
 */
export function roomViolations(files: readonly SourceFile[], order: readonly string[]): string[] {
  const rank = (path: string): number => {
    const index = order.indexOf(roomOf(path));
    return index === -1 ? order.length : index;
  };
  const existing = new Set(files.map(({ path }) => roomOf(path)));
  return [
    ...order.filter((room) => !existing.has(room)).map((room) => `${room} is listed and does not exist`),
    ...[...existing]
      .filter((room) => !room.endsWith('.ts') && !order.includes(room))
      .map((room) => `${room}/ is not listed`),
    ...files.flatMap(({ path, imports }) =>
      imports
        .filter((name) => name.startsWith('.'))
        .map((name) => posix.join(posix.dirname(path), name))
        .filter((target) => rank(target) > rank(path))
        .map((target) => `${path} imports ${target}`),
    ),
  ].toSorted();
}
