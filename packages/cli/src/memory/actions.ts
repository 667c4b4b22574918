import { resolve } from 'node:path';
import type { Memory, MemoryStats, Message } from '@cairn/memory';
import { UsageError } from '../errors.ts';
import { ExitCode } from '../exit.ts';
import { readText, readTextFile } from '../input.ts';
import { writeLines } from '../output.ts';
import type { Session } from '../session.ts';
import { countOf, formatBytes } from '../text.ts';
import { describeKey, formatDuration, formatTime, textLines } from './lines.ts';
import { withMemory, type RetentionFlags, type StoreFlags } from './store.ts';

/** The options of the commands on messages, as parsed. */
export interface GroupFlags extends RetentionFlags {
  readonly stream?: string;
  readonly group?: string;
  readonly limit?: number;
  readonly role?: string;
  readonly message?: string;
}

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

export async function add(text: string | undefined, flags: GroupFlags, session: Session): Promise<number> {
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

export async function show(flags: GroupFlags, session: Session): Promise<number> {
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

export async function search(query: string, flags: GroupFlags, session: Session): Promise<number> {
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

export async function list(flags: GroupFlags, session: Session): Promise<number> {
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

export async function forget(flags: GroupFlags, session: Session): Promise<number> {
  const { stream, group, message } = flags;
  if (stream === undefined) throw new UsageError('say what to forget: --stream, with it --group, with that --message');
  return withMemory(session, {
    flags,
    absent: () => ({ removed: 0 }),
    run: async (memory, { print, notice }) => {
      const removed = await memory.forget({ stream, group, message, signal: session.signal });
      await print([], { removed });
      await notice(removed === 0 ? 'there was nothing like that to forget' : `forgot ${countOf(removed, 'message')}`);
      return removed > 0 ? ExitCode.Hit : ExitCode.None;
    },
  });
}

export async function exportAll(flags: GroupFlags, session: Session): Promise<number> {
  const { stream, group } = flags;
  return withMemory(session, {
    flags,
    absent: () => undefined,
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

export async function importAll(file: string | undefined, flags: GroupFlags, session: Session): Promise<number> {
  const text =
    file === undefined
      ? await readText(session.input, 'pipe the lines, or name a file')
      : await readTextFile(resolve(session.cwd, file), session.signal);
  // Not as `readline` splits: a message may hold the other signs that end a line.
  const lines = text.split('\n');
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

const nothing: Omit<MemoryStats, 'backend'> = {
  streams: 0,
  groups: 0,
  messages: 0,
  notes: 0,
  workflows: 0,
  graphs: 0,
  quarantined: 0,
  namespaces: [],
  bytes: 0,
  keysWithoutEnd: 0,
};

export async function stats(flags: StoreFlags, session: Session): Promise<number> {
  return withMemory(session, {
    flags,
    absent: (where) => ({ where, backend: 'sqlite', ...nothing, quarantinedRecords: [] }),
    run: async (memory, { print, where }) => {
      const all = await memory.stats({ signal: session.signal });
      const quarantined = await memory.quarantined({ signal: session.signal });
      const lines = [
        `${all.backend} at ${where}`,
        `${countOf(all.messages, 'message')} in ${countOf(all.groups, 'group')} of ${countOf(all.streams, 'stream')}`,
        `${countOf(all.notes, 'note')}, ${countOf(all.workflows, 'workflow')}, ${countOf(all.graphs, 'knowledge graph')}`,
        ...all.namespaces.map(
          ({ name, records, keys }) => `namespace ${name}: ${countOf(records, 'record')} under ${countOf(keys, 'key')}`,
        ),
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
