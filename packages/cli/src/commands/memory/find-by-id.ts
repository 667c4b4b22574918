import type { Memory } from '@cairn/memory';
import type { FoundMessage } from '@cairn/memory/internal';
import { CommandError } from '../../terminal/errors.ts';

/** The facts whose ids are compared with a mistyped one. */
const MAX_COMPARED = 1000;

/** Returns a fact whose id continues or contains what was typed. */
async function suggest(memory: Memory, id: string, signal: AbortSignal): Promise<string | undefined> {
  const part = id.toLowerCase();
  if (part === '') return undefined;
  for (const archived of [false, true]) {
    const { facts } = await memory.facts.list({ allStreams: true, archived, limit: MAX_COMPARED, signal });
    const found = facts.filter((fact) => fact.id.toLowerCase().includes(part));
    if (found.length === 1) return found[0]?.id;
  }
  return undefined;
}

/** An id, and what to do if a message has it and no fact. */
interface IdToFind<T> {
  readonly id: string;
  readonly signal: AbortSignal;
  readonly orMessage?: (message: FoundMessage) => Promise<T>;
}

/** Runs a task on a fact. An unknown id is reported with the one that was most likely meant. */
export async function onFact<T>(
  memory: Memory,
  { id, signal, orMessage }: IdToFind<T>,
  run: () => Promise<T>,
): Promise<T> {
  try {
    return await run();
  } catch (error) {
    const { MemoryError } = await import('@cairn/memory');
    if (!MemoryError.isInstance(error) || error.code !== 'UNKNOWN_FACT') throw error;
    // A message may have any other id, such as the one of a request.
    if (orMessage !== undefined && !id.startsWith('fact_')) {
      const { findMessage } = await import('@cairn/memory/internal');
      const message = await findMessage(memory, id, { signal });
      if (message !== undefined) return orMessage(message);
    }
    const similar = await suggest(memory, id, signal);
    const meant = similar === undefined ? '' : `did you mean ${similar}? `;
    const fix = `${meant}'cairn memory list' shows the ids`;
    throw new CommandError({ code: error.code, message: error.summary, fix, changed: false }, { cause: error });
  }
}
