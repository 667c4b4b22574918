import { estimateTokens } from '@cairn/tool/prompt';
import type { CountTokens } from '@cairn/tool/prompt';
import { jsonOf, resultTextOf } from './text.ts';
import { dataOf, isImage } from './media.ts';
import type { MediaPart, ToolResultPart, UnifiedMessage } from './message.ts';

/** What the role and the marks of a message take. */
const MESSAGE_TOKENS = 4;

/**
 * An image of any size: providers scale large ones down. Their documents state up to about 1,600 tokens for an image; the
 * length of its base64 says nothing about it.
 */
export const IMAGE_TOKENS = 1600;

/** Bytes of a file that is neither an image nor text for one token, such as of a PDF. A rough figure. */
const BYTES_PER_FILE_TOKEN = 50;

type Part = Exclude<UnifiedMessage['content'], string>[number];

function bytesOf(data: unknown): number {
  if (typeof data === 'string') return (data.length * 3) / 4;
  if (ArrayBuffer.isView(data) || data instanceof ArrayBuffer) return data.byteLength;
  return 0;
}

function tokensOfMedia(part: Omit<MediaPart, 'type'> & { readonly type: string }, countTokens: CountTokens): number {
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
  let tokens = 0;
  for (const part of value as (Omit<MediaPart, 'type'> & { type: string; text?: unknown })[]) {
    tokens += typeof part.text === 'string' ? countTokens(part.text) : tokensOfMedia(part, countTokens);
  }
  return tokens;
}

function tokensOfPart(part: Part, countTokens: CountTokens): number {
  switch (part.type) {
    case 'text':
    case 'reasoning':
      return countTokens(part.text);
    case 'tool-call':
      return countTokens(`${part.toolName}${jsonOf(part.input)}`) + MESSAGE_TOKENS;
    case 'tool-result':
      return countTokens(part.toolName) + tokensOfOutput(part.output, countTokens) + MESSAGE_TOKENS;
    case 'image':
    case 'file':
    case 'reasoning-file':
      return tokensOfMedia(part, countTokens);
    case 'custom':
    case 'tool-approval-request':
    case 'tool-approval-response':
      return MESSAGE_TOKENS;
    default:
      // A part of a newer AI SDK.
      return countTokens(jsonOf(part satisfies never));
  }
}

const caches = new WeakMap<CountTokens, WeakMap<UnifiedMessage, number>>();

/**
 * Returns the tokens of a message, estimated: its texts and the JSON of its tool parts by `countTokens`, 1,600 for an image,
 * for any other file 1 for each 50 bytes but at least 1,600, and 4 for the message. Each message is counted once: do not change
 * it afterwards.
 */
export function tokensOf(message: UnifiedMessage, countTokens: CountTokens = estimateTokens): number {
  let cache = caches.get(countTokens);
  if (cache === undefined) {
    cache = new WeakMap();
    caches.set(countTokens, cache);
  }
  let tokens = cache.get(message);
  if (tokens === undefined) {
    const { content } = message;
    tokens = MESSAGE_TOKENS;
    if (typeof content === 'string') tokens += countTokens(content);
    else for (const part of content) tokens += tokensOfPart(part, countTokens);
    cache.set(message, tokens);
  }
  return tokens;
}
