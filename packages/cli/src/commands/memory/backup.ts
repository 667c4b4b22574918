import { resolve } from 'node:path';
import { quotePath } from '@cairn/tool/paths';
import { UsageError } from '../../terminal/errors.ts';
import { ExitCode } from '../../terminal/exit.ts';
import { formatBytes } from '../../terminal/text.ts';
import type { CommandFactory } from '../command.ts';
import { memoryCommand } from './memory-command.ts';
import type { StoreFlags } from './options.ts';

export const memoryBackupCommand: CommandFactory = memoryCommand({
  description: 'Copy the memory to a new file while it is in use, and check the copy.',
  summary: 'copy the memory to a new file, and check the copy',
  args: [['<file>', 'the new file']],
  check: (_, file) => {
    if (file !== '-' && file !== '') return;
    const problem =
      file === '' ? 'the name of the file is empty' : 'a backup is a file, and cannot go to standard output';
    const fix = "name a new file, such as 'memory.db'";
    throw new UsageError(problem, fix);
  },
  absent: () => ({ bytes: 0 }),
  run: async ({ memory, session, signal, print, notice }, _: StoreFlags, file: string) => {
    const path = resolve(session.cwd, file);
    const bytes = await memory.backup(path, { signal });
    notice(`copied and checked ${formatBytes(bytes)}; 'cairn memory stats --store <file>' describes the copy`);
    await print([quotePath(path)], { path, bytes });
    return ExitCode.Hit;
  },
});
