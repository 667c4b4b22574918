import type { Language } from '../messages/language.ts';
import type { UnifiedMessage } from '../messages/message.ts';
import { textOf } from '../messages/text.ts';
import { sentencesOf } from './sentences.ts';
import { lineOf, speakerOf } from './speaker.ts';

export interface SummarizeOptions {
  /** In UTF-16 code units. @default 1_500 */
  readonly maxCharacters?: number | undefined;
  /** @default 'en' */
  readonly language?: Language | undefined;
}

export const SUMMARY_CHARACTERS = 1500;

/** Summarizes messages by their own sentences. */
export function summarize(messages: readonly UnifiedMessage[], options: SummarizeOptions = {}): string {
  const { maxCharacters = SUMMARY_CHARACTERS, language = 'en' } = options;
  const found = messages.flatMap((message, index) =>
    message.role === 'tool'
      ? []
      : sentencesOf(textOf(message)).map((text) => ({
          index,
          line: `- ${lineOf(speakerOf(message, language), text)}`,
          score:
            (text.match(/\p{N}+|[\p{Lu}]\p{L}+|[/_@`"]/gu) ?? []).length / Math.sqrt(text.length + 20) -
            (/[?？]/u.test(text) ? 1 : 0),
        })),
  );
  let left = maxCharacters;
  const kept = new Set<(typeof found)[number]>();
  for (const one of found.toSorted((a, b) => b.score - a.score || a.index - b.index)) {
    if (one.line.length + 1 > left) continue;
    kept.add(one);
    left -= one.line.length + 1;
  }
  return found
    .filter((one) => kept.has(one))
    .map(({ line }) => line)
    .join('\n');
}
