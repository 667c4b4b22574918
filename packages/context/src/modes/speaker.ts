import type { Language } from '@cairn/tool/kernel';
import { labelOf } from '../messages/message.ts';
import type { UnifiedMessage } from '../messages/message.ts';
import { viewTexts } from './texts.ts';

/** Returns the author of a message of main: `user`, `assistant`, the name of an agent, or `user @agent` for a prompt to one. */
export function speakerOf(message: UnifiedMessage, language: Language): string {
  const { user, assistant } = viewTexts[language];
  const { agent } = labelOf(message);
  if (message.role === 'user') return agent === undefined ? user : `${user} @${agent}`;
  return agent ?? assistant;
}

/** Returns a line of a conversation. Further lines of the text are indented, so that none looks like another speaker's. */
export function lineOf(speaker: string, text: string): string {
  return `${speaker}: ${text.trim().replaceAll(/\r\n?|[\n\u2028\u2029]/gu, '\n  ')}`;
}
