import { truncateLine } from '@cairn/tool/prompt';
import type { Entry, Part } from '../conversations/wrap.ts';
import { formatTime } from '../records/time.ts';
import type { RecallHit } from './recall-part.ts';

/** In UTF-16 code units. A role or a key of another program has any length. */
const MAX_ID_CHARACTERS = 500;
const MAX_VALUE_CHARACTERS = 200;

/** Formats a hit for a model. Names of other programs are cut. */
export function hitEntry({ kind, id, text, time, isSimilar, tags, about }: RecallHit, query?: string): Entry {
  const attributes = {
    kind,
    // A note has no id of its own.
    ...(kind !== 'note' && { id: truncateLine(id, MAX_ID_CHARACTERS) }),
    ...Object.fromEntries(
      Object.entries({ ...about, ...(tags.length > 0 && { tags: tags.join(', ') }) }).map(([name, value]) => [
        name,
        truncateLine(value, MAX_VALUE_CHARACTERS),
      ]),
    ),
    date: formatTime(time),
    ...(isSimilar === true && { match: 'weak' }),
  };
  return { id, attributes, text, found: query };
}

/** Formats a fact or a message for a model, or as much of it from a character on as fits an answer. */
export async function partOfHit(hit: RecallHit, offset: number): Promise<Part> {
  const { fitPart } = await import('../conversations/wrap.ts');
  return fitPart(hitEntry(hit), offset);
}
