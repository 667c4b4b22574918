import { Option, type Command } from 'commander';
import { storeOptions, type RetentionFlags } from '../../memory/store.ts';
import { wholeNumber } from '../../terminal/options.ts';

/** The options of the commands on messages, as parsed. */
export interface GroupFlags extends RetentionFlags {
  readonly stream?: string;
  readonly group?: string;
  readonly limit?: number;
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

export function limitOption(standard: string): Option {
  return new Option('--limit <n>', `at most N messages (default: ${standard})`).argParser(
    wholeNumber('--limit', '', 1),
  );
}

/** Adds options, then those of every command on a store. */
export function addOptions(command: Command, options: readonly Option[] = []): void {
  for (const option of [...options, ...storeOptions()]) command.addOption(option);
}
