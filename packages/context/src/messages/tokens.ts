import { estimateTokens, type CountTokens } from '@cairn/tool/prompt';
import { jsonOf, partsOf, resultTextOf } from './message.ts';
import type { MessagePart, ToolResultPart, UnifiedMessage } from './message.ts';
import { dataOf, isImage, isMedia, type Media } from './media.ts';

/** What the role and the marks of a message take. */
const MESSAGE_TOKENS = 4;

/**
 * An image of any size: providers scale large ones down. Their documents state up to about 1,600 tokens for an image; the
 * length of its base64 says nothing about it.
 */
export const IMAGE_TOKENS = 1600;

/** Bytes of a file that is neither an image nor text for one token, such as of a PDF. A rough figure. */
const BYTES_PER_FILE_TOKEN = 50;

function bytesOf(data: unknown): number {
  if (typeof data === 'string') return (data.length * 3) / 4;
  if (ArrayBuffer.isView(data) || data instanceof ArrayBuffer) return data.byteLength;
  return 0;
}

function tokensOfMedia(part: Media, countTokens: CountTokens): number {
  const { mediaType = '' } = part;
  const data = dataOf(part);
  if (typeof data === 'object' && data !== null && 'text' in data) return countTokens(String(data.text));
  if (isImage(part)) return IMAGE_TOKENS;
  const bytes = bytesOf(data);
  // About what estimateTokens says of English text.
  if (mediaType.startsWith('text/')) return Math.ceil(bytes * 0.3);
  return Math.max(IMAGE_TOKENS, Math.ceil(bytes / BYTES_PER_FILE_TOKEN));
}

function tokensOfOutput(output: ToolResultPart['output'], countTokens: CountTokens): number {
  const { type, value } = output;
  if (type !== 'content' || !Array.isArray(value)) return countTokens(resultTextOf(output));
  const parts: readonly Media[] = value;
  return parts.reduce(
    (sum, part) => sum + (typeof part.text === 'string' ? countTokens(part.text) : tokensOfMedia(part, countTokens)),
    0,
  );
}

function tokensOfPart(part: MessagePart, countTokens: CountTokens): number {
  if (part.type === 'text' || part.type === 'reasoning') return countTokens(part.text);
  if (part.type === 'tool-call') return countTokens(`${part.toolName}${jsonOf(part.input)}`) + MESSAGE_TOKENS;
  if (part.type === 'tool-result') {
    return countTokens(part.toolName) + tokensOfOutput(part.output, countTokens) + MESSAGE_TOKENS;
  }
  if (isMedia(part)) return tokensOfMedia(part, countTokens);
  const isKnown = ['custom', 'tool-approval-request', 'tool-approval-response'].includes(part.type);
  // Else a part of a newer AI SDK.
  return isKnown ? MESSAGE_TOKENS : countTokens(jsonOf(part));
}

const caches = new WeakMap<CountTokens, WeakMap<UnifiedMessage, number>>();

/**
 * Returns the tokens of a message, estimated: its texts and the JSON of its tool parts by `countTokens`, 1,600 for an image,
 * for any other file 1 for each 50 bytes but at least 1,600, and 4 for the message. Each message is counted once: do not change
 * it afterwards.
 */
export function tokensOf(message: UnifiedMessage, countTokens: CountTokens = estimateTokens): number {
  const cache = caches.get(countTokens) ?? new WeakMap<UnifiedMessage, number>();
  caches.set(countTokens, cache);
  const known = cache.get(message);
  if (known !== undefined) return known;
  const tokens = partsOf(message).reduce((sum, part) => sum + tokensOfPart(part, countTokens), MESSAGE_TOKENS);
  cache.set(message, tokens);
  return tokens;
}
