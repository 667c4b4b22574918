/** Messages that are too large for a history, or have values that it cannot keep, and how they are cut. */
import { startOf } from '@cairn/tool/internal';
import type { Language } from '@cairn/tool/kernel';
import { formatBytes } from '@cairn/tool/prompt';
import { partsOf, resultTextOf } from '../messages/message.ts';
import type { AssistantMessage, MessagePart, UnifiedMessage } from '../messages/message.ts';
import { messageTexts } from '../messages/texts.ts';
import { MAX_MESSAGE_BYTES, sizeOf } from './copy.ts';

/** The kept beginning of a cut text, in UTF-16 code units. Less where many of them are too large together. */
const KEPT_CHARACTERS = 256 * 1024;

export interface StorableMessage {
  readonly message: UnifiedMessage;
  /** The parts that are not kept whole, such as `result of read, 33.0 MB`. Empty when the message is the same. */
  readonly cut: readonly string[];
}

/** A part, or the text of a message. */
interface SizedPart {
  readonly part: MessagePart;
  /** In bytes; infinite for a part with a value that cannot be kept. */
  readonly bytes: number;
}

function nameOf(part: MessagePart): string {
  if (part.type === 'tool-call') return `call of ${part.toolName}`;
  if (part.type === 'tool-result') return `result of ${part.toolName}`;
  return 'mediaType' in part ? (part.mediaType ?? part.type) : part.type;
}

/** Returns the stored form of a part, with this many characters of a string; `undefined` for nothing. */
function cutPart(
  part: MessagePart,
  { isTool, characters, note }: { readonly isTool: boolean; readonly characters: number; readonly note: string },
): MessagePart | undefined {
  const { providerOptions: _, ...bare } = part;
  if (bare.type === 'text') return { type: 'text', text: `${startOf(bare.text, characters)}\n${note}` };
  if (bare.type === 'tool-result') {
    const type = bare.output.type.startsWith('error') ? 'error-text' : 'text';
    const value = `${startOf(resultTextOf(bare.output), characters)}\n${note}`;
    return { ...bare, output: { type, value } };
  }
  if (bare.type === 'tool-call') return { ...bare, input: { note } };
  // A provider rejects a piece of reasoning.
  return bare.type === 'reasoning' || isTool ? undefined : { type: 'text', text: `${nameOf(part)}: ${note}` };
}

interface Shortened {
  readonly parts: MessagePart[];
  readonly cut: readonly string[];
  readonly bytes: number;
}

/** Cuts the largest parts, until the rest fits into the room. */
function shorten(
  sized: readonly SizedPart[],
  room: number,
  cutOf: (part: MessagePart, size: string | undefined) => MessagePart | undefined,
): Shortened {
  const kept = new Map<SizedPart, MessagePart | undefined>();
  const cut: string[] = [];
  let total = sized.reduce((sum, { bytes }) => sum + (Number.isFinite(bytes) ? bytes : 0), 0);
  for (const one of sized.toSorted((a, b) => b.bytes - a.bytes)) {
    const isEndless = !Number.isFinite(one.bytes);
    if (!isEndless && total <= room) break;
    const size = isEndless ? undefined : formatBytes(one.bytes);
    const shorter = cutOf(one.part, size);
    const left = shorter === undefined ? 0 : (sizeOf(shorter) ?? Number.POSITIVE_INFINITY);
    // A string that the note makes larger stays whole.
    if (left >= one.bytes) continue;
    kept.set(one, shorter);
    total += left - (isEndless ? 0 : one.bytes);
    cut.push(size === undefined ? nameOf(one.part) : `${nameOf(one.part)}, ${size}`);
  }
  return { parts: sized.flatMap((one) => (kept.has(one) ? (kept.get(one) ?? []) : one.part)), cut, bytes: total };
}

/**
 * Returns a message that a history can keep. Of parts with values that cannot be kept, and of the largest parts while the message is
 * too large, the beginning is kept with a note. A call keeps its name and its id, so that its result still belongs to it.
 */
export function storableMessage(message: UnifiedMessage, language: Language): StorableMessage {
  const { role, providerOptions } = message;
  const size = sizeOf(message);
  if (size !== undefined && size <= MAX_MESSAGE_BYTES) return { message, cut: [] };
  const label = providerOptions?.['cairn'];
  const frame = { role, ...(label !== undefined && { providerOptions: { cairn: label } }) };
  const room = MAX_MESSAGE_BYTES - (sizeOf(frame) ?? 0);
  const sized = partsOf(message).map((part): SizedPart => ({ part, bytes: sizeOf(part) ?? Number.POSITIVE_INFINITY }));
  // Many large parts are too large together, even when each is cut.
  for (let characters = KEPT_CHARACTERS; ; characters = Math.floor(characters / 2)) {
    const found = shorten(sized, room, (part, large) => {
      const note = messageTexts[language].cut(large, formatBytes(MAX_MESSAGE_BYTES));
      return cutPart(part, { isTool: role === 'tool', characters, note });
    });
    if (found.bytes > room && characters > 0) continue;
    return { message: { ...frame, content: found.parts } as AssistantMessage, cut: found.cut };
  }
}
