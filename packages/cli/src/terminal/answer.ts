/**
 * The one place where commands print. A command makes an {@link Answer}; a failed one throws. With `--json`, standard output
 * has one JSON document and standard error nothing; `schema/output.json` of this package describes the documents. Without it,
 * standard output has the lines, and standard error the notices or the error.
 */
import { escapeControls, quotePath } from '@cairn/tool/paths';
import { describe, factsOf, OutputError, type ErrorFacts } from './errors.ts';
import { createPaint, usesColor, writeLines, type ColorMode, type LineEnd } from './output.ts';
import { withOwnCommand } from './own-command.ts';
import type { answerOptions } from './options.ts';
import type { FlagsOf } from './parsed.ts';
import type { CommandContext } from './command-context.ts';
import { wrapWords } from './text.ts';

export type AnswerFlags = FlagsOf<typeof answerOptions>;

type StopReason = 'limit' | 'timeout' | 'budget';

/** The JSON document of every command that searches or lists. */
export interface MatchesDocument {
  readonly matches: readonly unknown[];
  readonly shown: number;
  /** How many matches there are, in the unit of `matches`. At least this many when `complete` is false. */
  readonly totalMatches: number;
  /** Whether every match was found and is in `matches`. */
  readonly complete: boolean;
  readonly stopReason?: StopReason;
}

export interface Answer {
  readonly lines: Iterable<string>;
  readonly lineEnd?: LineEnd | undefined;
  /** The JSON document, without its `notices`. */
  readonly document: object;
  /** What the answer leaves out, and other remarks. Called after the lines are written, which may add some. */
  readonly notices: () => readonly string[];
}

export interface Page {
  /** The limit. A list as long as it may have been cut there. */
  readonly limit?: number | undefined;
  readonly hasMore?: boolean | undefined;
  readonly total?: number | undefined;
  /** Whether everything could be read. @default true */
  readonly isWhole?: boolean | undefined;
}

export function listDocument(
  matches: readonly unknown[],
  { limit, hasMore, total, isWhole = true }: Page = {},
): MatchesDocument {
  const isCut = hasMore ?? (limit !== undefined && matches.length >= limit);
  const counts = { matches, shown: matches.length, totalMatches: total ?? matches.length };
  return isCut ? { ...counts, complete: false, stopReason: 'limit' } : { ...counts, complete: isWhole };
}

/** Returns a message as standard error has it: one line, in a terminal broken between words. */
function messageLine(context: CommandContext, message: string): string {
  const line = `cairn: ${escapeControls(withOwnCommand(message, context.command))}`;
  return context.err.isTerminal ? wrapWords(line, context.err.width, '  ') : line;
}

export async function writeNotices(
  context: CommandContext,
  color: ColorMode,
  notices: readonly string[],
): Promise<void> {
  const paint = createPaint(usesColor(color, context.err.isTerminal, context.env));
  for (const notice of notices) await context.err.write(`${paint.dim(messageLine(context, notice))}\n`);
}

export async function writeAnswer(
  context: CommandContext,
  { json = false, color }: AnswerFlags,
  { lines, lineEnd, document, notices }: Answer,
): Promise<void> {
  if (json) {
    const runnable = notices().map((notice) => withOwnCommand(notice, context.command));
    const text = JSON.stringify({ ...document, notices: runnable });
    await writeLines(context.out, [text], context.signal);
  } else {
    await writeLines(context.out, lines, context.signal, lineEnd);
    await writeNotices(context, color, notices());
  }
}

/** Returns an error as one line, before its characters are escaped. */
export function errorText(error: unknown): string {
  const facts = factsOf(error);
  const { path } = facts;
  const text = describe(facts);
  // Libraries put the path into their messages as it is, tools as answers show it.
  const shown = path === undefined ? '' : quotePath(path);
  return (path === undefined || text.includes(shown) ? text : text.replaceAll(path, () => shown))
    .trim()
    .replace(/\s*\n\s*/gu, ' ');
}

export function errorLine(error: unknown): string {
  return `cairn: ${escapeControls(errorText(error))}`;
}

export function errorDocument(context: CommandContext, error: unknown): ErrorFacts {
  const { fix, ...facts } = factsOf(error);
  return fix === undefined ? facts : { ...facts, fix: withOwnCommand(fix, context.command) };
}

/** Reports an error: as a document on standard output with `--json`, otherwise as one line on standard error. */
export async function writeError(context: CommandContext, error: unknown, json: boolean): Promise<void> {
  const document = `${JSON.stringify({ error: errorDocument(context, error) })}\n`;
  const line = `${messageLine(context, errorText(error))}\n`;
  // Standard output that rejects data rejects the document, too.
  if (json && !(error instanceof OutputError)) await context.out.write(document).catch(() => context.err.write(line));
  else await context.err.write(line);
  if (context.env['CAIRN_DEBUG'] === '1' && error instanceof Error) await context.err.write(`${error.stack ?? ''}\n`);
}
