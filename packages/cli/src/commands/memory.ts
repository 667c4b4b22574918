import { Option, type Command } from 'commander';
import { once, wholeNumber } from '../args.ts';
import { add, exportAll, forget, importAll, list, search, show, stats, type GroupFlags } from '../memory/actions.ts';
import { retentionOptions, storeOptions, type StoreFlags } from '../memory/store.ts';
import type { Session } from '../session.ts';

const examples = `
Examples:
  $ cairn memory add 'the tests need redis-server'
  $ cairn memory search redis                         by its words, best first
  $ cairn memory show --limit 5                       the last five
  $ cairn memory list                                 what there is, by stream and group
  $ cairn memory export > memory.jsonl                all of it; 'cairn memory import' reads it back
  $ cairn memory stats

Each stream and each group has a memory of its own; the tools of agents use agent and default as well. A group keeps its
newest 50 messages, for 30 days: see --keep and --days. Without options it is kept in one file of yours, which
'cairn memory stats' names; --project keeps it in the project, --url in a Redis.

Exit status: 0 when something was found or done, 1 when there was nothing, 2 when it failed.`;

type Done = (exitCode: number) => void;

const streamOption = (what: string): Option => new Option('--stream <name>', what);
const groupOption = (what: string): Option => new Option('--group <name>', what);

function addPlace(command: Command): void {
  command.addOption(streamOption('the stream (default: agent)')).addOption(groupOption('the group (default: default)'));
}

function limited(command: Command, standard: string): void {
  const text = `at most so many (default: ${standard})`;
  command.addOption(new Option('--limit <n>', text).argParser(wholeNumber('--limit', '', 1)));
}

function finish(command: Command, more: readonly Option[] = []): void {
  for (const option of [...more, ...storeOptions()]) command.addOption(option);
}

type CommandFactory = (command: Command, session: Session, done: Done) => void;

/** The commands by what is typed. */
export const memoryCommands: Readonly<Record<string, CommandFactory>> = {
  memory: (command) =>
    command
      .description('Remember things, and find them again: what agents were told, and what you tell them.')
      .summary('remember, and find again')
      .addHelpText('after', examples),
  'memory add': (command, session, done) => {
    command
      .description('Remember a text.')
      .argument('[text]', 'what to remember (default: what is piped in)')
      .action(async (text: string | undefined, flags: GroupFlags) => done(await add(text, flags, session)));
    addPlace(command);
    command.addOption(new Option('--role <role>', 'who says it: user, assistant, system or tool (default: user)'));
    finish(command, retentionOptions());
  },
  'memory search': (command, session, done) => {
    command
      .description('Find messages by their words, best first.')
      .argument('<query>', 'any text')
      .action(async (query: string, flags: GroupFlags) => done(await search(query, flags, session)));
    addPlace(command);
    limited(command, '10');
    finish(command);
  },
  'memory show': (command, session, done) => {
    command
      .description('Show the messages of a group, the newest last.')
      .action(async (flags: GroupFlags) => done(await show(flags, session)));
    addPlace(command);
    limited(command, 'all that are kept');
    finish(command);
  },
  'memory list': (command, session, done) => {
    command
      .description('List the groups that have messages.')
      .addOption(streamOption('only of this stream'))
      .action(async (flags: GroupFlags) => done(await list(flags, session)));
    finish(command);
  },
  'memory forget': (command, session, done) => {
    command
      .description('Forget a message, a group or a stream.')
      .addOption(streamOption('the stream'))
      .addOption(groupOption('only this group of it'))
      .addOption(
        new Option('--message <id>', 'only this message of it').argParser(once('--message', 'call it for each')),
      )
      .action(async (flags: GroupFlags) => done(await forget(flags, session)));
    finish(command);
  },
  'memory export': (command, session, done) => {
    command
      .description('Write everything as JSON lines, or the messages of a stream or a group.')
      .addOption(streamOption('only messages of this stream'))
      .addOption(groupOption('only messages of groups of this name'))
      .action(async (flags: GroupFlags) => done(await exportAll(flags, session)));
    finish(command);
  },
  'memory import': (command, session, done) => {
    command
      .description(
        'Read an export back, or the file of the memory server of MCP. What is there already stays as it is.',
      )
      .argument('[file]', 'JSON lines (default: what is piped in)')
      .action(async (file: string | undefined, flags: GroupFlags) => done(await importAll(file, flags, session)));
    finish(command, retentionOptions());
  },
  'memory stats': (command, session, done) => {
    command
      .description('Say where the memory is, how much it holds and how large it is.')
      .action(async (flags: StoreFlags) => done(await stats(flags, session)));
    finish(command);
  },
};
