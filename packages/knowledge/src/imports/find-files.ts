import type { Dirent } from 'node:fs';
import { lstat, readdir, realpath, stat } from 'node:fs/promises';
import { basename, dirname, join, relative, sep } from 'node:path';
import { isMissing } from '@cairn/tool/errors';
import { errnoOf } from '@cairn/tool/internal';
import type { CallOptions } from '@cairn/memory';
import { KnowledgeError } from '../errors.ts';

export interface ImportFile {
  readonly path: string;
  /** The path below the imported directory, with `/`. */
  readonly place: string;
  /** `rules`: of Cursor. `instructions`: for agents, such as AGENTS.md. */
  readonly kind: 'instructions' | 'rules' | 'document';
  readonly bytes: number;
}

/** A file that was not imported, or only in part, or a directory that cannot be read. */
export interface ImportProblem {
  readonly path: string;
  readonly line?: number | undefined;
  /** Such as `SECRET`, `INVALID_ASSET`, `ASSET_EXISTS`; `EDITED` when both the file and its asset were changed. */
  readonly code: string;
  readonly message: string;
}

export interface FoundFiles {
  readonly files: readonly ImportFile[];
  /** Links, which are not followed: they may name files outside of the directory. */
  readonly links: readonly string[];
  readonly unreadable: readonly ImportProblem[];
}

const INSTRUCTIONS: readonly string[] = ['AGENTS.md', 'CLAUDE.md'];
/** Where a project keeps instructions for agents. */
const PROJECT_FILES: readonly string[] = [...INSTRUCTIONS, join('.claude', 'CLAUDE.md'), '.cursorrules'];
const PROJECT_RULES: string = join('.cursor', 'rules');
const MARKDOWN = /\.(?:md|mdc|markdown)$/iu;
const MAX_FILES = 10_000;

function kindOf(path: string): ImportFile['kind'] {
  if (INSTRUCTIONS.includes(basename(path))) return 'instructions';
  return /\.mdc$/iu.test(path) || basename(path) === '.cursorrules' ? 'rules' : 'document';
}

class Finder {
  readonly files: ImportFile[] = [];
  readonly links: string[] = [];
  readonly unreadable: ImportProblem[] = [];
  readonly #root: string;
  readonly #signal: AbortSignal | undefined;

  constructor(root: string, { signal }: CallOptions) {
    this.#root = root;
    this.#signal = signal;
  }

  /** Adds a file, or the Markdown files below a directory. A path without anything adds nothing. */
  async add(path: string): Promise<void> {
    const stats = await lstat(path).catch((error: unknown) => {
      if (!isMissing(error)) throw error;
    });
    if (stats === undefined) return;
    if (stats.isSymbolicLink()) this.addLink(path);
    else if (stats.isFile()) this.#addFile(path, stats.size);
    else if (stats.isDirectory()) await this.#addDirectory(path);
  }

  addLink(path: string): void {
    if (!this.links.includes(path)) this.links.push(path);
  }

  #addFile(path: string, bytes: number): void {
    if (this.files.length === MAX_FILES) {
      const summary = `${this.#root} has more than ${MAX_FILES} Markdown files`;
      throw new KnowledgeError('TOO_LARGE', [summary, 'Import its directories one by one.'], { path: this.#root });
    }
    const place = relative(this.#root, path).split(sep).join('/');
    this.files.push({ path, place: place === '' ? basename(path) : place, kind: kindOf(path), bytes });
  }

  async #read(path: string): Promise<Dirent[]> {
    try {
      return await readdir(path, { withFileTypes: true });
    } catch (error) {
      const code = errnoOf(error);
      if (code === undefined) throw error;
      this.unreadable.push({ path, code, message: `cannot read the directory ${path} (${code})` });
      return [];
    }
  }

  async #addDirectory(directory: string): Promise<void> {
    this.#signal?.throwIfAborted();
    const entries = await this.#read(directory);
    const below: string[] = [];
    for (const entry of entries.toSorted((a, b) => (a.name < b.name ? -1 : 1))) {
      const path = join(directory, entry.name);
      const isHidden = entry.name.startsWith('.');
      if (MARKDOWN.test(entry.name) && !isHidden && !entry.isDirectory()) await this.add(path);
      else if (isHidden || entry.name === 'node_modules') continue;
      else if (entry.isDirectory()) below.push(path);
      else if (entry.isSymbolicLink()) {
        const target = await stat(path).catch(() => undefined);
        if (target?.isDirectory() === true) this.addLink(path);
      }
    }
    for (const path of below) await this.#addDirectory(path);
  }
}

/** Returns the path without links: the user named it. @throws {KnowledgeError} `INVALID_INPUT` when nothing is there. */
async function rootOf(path: string): Promise<string> {
  try {
    return await realpath(path);
  } catch (error) {
    if (!isMissing(error)) throw error;
    const hint = 'Use the path of an existing one.';
    throw new KnowledgeError('INVALID_INPUT', [`No file or directory ${path}`, hint], { path, cause: error });
  }
}

/**
 * Returns the files of an import: a file, or the Markdown files below a directory without hidden directories and `node_modules`.
 * The order is by name: the files of a directory, then each of its subdirectories.
 *
 * @throws {KnowledgeError} `INVALID_INPUT` when there is nothing at the path, `TOO_LARGE`.
 */
export async function findFiles(path: string, options: CallOptions): Promise<FoundFiles> {
  const root = await rootOf(path);
  const finder = new Finder(root, options);
  await finder.add(root);
  return finder;
}

/** Returns the instructions for agents of a project: AGENTS.md, CLAUDE.md, and the rules of Cursor. Throws as above. */
export async function findProjectFiles(directory: string, options: CallOptions): Promise<FoundFiles> {
  const root = await rootOf(directory);
  const finder = new Finder(root, options);
  for (const file of [...PROJECT_FILES, PROJECT_RULES]) {
    const above = join(root, dirname(file));
    const stats = above === root ? undefined : await lstat(above).catch(() => undefined);
    if (stats?.isSymbolicLink() === true) finder.addLink(above);
    else await finder.add(join(root, file));
  }
  return finder;
}
