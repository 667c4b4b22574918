import { lstat } from 'node:fs/promises';
import { join } from 'node:path';
import { type Command, Option } from 'commander';
import type { FileType, GlobMatch, GlobResult } from '@cairn/natives';
import { oneOf, sharedOptions, type SharedFlags } from '../args.ts';
import { UsageError } from '../errors.ts';
import { exitCodeOf } from '../exit.ts';
import { listingNotices, nothingFoundNotice, writeNotices } from '../notices.ts';
import { createPaint, usesColor, writeLines, type Paint } from '../output.ts';
import { withProgress } from '../progress.ts';
import { pathPrefix } from '../root.ts';
import type { Session } from '../session.ts';
import { escapeControls, formatBytes } from '../text.ts';

const examples = `
Examples:
  $ cairn glob '*.ts'                          TypeScript files at any depth
  $ cairn glob 'src/**/*.test.ts'              a pattern with / starts at --path
  $ cairn glob '*.{ts,md}' --sort-mtime --limit 5 --long
                                               the five written last, with size and time
  $ cairn glob '*' --type dir --no-recursive   the directories right here
  $ cairn glob '*.json' --no-ignore --hidden   ignored and hidden files as well

Quote the pattern, or the shell expands it. * and ? stay within a name, ** crosses directories, {a,b} and [a-z] work.
Paths are printed so that they open from here; --json has them relative to --path.
Hidden names, node_modules and what ignore files exclude are left out.`;

type TypeName = 'file' | 'dir' | 'symlink';
const typeNames: readonly TypeName[] = ['file', 'dir', 'symlink'];

interface GlobFlags extends SharedFlags {
  readonly type?: TypeName;
  readonly recursive: boolean;
  readonly sortMtime?: boolean;
  readonly includeNodeModules?: boolean;
  readonly long?: boolean;
}

/** What `--long` shows of an entry; a field is absent when it could not be had. */
interface Details {
  readonly size?: number | undefined;
  readonly mtime?: number | undefined;
}

/** Stats in flight at once: enough to keep the disk busy, few enough for any limit on open files. */
const statBatch = 64;

async function detailsOf(root: string, matches: readonly GlobMatch[], signal: AbortSignal): Promise<Details[]> {
  const details: Details[] = [];
  for (let start = 0; start < matches.length; start += statBatch) {
    signal.throwIfAborted();
    const batch = matches.slice(start, start + statBatch).map(async ({ path, size, mtime }): Promise<Details> => {
      if (mtime !== undefined) return { size, mtime };
      try {
        const stat = await lstat(join(root, path));
        return { size: stat.isFile() ? stat.size : undefined, mtime: stat.mtimeMs };
      } catch {
        // Gone since the scan, or a name that is not valid Unicode: shown as unknown.
        return {};
      }
    });
    details.push(...(await Promise.all(batch)));
  }
  return details;
}

function two(value: number): string {
  return String(value).padStart(2, '0');
}

/** Local time to the minute: `2025-11-21 14:05`. */
function localTime(mtime: number): string {
  const date = new Date(mtime);
  const day = `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
  return `${day} ${two(date.getHours())}:${two(date.getMinutes())}`;
}

/** `--long` in a terminal: aligned, for a reader. Piped: exact bytes and UTC time, separated by tabs. */
function longColumns({ size, mtime }: Details, isTerminal: boolean): string {
  if (!isTerminal) return `${size ?? '-'}\t${mtime === undefined ? '-' : new Date(mtime).toISOString()}\t`;
  const shownSize = size === undefined ? '-' : formatBytes(size);
  return `${shownSize.padStart(10)}  ${(mtime === undefined ? '-' : localTime(mtime)).padEnd(16)}  `;
}

function paintedPath(
  path: string,
  fileType: FileType,
  look: { readonly paint: Paint; readonly isTerminal: boolean; readonly types: typeof FileType },
): string {
  const shown = look.isTerminal ? escapeControls(path) : path;
  if (fileType === look.types.Dir) return look.paint.directory(shown);
  return fileType === look.types.Symlink ? look.paint.link(shown) : shown;
}

async function printMatches(result: GlobResult, flags: GlobFlags, session: Session): Promise<void> {
  const { FileType: types } = await import('@cairn/natives');
  const { isTerminal } = session.out;
  const look = { paint: createPaint(usesColor(flags.color, isTerminal, session.env)), isTerminal, types };
  const prefix = pathPrefix(flags.path);
  const details = flags.long === true ? await detailsOf(flags.path, result.matches, session.signal) : undefined;
  const lines = result.matches.map((match, index) => {
    const columns = details === undefined ? '' : look.paint.dim(longColumns(details[index] ?? {}, isTerminal));
    return columns + paintedPath(prefix + match.path, match.fileType, look);
  });
  await writeLines(session.out, lines, session.signal);
}

async function runGlob(pattern: string, flags: GlobFlags, session: Session): Promise<number> {
  if (flags.json === true && flags.long === true) {
    throw new UsageError('--long is for reading and --json for programs; --json with --sort-mtime has sizes and times');
  }
  const { FileType: types, glob } = await import('@cairn/natives');
  const byName = { file: types.File, dir: types.Dir, symlink: types.Symlink } as const;
  const result = await withProgress(session, 'searching', () =>
    glob({
      pattern,
      path: flags.path,
      hidden: flags.hidden,
      gitignore: flags.ignore,
      fileType: flags.type === undefined ? undefined : byName[flags.type],
      recursive: flags.recursive,
      maxResults: flags.limit,
      sortByMtime: flags.sortMtime,
      includeNodeModules: flags.includeNodeModules,
      timeoutMs: flags.timeout,
      onTimeout: 'partial',
      signal: session.signal,
    }),
  );
  if (flags.json === true) await writeLines(session.out, [JSON.stringify(result)], session.signal);
  else await printMatches(result, flags, session);
  const facts = {
    ...result,
    shown: result.matches.length,
    lossyPaths: result.matches.filter((match) => match.lossyPath === true).length,
  };
  const notices = listingNotices(facts);
  if (facts.shown === 0 && notices.length === 0 && session.err.isTerminal)
    notices.push(nothingFoundNotice(flags.hidden ?? false, flags.ignore));
  await writeNotices(session, flags.color, notices);
  return exitCodeOf({ shown: facts.shown, stopReason: result.stopReason, unreadable: result.unreadable ?? 0 });
}

export function globCommand(command: Command, session: Session, done: (exitCode: number) => void): void {
  command
    .description('List the files and directories whose path fits a pattern.')
    .summary('list paths that fit a pattern')
    .argument('<pattern>', 'a glob pattern; without / it matches names at any depth')
    .addHelpText('after', examples)
    .action(async (pattern: string, flags: GlobFlags) => done(await runGlob(pattern, flags, session)))
    .addOption(
      new Option('--type <kind>', 'only file, dir or symlink; a link counts as what it leads to').argParser(
        oneOf('--type', typeNames),
      ),
    )
    .option('--no-recursive', 'a pattern without / matches only right in --path')
    .option('--sort-mtime', 'newest first; --limit then keeps the newest')
    .option('--include-node-modules', 'search node_modules too (also done when the pattern names it)')
    .option('--long', 'show size and time of last change before each path');
  for (const option of sharedOptions({
    root: 'a directory',
    limit: 'show at most so many paths (default: all)',
    searchesHidden: false,
  })) {
    command.addOption(option);
  }
}
