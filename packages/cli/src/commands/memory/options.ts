import type { Memory } from '@cairn/memory';
import { LANGUAGES } from '@cairn/tool/kernel';
import { describedOption, type FlagsOf } from '../../terminal/parsed.ts';
import { UsageError } from '../../terminal/errors.ts';
import { answerOptions, filled, oneOf, splitValues, switchOf, wholeNumber } from '../../terminal/options.ts';

/** The owner of facts. */
export type Scope = 'project' | 'user';

/** Where the memory is. */
export const placeOptions = [
  [
    '--backend <name>',
    'sqlite or redis (default: redis if there is a URL, otherwise sqlite)',
    oneOf(['sqlite', 'redis']),
  ],
  ['--store <file>', "SQLite file (default: the user's own)", filled],
  ['--url <url>', 'URL of the Redis (default: CAIRN_REDIS_URL)', filled, { conflicts: 'store' }],
] as const;

export const storeOptions = [...placeOptions, ...answerOptions] as const;

export const projectOption = [
  '--project <identity>',
  'project of the facts (default: the git repository of the current directory, else the directory; none for a Redis)',
  filled,
] as const;

export type ProjectFlags = FlagsOf<typeof storeOptions> & FlagsOf<readonly [typeof projectOption]>;

export const allowSecretOption = ['--allow-secret', 'store a text with a key, token or password'] as const;

export const pinOption = ['--pin', 'show it first at the start of every session', switchOf(true)] as const;

export const streamOption = describedOption('--stream <name>', filled);

export const groupOption = describedOption('--group <name>', filled);

export function limitOption(what: string, standard: string) {
  return ['--limit <n>', `at most N ${what} (default: ${standard})`, wholeNumber({ minimum: 1 })] as const;
}

export const offsetOption = ['--offset <n>', 'leave out the first N (default: 0)', wholeNumber()] as const;

export const scopeOption = describedOption('--scope <scope>', oneOf(['project', 'user']));

export const languageOption = describedOption('--language <code>', oneOf(LANGUAGES));

/** `--tag a --tag b` and `--tag a,b` are two tags. */
export const tagOption = describedOption('--tag <name>', splitValues);

export const timeOptions = [
  ['--since <time>', 'from this time on: a date, a UTC time such as 2026-01-31T09:00, or an age such as 7d'],
  ['--until <time>', 'up to this time'],
] as const;

/** Returns the times that the options name, by the clock of the store. */
export function timesOf(
  flags: FlagsOf<typeof timeOptions>,
  memory: Memory,
  signal: AbortSignal,
): Promise<{ readonly since?: number; readonly until?: number }> {
  return timesBefore(flags, () => memory.backend.now({ signal }));
}

/** Returns the times that the options name, by a clock that is read only for them. */
export async function timesBefore(
  { since, until }: FlagsOf<typeof timeOptions>,
  clock: () => Promise<number>,
): Promise<{ readonly since?: number; readonly until?: number }> {
  if (since === undefined && until === undefined) return {};
  const { parseTime } = await import('@cairn/memory/internal');
  const now = await clock();
  const from = since === undefined ? undefined : parseTime(since, { now, edge: 'since' });
  const to = until === undefined ? undefined : parseTime(until, { now, edge: 'until' });
  if (from !== undefined && to !== undefined && from >= to) {
    throw new UsageError(
      `--since ${since} is not before --until ${until}`,
      'use an earlier --since, or a later --until',
    );
  }
  return { ...(from !== undefined && { since: from }), ...(to !== undefined && { until: to }) };
}
