import { quoted } from '@cairn/tool/kernel';

const MAX_NAME_LENGTH = 64;
/** A history is stored under the name: its key has no room for more. */
const MAX_NAME_BYTES = 120;
const NAME = /^[\p{L}\p{N}][\p{L}\p{M}\p{N}._-]*$/u;

/** The key of the main session: no agent has this name. */
export const MAIN = '__main__';

/**
 * Returns the reason why a text is not the name of an agent; `undefined` when it is. A name is also the name of a file, a word on a command
 * line and a mention, so it has no spaces and no separators.
 */
export function agentNameProblem(name: string): string | undefined {
  if (name === MAIN) return `${MAIN} is the main session; choose another name`;
  const isShort = name.length <= MAX_NAME_LENGTH && Buffer.byteLength(name) <= MAX_NAME_BYTES;
  if (isShort && NAME.test(name) && !name.endsWith('.')) return undefined;
  return `invalid agent name ${quoted(name, 100)}; use at most ${MAX_NAME_LENGTH} letters, digits, "-", "_" and ".", and begin with a letter or a digit`;
}
