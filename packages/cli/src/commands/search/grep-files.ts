import { stat } from 'node:fs/promises';
import { basename } from 'node:path';
import type { GlobMatch, GlobResult } from '@cairn/natives';
import { errorText, listDocument, writeAnswer } from '../../terminal/answer.ts';
import { inOptions } from '../../terminal/errors.ts';
import { exitCodeOf } from '../../terminal/exit.ts';
import { pathBelow, pathPrefix } from '../../terminal/path-prefix.ts';
import { withProgress } from '../../terminal/progress.ts';
import type { Session } from '../../terminal/session.ts';
import type { GrepFlags } from './grep-options.ts';
import { filterOf } from './grep-request.ts';
import { pathStyle } from './listing.ts';
import { listingNotices, offsetNotice } from './notices.ts';

interface Listed {
  readonly result: GlobResult;
  readonly nameOf: (path: string) => string;
}

function inPathOrder(files: readonly GlobMatch[]): GlobMatch[] {
  return files.toSorted((one, other) => Buffer.compare(Buffer.from(one.path), Buffer.from(other.path)));
}

/** Lists the files of one root that grep searches. A file is searched whatever the filters exclude. */
async function listRoot(root: string, flags: GrepFlags, session: Session): Promise<Listed> {
  const { FileType, glob } = await import('@cairn/natives');
  const found = await stat(root).catch(() => undefined);
  if (found !== undefined && !found.isDirectory()) {
    const match: GlobMatch = { path: basename(root), fileType: FileType.File };
    return { result: { matches: [match], totalMatches: 1, complete: true }, nameOf: () => root };
  }
  const { maxFilesize } = flags;
  const { glob: pattern = '*', hidden = true, ...filter } = filterOf(flags, { root, cwd: session.cwd });
  const result = await glob({
    ...filter,
    pattern,
    hidden,
    path: root,
    includeNodeModules: true,
    // Only these results have sizes.
    sortByMtime: maxFilesize !== undefined,
    timeoutMs: flags.timeout,
    onTimeout: 'partial',
    signal: session.signal,
  });
  const prefix = pathPrefix(root);
  // Links are listed by glob, but grep does not follow them.
  const files = result.matches.filter(({ fileType }) => fileType === FileType.File);
  const matches = maxFilesize === undefined ? files : inPathOrder(files.filter(({ size = 0 }) => size <= maxFilesize));
  return { result: { ...result, matches }, nameOf: (path) => prefix + path };
}

/** Prints the files that a search with these options and paths reads, and returns the exit status. */
export async function runFiles(roots: readonly string[], flags: GrepFlags, session: Session): Promise<number> {
  const failures: unknown[] = [];
  const files: GlobMatch[] = [];
  const totals = { unreadable: 0, unreadablePaths: [] as string[], stopReason: undefined as GlobResult['stopReason'] };
  let hint: string | undefined;
  await withProgress(session, 'listing', async () => {
    for (const root of roots) {
      try {
        const { result, nameOf } = await listRoot(root, flags, session);
        for (const match of result.matches) files.push({ ...match, path: nameOf(match.path) });
        totals.unreadable += result.unreadable ?? 0;
        totals.unreadablePaths.push(...(result.unreadablePaths ?? []).map((path) => pathBelow(root, path)));
        totals.stopReason ??= result.stopReason;
        hint ??= result.hint === undefined ? undefined : inOptions(result.hint);
      } catch (error) {
        session.signal.throwIfAborted();
        failures.push(error);
      }
    }
  });
  if (failures.length === roots.length) throw failures[0];
  const { offset = 0, limit = Infinity } = flags;
  const shown = files.slice(offset, offset + limit);
  const { stopReason, unreadable } = totals;
  const lossyPaths = shown.filter(({ lossyPath }) => lossyPath === true).length;
  const facts = {
    ...totals,
    shown: shown.length,
    totalMatches: files.length - offset,
    lossyPaths,
    hint,
  };
  const style = pathStyle(flags, session);
  const hasMore = offset + shown.length < files.length;
  const document = listDocument(shown, { hasMore, total: files.length });
  await writeAnswer(session, flags, {
    lines: flags.quiet === true ? [] : shown.map(({ path }) => style.paint.path(style.shown(path))),
    lineEnd: flags.null === true ? '\0' : '\n',
    document: {
      ...document,
      complete: document.complete && stopReason === undefined && unreadable === 0 && failures.length === 0,
      ...(stopReason !== undefined && { stopReason }),
      ...(unreadable > 0 && { unreadable, unreadablePaths: totals.unreadablePaths }),
      ...(roots.length > 1 && { paths: roots }),
    },
    notices: () => [...failures.map(errorText), ...offsetNotice(offset, files.length), ...listingNotices(facts)],
  });
  return exitCodeOf({ shown: shown.length, stopReason, unreadable: unreadable + failures.length });
}
