import { quotePath } from '@cairn/tool/paths';
import type { FuzzyFindMatch } from '@cairn/natives';
import { createPaint, usesColor, type Paint } from '../../terminal/output.ts';
import { pathPrefix } from '../../terminal/path-prefix.ts';
import { withProgress } from '../../terminal/progress.ts';
import type { Session } from '../../terminal/session.ts';
import { highlight, rangesOf } from '../../terminal/text.ts';
import type { CommandFactory } from '../command.ts';
import { printListing } from './listing.ts';
import { onlyRoot, searchOptions, type SearchFlags } from './options.ts';

const examples = `
Examples:
  $ cairn find readme                 README files first, then looser matches
  $ cairn find schcor                 letters in order: finds sched/core.c
  $ cairn find 'api test' --limit 5   every word must match, in any order
  $ cairn find a/b --path src         path segments, each abbreviated
  $ cairn find readme --json          with scores and positions, for a program

Printed paths are relative to the current directory; with --json they are relative to --path. Directories end with '/'.
Hidden names, node_modules and ignored files are skipped.`;

/** Returns a path as a line. */
function findLine(match: FuzzyFindMatch, style: { readonly prefix: string; readonly paint: Paint }): string {
  const { paint } = style;
  const shown = quotePath(style.prefix + match.path);
  const rest = match.isDirectory ? paint.directory : (text: string) => text;
  // Quoting moves the highlighted ranges.
  if (shown !== style.prefix + match.path) return rest(shown);
  return highlight(shown, rangesOf(match.positions ?? [], style.prefix.length), {
    paint: paint.hit,
    rest,
    escape: (text) => text,
  });
}

async function runFind(query: string, flags: SearchFlags, session: Session): Promise<number> {
  const { fuzzyFind } = await import('@cairn/natives');
  const root = onlyRoot(flags);
  const paint = createPaint(usesColor(flags.color, session.out.isTerminal, session.env));
  const result = await withProgress(session, 'searching', () =>
    fuzzyFind({
      query,
      path: root,
      hidden: flags.hidden,
      gitignore: flags.ignore,
      maxResults: flags.limit,
      includePositions: paint.isColored || flags.json === true,
      timeoutMs: flags.timeout,
      onTimeout: 'partial',
      signal: session.signal,
    }),
  );
  const style = { prefix: pathPrefix(root), paint };
  return printListing(
    session,
    { listing: result, lines: result.matches.map((match) => findLine(match, style)) },
    flags,
  );
}

export const findCommand: CommandFactory = (command, session, done) => {
  command
    .description('Find files and directories by a few letters of their path, best match first.')
    .summary('find paths by a few of their letters')
    .argument('<query>', 'letters of the name, in order; words and path segments may be abbreviated')
    .addHelpText('after', examples)
    .action(async (query: string, flags: SearchFlags) => done(await runFind(query, flags, session)));
  for (const option of searchOptions({
    root: 'a directory',
    limit: 'at most N paths (default: 100)',
    searchesHidden: false,
  })) {
    command.addOption(option);
  }
};
