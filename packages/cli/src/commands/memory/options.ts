import { Option, type Command } from 'commander';
import type { Memory } from '@cairn/memory';
import { projectOption, storeOptions, type ProjectFlags, type RetentionFlags } from '../../memory/store.ts';
import { filled, oneOf, wholeNumber } from '../../terminal/options.ts';

/** The options of the commands on messages, as parsed. */
export interface GroupFlags extends RetentionFlags {
  readonly stream?: string;
  readonly group?: string;
  readonly limit?: number;
}

/** The options that select facts, as parsed. */
export interface FactFlags extends ProjectFlags {
  readonly scope?: 'project' | 'user';
  readonly tag?: readonly string[];
  readonly stream?: string;
  readonly since?: string;
  readonly until?: string;
  readonly limit?: number;
  readonly offset?: number;
}

export interface Group {
  readonly stream: string;
  readonly group: string;
}

/** Returns the stream and the group that the options name. */
export async function groupOf({ stream, group }: GroupFlags): Promise<Group> {
  const { DEFAULT_GROUP, DEFAULT_STREAM } = await import('@cairn/memory');
  return { stream: stream ?? DEFAULT_STREAM, group: group ?? DEFAULT_GROUP };
}

export function streamOption(description: string): Option {
  return new Option('--stream <name>', description);
}

export function groupOption(description: string): Option {
  return new Option('--group <name>', description);
}

/** The options that name one group. */
export function oneGroupOptions(): Option[] {
  return [streamOption('stream (default: agent)'), groupOption('group (default: default)')];
}

export function limitOption(what: string, standard: string): Option {
  return new Option('--limit <n>', `at most N ${what} (default: ${standard})`).argParser(wholeNumber('--limit', '', 1));
}

export function offsetOption(): Option {
  return new Option('--offset <n>', 'leave out the first N (default: 0)').argParser(wholeNumber('--offset'));
}

export function scopeOption(description: string): Option {
  return new Option('--scope <scope>', description).argParser(oneOf('--scope', ['project', 'user'] as const));
}

/** `--tag a --tag b` and `--tag a,b` are two tags. */
export function tagOption(description: string): Option {
  return new Option('--tag <name>', description).argParser((value: string, tags: readonly string[] | undefined) => [
    ...(tags ?? []),
    ...filled('--tag')(value).split(','),
  ]);
}

/** The options that select a time. */
export function timeOptions(): Option[] {
  return [
    new Option(
      '--since <time>',
      'from this time on: a date, a UTC time such as 2026-01-31T09:00, or an age such as 7d',
    ),
    new Option('--until <time>', 'up to this time'),
  ];
}

/** Returns the times that the options name, by the clock of the store. */
export async function timesOf(
  { since, until }: { readonly since?: string | undefined; readonly until?: string | undefined },
  memory: Memory,
  signal: AbortSignal,
): Promise<{ readonly since?: number; readonly until?: number }> {
  if (since === undefined && until === undefined) return {};
  const { parseTime } = await import('@cairn/memory');
  const now = await memory.backend.now({ signal });
  return {
    ...(since !== undefined && { since: parseTime(since, { now, edge: 'since' }) }),
    ...(until !== undefined && { until: parseTime(until, { now, edge: 'until' }) }),
  };
}

/** Adds options, then those of every command on a store. */
export function addOptions(command: Command, options: readonly Option[] = []): void {
  for (const option of [...options, ...storeOptions()]) command.addOption(option);
}

/** Adds options, then those of every command on facts. */
export function addFactOptions(command: Command, options: readonly Option[] = []): void {
  addOptions(command, [...options, projectOption()]);
}
