/** What a repository is known by when its directory has another path. */
import { lstat } from 'node:fs/promises';
import { isAbsolute, join } from 'node:path';
import type { CallOptions, MemoryBackend } from '../records/backend.ts';
import { readDocument, swapDocument } from '../records/documents.ts';
import { namespaceKey, namespacePrefix, parseNamespaceKey } from '../records/keys.ts';
import { parseFields } from '../records/record.ts';
import { attempt, commonDirectoryOf, readGitConfig } from './git-directory.ts';
import { runGit } from './git-command.ts';
import { remoteMark } from './remote.ts';

/** The namespace of the marks, by project. */
const NAMESPACE = 'cairn-projects';

export interface ProjectMarks {
  /** The first commits; the current one where the first is not known: in a shallow clone, and in a history that is too long. */
  readonly commits: readonly string[];
  /** Hashes of the remotes, `origin` first. */
  readonly remotes: readonly string[];
}

/** A long history takes seconds without a commit graph. */
const HISTORY_TIMEOUT_MS = 2000;
const TIMEOUT_MS = 1000;
const MAX_COMMITS = 8;
const MAX_REMOTES = 8;
const COMMIT = /^[0-9a-f]{40}(?:[0-9a-f]{24})?$/u;

/** Returns the git directory of a project whose identity is a path; `undefined` for every other project. */
export async function gitDirectoryOf(project: string): Promise<string | undefined> {
  if (!isAbsolute(project)) return undefined;
  const inner = join(project, '.git');
  const isInner = (await attempt(lstat(inner)))?.isDirectory() === true;
  return commonDirectoryOf(isInner ? inner : project);
}

export async function readRemotes(directory: string): Promise<string[]> {
  const urls = (await readGitConfig(directory)).filter(({ section, name }) => section === 'remote' && name === 'url');
  const ordered = urls.toSorted((a, b) => Number(b.subsection === 'origin') - Number(a.subsection === 'origin'));
  return [...new Set(ordered.flatMap(({ value }) => remoteMark(value) ?? []))].slice(0, MAX_REMOTES);
}

async function readCommits(directory: string, signal: AbortSignal | undefined): Promise<string[]> {
  const isShallow = (await attempt(lstat(join(directory, 'shallow')))) !== undefined;
  const roots = isShallow
    ? undefined
    : await runGit(directory, ['rev-list', '--max-parents=0', 'HEAD'], { timeoutMs: HISTORY_TIMEOUT_MS, signal });
  const found =
    roots ?? (await runGit(directory, ['rev-parse', '--verify', 'HEAD'], { timeoutMs: TIMEOUT_MS, signal }));
  const commits = (found ?? '').split('\n').filter((line) => COMMIT.test(line));
  return commits.toSorted().slice(0, MAX_COMMITS);
}

/**
 * Returns which of the commits a repository has; `undefined` when git cannot tell. The cost does not depend on the length of the
 * history.
 */
export async function presentCommits(
  directory: string,
  commits: readonly string[],
  { signal }: CallOptions,
): Promise<ReadonlySet<string> | undefined> {
  if (commits.length === 0) return new Set();
  const input = `${commits.join('\n')}\n`;
  const output = await runGit(directory, ['cat-file', '--batch-check'], { timeoutMs: TIMEOUT_MS, input, signal });
  if (output === undefined) return undefined;
  return new Set(output.split('\n').flatMap((line) => /^([0-9a-f]+) commit \d+$/u.exec(line)?.[1] ?? []));
}

function strings(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((one): one is string => typeof one === 'string') : [];
}

function parseMarks(text: string): ProjectMarks {
  const { commits, remotes } = parseFields(text) ?? {};
  return { commits: strings(commits).filter((one) => COMMIT.test(one)), remotes: strings(remotes) };
}

/** Returns the key of the marks of a project. @throws {MemoryError} `INVALID_NAME`. */
export function marksKey(project: string): string {
  return namespaceKey(NAMESPACE, project);
}

/** Returns the marks of all projects that have some. */
export async function readAllMarks(
  backend: MemoryBackend,
  options: CallOptions,
): Promise<ReadonlyMap<string, ProjectMarks>> {
  const marks = new Map<string, ProjectMarks>();
  for (const { key } of await backend.keys(namespacePrefix(NAMESPACE), options)) {
    const project = parseNamespaceKey(key)?.key;
    const text = project === undefined ? undefined : await readDocument(backend, key, options);
    if (project !== undefined && text !== undefined) marks.set(project, parseMarks(text));
  }
  return marks;
}

/** Whether a repository has none of the commits of its directory: another project has the directory now. */
async function isReused(directory: string, commits: readonly string[], signal: AbortSignal): Promise<boolean> {
  return (await presentCommits(directory, commits, { signal }))?.size === 0;
}

/** Stores the marks of a project if they changed. The history of a repository with known commits is not read again. */
async function storeMarks(backend: MemoryBackend, project: string, signal: AbortSignal): Promise<void> {
  const directory = await gitDirectoryOf(project);
  if (directory === undefined) return;
  const key = marksKey(project);
  const expected = await readDocument(backend, key, { signal });
  const known = expected === undefined ? undefined : parseMarks(expected);
  const isKnown =
    known !== undefined && known.commits.length > 0 && !(await isReused(directory, known.commits, signal));
  const commits = isKnown ? known.commits : await readCommits(directory, signal);
  const remotes = await readRemotes(directory);
  if (commits.length === 0 && remotes.length === 0 && expected === undefined) return;
  const next = JSON.stringify({ commits, remotes });
  // Another process that was first has read the same repository.
  if (next !== expected) await swapDocument(backend, key, { expected, next }, { signal });
}

/** How long marks are not read again, because facts are often stored in a row. */
const KEEP_MS = 60_000;

/** Stores the marks of the projects whose facts a memory stores, next to other work. */
export class MarkKeeper {
  readonly #backend: MemoryBackend;
  readonly #kept = new Map<string, { readonly at: number; readonly done: Promise<void> }>();

  constructor(backend: MemoryBackend) {
    this.#backend = backend;
  }

  /** Starts to store the marks of a project. A failure costs only that a move of the directory is not noticed. */
  keep(project: string | undefined): void {
    if (project === undefined || !isAbsolute(project)) return;
    const last = this.#kept.get(project);
    if (last !== undefined && performance.now() - last.at < KEEP_MS) return;
    const done = storeMarks(this.#backend, project, AbortSignal.timeout(2 * HISTORY_TIMEOUT_MS));
    this.#kept.set(project, { at: performance.now(), done: done.catch(() => undefined) });
  }

  /** Removes the marks of a project whose facts are gone. */
  async remove(project: string, options: CallOptions): Promise<void> {
    await this.#kept.get(project)?.done;
    this.#kept.delete(project);
    await this.#backend.change(marksKey(project), { removes: 'all' }, options);
  }

  /** Waits for what was started. */
  async settle(): Promise<void> {
    await Promise.all(Array.from(this.#kept.values(), ({ done }) => done));
  }
}
