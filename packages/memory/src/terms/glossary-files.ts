import { isMissing } from '@cairn/tool/kernel';
import { parseGlossary, type GlossaryGroup, type ParsedGlossary } from '@cairn/retrieval';
import { constants } from 'node:fs';
import { open, stat } from 'node:fs/promises';

/** Larger than any glossary that is used whole. */
const MAX_BYTES = 8 * 1024 * 1024;

/** A problem of a glossary file. */
export interface GlossaryFileProblem {
  readonly path: string;
  /** The line, from 1. Absent when the file cannot be read. */
  readonly lineNumber?: number;
  /** How many lines are not used because of it: the file is read without them. */
  readonly lines?: number;
  /** The problem, and how to solve it. */
  readonly message: string;
}

/** A glossary file, as far as it can be read. */
export interface GlossaryFile {
  readonly groups: readonly GlossaryGroup[];
  readonly problems: readonly GlossaryFileProblem[];
  /** Whether there is no file. */
  readonly isMissing: boolean;
}

const MISSING: GlossaryFile = { groups: [], problems: [], isMissing: true };

function unusable(path: string, message: string): GlossaryFile {
  return { groups: [], problems: [{ path, message }], isMissing: false };
}

function fileOf(path: string, { groups, problems }: ParsedGlossary): GlossaryFile {
  return {
    groups,
    problems: problems.map(({ lineNumber, lines, message }) => ({ path, lineNumber, lines, message })),
    isMissing: false,
  };
}

/** Reads a glossary file, never waits for a pipe, and throws no error: what cannot be read is a problem. */
export async function readGlossaryFile(path: string): Promise<GlossaryFile> {
  try {
    // Without `O_NONBLOCK`, opening a pipe waits for a writer.
    const file = await open(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
    try {
      const info = await file.stat();
      if (!info.isFile()) return unusable(path, 'it is not a file; remove it');
      if (info.size > MAX_BYTES) return unusable(path, `it has ${info.size} bytes, more than ${MAX_BYTES}; shorten it`);
      return fileOf(path, parseGlossary(await file.readFile('utf8')));
    } finally {
      await file.close();
    }
  } catch (error) {
    if (isMissing(error)) return MISSING;
    return unusable(path, `${error instanceof Error ? error.message : String(error)}; make it readable, or remove it`);
  }
}

/** Returns a string that differs after every change of a file. */
async function stateOf(path: string): Promise<string> {
  try {
    const { ino, size, mtimeNs, ctimeNs } = await stat(path, { bigint: true });
    return [ino, size, mtimeNs, ctimeNs].join(' ');
  } catch (error) {
    return String(error);
  }
}

/** A file as it was read last. */
class KnownFile {
  readonly path: string;
  readonly #onProblems: (problems: readonly GlossaryFileProblem[]) => void;
  #state = '';
  #groups: readonly GlossaryGroup[] = [];

  constructor(path: string, onProblems: (problems: readonly GlossaryFileProblem[]) => void) {
    this.path = path;
    this.#onProblems = onProblems;
  }

  /** Returns the groups, the same array as before unless the file changed. */
  async read(): Promise<readonly GlossaryGroup[]> {
    const state = await stateOf(this.path);
    if (state === this.#state) return this.#groups;
    const { groups, problems } = await readGlossaryFile(this.path);
    // Another call may have read it meanwhile.
    if (state === this.#state) return this.#groups;
    this.#state = state;
    this.#groups = groups;
    if (problems.length > 0) this.#onProblems(problems);
    return groups;
  }
}

export interface GlossaryFilesOptions {
  readonly paths: readonly string[];
  /** Called once for each state of a file that has problems. The lines without a problem are used. */
  readonly onProblems: (problems: readonly GlossaryFileProblem[]) => void;
}

/**
 * Returns a function that reads glossary files, for the option `glossary` of a memory. It reads a file again when the file changed, and
 * returns the same array as long as none has. A missing file has no groups.
 */
export function glossaryFiles({ paths, onProblems }: GlossaryFilesOptions): () => Promise<readonly GlossaryGroup[]> {
  const files = paths.map((path) => new KnownFile(path, onProblems));
  const last: { parts: readonly (readonly GlossaryGroup[])[]; groups: readonly GlossaryGroup[] } = {
    parts: [],
    groups: [],
  };
  return async () => {
    const parts = await Promise.all(files.map((file) => file.read()));
    if (parts.some((part, index) => part !== last.parts[index])) {
      last.parts = parts;
      last.groups = parts.flat();
    }
    return last.groups;
  };
}
