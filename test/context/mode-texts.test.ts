/** What the system prompt states of each mode. The expected texts are in `goldens/`, one file for each text and language. */
import { createView, MODES } from '@cairn/context';
import { textOf } from '@cairn/context/internal';
import type { ContextMode, UnifiedMessage } from '@cairn/context';
import type { Language } from '@cairn/tool/kernel';
import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';

const modes = Object.keys(MODES) as ContextMode[];
const own: UnifiedMessage[] = [{ role: 'user', content: 'my own prompt' }];
const main: UnifiedMessage[] = [{ role: 'user', content: 'a prompt of main' }];
/** Those that state that the agent has no history yet. */
const withFirstRun: readonly ContextMode[] = ['isolated', 'handback'];

/** Those that show something of main. */
const ofMain = modes.filter((mode) => MODES[mode].reads !== 'own');

function golden(name: string, language: Language): string {
  return readFileSync(new URL(`goldens/${name}.${language}.txt`, import.meta.url), 'utf8').replace(/\n$/u, '');
}

describe.each(['en', 'zh'] as const)('%s', (language) => {
  test.each(modes)('%s, at the first run', (mode) => {
    expect(createView({ mode, language, main, own: [] }).modeText).toBe(golden(`mode-${mode}`, language));
  });

  test.each(modes)('%s, with a history', (mode) => {
    const name = withFirstRun.includes(mode) ? `${mode}-later` : mode;
    expect(createView({ mode, language, main, own }).modeText).toBe(golden(`mode-${name}`, language));
  });
});

describe.each(['en', 'zh'] as const)('while main is empty, in %s', (language) => {
  const kept = { hasHistory: false, hasMain: false };

  test.each(ofMain)('%s says nothing of main, and main is announced when it has a message', (mode) => {
    const empty = createView({ mode, language, main: [], own: [] });
    expect([empty.modeText, empty.announcement, empty.modeChoice]).toEqual([
      golden(`mode-${mode}-empty`, language),
      '',
      kept,
    ]);
    expect(empty.modeText).not.toMatch(/main|主会话/u);
    const later = createView({ mode, language, main, own: [], modeText: kept });
    expect([later.modeText, later.announcement, later.modeChoice]).toEqual([
      golden(`mode-${mode}-empty`, language),
      golden(`announcement-${mode}`, language),
      kept,
    ]);
  });

  test.each(withFirstRun)('%s says what it says with main, and announces nothing', (mode) => {
    const empty = createView({ mode, language, main: [], own: [] });
    expect([empty.modeText, empty.announcement]).toEqual([golden(`mode-${mode}`, language), '']);
    const later = createView({ mode, language, main, own, modeText: kept });
    expect([later.modeText, later.announcement]).toEqual([golden(`mode-${mode}`, language), '']);
  });
});

test.each([
  ['nothing was kept', undefined, { main, own }, { hasHistory: true, hasMain: true }],
  ['a history came since', { hasHistory: false, hasMain: true }, { main, own }, { hasHistory: false, hasMain: true }],
  ['the history is gone', { hasHistory: true, hasMain: true }, { main, own: [] }, { hasHistory: false, hasMain: true }],
  ['main is gone', { hasHistory: false, hasMain: true }, { main: [], own }, { hasHistory: true, hasMain: false }],
] as const)('the choice of a text stays while it is true: %s', (_, modeText, histories, expected) => {
  expect(createView({ mode: 'summarized', ...histories, modeText }).modeChoice).toEqual(expected);
});

test('an announcement is for the agent that was prompted: neither patterns nor summaries find it in main', () => {
  const news = golden('announcement-shared', 'en');
  const announced: UnifiedMessage[] = [
    { role: 'user', content: `Our project uses React.\n\n${news}` },
    {
      role: 'user',
      content: [
        { type: 'text', text: 'Our project uses Vue.' },
        { type: 'text', text: news },
      ],
    },
  ];
  const selected = createView({
    mode: 'selective',
    main: announced,
    own: [],
    sharePatterns: ['project uses *', 'You have *'],
  });
  expect(textOf(selected.messages[0] as UnifiedMessage)).toMatch(/React[^]*Vue/u);
  for (const summarizeAfter of [1, 20]) {
    const summarized = createView({ mode: 'summarized', main: announced, own: [], summarizeAfter });
    expect(JSON.stringify([summarized, selected].map(({ messages }) => messages))).not.toContain('now has messages');
  }
});

test('the texts of isolated and shared are those of the source, in one line for each of its paragraphs', () => {
  expect(golden('mode-isolated', 'en').split('\n\n')).toEqual([
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
  expect(golden('mode-shared', 'en')).toBe(
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
