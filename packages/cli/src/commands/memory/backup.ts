import { resolve } from 'node:path';
import { quotePath } from '@cairn/tool/paths';
import { withMemory, type StoreFlags } from '../../memory/store.ts';
import { UsageError } from '../../terminal/errors.ts';
import { ExitCode } from '../../terminal/exit.ts';
import type { Session } from '../../terminal/session.ts';
import { formatBytes } from '../../terminal/text.ts';
import type { CommandFactory } from '../command.ts';
import { addOptions } from './options.ts';

async function backup(file: string, flags: StoreFlags, session: Session): Promise<number> {
  if (file === '-') {
    throw new UsageError(
      'a backup is a file, and cannot go to standard output',
      "name a new file, such as 'memory.db'",
    );
  }
  const path = resolve(session.cwd, file);
  return withMemory(session, {
    flags,
    absent: () => ({ bytes: 0 }),
    run: async (memory, { print, notice }) => {
      const bytes = await memory.backup(path, { signal: session.signal });
      notice(`copied and checked ${formatBytes(bytes)}; 'cairn memory stats --store <file>' describes the copy`);
      await print([quotePath(path)], { path, bytes });
      return ExitCode.Hit;
    },
  });
}

export const memoryBackupCommand: CommandFactory = (command, session, done) => {
  command
    .description('Copy the memory to a new file while it is in use, and check the copy.')
    .summary('copy the memory to a new file, and check the copy')
    .argument('<file>', 'the new file')
    .action(async (file: string, flags: StoreFlags) => done(await backup(file, flags, session)));
  addOptions(command);
};
