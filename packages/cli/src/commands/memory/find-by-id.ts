import type { Memory } from '@cairn/memory';
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

/** Runs a task on a fact. An unknown id is reported with the one that was most likely meant. */
export async function onFact<T>(
  memory: Memory,
  { id, signal }: { readonly id: string; readonly signal: AbortSignal },
  run: () => Promise<T>,
): Promise<T> {
  try {
    return await run();
  } catch (error) {
    const { MemoryError } = await import('@cairn/memory');
    if (!MemoryError.isInstance(error) || error.code !== 'UNKNOWN_FACT') throw error;
    const similar = await suggest(memory, id, signal);
    const fix =
      similar === undefined
        ? "'cairn memory list' shows the ids"
        : `did you mean ${similar}? 'cairn memory list' shows the ids`;
    throw new CommandError({ code: error.code, message: error.summary, fix, changed: false }, { cause: error });
  }
}
