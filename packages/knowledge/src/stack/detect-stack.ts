import { existsSync } from 'node:fs';
import { readFile, stat } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { manifests } from './manifests.ts';
import { wordsOf, type Stack } from './stack.ts';
import { technologiesOf } from './technologies.ts';

/** A larger manifest was not written by a person. */
const MAX_BYTES = 1024 * 1024;
const MAX_DIRECTORIES = 32;

/** Returns the directory and those above it up to the repository's root; only the directory outside of a repository. */
function directoriesOf(directory: string): string[] {
  const directories: string[] = [];
  let current = resolve(directory);
  while (directories.length < MAX_DIRECTORIES) {
    directories.push(current);
    if (existsSync(join(current, '.git'))) return directories;
    if (dirname(current) === current) break;
    current = dirname(current);
  }
  return directories.slice(0, 1);
}

async function readText(path: string): Promise<string | undefined> {
  const stats = await stat(path).catch(() => undefined);
  if (stats === undefined) return undefined;
  // Reading a pipe would wait for a writer.
  if (!stats.isFile()) throw new Error('it is not a file');
  if (stats.size > MAX_BYTES) throw new Error(`it has ${stats.size} bytes, more than ${MAX_BYTES}`);
  const text = await readFile(path, 'utf8');
  return text.startsWith('\u{feff}') ? text.slice(1) : text;
}

/**
 * Reads the tech stack of a project from `package.json`, `go.mod`, `pyproject.toml` and `Cargo.toml` in a directory and those above
 * it in the same repository. A manifest that cannot be read is reported in `unreadable`.
 */
export async function detectStack(directory: string): Promise<Stack> {
  const projects = new Map<string, readonly string[]>();
  const names = new Set<string>();
  const unreadable: Stack['unreadable'][number][] = [];
  for (const current of directoriesOf(directory)) {
    for (const { file, read } of manifests) {
      const path = join(current, file);
      try {
        const text = await readText(path);
        if (text === undefined) continue;
        const { project, dependencies, languages } = await read(text);
        const words = wordsOf(project ?? '');
        if (words.length > 0) projects.set(words.join(' '), words);
        for (const name of [...languages, ...dependencies.flatMap(technologiesOf)]) names.add(name);
      } catch (error) {
        unreadable.push({ path, reason: error instanceof Error ? error.message : String(error) });
      }
    }
    if (existsSync(join(current, 'tsconfig.json'))) names.add('typescript').add('ts');
  }
  const sorted = [...projects].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([, words]) => words);
  return { projects: sorted, names: [...names].toSorted(), unreadable };
}
