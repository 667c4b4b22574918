import type { Memory } from '@cairn/memory';
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
 * same asset. The team has the asset after the next push.
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
    dryRun: 'optional',
    signal: 'optional',
  });
  const { memory, knowledge, ...asked } = options;
  const { text, tags, supersededBy, archivedAt, allowSecret } = await memory.facts.get(id, { signal: asked.signal });
  const fact = { id, text, tags, supersededBy, isArchived: archivedAt !== undefined, allowSecret };
  return shareFact(knowledge, fact, asked);
}
