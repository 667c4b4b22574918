import { escapeControls, quotePath } from '@cairn/tool/paths';
import type { MemoryStats } from '@cairn/memory';
import { ExitCode } from '../../terminal/exit.ts';
import { countOf, formatBytes } from '../../terminal/text.ts';
import type { CommandFactory } from '../command.ts';
import { memoryCommand } from './memory-command.ts';

const empty: Omit<MemoryStats, 'backend'> = {
  streams: 0,
  groups: 0,
  messages: 0,
  notes: 0,
  workflows: 0,
  facts: 0,
  graphs: 0,
  namespaces: [],
  bytes: 0,
  keysWithoutEnd: 0,
  problems: [],
};

export const memoryStatsCommand: CommandFactory = memoryCommand({
  description: 'Show where the memory is, how much it holds and its size.',
  summary: 'show where the memory is, and its size',
  absent: (where) => ({ where, backend: 'sqlite', ...empty, unreadable: [] }),
  run: async ({ memory, signal, print, notice, where }) => {
    const all = await memory.stats({ signal });
    const unreadable = await memory.unreadable({ signal });
    const lines = [
      `${all.backend} at ${quotePath(where)}`,
      countOf(all.facts, 'fact'),
      `${countOf(all.messages, 'message')} in ${countOf(all.groups, 'group')} of ${countOf(all.streams, 'stream')}`,
      `${countOf(all.notes, 'note')}, ${countOf(all.workflows, 'workflow')}, ${countOf(all.graphs, 'knowledge graph')}`,
      ...all.namespaces.map(
        ({ name, records, keys }) =>
          `namespace ${escapeControls(name)}: ${countOf(records, 'record')} under ${countOf(keys, 'key')}`,
      ),
      `${formatBytes(all.bytes)}; ${countOf(all.keysWithoutEnd, 'key')} without expiry`,
      ...(unreadable.length === 0 ? [] : [`${countOf(unreadable.length, 'unreadable record')} (--json lists them)`]),
    ];
    for (const { message } of all.problems) notice(message);
    await print(lines, { where, ...all, unreadable });
    // The numbers lack those keys.
    return all.problems.length > 0 ? ExitCode.Error : ExitCode.Hit;
  },
});
