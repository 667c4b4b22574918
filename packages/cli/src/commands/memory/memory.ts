import { defineGroup, type CommandFactory } from '../command.ts';

const examples = `
Examples:
  $ cairn memory remember 'the tests need redis-server' --tag tests
  $ cairn memory recall redis                         facts, then messages, best match first
  $ cairn memory list --since 7d                      the facts of a week, newest first
  $ cairn memory list --tag tests --json              facts with a tag, as JSON
  $ cairn memory groups                               messages of past sessions, by stream and group
  $ cairn memory export --format markdown             the facts as one Markdown file
  $ cairn memory export > memory.jsonl                everything; 'cairn memory import' reads it
  $ cairn memory start                                what a hook shows at the start of a session
  $ cairn memory stats                                where the memory is, and its size

A fact is kept until it is forgotten. It belongs to the project, which is the git repository of the current directory (or the
directory), or with --scope user to all projects. Messages of sessions are kept too: 50 in a group, for 30 days. The store is
one SQLite file per user; --store names another file, --url a Redis. A Redis may be shared by machines, so there facts of a
project need --project <name>.

Exit status: 0 if something was found or done, 1 if not, 2 on an error or if a record cannot be read.`;

export const memoryGroup: CommandFactory = defineGroup({
  description: 'Store facts, and find them and past messages again. Agents use the same memory.',
  summary: 'store facts and find them again',
  examples,
});
