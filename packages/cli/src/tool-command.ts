import { resolve } from 'node:path';
import { Option } from 'commander';
import type { CodingTools } from '@cairn/coding-agent';
import type { FailureDetails, ToolResult } from '@cairn/tool';
import { colorOption } from './args.ts';
import { diffLines, type ShownDiff } from './diff-lines.ts';
import { UsageError } from './errors.ts';
import { ExitCode } from './exit.ts';
import { writeNotices } from './notices.ts';
import { createPaint, usesColor, writeLines, type ColorMode } from './output.ts';
import type { Session } from './session.ts';
import { escapeLine } from './text.ts';

/** The options of every command that runs a tool, as parsed. */
export interface ToolFlags {
  readonly root: string;
  readonly json?: boolean;
  readonly color: ColorMode;
}

/** Those of the commands that change files. */
export interface MutationFlags extends ToolFlags {
  readonly dryRun?: boolean;
  readonly expect?: string;
}

function notEmpty(flag: string): (value: string) => string {
  return (value) => {
    if (value === '') throw new UsageError(`${flag} takes a value, not an empty text`);
    return value;
  };
}

export function toolOptions(): Option[] {
  return [
    new Option('--root <dir>', 'paths are relative to it, and none may lead out of it')
      .argParser(notEmpty('--root'))
      .default('.', 'the current directory'),
    new Option('--json', 'print what happened as one JSON document'),
    colorOption(),
  ];
}

function contentTag(value: string): string {
  if (/^[\da-f]{8}$/u.test(value)) return value;
  throw new UsageError(
    `--expect takes a tag of eight digits such as 1a2b3c4d, as 'cairn read' prints it, not '${value}'`,
  );
}

/** `what` completes "only when …". */
export function mutationOptions(what: string = 'the file has this tag, as cairn read prints it'): Option[] {
  return [
    new Option('--dry-run', 'check everything and show what would change, but change nothing'),
    new Option('--expect <tag>', `only when ${what}`).argParser(contentTag),
    ...toolOptions(),
  ];
}

/** What a command does with the tools. */
export interface ToolRun<Details> {
  readonly flags: ToolFlags;
  /** Change files that were never read: the command line has been told to. */
  readonly overwrites?: boolean | undefined;
  /** A path that must have the tag of `--expect`. */
  readonly expected?: { readonly path: string; readonly tag: string | undefined } | undefined;
  readonly run: (tools: CodingTools) => Promise<ToolResult<Details>>;
  /** What a failure means here, when the tool's own hint speaks of parameters. */
  readonly hints?: Readonly<Partial<Record<FailureDetails['reason'], string>>> | undefined;
  /** Lines for standard output. */
  readonly print: (details: Details) => Iterable<string>;
  /** What is said on standard error. */
  readonly notices: (details: Details, text: string) => readonly string[];
}

function textOf(result: ToolResult): string {
  const [part] = result.content;
  return part?.type === 'text' ? part.text : '';
}

/** What a failure says; what follows the first paragraph is context for a model. */
function firstParagraph(result: ToolResult): string {
  return textOf(result).split('\n\n', 1)[0] ?? '';
}

async function writeFailure(
  { reason, changed, path }: Pick<FailureDetails, 'reason' | 'changed' | 'path'>,
  message: string,
  { flags, session }: Printing,
): Promise<void> {
  if (flags.json !== true) {
    await writeNotices(session, flags.color, [message]);
    return;
  }
  const error = { reason, message, changed, ...(path !== undefined && { path }) };
  await writeLines(session.out, [JSON.stringify({ error })], session.signal);
}

interface Printing {
  readonly flags: ToolFlags;
  readonly session: Session;
}

/**
 * Runs a tool and prints its answer. A run is a process of its own and has read nothing, so files are only overwritten when
 * that is said: with a tag that they must have, or whatever they hold.
 */
export async function runTool<Details>(session: Session, toolRun: ToolRun<Details>): Promise<number> {
  const { createCodingTools } = await import('@cairn/coding-agent');
  const { flags, expected, hints = {} } = toolRun;
  const tools = createCodingTools({
    root: resolve(session.cwd, flags.root),
    policy: { staleGuard: toolRun.overwrites === true ? 'off' : 'strict' },
  });
  const printing = { flags, session };
  if (expected?.tag !== undefined) {
    const known = await tools.read.execute({ path: expected.path }, { signal: session.signal });
    if (known.isError) {
      await writeFailure(known.details, firstParagraph(known), printing);
      return ExitCode.Error;
    }
    const { path } = known.details;
    const tag = 'tag' in known.details ? known.details.tag : undefined;
    if (tag !== expected.tag) {
      const is = tag === undefined ? 'is a directory and has no tag' : `has the tag ${tag}`;
      await writeFailure(
        { reason: tag === undefined ? 'IS_DIRECTORY' : 'STALE', changed: false, path },
        `${path} ${is}, not ${expected.tag}, so nothing was changed; look at it with cairn read and try again`,
        printing,
      );
      return ExitCode.Error;
    }
  }
  const result = await toolRun.run(tools);
  if (result.isError) {
    const hint = hints[result.details.reason];
    const text = firstParagraph(result);
    await writeFailure(result.details, hint === undefined ? text : text.replace(result.details.hint, hint), printing);
    return ExitCode.Error;
  }
  const { details } = result;
  const lines = flags.json === true ? [JSON.stringify(details)] : toolRun.print(details);
  await writeLines(session.out, lines, session.signal);
  if (flags.json !== true) await writeNotices(session, flags.color, toolRun.notices(details, textOf(result)));
  return ExitCode.Hit;
}

/** Differences as lines for standard output. */
export function* shownDiffs(
  diffs: readonly ShownDiff[],
  { flags, session }: Printing,
): Generator<string, void, undefined> {
  const { isTerminal } = session.out;
  const look = {
    paint: createPaint(usesColor(flags.color, isTerminal, session.env)),
    escape: isTerminal ? escapeLine : (text: string) => text,
  };
  for (const diff of diffs) yield* diffLines(diff, look);
}

/** Says that a difference is not all there is. */
export function diffNotices(diffs: readonly ShownDiff[]): string[] {
  return diffs
    .filter(({ diff }) => diff.cut)
    .map(({ from, to }) => `the difference of ${to ?? from ?? ''} is longer than what is shown`);
}
