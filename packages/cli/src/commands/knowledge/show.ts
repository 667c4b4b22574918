import type { Asset } from '@cairn/knowledge';
import type { AssetMark } from '@cairn/knowledge/internal';
import { ExitCode } from '../../terminal/exit.ts';
import { shellQuote } from '../../terminal/shell-quote.ts';
import { lineEscape } from '../../terminal/text.ts';
import type { CommandFactory } from '../command.ts';
import { assetDocument, findAsset } from './assets.ts';
import { knowledgeCommand } from './knowledge-command.ts';
import { assetArgument } from './options.ts';

/** Returns the cautions about an asset, and what to do. */
function warningOf(mark: AssetMark, { id, supersededBy, reports }: Asset): string {
  const own = shellQuote(id);
  switch (mark) {
    case 'deprecated':
      return `it is deprecated: 'cairn knowledge deprecate ${own} --active' takes that back`;
    case 'superseded':
      return `it is superseded: 'cairn knowledge show ${shellQuote(supersededBy ?? '')}'`;
    case 'review': {
      const notes = reports.notes.map((note) => `; note: ${note}`).join('');
      const next = `correct it with 'cairn knowledge edit ${own}', or confirm it with 'cairn knowledge verify ${own}'`;
      return `${reports.wrong} reports state that it is wrong: ${next}${notes}`;
    }
    case 'unverified':
      return `it was not confirmed or changed for 180 days: check it, then run 'cairn knowledge verify ${own}'`;
    case 'conflict':
      return `${id} was changed here and in the team store: 'cairn knowledge team resolve ${own}'`;
  }
}

export const knowledgeShowCommand: CommandFactory = knowledgeCommand({
  description: 'Show an asset whole, with its front matter.',
  summary: 'show an asset whole',
  args: [assetArgument],
  run: async ({ knowledge, context, signal, print, notice }, _, given) => {
    const { headOf, marksOf } = await import('@cairn/knowledge/internal');
    const asset = await findAsset(knowledge, given, signal);
    // As by the tool `get_asset`: assets that are opened come first. The session is the terminal, or the agent that runs commands.
    knowledge.usage.recordOpened({ asset: asset.id, session: `command ${process.ppid}` });
    if (knowledge.usage.isOn) knowledge.index.noteOpened();
    const { conflict, text, isUnshared, isPromoted } = asset;
    for (const mark of marksOf(headOf(asset), Date.now())) notice(warningOf(mark, asset));
    if (conflict === undefined && isPromoted && isUnshared) {
      notice("it has changes that 'cairn knowledge team push' shares");
    }
    const lines = text
      .replace(/\r?\n$/u, '')
      .split('\n')
      .map(lineEscape(context.out));
    const document = { ...(await assetDocument(asset)), text, ...(conflict && { theirs: conflict.theirs }) };
    await print(lines, document);
    return ExitCode.Hit;
  },
});
