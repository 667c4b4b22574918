import { ExitCode } from '../../terminal/exit.ts';
import { wholeNumber } from '../../terminal/options.ts';
import type { CommandFactory } from '../command.ts';
import { memoryCommand } from './memory-command.ts';
import { languageOption, streamOption } from './options.ts';

export const memoryStartCommand: CommandFactory = memoryCommand({
  description: 'Print the pinned and the newest facts, for the start of a session. A hook of a host can run it.',
  summary: 'print what a session should know at its start',
  options: [
    streamOption('stream of the facts (default: agent)'),
    [
      '--chars <n>',
      'at most N characters, from 200 (default: 2000)',
      wholeNumber({ unit: 'characters', minimum: 200 }),
    ],
    languageOption('language of the heading: en or zh (default: en)'),
  ],
  ofProject: 'wanted',
  absent: () => ({ text: '' }),
  // A host shows a failed hook to its user; a memory without facts must not fail one.
  absentExitCode: ExitCode.Hit,
  run: async ({ memory, signal, print }, { stream, chars: maxCharacters, language }) => {
    const text = await memory.facts.startBlock({ stream, maxCharacters, language, signal });
    await print(text === '' ? [] : [text], { text });
    return ExitCode.Hit;
  },
});
