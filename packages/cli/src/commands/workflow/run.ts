import { UsageError } from '../../terminal/errors.ts';
import { readText } from '../../terminal/input.ts';
import { filled, wordsOf } from '../../terminal/options.ts';
import { defineCommand, type CommandFactory } from '../command.ts';
import { newSettings, storeWords, workOptions } from './settings.ts';
import { carryOut, openWorkflows, withWorkPlace } from './work.ts';

const options = [
  ['--stream <name>', 'stream, which has a memory of its own (default: chat)', filled],
  [
    '--merge <names>',
    'streams to merge into it, separated by commas: their functions, and one more memory (default: none)',
    wordsOf(filled),
  ],
  ['--persona <text>', 'start of the system prompt (default: none)', filled],
  ['--group <name>', 'conversation in the stream (default: default)', filled],
] as const;

const examples = `
Examples:
  $ export CAIRN_BASE_URL=http://localhost:11434/v1 CAIRN_MODEL=qwen3
  $ cairn workflow run 'Make a table of the team' --functions ./functions.mjs
  $ cairn workflow run '帮我做一个表格' --stream chat --merge desktop --functions desktop=./desktop.mjs --language zh
  $ cairn workflow run 'Tidy the docs' --approve all        asks before a call that changes something

The model answers at once, or works on a list of steps. A module exports functions: a list as the default export, each with name,
description, parameters, execute, and if needed aliases and readOnly. Standard output has the answer, standard error what happens.
In a terminal a question of the workflow is asked there; elsewhere the command to answer it is printed. Ctrl-C stops the workflow,
and 'cairn workflow resume' continues it, also after a kill. The key of the server is in CAIRN_API_KEY.

Exit status: 0 if it is done, 1 if it waits for a person or another process runs it, 2 if it failed.`;

export const workflowRunCommand: CommandFactory = defineCommand({
  description: 'Let the model work on a goal, in steps if it needs them, and print its answer.',
  summary: 'let the model work on a goal, in steps',
  args: [['<goal>', 'what to do; - reads standard input']],
  options: [...options, ...workOptions(true)],
  examples,
  run: async (context, flags, given) => {
    const goal = given === '-' ? await readText(context.input, 'pipe the goal, or give it as an argument') : given;
    if (goal.trim() === '') throw new UsageError('the goal is empty', 'give it as an argument');
    const settings = newSettings(flags, context);
    return withWorkPlace(context, { flags }, async (place) => {
      const { memory, view } = place;
      const { DEFAULT_GROUP } = await import('@cairn/memory/internal');
      const { group = DEFAULT_GROUP } = flags;
      const { stream, merge } = settings;
      const workflows = await openWorkflows(place, settings);
      const name = merge.length === 0 ? stream : memory.mergeStreams({ main: stream, secondary: merge }).name;
      const [waiting] = await memory.workflows.waiting({ stream: name, group, signal: context.signal });
      if (waiting !== undefined) {
        // A message of the group answers it, and a new goal is not an answer.
        const words = storeWords(flags).join(' ');
        const command = (what: string): string =>
          ['cairn workflow', what, words].filter((word) => word !== '').join(' ');
        throw new UsageError(
          `the workflow ${waiting.id} of the group ${group} waits for an answer`,
          `answer it with ${command(`resume ${waiting.id} '<answer>'`)}, end it with ${command(`cancel ${waiting.id}`)}, or use another --group`,
        );
      }
      return carryOut(place, workflows, () =>
        workflows.stream(stream).process({ group }, goal, {
          mergeStreams: merge,
          settings,
          signal: context.signal,
          onEvent: view.show,
        }),
      );
    });
  },
});
