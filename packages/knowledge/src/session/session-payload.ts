import { storePayloadOptions } from '../payload/knowledge-payload.ts';
import { checkArguments } from '../errors.ts';
import { existsSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import type { KeyState } from '@cairn/memory/sqlite-peek';
import { pendingGaps } from '../gaps/pending.ts';
import type { SessionExtra } from '../gaps/pending.ts';
import { databasePath, readIndexFile } from '../index/index-file.ts';
import type { IndexFile } from '../index/index-file.ts';
import { renderPayload } from '../payload/payload.ts';
import type { PayloadContent } from '../payload/payload.ts';
import type { KnowledgePayloadOptions } from '../payload/knowledge-payload.ts';
import { detectStack } from '../stack/detect-stack.ts';
import { ASSETS_KEY, GAPS_KEY } from '../stores/rows.ts';
import { hasTeam } from '../directory.ts';

export interface SessionPayloadOptions extends KnowledgePayloadOptions {
  /** The knowledge directory. */
  readonly directory: string;
  /** Milliseconds since the epoch. @default now */
  readonly nowMs?: number | undefined;
  /** How long to wait for git, which compares the clone of the team store. @default 400 */
  readonly gitTimeoutMs?: number | undefined;
  /**
   * How long to wait for the store when the files of the index are not current. After that the text is made of those files, and
   * states that it may lack changes. Without such files there is no limit. @default 700
   */
  readonly storeTimeoutMs?: number | undefined;
}

/** The content of a knowledge directory without a store. */
const nothing: PayloadContent = {
  heads: [],
  omitted: { inactive: 0, skills: 0, otherLines: 0, more: 0 },
  counts: { total: 0, promoted: 0, inactive: 0, skills: 0 },
  lastUpdatedMs: undefined,
  gaps: [],
  unshared: undefined,
};

function extraOf(extra: unknown): Partial<SessionExtra> {
  return (extra ?? {}) as Partial<SessionExtra>;
}

function isSame(state: KeyState | undefined, known: KeyState | undefined): boolean {
  return state !== undefined && state.epoch === known?.epoch && state.sequence === known.sequence;
}

/** Returns whether the file of the index has all that the store has. */
async function isCurrent(
  { isCurrent: hasSameFiles, epoch, sequence, extra }: IndexFile,
  path: string,
): Promise<boolean> {
  if (hasSameFiles) return true;
  // The last process that closes a store changes its files without changing what is in it.
  const { peekSqlite } = await import('@cairn/memory/sqlite-peek');
  const [assets, gaps] = (await peekSqlite(path, [ASSETS_KEY, GAPS_KEY])) ?? [];
  return isSame(assets, { epoch, sequence }) && isSame(gaps, extraOf(extra).gapsAt);
}

/** Whether the clone of the team store has changes; `unknown` when git fails or takes too long. */
type TeamState = 'same' | 'changed' | 'unknown';

async function readTeam(directory: string, signal: AbortSignal): Promise<TeamState> {
  if (!hasTeam(directory)) return 'same';
  const { hasLocalChanges } = await import('../team/local-changes.ts');
  try {
    return (await hasLocalChanges(directory, { signal })) ? 'changed' : 'same';
  } catch {
    return 'unknown';
  }
}

/** Opens the store, and brings the files of the index up to date, so that the next start of a session needs no store. */
async function payloadOfStore(
  { directory, nowMs: _, gitTimeoutMs: __, storeTimeoutMs: ___, ...options }: SessionPayloadOptions,
  { team, signal }: { readonly team: TeamState; readonly signal: AbortSignal },
): Promise<string> {
  const { createKnowledge } = await import('../create-knowledge.ts');
  const knowledge = createKnowledge({ directory });
  let mayLackTeam = team === 'unknown';
  try {
    if (team === 'changed') {
      // What git does not finish in time is in the next session, or after the next command.
      await knowledge.team.refresh({ signal }).catch(() => {
        mayLackTeam = true;
      });
    }
    return await knowledge.payload({ ...options, mayLackTeam });
  } finally {
    // A host waits.
    await knowledge.close({ erases: false });
  }
}

/**
 * Returns what a session of an agent sees of the knowledge at its start. While nothing changed since the files of the index were
 * written, it reads one of them and opens no store.
 *
 * @throws {MemoryError} when the store cannot be read.
 */
export async function sessionPayload(options: SessionPayloadOptions): Promise<string> {
  checkArguments.options('sessionPayload', options, {
    ...storePayloadOptions,
    directory: 'required',
    nowMs: 'optional',
    gitTimeoutMs: 'optional',
    storeTimeoutMs: 'optional',
  });
  const { directory, project, onlyMatching, nowMs = Date.now(), gitTimeoutMs = 400, storeTimeoutMs = 700 } = options;
  const path = databasePath(directory);
  if (!existsSync(path)) return renderPayload(nothing, options);
  const timeout = AbortSignal.timeout(gitTimeoutMs);
  const signal = options.signal === undefined ? timeout : AbortSignal.any([options.signal, timeout]);
  const [team, stack] = await Promise.all([
    readTeam(directory, signal),
    project === undefined ? undefined : detectStack(project),
  ]);
  const file = readIndexFile(directory, { stack, onlyMatching });
  if (file === undefined) return payloadOfStore(options, { team, signal });
  const payloadOfFile = (mayBeOld: boolean): string => {
    const { heads, omitted, counts, lastUpdatedMs, extra } = file;
    const unshared = hasTeam(directory) ? file.unshared : undefined;
    const gaps = pendingGaps(extraOf(extra).gaps ?? [], nowMs);
    const mayLackTeam = team === 'unknown' || (mayBeOld && team === 'changed');
    const numbers = { counts, lastUpdatedMs, unshared, mayLackTeam, mayBeOld };
    return renderPayload({ heads, omitted: omitted(heads.length), gaps, ...numbers }, options);
  };
  // A store that another process locks cannot be compared either.
  return beforeTimeout(
    async (call) => {
      if (team !== 'changed' && (await isCurrent(file, path))) return payloadOfFile(false);
      return payloadOfStore({ ...options, signal: call }, { team, signal: AbortSignal.any([signal, call]) });
    },
    () => payloadOfFile(true),
    { timeoutMs: storeTimeoutMs, signal: options.signal },
  );
}

/** Returns the result of some work, or after the time limit another one; the work is aborted then. */
async function beforeTimeout<T>(
  work: (signal: AbortSignal) => Promise<T>,
  late: () => T,
  { timeoutMs, signal }: { readonly timeoutMs: number; readonly signal: AbortSignal | undefined },
): Promise<T> {
  const timer = new AbortController();
  const call = signal === undefined ? timer.signal : AbortSignal.any([signal, timer.signal]);
  const done = work(call);
  // After the time limit its failure is not reported.
  done.catch(() => undefined);
  const timeout = delay(timeoutMs, undefined, { signal: timer.signal }).then(late);
  timeout.catch(() => undefined);
  try {
    return await Promise.race([timeout, done]);
  } finally {
    timer.abort();
  }
}
