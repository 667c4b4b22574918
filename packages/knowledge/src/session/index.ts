import { storePayloadOptions, contentOf, type KnowledgePayloadOptions } from '../payload/knowledge-payload.ts';
import { checkArguments } from '../errors.ts';
import { existsSync } from 'node:fs';
import { pendingGaps, readGaps } from '../gaps/pending.ts';
import { readSavedIndex } from '../index/saved-index.ts';
import { listHeads, overviewOf } from '../index/selection.ts';
export { knowledgeDirectory } from '../directory.ts';
export { PAYLOAD_LIMITS, type PayloadHost, type PayloadLimit } from '../payload/payload.ts';
import { buildPayload, type PayloadContent } from '../payload/payload.ts';
import { detectStack } from '../stack/detect-stack.ts';
import type { Stack } from '../stack/stack.ts';
import { ASSETS_KEY, GAPS_KEY, isSamePosition, Rows } from '../stores/rows.ts';
import { databasePath, hasTeam } from '../directory.ts';

export interface SessionPayloadOptions extends KnowledgePayloadOptions {
  /** The knowledge directory. */
  readonly directory: string;
  /** Milliseconds since the epoch. @default now */
  readonly nowMs?: number | undefined;
  /** How long to wait for git, which reads commits that the clone of the team store got outside. @default 400 */
  readonly gitTimeoutMs?: number | undefined;
}

/** Whether the clone of the team store has changes; `unknown` when its state cannot be read. */
type TeamState = 'same' | 'changed' | 'unknown';

async function readTeam(directory: string): Promise<TeamState> {
  if (!hasTeam(directory)) return 'same';
  const { hasLocalChanges } = await import('../team/state.ts');
  const hasChanges = await hasLocalChanges(directory).catch(() => undefined);
  return hasChanges === undefined ? 'unknown' : hasChanges ? 'changed' : 'same';
}

/** Reads the content from the saved index; `undefined` when the assets changed since. */
async function readSavedContent(
  { directory, onlyMatching, nowMs = Date.now(), signal }: SessionPayloadOptions,
  { stack, mayLackTeam }: { readonly stack: Stack | undefined; readonly mayLackTeam: boolean },
): Promise<PayloadContent | undefined> {
  const { sqlite } = await import('@cairn/memory/sqlite');
  const backend = sqlite({ path: databasePath(directory) });
  try {
    const saved = await readSavedIndex(backend, { signal });
    const now = await new Rows(backend, ASSETS_KEY).position({ signal });
    if (saved === undefined || !isSamePosition(saved, now)) return undefined;
    const heads = saved.heads.map(({ head }) => head);
    const gaps = pendingGaps(await readGaps(new Rows(backend, GAPS_KEY), { signal }), nowMs);
    const { heads: listed } = listHeads(heads, { stack });
    return contentOf({ directory, listed, overview: saved.overview, stack, onlyMatching, gaps, mayLackTeam });
  } finally {
    await backend.close();
  }
}

/** Reads the assets that changed, and writes the index, so that the next start of a session reads none. */
async function payloadOfStore(
  { directory, nowMs: _, gitTimeoutMs: __, ...options }: SessionPayloadOptions,
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
 * Returns the part of the knowledge that a session of an agent sees at its start. While nothing changed since the index was written, it reads
 * no asset.
 *
 * @throws {MemoryError} when the store cannot be read.
 */
export async function sessionPayload(options: SessionPayloadOptions): Promise<string> {
  checkArguments.options('sessionPayload', options, {
    ...storePayloadOptions,
    directory: 'required',
    nowMs: 'optional',
    gitTimeoutMs: 'optional',
  });
  const { directory, project, gitTimeoutMs = 400 } = options;
  if (!existsSync(databasePath(directory))) {
    const nothing = { directory, listed: [], overview: overviewOf([], 0), gaps: [] };
    return buildPayload(contentOf(nothing), options);
  }
  const timeout = AbortSignal.timeout(gitTimeoutMs);
  const signal = options.signal === undefined ? timeout : AbortSignal.any([options.signal, timeout]);
  const [team, stack] = await Promise.all([
    readTeam(directory),
    project === undefined ? undefined : detectStack(project),
  ]);
  const content =
    team === 'changed' ? undefined : await readSavedContent(options, { stack, mayLackTeam: team === 'unknown' });
  return content === undefined ? payloadOfStore(options, { team, signal }) : buildPayload(content, options);
}
