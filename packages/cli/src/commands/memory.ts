import { createReadStream } from 'node:fs';
import { resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { Option, type Command } from 'commander';
import type { Memory, Message } from '@cairn/memory';
import { once, wholeNumber } from '../args.ts';
import { UsageError } from '../errors.ts';
import { ExitCode } from '../exit.ts';
import { readText } from '../input.ts';
import { describeKey, formatDuration, formatTime, textLines } from '../memory/lines.ts';
import { retentionOptions, storeOptions, withMemory, type RetentionFlags, type StoreFlags } from '../memory/store.ts';
import { writeLines } from '../output.ts';
import type { Session } from '../session.ts';
import { countOf, formatBytes } from '../text.ts';

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

interface GroupFlags extends RetentionFlags {
  readonly stream?: string;
  readonly group?: string;
  readonly limit?: number;
  readonly role?: string;
  readonly message?: string;
}

type Done = (exitCode: number) => void;

/** The stream and the group that are meant. */
async function placeOf({ stream, group }: GroupFlags): Promise<{ readonly stream: string; readonly group: string }> {
  const { DEFAULT_GROUP, DEFAULT_STREAM } = await import('@cairn/memory');
  return { stream: stream ?? DEFAULT_STREAM, group: group ?? DEFAULT_GROUP };
}

function* messageLines(messages: Iterable<Message>, session: Session): Generator<string, void, undefined> {
  for (const { id, time, role, author, content } of messages) {
    const who = author === undefined ? role : `${role} ${author}`;
    yield* textLines(`${formatTime(time)} ${id} ${who}: `, content, session);
  }
}

/** What else there is, for somebody who found nothing. */
async function elsewhere(memory: Memory, where: string): Promise<string> {
  const { groups, streams, messages } = await memory.stats();
  if (messages === 0) return `nothing is remembered at ${where}`;
  const all = `${countOf(messages, 'message')} in ${countOf(groups, 'group')} of ${countOf(streams, 'stream')}`;
  return `nothing found; there are ${all}: 'cairn memory list' shows them, --stream and --group choose`;
}

async function add(text: string | undefined, flags: GroupFlags, session: Session): Promise<number> {
  const content =
    text ?? (await readText(session.input, 'pipe the text, or give it as an argument')).replace(/\n$/u, '');
  const place = await placeOf(flags);
  return withMemory(session, {
    flags,
    writes: true,
    run: async (memory, { print, notice, where }) => {
      // The library says which roles there are.
      const role = flags.role as Message['role'] | undefined;
      const message = await memory.messages.add(place, { content, role }, { signal: session.signal });
      const { maxMessages, messageLifetimeMs } = memory.retention;
      const kept = `for ${formatDuration(messageLifetimeMs)}, among the newest ${maxMessages} of ${place.stream}/${place.group}`;
      await print([message.id], { ...place, ...message });
      await notice(`remembered at ${where}, ${kept}`);
      return ExitCode.Hit;
    },
  });
}

async function show(flags: GroupFlags, session: Session): Promise<number> {
  const place = await placeOf(flags);
  return withMemory(session, {
    flags,
    run: async (memory, { print, notice, where }) => {
      const messages = await memory.messages.history(place, { limit: flags.limit, signal: session.signal });
      // As they were said: the last one stands where the eye is.
      await print(messageLines(messages.toReversed(), session), messages);
      if (messages.length === 0) await notice(await elsewhere(memory, where));
      return messages.length > 0 ? ExitCode.Hit : ExitCode.None;
    },
  });
}

async function search(query: string, flags: GroupFlags, session: Session): Promise<number> {
  const place = await placeOf(flags);
  return withMemory(session, {
    flags,
    run: async (memory, { print, notice, where }) => {
      const said: string[] = [];
      const found = await memory.recall({
        ...place,
        query,
        limit: flags.limit ?? 10,
        signal: session.signal,
        onNotice: ({ message }) => said.push(message),
      });
      const messages = found.flatMap((one) => (one.kind === 'message' ? [{ ...one, author: undefined }] : []));
      await print(
        messages.flatMap(({ id, time, by, content }) => [
          ...textLines(`${formatTime(time)} ${id} ${by}: `, content, session),
        ]),
        found,
      );
      await notice(...said);
      if (found.length === 0) await notice(await elsewhere(memory, where));
      return found.length > 0 ? ExitCode.Hit : ExitCode.None;
    },
  });
}

async function list(flags: GroupFlags, session: Session): Promise<number> {
  return withMemory(session, {
    flags,
    run: async (memory, { print, notice, where }) => {
      const groups = await memory.listGroups({ stream: flags.stream, signal: session.signal });
      const lines = groups.map(({ stream, group, messages, bytes, expiresInMs }) => {
        return `${stream}/${group}: ${describeKey(countOf(messages, 'message'), bytes, expiresInMs)}`;
      });
      await print(
        lines.flatMap((line) => [...textLines('', line, session)]),
        groups,
      );
      if (groups.length === 0) await notice(await elsewhere(memory, where));
      return groups.length > 0 ? ExitCode.Hit : ExitCode.None;
    },
  });
}

async function forget(flags: GroupFlags, session: Session): Promise<number> {
  const { stream, group, message } = flags;
  if (stream === undefined) throw new UsageError('say what to forget: --stream, with it --group, with that --message');
  return withMemory(session, {
    flags,
    run: async (memory, { print, notice }) => {
      const removed = await memory.forget({ stream, group, message, signal: session.signal });
      await print([], { removed });
      await notice(removed === 0 ? 'there was nothing like that to forget' : `forgot ${countOf(removed, 'message')}`);
      return removed > 0 ? ExitCode.Hit : ExitCode.None;
    },
  });
}

async function exportAll(flags: GroupFlags, session: Session): Promise<number> {
  const { stream, group } = flags;
  return withMemory(session, {
    flags,
    run: async (memory, { notice, where }) => {
      let lines = 0;
      for await (const line of memory.export({ stream, group, signal: session.signal })) {
        await writeLines(session.out, [line], session.signal);
        lines += 1;
      }
      if (lines === 0) await notice(await elsewhere(memory, where));
      return lines > 0 ? ExitCode.Hit : ExitCode.None;
    },
  });
}

async function importAll(file: string | undefined, flags: GroupFlags, session: Session): Promise<number> {
  const lines =
    file === undefined
      ? (await readText(session.input, 'pipe the lines, or name a file')).split('\n')
      : createInterface({ input: createReadStream(resolve(session.cwd, file)), crlfDelay: Infinity });
  return withMemory(session, {
    flags,
    writes: true,
    run: async (memory, { print, notice }) => {
      const result = await memory.import(lines, { signal: session.signal });
      const { added, present, dropped } = result;
      await print([], result);
      const there = present === 0 ? [] : [`${present} were there already`];
      const over = dropped === 0 ? [] : [`${dropped} are over or too many, and were left out (--keep, --days)`];
      await notice([`imported ${added} of ${countOf(result.lines, 'line')}`, ...there, ...over].join('; '));
      return dropped === 0 ? ExitCode.Hit : ExitCode.Error;
    },
  });
}

async function stats(flags: StoreFlags, session: Session): Promise<number> {
  return withMemory(session, {
    flags,
    run: async (memory, { print, where }) => {
      const all = await memory.stats({ signal: session.signal });
      const quarantined = await memory.quarantined({ signal: session.signal });
      const lines = [
        `${all.backend} at ${where}`,
        `${countOf(all.messages, 'message')} in ${countOf(all.groups, 'group')} of ${countOf(all.streams, 'stream')}`,
        `${countOf(all.notes, 'note')}, ${countOf(all.workflows, 'workflow')}, ${countOf(all.graphs, 'knowledge graph')}`,
        `${formatBytes(all.bytes)}; ${countOf(all.keysWithoutEnd, 'key')} without end`,
        ...(quarantined.length === 0
          ? []
          : [`${countOf(quarantined.length, 'record')} could not be read and was set aside`]),
      ];
      await print(lines, { where, ...all, quarantinedRecords: quarantined });
      return ExitCode.Hit;
    },
  });
}

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
