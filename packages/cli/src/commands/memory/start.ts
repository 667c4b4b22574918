import { LANGUAGES } from '@cairn/tool/kernel';
import type { Language } from '@cairn/tool/kernel';
import { Option } from 'commander';
import { withMemory, type ProjectFlags } from '../../memory/store.ts';
import { ExitCode } from '../../terminal/exit.ts';
import { oneOf, wholeNumber } from '../../terminal/options.ts';
import type { Session } from '../../terminal/session.ts';
import type { CommandFactory } from '../command.ts';
import { addFactOptions, streamOption } from './options.ts';

interface StartFlags extends ProjectFlags {
  readonly stream?: string;
  readonly chars?: number;
  readonly language?: Language;
}

async function start(flags: StartFlags, session: Session): Promise<number> {
  const { stream, chars: maxCharacters, language } = flags;
  const exitCode = await withMemory(session, {
    flags,
    ofProject: 'wanted',
    absent: () => ({ text: '' }),
    run: async ({ facts }, { print }) => {
      const text = await facts.startBlock({ stream, maxCharacters, language, signal: session.signal });
      await print(text === '' ? [] : [text], { text });
      return ExitCode.Hit;
    },
  });
  // A host shows a failed hook to its user; a memory without facts must not fail one.
  return exitCode === ExitCode.None ? ExitCode.Hit : exitCode;
}

export const memoryStartCommand: CommandFactory = (command, session, done) => {
  command
    .description('Print the pinned and the newest facts, for the start of a session. A hook of a host can run it.')
    .summary('print what a session should know at its start')
    .action(async (flags: StartFlags) => done(await start(flags, session)));
  addFactOptions(command, [
    streamOption('stream of the facts (default: agent)'),
    new Option('--chars <n>', 'at most N characters, from 200 (default: 2000)').argParser(
      wholeNumber('--chars', 'characters', 200),
    ),
    new Option('--language <code>', 'language of the heading: en or zh (default: en)').argParser(
      oneOf('--language', LANGUAGES),
    ),
  ]);
};
