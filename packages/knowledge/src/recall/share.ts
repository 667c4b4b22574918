import type { Fact, Memory } from '@cairn/memory';
import { checkArguments } from '../errors.ts';
import type { Knowledge } from '../create-knowledge.ts';
import { shareFact, type ShareOptions, type ShareResult } from '../layers/share.ts';

export interface ShareFactOptions extends ShareOptions {
  /** The memory that has the fact. */
  readonly memory: Memory;
  /** The knowledge that gets the asset. */
  readonly knowledge: Knowledge;
}

/**
 * Makes an asset of a fact. The asset names the fact as its origin; the fact stays, with its history. Sharing it twice returns the
 * same asset; `differs` reports that their text differs, and `update` gives the asset the text of the fact. The team has the asset after the next push.
 *
 * @throws {MemoryError} `UNKNOWN_FACT`.
 * @throws {KnowledgeError} `INVALID_INPUT` for a fact that was replaced or archived, `SECRET`, `ASSET_EXISTS` when the given name is
 *   taken, `INVALID_NAME`, `INVALID_ASSET`.
 */
export async function share(id: string, options: ShareFactOptions): Promise<ShareResult> {
  checkArguments.options('share', options, {
    memory: 'required',
    knowledge: 'required',
    name: 'optional',
    title: 'optional',
    type: 'optional',
    productLine: 'optional',
    tags: 'optional',
    isNew: 'optional',
    allowSecret: 'optional',
    update: 'optional',
    dryRun: 'optional',
    signal: 'optional',
  });
  const { memory, knowledge, ...asked } = options;
  const fact = await memory.facts.get(id, { signal: asked.signal });
  const { text, tags, updatedAt, supersededBy, archivedAt, allowSecret } = fact;
  const earlier = await replacedBy(fact, memory, asked.signal);
  const isArchived = archivedAt !== undefined;
  const shared = { id, text, tags, updatedAt, earlier, supersededBy, isArchived, allowSecret };
  return shareFact(knowledge, shared, asked);
}

/** A chain of replaced facts is not followed further. */
const MAX_EARLIER = 20;

/** Returns the facts that a fact replaced, the last one first. */
async function replacedBy(
  { supersedes }: Fact,
  { facts }: Memory,
  signal: AbortSignal | undefined,
): Promise<readonly string[]> {
  const earlier: string[] = [];
  for (let id = supersedes; id !== undefined && earlier.length < MAX_EARLIER;) {
    earlier.push(id);
    // A forgotten one ends the chain.
    id = (await facts.get(id, { signal }).catch(() => undefined))?.supersedes;
  }
  return earlier;
}
