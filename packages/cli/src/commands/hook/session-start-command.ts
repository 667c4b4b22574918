import { LANGUAGES } from '@cairn/tool/kernel';
import { ExitCode } from '../../terminal/exit.ts';
import { oneOf, wholeNumber } from '../../terminal/options.ts';
import { commandOf, type CommandFactory } from '../command.ts';
import { directoryOption } from '../knowledge/options.ts';
import { sessionHosts, startSession, TIMEOUT_MS, type SessionSettings } from './session-start.ts';

/** Describes the command. `main.ts` runs it without loading this. */
export const sessionStartCommand: CommandFactory = commandOf({
  description:
    'Print what a session of an agent sees of the knowledge at its start: the policy, the index, what is pending.',
  summary: 'print what a session sees of the knowledge',
  options: [
    [
      '--host <host>',
      'the program that reads the output: claude, codex or generic',
      oneOf(sessionHosts),
      { default: 'generic' },
    ],
    ['--language <code>', 'language of the text: en or zh', oneOf(LANGUAGES), { default: 'en' }],
    ['--only-matching', 'list only assets of areas that match the tech stack of the project'],
    [
      '--timeout <ms>',
      'time limit, from the start of the process',
      wholeNumber({ unit: 'milliseconds', minimum: 1 }),
      { default: TIMEOUT_MS },
    ],
    directoryOption,
  ],
  examples: `
Examples:
  $ cairn hook session-start --host claude    for Claude Code: at most 9,500 characters, as a JSON document
  $ cairn hook session-start --host codex     for Codex: at most 2,400 tokens, as a JSON document
  $ cairn hook session-start                  for any other host: the text, with at most 200 assets

Reads the JSON document of the host from standard input, if there is one: "source", "cwd" and "hook_event_name" of it matter. If
standard input stays open without data, it answers as for a new session in the current directory. Prints nothing when a session is resumed. It ends within a second; on any failure it prints nothing, and the reason to standard error.

Exit status: always 0, so that a failure keeps no session from starting.`,
  run: async (context, settings: SessionSettings) => {
    const { input, env, cwd, signal } = context;
    const suggested = context.agentCommand ?? context.command;
    const read = async function* (): AsyncGenerator<Uint8Array> {
      if (input.kind !== 'terminal') yield await input.read();
    };
    await context.out.write(await startSession(settings, { env, cwd, command: suggested, signal, input: read() }));
    return ExitCode.Hit;
  },
});
