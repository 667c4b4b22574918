import { Option } from 'commander';
import type { Knowledge } from '@cairn/knowledge';
import type { Gap } from '@cairn/knowledge/internal';
import { assetDocument } from '../../knowledge/assets.ts';
import {
  addKnowledgeOptions,
  withKnowledge,
  type KnowledgeFlags,
  type KnowledgePrinter,
} from '../../knowledge/open.ts';
import { formatTime } from '../../memory/lines.ts';
import { CommandError } from '../../terminal/errors.ts';
import { ExitCode } from '../../terminal/exit.ts';
import { filled } from '../../terminal/options.ts';
import type { Session } from '../../terminal/session.ts';
import { countOf, escapeLine } from '../../terminal/text.ts';
import type { CommandFactory } from '../command.ts';

interface GapFlags extends KnowledgeFlags {
  readonly pending?: boolean;
  readonly draft?: string;
  readonly close?: string;
}

function gapDocument({ id, query, asked, firstMs, lastMs }: Gap): object {
  return { id, query, asked, first_at: new Date(firstMs).toISOString(), last_at: new Date(lastMs).toISOString() };
}

function unknownGap(id: string): CommandError {
  const message = `unknown gap ${JSON.stringify(id)}`;
  return new CommandError({ code: 'UNKNOWN_GAP', message, fix: "'cairn knowledge gaps' lists them", changed: false });
}

async function draft({ gaps, store }: Knowledge, id: string, { print, notice }: KnowledgePrinter): Promise<number> {
  const gap = (await gaps.list()).find((one) => one.id === id);
  if (gap === undefined) throw unknownGap(id);
  const asset = await store.add(gaps.draft(gap));
  notice(`added a draft; fill it in: 'cairn knowledge edit ${asset.id}'`);
  await print([asset.id], await assetDocument(asset));
  return ExitCode.Hit;
}

async function gapsOf(flags: GapFlags, session: Session): Promise<number> {
  const { signal } = session;
  return withKnowledge(session, {
    flags,
    run: async (knowledge, printer) => {
      const { print, printMatches, notice } = printer;
      const { gaps } = knowledge;
      if (flags.draft !== undefined) return draft(knowledge, flags.draft, printer);
      if (flags.close !== undefined) {
        if (!(await gaps.close(flags.close, { signal }))) throw unknownGap(flags.close);
        notice(`closed ${flags.close}`);
        await print([], { id: flags.close, closed: true });
        return ExitCode.Hit;
      }
      const found = flags.pending === true ? await gaps.pending({ signal }) : await gaps.list({ signal });
      if (found.length === 0) notice('no question without an answer');
      const lines = found.map(({ id, query, asked, lastMs }) =>
        escapeLine([formatTime(lastMs), id, countOf(asked, 'time'), query].join('  ')),
      );
      return printMatches(lines, found.map(gapDocument));
    },
  });
}

export const knowledgeGapsCommand: CommandFactory = (command, session, done) => {
  command
    .description('List questions of agents that no asset answers, the latest first.')
    .summary('list questions that no asset answers')
    .action(async (flags: GapFlags) => done(await gapsOf(flags, session)));
  addKnowledgeOptions(command, [
    new Option('--pending', 'only those that were asked three times or are seven days old'),
    new Option('--draft <id>', 'add a draft of the asset that answers one')
      .argParser(filled('--draft'))
      .conflicts(['pending', 'close']),
    new Option('--close <id>', 'close one without an asset').argParser(filled('--close')).conflicts('pending'),
  ]);
};
