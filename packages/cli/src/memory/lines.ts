import { escapeControls } from '@cairn/tool/paths';
import type { Session } from '../terminal/session.ts';
import { countOf, escapeLine, formatBytes } from '../terminal/text.ts';

/** Formats a time as `2026-01-31T09:05:00Z`. */
export function formatTime(timeMs: number): string {
  return `${new Date(timeMs).toISOString().slice(0, 19)}Z`;
}

const units = [
  [86_400_000, 'day'],
  [3_600_000, 'hour'],
  [60_000, 'minute'],
  [1000, 'second'],
] as const;

/** Formats a duration in the largest unit of which it has about two or more: `30 days`, `90 minutes`. */
export function formatDuration(durationMs: number): string {
  const [size, name] = units.find(([one]) => durationMs >= 1.99 * one) ?? [1000, 'second'];
  return countOf(Math.round(durationMs / size), name);
}

/** Returns the facts after a name in a list: number, size, remaining time. */
export function describeKey(what: string, bytes: number | undefined, expiresInMs: number | undefined): string {
  const size = bytes === undefined ? [] : [formatBytes(bytes)];
  const left = expiresInMs === undefined ? 'without expiry' : `for ${formatDuration(expiresInMs)}`;
  return [what, ...size, left].join(', ');
}

/** Returns a heading and a text. Later lines are indented, so that only headings start at the margin. */
export function* textLines(heading: string, text: string, session: Session): Generator<string, void, undefined> {
  const escape = session.out.isTerminal ? escapeLine : (line: string) => line;
  const [first = '', ...rest] = text.split(/\r\n|\r|\n/u);
  yield `${escapeControls(heading)}${escape(first)}`;
  for (const line of rest) yield `    ${escape(line)}`;
}
