import { escapeControls } from '@cairn/tool/paths';
import type { Erasure, Fact } from '@cairn/memory';
import { withOwnCommand } from '../../terminal/own-command.ts';
import type { CommandContext } from '../../terminal/command-context.ts';
import { countOf, escapeLine, formatBytes } from '../../terminal/text.ts';

/** Formats a time as `2026-01-31T09:05:00Z`. */
export function formatTime(timeMs: number): string {
  return `${new Date(timeMs).toISOString().slice(0, 19)}Z`;
}

/** States what became of a removed text, in the store and in its backups. */
export function erasureOf(erased: Erasure, backups: string | undefined, store: string = 'the store'): string {
  const texts: Readonly<Record<Erasure, string>> = {
    done: `the text is erased from ${store}`,
    pending:
      'the text is erased from the file when no other process reads it, the disk has space, and the file is not damaged',
    log: 'the text is gone from the data; logs and backups of the server keep it until they are rewritten',
  };
  return `${texts[erased]}${backups === undefined ? '' : `; its backups keep it ${backups}`}`;
}

const units = [
  [86_400_000, 'day'],
  [3_600_000, 'hour'],
  [60_000, 'minute'],
  [1000, 'second'],
] as const;

/** Formats a duration in the largest unit with a value of about two or more: `30 days`, `90 minutes`. */
function formatDuration(durationMs: number): string {
  const [size, name] = units.find(([one]) => durationMs >= 1.99 * one) ?? [1000, 'second'];
  return countOf(Math.round(durationMs / size), name);
}

/** Returns the facts after a name in a list: number, size, remaining time. */
export function describeKey(what: string, bytes: number | undefined, expiresInMs: number | undefined): string {
  const size = bytes === undefined ? [] : [formatBytes(bytes)];
  const left = expiresInMs === undefined ? 'without expiry' : `for ${formatDuration(expiresInMs)}`;
  return [what, ...size, left].join(', ');
}

/** Returns a heading and a string. Later lines are indented, so that only headings start at the margin. */
export function* textLines(heading: string, text: string, context: CommandContext): Generator<string, void, undefined> {
  const escape = context.out.isTerminal ? escapeLine : (line: string) => line;
  const [first = '', ...rest] = text.split(/\r\n|\r|\n/u);
  yield `${escapeControls(heading)}${escape(first)}`;
  for (const line of rest) yield `    ${escape(line)}`;
}

/** Of a longer text, a list shows the part around the first word found. In UTF-16 code units. */
const MAX_SHOWN = 1000;

/** Where a cut text can be read whole, and how much of it a list shows. */
interface ShownOptions {
  /** The words found. */
  readonly matched?: readonly string[] | undefined;
  /** The command that shows it whole. @default the one for facts and messages */
  readonly command?: string | undefined;
  /** @default 1000 */
  readonly max?: number | undefined;
}

/** Returns a string as lists show it: a long one cut, with the command that shows it whole. */
export function shownText(
  text: string,
  id: string,
  context: CommandContext,
  { matched = [], command: given = `cairn memory show ${id}`, max = MAX_SHOWN }: ShownOptions = {},
): string {
  if (text.length <= max) return text;
  const lower = text.toLowerCase();
  const first = Math.min(...matched.map((word) => lower.indexOf(word)).filter((at) => at >= 0), text.length);
  const start = first === text.length ? 0 : Math.max(0, Math.min(first - max / 4, text.length - max));
  // A surrogate pair that the cut divides is left out.
  const part = text.slice(start, start + max).replace(/^[\uDC00-\uDFFF]|[\uD800-\uDBFF]$/gu, '');
  const end = start + max < text.length ? '…' : '';
  const command = withOwnCommand(given, context.command);
  return `${start > 0 ? '…' : ''}${part}${end} [${text.length} characters: ${command}]`;
}

type ShownFact = Fact & { readonly isSimilar?: true; readonly disagreesWith?: readonly string[] };

export function factHeading(fact: ShownFact): string {
  const { updatedAt, id, scope, stream, shared, pinned, tags, archivedAt, supersededBy, isSimilar, disagreesWith } =
    fact;
  const words = [
    formatTime(updatedAt),
    id,
    scope,
    ...tags.map((tag) => `#${tag}`),
    ...(pinned === true ? ['(pinned)'] : []),
    ...(stream === undefined || shared === true ? [] : [`(only in ${stream})`]),
    ...(archivedAt === undefined ? [] : ['(archived)']),
    ...(supersededBy === undefined ? [] : [`(replaced by ${supersededBy})`]),
    ...(isSimilar === true ? ['(similar)'] : []),
    ...(disagreesWith === undefined ? [] : [`(disagrees with ${disagreesWith.join(', ')})`]),
  ];
  return `${words.join(' ')}: `;
}

export function factLines(
  fact: ShownFact & { readonly matched?: readonly string[] },
  context: CommandContext,
): Generator<string, void, undefined> {
  return textLines(factHeading(fact), shownText(fact.text, fact.id, context, { matched: fact.matched }), context);
}
