import type { Gap } from '@cairn/knowledge/internal';
import { CommandError } from '../../terminal/errors.ts';
import { ExitCode } from '../../terminal/exit.ts';
import { filled } from '../../terminal/options.ts';
import { countOf, escapeLine } from '../../terminal/text.ts';
import type { CommandFactory } from '../command.ts';
import { formatTime } from '../memory/lines.ts';
import { assetDocument } from './assets.ts';
import { knowledgeCommand, type KnowledgePlace } from './knowledge-command.ts';

function gapDocument({ id, query, asked, firstMs, lastMs }: Gap): object {
  return { id, query, asked, first_at: new Date(firstMs).toISOString(), last_at: new Date(lastMs).toISOString() };
}

function unknownGap(id: string): CommandError {
  const message = `unknown gap ${JSON.stringify(id)}`;
  return new CommandError({ code: 'UNKNOWN_GAP', message, fix: "'cairn knowledge gaps' lists them", changed: false });
}

async function draft(id: string, { knowledge, print, notice }: KnowledgePlace): Promise<number> {
  const { gaps, store } = knowledge;
  const gap = (await gaps.list()).find((one) => one.id === id);
  if (gap === undefined) throw unknownGap(id);
  const asset = await store.add(gaps.draft(gap));
  notice(`added a draft; fill it in: 'cairn knowledge edit ${asset.id}'`);
  await print([asset.id], await assetDocument(asset));
  return ExitCode.Hit;
}

async function close(id: string, { knowledge, signal, print, notice }: KnowledgePlace): Promise<number> {
  if (!(await knowledge.gaps.close(id, { signal }))) throw unknownGap(id);
  notice(`closed ${id}`);
  await print([], { id, closed: true });
  return ExitCode.Hit;
}

export const knowledgeGapsCommand: CommandFactory = knowledgeCommand({
  description: 'List questions of agents that no asset answers, the latest first.',
  summary: 'list questions that no asset answers',
  options: [
    ['--pending', 'only those that were asked three times or are seven days old'],
    ['--draft <id>', 'add a draft of the asset that answers one', filled, { conflicts: ['pending', 'close'] }],
    ['--close <id>', 'close one without an asset', filled, { conflicts: 'pending' }],
  ],
  run: async (place, flags) => {
    const { knowledge, signal, printMatches, notice } = place;
    if (flags.draft !== undefined) return draft(flags.draft, place);
    if (flags.close !== undefined) return close(flags.close, place);
    const { gaps } = knowledge;
    const found = flags.pending === true ? await gaps.pending({ signal }) : await gaps.list({ signal });
    if (found.length === 0) notice('no question without an answer');
    const lines = found.map(({ id, query, asked, lastMs }) =>
      escapeLine([formatTime(lastMs), id, countOf(asked, 'time'), query].join('  ')),
    );
    return printMatches(lines, found.map(gapDocument));
  },
});
