import { stat } from 'node:fs/promises';
import type { GrepMatch } from '@cairn/natives';
import { writeAnswer, writeNotices } from '../../terminal/answer.ts';
import { UsageError } from '../../terminal/errors.ts';
import { ExitCode, exitCodeOf } from '../../terminal/exit.ts';
import { writeLines } from '../../terminal/output.ts';
import { withProgress } from '../../terminal/progress.ts';
import type { Session } from '../../terminal/session.ts';
import { chooseInput, openStandardInput, STANDARD_INPUT, type InputChoice } from '../../terminal/standard-input.ts';
import type { CommandFactory } from '../command.ts';
import { documentOf, formOf, noticesOf, unseen, type NoticeContext } from './grep-answer.ts';
import { runFiles } from './grep-files.ts';
import { LineJoiner } from './grep-joined.ts';
import { ContentPrinter, fileLines } from './grep-lines.ts';
import { addGrepOptions, checkGrepFlags, modeOf, type GrepFlags } from './grep-options.ts';
import { checkReplace } from './grep-replace.ts';
import { readArguments } from './grep-patterns.ts';
import { searchRoots, type BatchReader, type GrepRequest } from './grep-search.ts';
import type { GrepTotals } from './grep-totals.ts';
import { runTypeList } from './grep-types.ts';
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
  $ cairn grep -e TODO -e FIXME -g '!*.md'        one of two patterns, not in Markdown
  $ cairn grep "from '(.*)'" -or '$1' -NI         only the first group of each match
  $ git log | cairn grep -w fix                   lines of standard input
  $ cairn grep -- --limit notes.txt               put -- before a pattern that starts with '-'

