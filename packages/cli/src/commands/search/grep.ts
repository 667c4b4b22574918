import type { GrepMatch } from '@cairn/natives';
import { writeAnswer, writeNotices } from '../../terminal/answer.ts';
import { UsageError } from '../../terminal/errors.ts';
import { ExitCode, exitCodeOf } from '../../terminal/exit.ts';
import { writeLines } from '../../terminal/output.ts';
import { withProgress } from '../../terminal/progress.ts';
import type { Session } from '../../terminal/session.ts';
import type { CommandFactory } from '../command.ts';
import { documentOf, formOf, noticesOf, type NoticeContext } from './grep-answer.ts';
import { ContentPrinter, fileLines, type PathNaming } from './grep-lines.ts';
import { addGrepOptions, checkGrepFlags, modeOf, type GrepFlags } from './grep-options.ts';
import { searchRoots, type GrepRequest } from './grep-search.ts';
import type { GrepTotals } from './grep-totals.ts';
import { rootsOf } from './options.ts';

const examples = `
Examples:
  $ cairn grep TODO                               every line with TODO
  $ cairn grep -i 'error.*timeout' -C 2           any case, with two lines around each hit
  $ cairn grep -F 'foo(bar[0])' src test          exactly this text, in two directories
  $ cairn grep 'export function' -g '*.{ts,tsx}'  only in files that match a pattern
  $ cairn grep import -t ts -c                    matching lines per file, in TypeScript
  $ cairn grep import -l --limit 10               only the names of ten files
  $ cairn grep -U 'import {\\n.*type' -t ts        a match may cross lines
  $ cairn grep -o 'https://[^ ]+' README.md       only what matches
  $ cairn grep -- --limit notes.txt               put -- before a pattern that starts with '-'

$ matches before CRLF too. Names that start with a dot are searched unless --no-hidden is given; .git is never searched.
Printed paths are relative to the current directory; with --json they are relative to the one path that is searched.`;

/** Matches in JSON and the naming of their paths. */
const asIs: PathNaming = (path) => path;

async function answerAsDocument(request: GrepRequest, session: Session): Promise<GrepTotals> {
  const { flags, roots, pattern } = request;
  const matches: GrepMatch[] = [];
  const isOne = roots.length === 1;
  let pathOf = asIs;
  const summary = await searchRoots(request, session, async (batch, naming) => {
    pathOf = naming;
    for (const match of batch) matches.push(isOne ? match : { ...match, path: naming(match.path) });
  });
  const document = documentOf(summary, flags, { matches, roots });
  const notices = (): string[] =>
    noticesOf(summary, flags, { pattern, pathOf: isOne ? pathOf : asIs, linesCut: 0, session });
  await writeAnswer(session, flags, { lines: [], document, notices });
  return summary;
}

async function answerAsLines(request: GrepRequest, session: Session): Promise<GrepTotals> {
  const { flags, roots, pattern } = request;
  let linesCut = 0;
  let pathOf = asIs;
  const form = formOf(flags, session, () => {
    linesCut += 1;
  });
  const printer = new ContentPrinter(form);
  const isContent = modeOf(flags) === 'content';
  const lineEnd = modeOf(flags) === 'files' && form.nul ? '\0' : '\n';
  const summary = await withProgress(session, 'searching', () =>
    searchRoots(request, session, async (batch, naming) => {
      pathOf = naming;
      const lines = isContent ? printer.lines(batch, naming) : fileLines(batch, form, naming);
      await writeLines(session.out, lines, session.signal, lineEnd);
    }),
  );
  const context: NoticeContext = { pattern, pathOf: roots.length === 1 ? pathOf : asIs, linesCut, session };
  await writeNotices(session, flags.color, noticesOf(summary, flags, context));
  return summary;
}

/** Answers with the exit status. A negative answer comes with the notices about files that were not searched. */
async function answerQuietly(request: GrepRequest, session: Session): Promise<number> {
  const flags: GrepFlags = { ...request.flags, mode: 'files', count: false, limit: 1, offset: 0 };
  const summary = await searchRoots({ ...request, flags }, session, async () => undefined);
  // As in ripgrep, one match is the answer, whatever else could not be read.
  if (summary.shown > 0) return ExitCode.Hit;
  const context: NoticeContext = { pattern: request.pattern, pathOf: asIs, linesCut: 0, session };
  await writeNotices(session, flags.color, noticesOf(summary, flags, context));
  return statusOf(summary);
}

function statusOf({ shown, stopReason, skipped, failures }: GrepTotals): number {
  return exitCodeOf({ shown, stopReason, unreadable: skipped.unreadable + failures.length });
}

async function runGrep(args: readonly string[], flags: GrepFlags, session: Session): Promise<number> {
  checkGrepFlags(flags);
  const [pattern, ...paths] = args;
  if (pattern === undefined) {
    throw new UsageError(
      'missing argument <pattern>',
      "use 'cairn grep [options] <pattern> [path...]' (see 'cairn grep --help')",
    );
  }
  const request: GrepRequest = { pattern, roots: rootsOf(flags, paths), flags };
  if (flags.quiet === true) return answerQuietly(request, session);
  const answer = flags.json === true ? answerAsDocument : answerAsLines;
  return statusOf(await answer(request, session));
}

export const grepCommand: CommandFactory = (command, session, done) => {
  command
    .description('Search the content of files by regular expression.')
    .summary('search the content of files')
    .usage('[options] <pattern> [path...]')
    .argument('[pattern]', 'a regular expression')
    .argument('[path...]', 'directories and files to search, in this order (default: the current directory)')
    .addHelpText('after', examples)
    .action(async (pattern: string | undefined, paths: readonly string[], flags: GrepFlags) => {
      done(await runGrep(pattern === undefined ? [] : [pattern, ...paths], flags, session));
    });
  addGrepOptions(command);
};
