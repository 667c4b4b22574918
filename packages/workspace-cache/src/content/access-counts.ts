import { accountStateDirectories } from '@cairn/tool/paths';
import { relative, sep } from 'node:path';
import { add, createCountsFile, MAX_PATH_LENGTH, ranked } from './counts-file.ts';
import type { Use, Uses } from './counts-file.ts';
import { report } from './report.ts';
import { isWithin } from './scope.ts';
import type { CacheScope } from './scope.ts';

/** The uses of one file. */
export interface AccessCount {
  /** Relative to the root, with `/`. */
  readonly path: string;
  readonly count: number;
  /** Milliseconds since the epoch. */
  readonly lastUsedMs: number;
}

/** How often the files of a project were used, by all processes of the user. */
export interface AccessCounts {
  /** Counts one use of a canonical path. Never throws. */
  note(path: string): void;
  /** Returns all counts, the most used first; a use counts half after a week. */
  all(): Promise<readonly AccessCount[]>;
  /** Writes what was noted. */
  close(): Promise<void>;
}

/** Options of {@link createAccessCounts}. */
export interface AccessCountsOptions {
  readonly scope: Pick<CacheScope, 'realRoots'>;
  /** Default: a directory of this user. */
  readonly stateDirectory?: string | undefined;
  readonly onWarning?: ((message: string) => void) | undefined;
}

/** Uses after which the counts are written. A process that is killed loses fewer. */
const USES_PER_WRITE = 256;

/** Makes the access counts of the project at the first root of the scope. Nothing is read before the first call. */
export function createAccessCounts({ scope, stateDirectory, onWarning }: AccessCountsOptions): AccessCounts {
  const file = createCountsFile(
    stateDirectory === undefined ? accountStateDirectories('workspace-cache') : [stateDirectory],
  );
  let noted: Uses = new Map();
  let notedUses = 0;
  let writing: Promise<void> = Promise.resolve();
  let hasWarned = false;

  /** Returns the uses of files below the root, by their relative paths. */
  const below = (root: string, uses: Uses): (readonly [string, Use])[] =>
    [...uses].flatMap(([path, use]) => {
      if (!isWithin(path, root) || path.length > MAX_PATH_LENGTH) return [];
      return [[relative(root, path).replaceAll(sep, '/'), use] as const];
    });

  const write = async (): Promise<void> => {
    if (noted.size === 0) return;
    const taken = noted;
    noted = new Map();
    notedUses = 0;
    try {
      const [root = ''] = await scope.realRoots();
      await file.add(root, below(root, taken));
    } catch (error) {
      const later = noted;
      noted = new Map();
      add(noted, taken);
      add(noted, later);
      noted = new Map(ranked(noted));
      if (hasWarned) return;
      hasWarned = true;
      const why = error instanceof Error ? error.message : String(error);
      report(onWarning, `access counts are kept in memory only: ${why}`);
    }
  };

  const writeNext = (): Promise<void> => {
    writing = writing.then(write);
    return writing;
  };

  return {
    note: (path) => {
      add(noted, [[path, { count: 1, lastUsedMs: Date.now() }]]);
      notedUses++;
      if (notedUses >= USES_PER_WRITE) {
        notedUses = 0;
        void writeNext();
      }
    },
    all: async () => {
      await writing;
      const uses: Uses = new Map();
      try {
        const [root = ''] = await scope.realRoots();
        add(uses, await file.read(root));
        add(uses, below(root, noted));
      } catch {
        // There is no root: there are no files either.
      }
      return ranked(uses).map(([path, use]) => ({ path, ...use }));
    },
    close: writeNext,
  };
}
