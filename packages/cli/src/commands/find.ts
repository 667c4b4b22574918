import type { Command } from 'commander';
import type { FuzzyFindMatch } from '@cairn/natives';
import { sharedOptions, type SharedFlags } from '../args.ts';
import { exitCodeOf } from '../exit.ts';
import { listingNotices, nothingFoundNotice, writeNotices } from '../notices.ts';
import { createPaint, usesColor, writeLines, type Paint } from '../output.ts';
import { withProgress } from '../progress.ts';
import { pathPrefix } from '../root.ts';
import type { Session } from '../session.ts';
import { escapeControls, highlight, rangesOf } from '../text.ts';

const examples = `
Examples:
  $ cairn find readme                 README files first, then looser matches
  $ cairn find schcor                 letters in order: finds sched/core.c
  $ cairn find 'api test' --limit 5   every word has to match, in any order
  $ cairn find a/b --path src         path segments, each abbreviated
  $ cairn find readme --json          the result with scores and positions, for a program

Paths are printed so that they open from here; --json has them relative to --path. Directories end with '/'.
Hidden names, node_modules and what ignore files exclude are left out.`;

/** One found path as a line. */
function findLine(
  match: FuzzyFindMatch,
  look: { readonly prefix: string; readonly paint: Paint; readonly escapes: boolean },
): string {
  const { paint } = look;
  return highlight(look.prefix + match.path, rangesOf(match.positions ?? [], look.prefix.length), {
    paint: paint.hit,
    rest: match.isDirectory ? paint.directory : (text) => text,
    escape: look.escapes ? escapeControls : (text) => text,
  });
}

async function runFind(query: string, flags: SharedFlags, session: Session): Promise<number> {
  const { fuzzyFind } = await import('@cairn/natives');
  const paint = createPaint(usesColor(flags.color, session.out.isTerminal, session.env));
  const result = await withProgress(session, 'searching', () =>
    fuzzyFind({
      query,
      path: flags.path,
      hidden: flags.hidden,
      gitignore: flags.ignore,
      maxResults: flags.limit,
      includePositions: paint.isColored || flags.json === true,
      timeoutMs: flags.timeout,
      onTimeout: 'partial',
      signal: session.signal,
    }),
  );
  if (flags.json === true) {
    await writeLines(session.out, [JSON.stringify(result)], session.signal);
  } else {
    const look = { prefix: pathPrefix(flags.path), paint, escapes: session.out.isTerminal };
    await writeLines(
      session.out,
      result.matches.map((match) => findLine(match, look)),
      session.signal,
    );
  }
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

export function findCommand(command: Command, session: Session, done: (exitCode: number) => void): void {
  command
    .description('Find files and directories by a few letters of their path, best match first.')
    .summary('find paths by a few letters of them')
    .argument('<query>', 'letters of the name, in order; words and path segments may be abbreviated')
    .addHelpText('after', examples)
    .action(async (query: string, flags: SharedFlags) => done(await runFind(query, flags, session)));
  for (const option of sharedOptions({
    root: 'a directory',
    limit: 'show at most so many paths (default: 100)',
    searchesHidden: false,
  })) {
    command.addOption(option);
  }
}
