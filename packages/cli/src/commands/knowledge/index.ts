import { join } from 'node:path';
import { addKnowledgeOptions, withKnowledge, type KnowledgeFlags } from '../../knowledge/open.ts';
import { ExitCode } from '../../terminal/exit.ts';
import type { Session } from '../../terminal/session.ts';
import { escapeLine } from '../../terminal/text.ts';
import type { CommandFactory } from '../command.ts';

async function index(flags: KnowledgeFlags, session: Session): Promise<number> {
  const { signal } = session;
  return withKnowledge(session, {
    flags,
    absent: (directory) => ({ path: join(directory, 'AGENTS-INDEX.md'), text: '', listed: 0, total: 0, warnings: [] }),
    run: async (knowledge, { print, notice }) => {
      const { text, listed, total, warnings } = await knowledge.index.document({ signal });
      await knowledge.index.flush({ signal });
      const path = join(knowledge.directory, 'AGENTS-INDEX.md');
      for (const { message } of warnings) notice(message);
      notice(`${listed} of ${total} assets in ${path}`);
      const escape = session.out.isTerminal ? escapeLine : (line: string) => line;
      const lines = text.replace(/\n$/u, '').split('\n').map(escape);
      await print(lines, { path, text, listed, total, warnings });
      return listed > 0 ? ExitCode.Hit : ExitCode.None;
    },
  });
}

export const knowledgeIndexCommand: CommandFactory = (command, session, done) => {
  command
    .description('Show AGENTS-INDEX.md, the index that agents see, and write it if it is not up to date.')
    .summary('show the index that agents see')
    .action(async (flags: KnowledgeFlags) => done(await index(flags, session)));
  addKnowledgeOptions(command);
};
