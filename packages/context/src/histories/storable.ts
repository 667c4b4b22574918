/** Messages that are too large for a history, or have values that it cannot keep, and how they are cut. */
import { formatBytes } from '@cairn/tool/prompt';
import type { Language } from '../messages/language.ts';
import type { AssistantMessage, ToolResultPart, UnifiedMessage } from '../messages/message.ts';
import { resultTextOf } from '../messages/text.ts';
import { messageTexts } from '../messages/texts.ts';
import { MAX_MESSAGE_BYTES, sizeOf } from './copy.ts';

/** The kept beginning of a cut text, in UTF-16 code units. */
const KEPT_CHARACTERS = 256 * 1024;

export interface StorableMessage {
  readonly message: UnifiedMessage;
  /** The parts that are not kept whole, such as `result of read, 33.0 MB`. Empty when the message is the same. */
  readonly cut: readonly string[];
}

type Part = Exclude<UnifiedMessage['content'], string>[number];

/** A part, or the text of a message. */
interface SizedPart {
  readonly part: Part;
  /** In bytes; infinite for a part with a value that cannot be kept. */
  readonly bytes: number;
}

function nameOf(part: Part): string {
  if (part.type === 'tool-call') return `call of ${part.toolName}`;
  if (part.type === 'tool-result') return `result of ${part.toolName}`;
  return 'mediaType' in part ? (part.mediaType ?? part.type) : part.type;
}

/** Returns the beginning of a text. A surrogate pair stays together. */
function beginningOf(text: string): string {
  const end = text.length > KEPT_CHARACTERS && /[\uD800-\uDBFF]/u.test(text.charAt(KEPT_CHARACTERS - 1)) ? 1 : 0;
  return text.slice(0, KEPT_CHARACTERS - end);
}

function cutResult({ output, ...part }: ToolResultPart, note: string): ToolResultPart {
  const type = output.type.startsWith('error') ? 'error-text' : 'text';
  return { ...part, output: { type, value: `${beginningOf(resultTextOf(output))}\n${note}` } };
}

/** Returns what is kept of a part; `undefined` for nothing. */
function cutPart(part: Part, isTool: boolean, note: string): Part | undefined {
  const { providerOptions: _, ...bare } = part;
  if (bare.type === 'text') return { type: 'text', text: `${beginningOf(bare.text)}\n${note}` };
  if (bare.type === 'tool-result') return cutResult(bare, note);
  if (bare.type === 'tool-call') return { ...bare, input: { note } };
  // A provider rejects a piece of reasoning.
  return bare.type === 'reasoning' || isTool ? undefined : { type: 'text', text: `${nameOf(part)}: ${note}` };
}

/**
 * Returns a message that a history can keep. Of parts with values that cannot be kept, and of the largest parts while the message is
 * too large, the beginning is kept with a note. A call keeps its name and its id, so that its result still belongs to it.
 */
export function storableMessage(message: UnifiedMessage, language: Language): StorableMessage {
  const texts = messageTexts[language];
  const { role, content, providerOptions } = message;
  const size = sizeOf(message);
  if (size !== undefined && size <= MAX_MESSAGE_BYTES) return { message, cut: [] };
  const label = providerOptions?.['cairn'];
  const frame = { role, ...(label !== undefined && { providerOptions: { cairn: label } }) };
  const room = MAX_MESSAGE_BYTES - (sizeOf(frame) ?? 0);
  const parts: readonly Part[] = typeof content === 'string' ? [{ type: 'text', text: content }] : content;
  const sized = parts.map((part): SizedPart => ({ part, bytes: sizeOf(part) ?? Number.POSITIVE_INFINITY }));
  const cut: string[] = [];
  let kept = new Map(sized.map(({ part }) => [part, part] as const));
  let total = sized.reduce((sum, { bytes }) => sum + bytes, 0);
  for (const { part, bytes } of sized.toSorted((one, other) => other.bytes - one.bytes)) {
    if (total <= room) break;
    const large = Number.isFinite(bytes) ? formatBytes(bytes) : undefined;
    const shorter = cutPart(part, role === 'tool', texts.cut(large, formatBytes(MAX_MESSAGE_BYTES)));
    cut.push(large === undefined ? nameOf(part) : `${nameOf(part)}, ${large}`);
    if (shorter === undefined) kept.delete(part);
    else kept = kept.set(part, shorter);
    total = [...kept.values()].reduce((sum, one) => sum + (sizeOf(one) ?? Number.POSITIVE_INFINITY), 0);
  }
  const shown = parts.flatMap((part) => kept.get(part) ?? []);
  return { message: { ...frame, content: shown } as AssistantMessage, cut };
}
