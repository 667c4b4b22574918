import type { Memory } from '@cairn/memory';
import { escapeControls } from '@cairn/tool/paths';
import { shellQuote } from '../../terminal/shell-quote.ts';
import { countOf } from '../../terminal/text.ts';
import type { FactFlags } from './options.ts';

/** The numbers of searched facts and messages. */
export interface Searched {
  readonly facts: number;
  readonly messages: number;
}

/** The options that leave out facts or messages of a search, as parsed. */
interface Filters extends Pick<FactFlags, 'scope' | 'tag' | 'since' | 'until'> {
  readonly group?: string | undefined;
  readonly role?: string | undefined;
}

/** Returns the filters of a search as they are typed. */
function wordsOf({ scope, tag, since, until, group, role }: Filters): string[] {
  const all = { scope, tag: tag?.join(','), since, until, group, role };
  return Object.entries(all).flatMap(([name, value]) =>
    value === undefined ? [] : [`--${name} ${shellQuote(value)}`],
  );
}

/** Returns a notice with what was searched and what else to try, for a search that found nothing. */
export function nothingFoundHint(
  where: string,
  { facts, messages }: Searched,
  { stream, ...filters }: Filters & { readonly stream: string },
): string {
  const searched = `${countOf(facts, 'fact')} and ${countOf(messages, 'message')} of the stream ${escapeControls(stream)} in ${where}`;
  const words = wordsOf(filters);
  const [selected, fix] = words.length === 0 ? ['', ''] : [` with ${words.join(' ')}`, ', leave out filters'];
  return `nothing found${selected} in ${searched}; try other words${fix}, or see 'cairn memory list' and 'cairn memory groups'`;
}

/** Returns a notice with the messages of the whole memory, for a selection that is empty. */
export async function emptyHint(memory: Memory, where: string): Promise<string> {
  const { groups, streams, messages } = await memory.stats();
  if (messages === 0) return `the memory at ${where} has no messages`;
  const all = `${countOf(messages, 'message')} in ${countOf(groups, 'group')} of ${countOf(streams, 'stream')}`;
  return `nothing found; the memory has ${all}: see 'cairn memory groups', choose with --stream and --group`;
}
