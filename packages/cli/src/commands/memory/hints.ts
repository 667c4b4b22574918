import type { Memory } from '@cairn/memory';
import { escapeControls } from '@cairn/tool/paths';
import { countOf } from '../../terminal/text.ts';

/** The numbers of searched facts and messages. */
export interface Searched {
  readonly facts: number;
  readonly messages: number;
}

/** Returns a notice with what was searched and what else to try, for a search that found nothing. */
export function nothingFoundHint(where: string, { facts, messages }: Searched, stream: string): string {
  const searched = `${countOf(facts, 'fact')} and ${countOf(messages, 'message')} of the stream ${escapeControls(stream)} in ${where}`;
  return `nothing found in ${searched}; try other words, or see 'cairn memory list' and 'cairn memory groups'`;
}

/** Returns a notice with the messages of the whole memory, for a selection that is empty. */
export async function emptyHint(memory: Memory, where: string): Promise<string> {
  const { groups, streams, messages } = await memory.stats();
  if (messages === 0) return `the memory at ${where} has no messages`;
  const all = `${countOf(messages, 'message')} in ${countOf(groups, 'group')} of ${countOf(streams, 'stream')}`;
  return `nothing found; the memory has ${all}: see 'cairn memory groups', choose with --stream and --group`;
}
