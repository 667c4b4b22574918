import { join } from 'node:path';
import { ExitCode } from '../../terminal/exit.ts';
import { lineEscape } from '../../terminal/text.ts';
import type { CommandFactory } from '../command.ts';
import { knowledgeCommand } from './knowledge-command.ts';

export const knowledgeIndexCommand: CommandFactory = knowledgeCommand({
  description: 'Show AGENTS-INDEX.md, the index that agents see, and write it if it is not up to date.',
  summary: 'show the index that agents see',
  absent: (directory) => ({ path: join(directory, 'AGENTS-INDEX.md'), text: '', listed: 0, total: 0, warnings: [] }),
  run: async ({ knowledge, session, signal, print, notice }) => {
    const { text, listed, total, warnings } = await knowledge.index.document({ signal });
    await knowledge.index.flush({ signal });
    const path = join(knowledge.directory, 'AGENTS-INDEX.md');
    for (const { message } of warnings) notice(message);
    notice(`${listed} of ${total} assets in ${path}`);
    const lines = text.replace(/\n$/u, '').split('\n').map(lineEscape(session.out));
    await print(lines, { path, text, listed, total, warnings });
    return listed > 0 ? ExitCode.Hit : ExitCode.None;
  },
});
