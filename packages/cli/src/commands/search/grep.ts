import type { GlobMatch, GrepMatch } from '@cairn/natives';
import { listDocument, writeAnswer, writeNotices } from '../../terminal/answer.ts';
import { ExitCode, exitCodeOf } from '../../terminal/exit.ts';
import { addOptions } from '../../terminal/options.ts';
import { writeLines } from '../../terminal/output.ts';
import { withProgress } from '../../terminal/progress.ts';
import type { CommandContext } from '../../terminal/command-context.ts';
import type { CommandFactory } from '../command.ts';
import { LineJoiner, ContentPrinter, fileLines, type BatchReader } from './grep-lines.ts';
import { noticesOf } from './grep-notices.ts';
import { grepOptions, type GrepFlags } from './grep-options.ts';
import { planGrep, type GrepPlan } from './grep-plan.ts';
import { searchRoots, filterBelow } from './grep-search.ts';
import type { GrepTotals } from './grep-totals.ts';
import { stat } from 'node:fs/promises';
import { pathPrefix } from '../../terminal/path-prefix.ts';
import { pathStyle, printListing } from './listing.ts';
import { searchAll, type Listing } from './search-all.ts';

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
  $ cairn grep -e TODO -e FIXME -g '!*.md'        one of two patterns, not in Markdown
  $ cairn grep "from '(.*)'" -or '$1' -NI         only the first group of each match
  $ git log | cairn grep -w fix                   lines of standard input
  $ cairn grep -- --limit notes.txt               put -- before a pattern that starts with '-'

