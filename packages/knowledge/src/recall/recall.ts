import type { Memory } from '@cairn/memory';
import { memoryParts, recallParts, type AskOptions, type RecallAnswer } from '@cairn/memory/internal';
import { checkArguments } from '../errors.ts';
import type { Knowledge } from '../create-knowledge.ts';
import { assetsPart } from './assets-part.ts';

export interface RecallOptions extends AskOptions {
  /** The memory with the facts and the messages. @default neither is searched */
  readonly memory?: Memory | undefined;
  /** The knowledge with the assets. @default none are searched */
  readonly knowledge?: Knowledge | undefined;
  /** The stream that asks. @default the default stream */
  readonly stream?: string | undefined;
}

/**
 * Asks facts, the assets of the team and past sessions one question. The hits are in one order: those with enough of the question
 * first, then by their share of it. A part that cannot be read costs a notice; the others answer.
 *
 * @throws {MemoryError} `INVALID_INPUT`; the error of the first part when no part can be read.
 */
export async function recall(options: RecallOptions): Promise<RecallAnswer> {
  checkArguments.options('recall', options, {
    memory: 'optional',
    knowledge: 'optional',
    stream: 'optional',
    query: 'optional',
    kind: 'optional',
    tags: 'optional',
    scope: 'optional',
    role: 'optional',
    since: 'optional',
    until: 'optional',
    minEvidence: 'optional',
    limit: 'optional',
    offset: 'optional',
    signal: 'optional',
  });
  const { memory, knowledge, stream, ...asked } = options;
  const parts = [
    ...(memory === undefined ? [] : memoryParts({ open: () => Promise.resolve(memory), stream })),
    ...(knowledge === undefined ? [] : [assetsPart({ open: () => Promise.resolve(knowledge) })]),
  ];
  return recallParts(parts, asked);
}