Without a path, standard input is searched when it is a pipe or a file, otherwise the current directory; - is standard input.
$ matches before CRLF too. Names that start with a dot are searched unless --no-hidden is given; .git is never searched.
-r shows other text in place of a match; no option changes a file ('cairn edit' does).
Paths begin with the searched path as it was given, also with --json.`;

/** A command line. */
interface Invocation {
  readonly session: Session;
  /** Its words, as they were given. */
  readonly words: readonly string[];
}

/** What the search of one command line reports besides its matches. */
interface Context {
  readonly session: Session;
  /** Notices about the choice of what is searched. */
  readonly notices: readonly string[];
}

async function answerAsDocument(request: GrepRequest, { session, notices }: Context): Promise<GrepTotals> {
  const { flags, roots, patterns } = request;
  const matches: GrepMatch[] = [];
  const totals = await searchRoots(request, session, async (batch, naming) => {
    for (const match of batch) matches.push({ ...match, path: naming(match.path) });
  });
  const context: NoticeContext = { patterns, linesCut: 0, session };
  await writeAnswer(session, flags, {
    lines: [],
    document: documentOf(totals, flags, { matches, roots }),
    notices: () => [...notices, ...noticesOf(totals, flags, context)],
  });
  return totals;
}

async function isOneFile([root = '.', ...others]: readonly string[]): Promise<boolean> {
  if (others.length > 0) return false;
  const found = await stat(root).catch(() => undefined);
  return found !== undefined && !found.isDirectory();
}

async function answerAsLines(request: GrepRequest, { session, notices }: Context): Promise<GrepTotals> {
  const { flags, patterns } = request;
  let linesCut = 0;
  const isFromInput = request.roots.every((root) => root === STANDARD_INPUT);
  const form = formOf(flags, session, {
    isFromInput,
    isOneFile: isFromInput || (await isOneFile(request.roots)),
    onCut: () => {
      linesCut += 1;
    },
  });
  const printer = new ContentPrinter(form);
  const usesPlaces = form.isTerminal || form.paint.isColored || form.onlyMatching || form.column;
  const isContent = modeOf(flags) === 'content';
  const lineEnd = modeOf(flags) === 'files' && form.nul ? '\0' : '\n';
  const search = (read: BatchReader): Promise<GrepTotals> => searchRoots({ ...request, usesPlaces }, session, read);
  const totals = await withProgress(session, 'searching', async (endProgress) => {
    const print: BatchReader = async (batch, naming) => {
      // Lines and progress would mix on one terminal.
      if (session.out.isTerminal) await endProgress();
      const lines = isContent ? printer.lines(batch, naming) : fileLines(batch, form, naming);
      await writeLines(session.out, lines, session.signal, lineEnd);
    };
    if (!form.joinsLines) return search(print);
    const joiner = new LineJoiner(print);
    const found = await search(joiner.read);
    await joiner.end();
    return found;
  });
  const context: NoticeContext = { patterns, linesCut, session };
  await writeNotices(session, flags.color, [...notices, ...noticesOf(totals, flags, context)]);
  return totals;
}

/** Answers with the exit status. A negative answer comes with the notices about files that were not searched. */
async function answerQuietly(request: GrepRequest, { session, notices }: Context): Promise<number> {
  const { flags: given, patterns } = request;
  const flags: GrepFlags = { ...given, mode: 'files', limit: 1, offset: 0 };
  const totals = await searchRoots({ ...request, flags }, session, async () => undefined);
  // As in ripgrep, one match is the answer, whatever else could not be read.
  if (totals.shown > 0) return ExitCode.Hit;
  const context: NoticeContext = { patterns, linesCut: 0, session };
  await writeNotices(session, flags.color, [...notices, ...noticesOf(totals, flags, context)]);
  return statusOf(totals, flags);
}

function statusOf(totals: GrepTotals, flags: GrepFlags): number {
  const { shown, stopReason } = totals;
  return exitCodeOf({ shown, stopReason, unreadable: unseen(totals, flags) });
}

const TO_SEARCH_FILES = 'to search files, add a path, such as .';

/** Returns the roots, and the text of standard input when it is one of them. */
async function chooseRoots(
  given: readonly string[],
  usesInput: boolean,
  session: Session,
): Promise<InputChoice & { readonly roots: readonly string[] }> {
  if (given.includes(STANDARD_INPUT)) {
    if (usesInput) {
      throw new UsageError('-f - and the path - both need standard input', 'put the patterns or the text in a file');
    }
    // The second time, it has nothing left.
    const roots = given.filter((root, index) => root !== STANDARD_INPUT || given.indexOf(root) === index);
    return { roots, input: await openStandardInput(session, TO_SEARCH_FILES), notices: [] };
  }
  if (given.length > 0 || usesInput) return { roots: rootsOf({}, given), notices: [] };
  const choice = await chooseInput(session, TO_SEARCH_FILES);
  return { ...choice, roots: choice.input === undefined ? ['.'] : [STANDARD_INPUT] };
}

async function runGrep(args: readonly string[], flags: GrepFlags, { session, words }: Invocation): Promise<number> {
  checkGrepFlags(flags);
  if (flags.typeList === true) return runTypeList(flags, session);
  if (flags.files === true) return runFiles(rootsOf(flags, args), flags, session);
  await checkReplace(flags, args[0], words);
  const { patterns, paths, usesInput } = await readArguments(args, flags.sources, session);
  const given = paths.length === 0 && flags.path === undefined ? [] : rootsOf(flags, paths);
  const { roots, input, notices } = await chooseRoots(given, usesInput, session);
  const request: GrepRequest = {
    patterns,
    roots,
    input: input?.stream,
    flags,
    keepsAll: flags.json === true,
    usesPlaces: true,
  };
  const context: Context = { session, notices };
  if (flags.quiet === true) return answerQuietly(request, context);
  const answer = flags.json === true ? answerAsDocument : answerAsLines;
  return statusOf(await answer(request, context), flags);
}

export const grepCommand: CommandFactory = (command, session, done) => {
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
      done(await runGrep(pattern === undefined ? [] : [pattern, ...paths], flags, { session, words }));
    });
  addGrepOptions(command);
};
