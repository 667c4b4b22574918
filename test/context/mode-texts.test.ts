/** What the system prompt states of each mode. The expected texts are in `goldens/`, one file for each text and language. */
import { createView, MODES } from '@cairn/context';
import type { ContextMode, Language, UnifiedMessage } from '@cairn/context';
import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';

const modes = Object.keys(MODES) as ContextMode[];
const own: UnifiedMessage[] = [{ role: 'user', content: 'my own prompt' }];
const main: UnifiedMessage[] = [{ role: 'user', content: 'a prompt of main' }];
/** Those that state that the agent has no history yet. */
const withFirstRun: readonly ContextMode[] = ['isolated', 'handback'];

function golden(name: string, language: Language): string {
  return readFileSync(new URL(`goldens/mode-${name}.${language}.txt`, import.meta.url), 'utf8').replace(/\n$/u, '');
}

describe.each(['en', 'zh'] as const)('%s', (language) => {
  test.each(modes)('%s, at the first run', (mode) => {
    expect(createView({ mode, language, main, own: [] }).modeText).toBe(golden(mode, language));
  });

  test.each(modes)('%s, with a history', (mode) => {
    const name = withFirstRun.includes(mode) ? `${mode}-later` : mode;
    expect(createView({ mode, language, main, own }).modeText).toBe(golden(name, language));
  });
});

test('the texts of isolated and shared are those of the source, in one line for each of its paragraphs', () => {
  expect(golden('isolated', 'en').split('\n\n')).toEqual([
    '**IMPORTANT - Context Mode: Isolated**',
    [
      'You are running in ISOLATED context mode. You do NOT have access to the main',
      'conversation history. Your conversation history only includes messages directly',
      'exchanged with the user in your isolated context.',
    ].join(' '),
    [
      'When the user asks you to reference "previous content", clearly state:',
      `"I'm running in isolated context mode and don't have access to previous`,
      "conversations. Could you please provide the specific content you'd like me",
      'to work with?"',
    ].join(' '),
  ]);
  expect(golden('shared', 'en')).toBe(
    [
      '**Context Mode**: You are running in SHARED context mode. You have access to',
      'the main conversation history and can reference previous discussions from the',
      'main session.',
    ].join(' '),
  );
});

test('no text has a part that changes from run to run', () => {
  for (const mode of modes) {
    const texts = [1, 2, 30].map(
      (count) =>
        createView({ mode, main, own: Array.from({ length: count }, () => own[0] as UnifiedMessage) }).modeText,
    );
    expect(new Set(texts).size).toBe(1);
  }
});
