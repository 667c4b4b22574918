import { existsSync } from 'node:fs';
import { peekSqlite } from '@cairn/memory/sqlite-peek';
import type { KeyState } from '@cairn/memory/sqlite-peek';
import { GAPS_KEY, pendingGaps } from '../gaps/pending.ts';
import type { SessionExtra } from '../gaps/pending.ts';
import { databasePath, readIndexFile } from '../index/index-file.ts';
import type { IndexFile } from '../index/index-file.ts';
import { buildPayload } from '../payload/payload.ts';
import type { PayloadContent } from '../payload/payload.ts';
import type { KnowledgePayloadOptions } from '../payload/knowledge-payload.ts';
import { detectStack } from '../stack/detect-stack.ts';
import { ASSETS_KEY } from '../stores/keys.ts';

export interface SessionPayloadOptions extends KnowledgePayloadOptions {
  /** The knowledge directory. */
  readonly directory: string;
  /** Milliseconds since the epoch. @default now */
  readonly nowMs?: number | undefined;
}

/** The content of a knowledge directory without a store. */
const nothing: PayloadContent = {
  heads: [],
  omitted: { inactive: 0, skills: 0, otherLines: 0, more: 0 },
  counts: { total: 0, promoted: 0, inactive: 0, skills: 0 },
  lastUpdatedMs: undefined,
  gaps: [],
  unshared: { count: 0, newest: [] },
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
  const [assets, gaps] = (await peekSqlite(path, [ASSETS_KEY, GAPS_KEY])) ?? [];
  return isSame(assets, { epoch, sequence }) && isSame(gaps, extraOf(extra).gapsAt);
}

/** Opens the store, and brings the files of the index up to date, so that the next start of a session needs no store. */
async function payloadOfStore({ directory, ...options }: SessionPayloadOptions): Promise<string> {
  const { createKnowledge } = await import('../create-knowledge.ts');
  const knowledge = createKnowledge({ directory });
  try {
    return await knowledge.payload(options);
  } finally {
    await knowledge.close();
  }
}

/**
 * Returns what a session of an agent sees of the knowledge at its start. While nothing changed since the files of the index were
 * written, it reads one of them and opens no store.
 */
export async function sessionPayload(options: SessionPayloadOptions): Promise<string> {
  const { directory, project, onlyMatching, nowMs = Date.now() } = options;
  const path = databasePath(directory);
  if (!existsSync(path)) return buildPayload(nothing, options);
  const stack = project === undefined ? undefined : await detectStack(project);
  const file = readIndexFile(directory, { stack, onlyMatching });
  if (file === undefined || !(await isCurrent(file, path))) return payloadOfStore(options);
  const { heads, omitted, counts, lastUpdatedMs, unshared, extra } = file;
  const gaps = pendingGaps(extraOf(extra).gaps ?? [], nowMs);
  return buildPayload({ heads, omitted: omitted(heads.length), counts, lastUpdatedMs, unshared, gaps }, options);
}
