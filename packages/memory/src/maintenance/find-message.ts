import { checkArguments } from '../errors.ts';
import type { Message } from '../conversations/message.ts';
import type { Messages } from '../conversations/messages.ts';
import type { CallOptions } from '../records/backend.ts';
import type { GroupInfo } from './overview.ts';

/** The parts of a memory that find a message. */
export interface MessageSource {
  readonly messages: Pick<Messages, 'history'>;
  readonly listGroups: (
    options: CallOptions & { readonly stream?: string | undefined },
  ) => Promise<readonly GroupInfo[]>;
}

/** A message with its group. */
export interface FoundMessage extends Message {
  readonly stream: string;
  readonly group: string;
  readonly key: string;
}

/** Returns the message with an id, from any group of a stream; without a stream, of all. It reads the groups one after another. */
export async function findMessage(
  source: MessageSource,
  id: string,
  options: CallOptions & { readonly stream?: string | undefined } = {},
): Promise<FoundMessage | undefined> {
  checkArguments.options('findMessage', options, { stream: 'optional', signal: 'optional' });
  const { stream, signal } = options;
  const { messages, listGroups } = source;
  for (const { key, ...place } of await listGroups({ stream, signal })) {
    const found = (await messages.history(place, { signal })).find((message) => message.id === id);
    if (found) return { ...found, stream: place.stream, group: place.group, key };
  }
  return undefined;
}
