import type { CommandFactory } from '../command.ts';

const examples = `
Examples:
  $ cairn memory add 'the tests need redis-server'
  $ cairn memory search redis                         by words, best match first
  $ cairn memory show --limit 5                       the last five messages
  $ cairn memory list                                 all groups, by stream
  $ cairn memory export > memory.jsonl                everything; 'cairn memory import' reads it
  $ cairn memory stats                                where the memory is, and its size

Every group of every stream has its own messages. Agents use the stream agent and the group default. A group keeps its newest
50 messages for 30 days; change that with --keep and --days. The default store is one SQLite file per user. --project uses a
file in the project, --url a Redis.

Exit status: 0 if something was found or done, 1 if not, 2 on an error.`;

export const memoryCommand: CommandFactory = (command) => {
  command
    .description('Store messages and notes, and find them again. Agents use the same memory.')
    .summary('store messages and find them again')
    .addHelpText('after', examples);
};
