import type { Memory } from '@cairn/memory';
import { countOf } from '../../terminal/text.ts';

/** Returns a notice with the content of the whole memory, for a search that found nothing. */
export async function nothingFoundHint(memory: Memory, where: string): Promise<string> {
  const { groups, streams, messages } = await memory.stats();
  if (messages === 0) return `the memory at ${where} is empty`;
  const all = `${countOf(messages, 'message')} in ${countOf(groups, 'group')} of ${countOf(streams, 'stream')}`;
  return `nothing found; the memory has ${all}: list them with 'cairn memory list', choose with --stream and --group`;
}