Without a path, standard input is searched when it is a pipe or a file, otherwise the current directory; - is standard input.
$ matches before CRLF too. Names that start with a dot are searched unless --no-hidden is given; .git is never searched.
-r shows other text in place of a match; no option changes a file ('cairn edit' does).
Paths begin with the searched path as it was given, also with --json.`;

/** Returns the number of files or paths that were not searched to their end, though no option asks for that. */
function unseen({ skipped, failures }: GrepTotals, { matching }: GrepPlan): number {
  // Without the option, only a line that is too long to search skips a file.
  const oversized = matching.maxFileSize === undefined ? skipped.oversized : 0;
  return skipped.unreadable + (skipped.tooCostly ?? 0) + oversized + failures.length;
}

/** The document counts in `matches`: lines in content mode, files in the other modes. */
function documentOf(totals: GrepTotals, plan: GrepPlan, matches: readonly GrepMatch[]): object {
  const { shown, totalMatches, filesWithMatches, complete, limitReached, stopReason, ...others } = totals;
  const { linesCut: _cut, linesReplaced: _replaced, lossyPaths: _lossy, failures: _failures, ...rest } = others;
  const reason = stopReason ?? (limitReached === true ? 'limit' : undefined);
  const { mode } = plan.matching;
  const isWhole = complete && reason === undefined && unseen(totals, plan) === 0;
  return {
    matches,
    shown,
    totalMatches: mode === 'content' ? totalMatches : filesWithMatches,
    complete: isWhole && rest.filesCut === undefined,
    ...(reason !== undefined && { stopReason: reason }),
    ...(mode === 'count' && { totalLines: totalMatches }),
    filesWithMatches,
    ...(plan.roots.length > 1 && { paths: plan.roots }),
    ...rest,
  };
}

async function answerAsDocument(plan: GrepPlan, context: CommandContext): Promise<GrepTotals> {
  const matches: GrepMatch[] = [];
  const totals = await searchRoots(plan, context, async (batch, naming) => {
    for (const match of batch) matches.push({ ...match, path: naming(match.path) });
  });
  const document = documentOf(totals, plan, matches);
  await writeAnswer(context, plan.output, { lines: [], document, notices: () => noticesOf(totals, plan, context) });
  return totals;
}

async function answerAsLines(plan: GrepPlan, context: CommandContext): Promise<GrepTotals> {
  const { form, matching, output } = plan;
  const printer = new ContentPrinter(form);
  const isContent = matching.mode === 'content';
  const lineEnd = matching.mode === 'filesWithMatches' && form.nul ? '\0' : '\n';
  const found = await withProgress(context, 'searching', async (endProgress) => {
    const print: BatchReader = async (batch, naming) => {
      // Lines and progress would mix on one terminal.
      if (context.out.isTerminal) await endProgress();
      const lines = isContent ? printer.lines(batch, naming) : fileLines(batch, form, naming);
      await writeLines(context.out, lines, context.signal, lineEnd);
    };
    if (!form.joinsLines) return searchRoots(plan, context, print);
    const joiner = new LineJoiner(print);
    const totals = await searchRoots(plan, context, joiner.read);
    await joiner.end();
    return totals;
  });
  const totals = { ...found, linesCut: found.linesCut + printer.linesCut };
  await writeNotices(context, output.color, noticesOf(totals, plan, context));
  return totals;
}

/** Answers with the exit status. A negative answer comes with the notices about files that were not searched. */
async function answerQuietly(plan: GrepPlan, context: CommandContext): Promise<GrepTotals> {
  const totals = await searchRoots(plan, context, async () => undefined);
  if (totals.shown === 0) await writeNotices(context, plan.output.color, noticesOf(totals, plan, context));
  return totals;
}

const answers = { lines: answerAsLines, document: answerAsDocument, nothing: answerQuietly } as const;

async function search(plan: GrepPlan, context: CommandContext): Promise<number> {
  const totals = await answers[plan.prints](plan, context);
  const { shown, stopReason } = totals;
  // As in ripgrep, one match is the answer to -q, whatever else could not be read.
  if (plan.prints === 'nothing' && shown > 0) return ExitCode.Hit;
  return exitCodeOf({ shown, stopReason, unreadable: unseen(totals, plan) });
}

/** Prints the types that -t and -T know, with the globs of their files, as `rg --type-list` does. */
async function listTypes({ output }: GrepPlan, context: CommandContext): Promise<number> {
  const { fileTypes } = await import('@cairn/natives');
  const types = fileTypes();
  const lines = types.map(({ name, globs }) => `${name}: ${globs.join(', ')}`);
  await writeAnswer(context, output, { lines, document: listDocument(types), notices: () => [] });
  return ExitCode.Hit;
}

const tasks = { search, files: listFiles, types: listTypes } as const;

export const grepCommand: CommandFactory = (command, context, done) => {
  command
    .description('Search the content of files, or of standard input, by regular expression.')
    .summary('search the content of files')
    .usage('[options] <pattern> [path...]')
    .argument('[pattern]', 'a regular expression; with -e or -f, the arguments are paths')
    .argument('[path...]', 'directories and files to search, in this order (default: the current directory)')
    .addHelpText('after', examples)
    .action(async (pattern: string | undefined, paths: readonly string[], flags: GrepFlags) => {
      // commander's types leave this field out.
      const words: readonly string[] = Reflect.get(command.parent ?? command, 'rawArgs');
      const args = pattern === undefined ? [] : [pattern, ...paths];
      const plan = await planGrep({ args, flags, words }, context);
      done(await tasks[plan.task](plan, context));
    });
  addOptions(command, grepOptions);
};

function inPathOrder(files: readonly GlobMatch[]): GlobMatch[] {
  return files.toSorted((one, other) => Buffer.compare(Buffer.from(one.path), Buffer.from(other.path)));
}

/** Lists the files of one root that grep searches. A file is searched whatever the filters exclude. */
async function listRoot(root: string, plan: GrepPlan, context: CommandContext): Promise<Listing<GlobMatch>> {
  const { FileType, glob } = await import('@cairn/natives');
  const found = await stat(root).catch(() => undefined);
  if (found !== undefined && !found.isDirectory()) {
    const match: GlobMatch = { path: root, fileType: FileType.File };
    return { matches: [match], totalMatches: 1, complete: true };
  }
  const { maxFileSize } = plan.matching;
  const { glob: pattern = '*', hidden = true, ...filter } = filterBelow(root, plan.filter, context);
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
    signal: context.signal,
  });
  // Links are listed by glob, but grep does not follow them.
  const files = result.matches.filter(({ fileType }) => fileType === FileType.File);
  const matches = maxFileSize === undefined ? files : inPathOrder(files.filter(({ size = 0 }) => size <= maxFileSize));
  const prefix = pathPrefix(root);
  return { ...result, matches: matches.map((match) => ({ ...match, path: prefix + match.path })) };
}

export async function listFiles(plan: GrepPlan, context: CommandContext): Promise<number> {
  const { roots, page, form, output, filter, prints } = plan;
  const { hidden = true, gitignore = true } = filter;
  const all = await withProgress(context, 'listing', () =>
    searchAll(roots, (root) => listRoot(root, plan, context), { limit: Infinity }),
  );
  context.signal.throwIfAborted();
  const { offset, limit = Infinity } = page;
  const matches = all.matches.slice(offset, offset + limit).map((one) => ({ ...one, prefix: '' }));
  const listing = { ...all, matches, totalMatches: all.matches.length, hints: [] };
  const flags = { ...output, null: form.nul, hidden, ignore: gitignore };
  const { paint, shown } = pathStyle(flags, context);
  const lines = matches.map(({ match }) => paint.path(shown(match.path)));
  return printListing(context, { listing, lines: prints === 'nothing' ? [] : lines, remarks: [], offset }, flags);
}
