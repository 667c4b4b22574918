import { resolve } from 'node:path';
import type { listBackups } from '@cairn/memory/sqlite';
import { listDocument } from '../../terminal/answer.ts';
import { UsageError } from '../../terminal/errors.ts';
import { ExitCode } from '../../terminal/exit.ts';
import { shellQuote } from '../../terminal/shell-quote.ts';
import { countOf, formatBytes } from '../../terminal/text.ts';
import type { CommandFactory } from '../command.ts';
import { restoreFact } from './change.ts';
import { formatTime } from './lines.ts';
import { memoryCommand, type MemoryPlace } from './memory-command.ts';

/** The name of a backup, and the beginning of the name of a replaced memory. */
const NAME = /^\d{4}-\d\d-\d\dT\d\d-\d\d-\d\dZ/u;

/** Whether a name is the one of a backup or of its file. The id of a fact has no such form. */
function isBackup(name: string): boolean {
  return NAME.test(name) || /[\\/]|\.db$/u.test(name);
}

type BackupFile = ReturnType<typeof listBackups>[number];

function backupLine({ name, time, bytes, isReplaced }: BackupFile): string {
  const what = isReplaced ? 'the memory before a backup was restored' : 'checked';
  return `${name}  ${formatTime(time)}, ${formatBytes(bytes)}, ${what}`;
}

async function listAll({ print, notice, where }: MemoryPlace): Promise<number> {
  const sqlite = await import('@cairn/memory/sqlite');
  const backups = sqlite.listBackups(where);
  if (backups.length === 0) {
    notice(
      `there is no backup of ${where}; one is made each day after a change, 'cairn memory backup <file>' makes one now`,
    );
  }
  await print(backups.map(backupLine), listDocument(backups));
  return backups.length === 0 ? ExitCode.None : ExitCode.Hit;
}

async function takeBackup({ context, print, notice, where }: MemoryPlace, backup: string): Promise<number> {
  const sqlite = await import('@cairn/memory/sqlite');
  const chosen = NAME.test(backup) ? backup : resolve(context.cwd, backup);
  const { replaced, isAlone, isDamaged, returned } = await sqlite.restoreBackup(where, chosen);
  if (!isAlone) {
    notice(
      'the memory was damaged, so other processes that had it open are not known; end and restart MCP servers of Cairn',
    );
  }
  const undo = `'cairn memory restore ${replaced} --store ${shellQuote(where)}' undoes it for 7 days`;
  const file = sqlite.listBackups(where).find(({ name }) => name === replaced)?.path ?? '';
  const save = `the damaged memory is kept for 7 days: 'cairn memory backup <file> --store ${shellQuote(file)}' saves its readable records`;
  const before = replaced === undefined ? 'there was no memory before' : isDamaged ? save : undo;
  notice(`restored ${backup}; ${before}`);
  if (returned === undefined) {
    notice('records that were forgotten after the backup was made are back, too; forget them again');
  } else if (returned > 0) {
    const are = returned === 1 ? 'is' : 'are';
    notice(
      `${countOf(returned, 'record')} that the memory did not have anymore ${are} back, even if forgotten; forget them again if you must`,
    );
  }
  await print([], {
    restored: backup,
    path: where,
    ...(replaced !== undefined && { replaced, isDamaged }),
    ...(returned !== undefined && { returned }),
  });
  return ExitCode.Hit;
}

export const memoryRestoreCommand: CommandFactory = memoryCommand({
  description:
    'List the backups of the memory, put one in its place, or undo the last update, replacement or archiving of a fact, for 30 days.',
  summary: 'list backups or restore one, or undo the last change of a fact',
  args: [['[name]', 'a backup of the list, the file of a backup, or the id of a fact (default: lists the backups)']],
  ofProject: (_, name) => (name === undefined || isBackup(name) ? undefined : 'wanted'),
  // The memory may be missing, and a list creates none.
  writes: (_, name) => name === undefined || isBackup(name),
  run: async (place, _, name) => {
    const isFact = name !== undefined && !isBackup(name);
    if (isFact) return restoreFact(place, name);
    if (place.memory.backendName !== 'sqlite') {
      throw new UsageError('a Redis has no backups of Cairn', 'use the backups of the server');
    }
    return name === undefined ? listAll(place) : takeBackup(place, name);
  },
});
