import { ExitCode } from '../../terminal/exit.ts';
import { countOf } from '../../terminal/text.ts';
import type { CommandFactory } from '../command.ts';
import { factLines } from './lines.ts';
import { memoryCommand, needOf } from './memory-command.ts';
import {
  limitOption,
  offsetOption,
  scopeOption,
  streamOption,
  tagOption,
  timeOptions,
  timesOf,
  type FactFlags,
} from './options.ts';

const DEFAULT_LIMIT = 50;

interface ListFlags extends FactFlags {
  readonly archived?: boolean;
}

export const memoryListCommand: CommandFactory = memoryCommand<ListFlags, []>({
  description: 'List facts of the project and the user, newest first, in pages.',
  summary: 'list facts, newest first, in pages',
  options: [
    scopeOption('only facts of the project, or of the user'),
    tagOption('only facts with this tag; repeat it for more'),
    ...timeOptions,
    streamOption('only facts that this stream finds (default: facts of all streams)'),
    ['--archived', 'list archived and replaced facts instead'],
    limitOption('facts', String(DEFAULT_LIMIT)),
    offsetOption,
  ],
  ofProject: needOf,
  run: async ({ memory, session, signal, printMatches, notice }, flags) => {
    const { scope, tag: tags, stream, archived, limit = DEFAULT_LIMIT, offset = 0 } = flags;
    const selection = { scope, tags, stream, allStreams: stream === undefined, archived };
    const times = await timesOf(flags, memory, signal);
    const { facts, total, nextOffset } = await memory.facts.list({ ...selection, ...times, limit, offset, signal });
    if (total === 0)
      notice("no fact matches; 'cairn memory remember <text>' stores one, 'cairn memory groups' lists messages");
    else if (facts.length === 0) notice(`there are only ${countOf(total, 'fact')}; use a smaller --offset`);
    if (nextOffset !== undefined) {
      notice(`facts ${offset + 1} to ${nextOffset} of ${total}; for the next use --offset ${nextOffset}`);
    }
    const lines = facts.flatMap((fact) => [...factLines(fact, session)]);
    const exitCode = await printMatches(lines, facts, { total, hasMore: facts.length < total });
    return facts.length > 0 ? exitCode : ExitCode.None;
  },
});
