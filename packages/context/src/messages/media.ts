import { jsonOf, partsOf, resultTextOf, type MediaPart, type MessagePart, type UnifiedMessage } from './message.ts';

/** A part of a message or of a result: a file or an image in one of the forms of the AI SDK, or text. */
export interface Media {
  readonly type: string;
  readonly text?: unknown;
  readonly url?: unknown;
  readonly mediaType?: string | undefined;
  readonly image?: unknown;
  readonly data?: unknown;
}

export function isImage({ type, mediaType = '' }: Media): boolean {
  return type.startsWith('image') || mediaType.startsWith('image');
}

export function isMedia(part: MessagePart): part is MediaPart {
  return part.type === 'image' || part.type === 'file' || part.type === 'reasoning-file';
}

/** Returns the data of a file or an image: as it is, or in the tagged form of the AI SDK. A string is in `text`. */
export function dataOf({ image, data }: Pick<Media, 'image' | 'data'>): unknown {
  const found = data ?? image;
  if (typeof found !== 'object' || found === null || !('type' in found)) return found;
  const tagged = found as { type: unknown; data?: unknown; text?: unknown };
  return tagged.type === 'text' ? { text: tagged.text } : tagged.type === 'data' ? tagged.data : undefined;
}

/** Returns the length of the base64 of a file or an image; 0 for a reference. */
export function base64Length(media: Pick<Media, 'image' | 'data'>): number {
  const data = dataOf(media);
  if (typeof data === 'string') return data.length;
  const bytes = ArrayBuffer.isView(data) || data instanceof ArrayBuffer ? data.byteLength : 0;
  return Math.ceil(bytes / 3) * 4;
}

function bytesOfMedia(media: Media): number {
  const data = dataOf(media);
  if (typeof data === 'object' && data !== null && 'text' in data) return Buffer.byteLength(String(data.text));
  return base64Length(media);
}

/**
 * Returns the bytes of a message as they are sent: its texts in UTF-8, the JSON of its calls, and its images and files in base64. The
 * names and marks of the protocol come on top.
 */
export function bytesOf(message: UnifiedMessage): number {
  return partsOf(message).reduce((sum, part) => sum + bytesOfPart(part), 0);
}

function bytesOfPart(part: MessagePart): number {
  if (part.type === 'text' || part.type === 'reasoning') return Buffer.byteLength(part.text);
  if (part.type === 'tool-call') return Buffer.byteLength(`${part.toolName}${jsonOf(part.input)}`);
  if (part.type === 'tool-result') return Buffer.byteLength(resultTextOf(part.output));
  return isMedia(part) ? bytesOfMedia(part) : 0;
}
