import { stat } from 'node:fs/promises';
import type { GlobMatch } from '@cairn/natives';
import { pathPrefix } from '../../terminal/path-prefix.ts';
import { withProgress } from '../../terminal/progress.ts';
import type { Session } from '../../terminal/session.ts';
import type { GrepPlan } from './grep-plan.ts';
import { filterBelow } from './grep-search.ts';
import { pathStyle, printListing } from './listing.ts';
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
  const { roots, page, form, output, filter, prints } = plan;
  const { hidden = true, gitignore = true } = filter;
  const all = await withProgress(session, 'listing', () =>
    searchAll(roots, (root) => listRoot(root, plan, session), { limit: Infinity }),
  );
  session.signal.throwIfAborted();
  const { offset, limit = Infinity } = page;
  const matches = all.matches.slice(offset, offset + limit).map((one) => ({ ...one, prefix: '' }));
  const listing = { ...all, matches, totalMatches: all.matches.length, hints: [] };
  const flags = { ...output, null: form.nul, hidden, ignore: gitignore };
  const { paint, shown } = pathStyle(flags, session);
  const lines = matches.map(({ match }) => paint.path(shown(match.path)));
  return printListing(session, { listing, lines: prints === 'nothing' ? [] : lines, remarks: [], offset }, flags);
}
