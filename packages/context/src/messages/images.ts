/**
 * Images as servers of models can read them. The protocol of chat completions has no images in results of tools: its servers read
 * base64 in a string there, so an image follows the results as a message of the user.
 */
import type { Language } from '@cairn/tool/kernel';
import { formatBytes } from '@cairn/tool/prompt';
import { checkArguments, checkWholeNumber } from '../errors.ts';
import { partsOf } from './message.ts';
import type { MediaPart, ToolMessage, ToolResultPart, UnifiedMessage, UserMessage } from './message.ts';
import { messageTexts } from './texts.ts';
import { base64Length, isImage, type Media } from './media.ts';

/** The images of a request: the newest ones. */
export const MAX_IMAGES = 4;

/** The messages that have images of results. They are not words of the user. */
const imageMessages = new WeakSet<UnifiedMessage>();

/** Returns whether a message has images of results, and was made by {@link withImagesAfter}. */
export function isImageMessage(message: UnifiedMessage): boolean {
  return imageMessages.has(message);
}

/** Returns a result as text, with its images apart. Other files are named: a server could not read them either. */
function splitResult(result: ToolResultPart, language: Language, images: MediaPart[]): ToolResultPart {
  const { output } = result;
  if (output.type !== 'content' || !Array.isArray(output.value)) return result;
  const texts = messageTexts[language];
  const lines = (output.value as readonly Media[]).map((part) => {
    if (typeof part.text === 'string') return part.text;
    const data = part.data ?? (typeof part.url === 'string' ? (URL.parse(part.url) ?? undefined) : undefined);
    if (data === undefined || !isImage(part))
      return texts.file(part.mediaType ?? part.type, formatBytes((base64Length(part) * 3) / 4));
    return texts.imageBelow(images.push({ type: 'file', mediaType: part.mediaType ?? 'image/*', data }));
  });
  return { ...result, output: { type: 'text', value: lines.join('\n') } };
}

type SplitMessages = WeakMap<UnifiedMessage, readonly UnifiedMessage[]>;
const split: Readonly<Record<Language, SplitMessages>> = { en: new WeakMap(), zh: new WeakMap() };

function splitMessage(message: ToolMessage, language: Language): readonly UnifiedMessage[] {
  const images: MediaPart[] = [];
  const content = message.content.map((part) =>
    part.type === 'tool-result' ? splitResult(part, language, images) : part,
  );
  if (content.every((part, index) => part === message.content[index])) return [message];
  const results = { ...message, content };
  if (images.length === 0) return [results];
  const { image } = messageTexts[language];
  const parts = images.flatMap((one, index) => [{ type: 'text' as const, text: image(index + 1) }, one]);
  const shown: UserMessage = { role: 'user', content: parts };
  imageMessages.add(shown);
  return [results, shown];
}

/** Returns messages with the images of results in a message of the user after them. */
export function withImagesAfter(messages: readonly UnifiedMessage[], language: Language): UnifiedMessage[] {
  return messages.flatMap((message) => {
    if (message.role !== 'tool') return [message];
    const made = split[language].get(message) ?? splitMessage(message, language);
    split[language].set(message, made);
    return made;
  });
}

export function countImages(messages: readonly UnifiedMessage[]): number {
  return messages.flatMap((message) =>
    message.role === 'user' ? partsOf(message).filter((part) => isImage(part)) : [],
  ).length;
}

export interface NewestImagesOptions {
  readonly language: Language;
  /** @default 4 */
  readonly max?: number | undefined;
  /** A message whose images all stay: the prompt. They count. */
  readonly prompt?: UnifiedMessage | undefined;
}

/**
 * Returns messages with the newest images. Older ones are a line of text. Other messages are the same objects.
 *
 * @throws {ContextError} `INVALID_OPTION`
 */
export function withNewestImages(messages: readonly UnifiedMessage[], options: NewestImagesOptions): UnifiedMessage[] {
  checkArguments.options('withNewestImages', options, { language: 'required', max: 'optional', prompt: 'optional' });
  const { language, max = MAX_IMAGES, prompt } = options;
  checkArguments.language(language);
  checkWholeNumber('max', max, 0);
  let left = max;
  const shorten = (message: UnifiedMessage): UnifiedMessage => {
    if (message.role !== 'user' || typeof message.content === 'string') return message;
    // From the newest on, so that the oldest are left out.
    const reversed = message.content.toReversed().map((part) => {
      if (part.type === 'text' || !isImage(part)) return part;
      left -= 1;
      if (left >= 0 || message === prompt) return part;
      const size = base64Length(part) === 0 ? '' : `, ${formatBytes((base64Length(part) * 3) / 4)}`;
      const text = messageTexts[language].oldImage(`${part.mediaType ?? 'image'}${size}`);
      return { type: 'text' as const, text };
    });
    const content = reversed.toReversed();
    if (content.every((part, index) => part === message.content[index])) return message;
    const made: UserMessage = { ...message, content };
    if (imageMessages.has(message)) imageMessages.add(made);
    return made;
  };
  return messages.toReversed().map(shorten).toReversed();
}
