import { assetDocument, findAsset } from '../../knowledge/assets.ts';
import { addKnowledgeOptions, withKnowledge, type KnowledgeFlags } from '../../knowledge/open.ts';
import { ExitCode } from '../../terminal/exit.ts';
import type { Session } from '../../terminal/session.ts';
import { escapeLine } from '../../terminal/text.ts';
import type { CommandFactory } from '../command.ts';

async function show(given: string, flags: KnowledgeFlags, session: Session): Promise<number> {
  return withKnowledge(session, {
    flags,
    run: async (knowledge, { print, notice }) => {
      const asset = await findAsset(knowledge, given, session.signal);
      const { conflict, text, isUnshared, isPromoted } = asset;
      if (conflict !== undefined) {
        notice(`${asset.id} was changed here and in the team store: 'cairn knowledge team resolve ${asset.id}'`);
      } else if (isPromoted && isUnshared) notice("it has changes that 'cairn knowledge team push' shares");
      const escape = session.out.isTerminal ? escapeLine : (line: string) => line;
      const lines = text
        .replace(/\r?\n$/u, '')
        .split('\n')
        .map(escape);
      await print(lines, { ...assetDocument(asset), text, ...(conflict !== undefined && { theirs: conflict.theirs }) });
      return ExitCode.Hit;
    },
  });
}

export const knowledgeShowCommand: CommandFactory = (command, session, done) => {
  command
    .description('Show an asset whole, with its front matter.')
    .summary('show an asset whole')
    .argument('<asset>', 'product_line/name, or the name')
    .action(async (given: string, flags: KnowledgeFlags) => done(await show(given, flags, session)));
  addKnowledgeOptions(command);
};
