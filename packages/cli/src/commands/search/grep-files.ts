import { stat } from 'node:fs/promises';
import type { GlobMatch } from '@cairn/natives';
import { errorText, listDocument, writeAnswer } from '../../terminal/answer.ts';
import { exitCodeOf } from '../../terminal/exit.ts';
import { pathPrefix } from '../../terminal/path-prefix.ts';
import { withProgress } from '../../terminal/progress.ts';
import type { Session } from '../../terminal/session.ts';
import type { GrepPlan } from './grep-plan.ts';
import { filterBelow } from './grep-search.ts';
import { pathStyle } from './listing.ts';
import { listingNotices, offsetNotice } from './notices.ts';
import { searchAll, type Listing } from './search-all.ts';

function inPathOrder(files: readonly GlobMatch[]): GlobMatch[] {
  return files.toSorted((one, other) => Buffer.compare(Buffer.from(one.path), Buffer.from(other.path)));
}

/** Lists the files of one root that grep searches. A file is searched whatever the filters exclude. */
async function listRoot(root: string, plan: GrepPlan, session: Session): Promise<Listing<GlobMatch>> {
  const { FileType, glob } = await import('@cairn/natives');
  const found = await stat(root).catch(() => undefined);
  if (found !== undefined && !found.isDirectory()) {
    const match: GlobMatch = { path: root, fileType: FileType.File };
    return { matches: [match], totalMatches: 1, complete: true };
  }
  const { maxFileSize } = plan.matching;
  const { glob: pattern = '*', hidden = true, ...filter } = filterBelow(root, plan.filter, session);
  const result = await glob({
    ...filter,
    pattern,
    hidden,
    path: root,
    includeNodeModules: true,
    // Only these results have sizes.
    sortByMtime: maxFileSize !== undefined,
    timeoutMs: plan.timeoutMs,
    onTimeout: 'partial',
    signal: session.signal,
  });
  // Links are listed by glob, but grep does not follow them.
  const files = result.matches.filter(({ fileType }) => fileType === FileType.File);
  const matches = maxFileSize === undefined ? files : inPathOrder(files.filter(({ size = 0 }) => size <= maxFileSize));
  const prefix = pathPrefix(root);
  return { ...result, matches: matches.map((match) => ({ ...match, path: prefix + match.path })) };
}

export async function listFiles(plan: GrepPlan, session: Session): Promise<number> {
  const { roots, page, form, output, prints } = plan;
  const listing = await withProgress(session, 'listing', () =>
    searchAll(roots, (root) => listRoot(root, plan, session), { limit: Infinity }),
  );
  session.signal.throwIfAborted();
  const { stopReason, unreadable = 0, unreadablePaths, failures } = listing;
  const files = listing.matches.map(({ match }) => match);
  const { offset, limit = Infinity } = page;
  const shown = files.slice(offset, offset + limit);
  const lossyPaths = shown.filter(({ lossyPath }) => lossyPath === true).length;
  const totals = { shown: shown.length, totalMatches: files.length - offset, lossyPaths };
  const style = pathStyle({ color: output.color, null: form.nul }, session);
  const document = listDocument(shown, { hasMore: offset + shown.length < files.length, total: files.length });
  await writeAnswer(session, output, {
    lines: prints === 'nothing' ? [] : shown.map(({ path }) => style.paint.path(style.shown(path))),
    lineEnd: style.lineEnd,
    document: {
      ...document,
      complete: document.complete && stopReason === undefined && unreadable === 0 && failures.length === 0,
      ...(stopReason !== undefined && { stopReason }),
      ...(unreadable > 0 && { unreadable, unreadablePaths }),
      ...(roots.length > 1 && { paths: roots }),
    },
    notices: () => [
      ...failures.map(errorText),
      ...offsetNotice(offset, files.length),
      ...listingNotices({ ...totals, stopReason, unreadable, unreadablePaths }),
    ],
  });
  return exitCodeOf({ shown: shown.length, stopReason, unreadable: unreadable + failures.length });
}
