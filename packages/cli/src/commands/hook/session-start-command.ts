import { LANGUAGES } from '@cairn/tool/kernel';
import { Option } from 'commander';
import { filled, oneOf, wholeNumber } from '../../terminal/options.ts';
import type { CommandFactory } from '../command.ts';
import { sessionHosts, startSession, TIMEOUT_MS } from './session-start.ts';
import type { SessionSettings } from './session-start.ts';

const examples = `
Examples:
  $ cairn hook session-start --host claude    for Claude Code: at most 9,500 characters, as a JSON document
  $ cairn hook session-start --host codex     for Codex: at most 2,400 tokens, as a JSON document
  $ cairn hook session-start                  for any other host: the text, with at most 200 assets

Reads the JSON document of the host from standard input, if there is one: "source", "cwd" and "hook_event_name" of it matter. Prints
nothing when a session is resumed. It ends within a second; on any failure it prints nothing, and the reason to standard error.

Exit status: always 0, so that a failure keeps no session from starting.`;

/** Describes the command. `main.ts` runs it without loading this. */
export const sessionStartCommand: CommandFactory = (command, session, done) => {
  command
    .description(
      'Print what a session of an agent sees of the knowledge at its start: the policy, the index, what is pending.',
    )
    .summary('print what a session sees of the knowledge')
    .addHelpText('after', examples)
    .action(async (settings: SessionSettings) => {
      const { input, env, cwd, signal } = session;
      const suggested = session.agentCommand ?? session.command;
      const read = async function* (): AsyncGenerator<Uint8Array> {
        if (input.kind !== 'terminal') yield await input.read();
      };
      await session.out.write(await startSession(settings, { env, cwd, command: suggested, signal, input: read() }));
      done(0);
    })
    .addOption(
      new Option('--host <host>', 'the program that reads the output: claude, codex or generic')
        .argParser(oneOf('--host', sessionHosts))
        .default('generic', 'generic'),
    )
    .addOption(
      new Option('--language <code>', 'language of the text: en or zh')
        .argParser(oneOf('--language', LANGUAGES))
        .default('en', 'en'),
    )
    .addOption(
      new Option('--only-matching', 'list only assets of product lines that match the tech stack of the project'),
    )
    .addOption(
      new Option('--timeout <ms>', 'time limit, from the start of the process')
        .argParser(wholeNumber('--timeout', 'milliseconds', 1))
        .default(TIMEOUT_MS, String(TIMEOUT_MS)),
    )
    .addOption(
      new Option(
        '--directory <dir>',
        "directory of the knowledge (default: CAIRN_KNOWLEDGE_DIR, else the user's own)",
      ).argParser(filled('--directory')),
    );
};
