import { Option } from 'commander';
import type { Role } from '@cairn/memory';
import { formatDuration } from '../../memory/lines.ts';
import { retentionOptions, withMemory } from '../../memory/store.ts';
import { ExitCode } from '../../terminal/exit.ts';
import { readText } from '../../terminal/input.ts';
import type { Session } from '../../terminal/session.ts';
import type { CommandFactory } from '../command.ts';
import { addOptions, groupOf, oneGroupOptions, type GroupFlags } from './options.ts';

interface AddFlags extends GroupFlags {
  readonly role?: string;
}

async function add(text: string | undefined, flags: AddFlags, session: Session): Promise<number> {
  const content =
    text ?? (await readText(session.input, 'pipe the text, or give it as an argument')).replace(/\n$/u, '');
  const place = await groupOf(flags);
  return withMemory(session, {
    flags,
    writes: true,
    run: async (memory, { print, notice, where }) => {
      // The library validates the role.
      const role = flags.role as Role | undefined;
      const message = await memory.messages.add(place, { content, role }, { signal: session.signal });
      const { maxMessages, messageLifetimeMs } = memory.retention;
      const kept = `for ${formatDuration(messageLifetimeMs)}, among the newest ${maxMessages} of ${place.stream}/${place.group}`;
      notice(`stored in ${where}, ${kept}`);
      await print([message.id], { ...place, ...message });
      return ExitCode.Hit;
    },
  });
}

export const memoryAddCommand: CommandFactory = (command, session, done) => {
  command
    .description('Store a message.')
    .argument('[text]', 'the message (default: standard input)')
    .action(async (text: string | undefined, flags: AddFlags) => done(await add(text, flags, session)));
  addOptions(command, [
    ...oneGroupOptions(),
    new Option('--role <role>', 'author of the message: user, assistant, system or tool (default: user)'),
    ...retentionOptions(),
  ]);
};
