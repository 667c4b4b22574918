import type { ContextMode } from '@cairn/context';
import { oneOf } from '../../terminal/options.ts';

/** Each context mode, for people. The first one is the default. */
export const modeTexts: Readonly<Record<ContextMode, string>> = {
  isolated: 'sees only its own conversation',
  shared: 'sees the main conversation and writes to it',
  fork: 'sees a copy of the main conversation; writes only to its own',
  handback: 'sees only its own conversation; its final answer is also added to the main one',
  selective: 'sees its own conversation, and the sentences of the main one that match patterns',
  summarized: 'sees its own conversation, and a summary of the main one',
};

export const modeNames: readonly ContextMode[] = Object.keys(modeTexts) as ContextMode[];

export function modeOption(standard: string) {
  return ['--context-mode <mode>', `${modeNames.join(', ')} (default: ${standard})`, oneOf(modeNames)] as const;
}
