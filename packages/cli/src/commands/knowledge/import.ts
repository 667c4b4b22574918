import { resolve } from 'node:path';
import type { AssetType } from '@cairn/knowledge';
import { assetDocument } from '../../knowledge/assets.ts';
import { addKnowledgeOptions, withKnowledge, type KnowledgeFlags } from '../../knowledge/open.ts';
import { ExitCode } from '../../terminal/exit.ts';
import type { Session } from '../../terminal/session.ts';
import type { CommandFactory } from '../command.ts';
import { productLineOption, typeOption } from './options.ts';

interface ImportFlags extends KnowledgeFlags {
  readonly type?: AssetType;
  readonly productLine?: string;
}

async function importAll(path: string | undefined, flags: ImportFlags, session: Session): Promise<number> {
  const { type, productLine } = flags;
  const { cwd, signal } = session;
  return withKnowledge(session, {
    flags,
    writes: true,
    run: async ({ store }, { print, notice }) => {
      const { importFiles, importProject } = await import('@cairn/knowledge');
      const options = { store, type, productLine, signal };
      const result =
        path === undefined ? await importProject(cwd, options) : await importFiles(resolve(cwd, path), options);
      const { added, updated, present, links, problems } = result;
      const counts = [
        `added ${added.length}`,
        ...(updated.length === 0 ? [] : [`updated ${updated.length}`]),
        ...(present.length === 0 ? [] : [`${present.length} already imported`]),
        ...(problems.length === 0 ? [] : [`${problems.length} not imported`]),
      ];
      notice(counts.join(', '));
      for (const link of links) notice(`${link} is a link, which is not followed`);
      for (const problem of problems) {
        notice(problem.message.includes(problem.path) ? problem.message : `${problem.path}: ${problem.message}`);
      }
      const isEmpty = added.length + updated.length + present.length + problems.length === 0;
      if (isEmpty) {
        const where =
          path === undefined ? `${cwd} has no AGENTS.md, CLAUDE.md or .cursor/rules` : `${path} has no Markdown`;
        notice(`${where}; 'cairn knowledge import <path>' imports a file or a folder`);
      }
      await print(
        [...added, ...updated].map(({ id }) => id),
        {
          added: await Promise.all(added.map(assetDocument)),
          updated: await Promise.all(updated.map(assetDocument)),
          present,
          links,
          problems,
        },
      );
      if (problems.length > 0) return ExitCode.Error;
      return added.length + updated.length > 0 ? ExitCode.Hit : ExitCode.None;
    },
  });
}

export const knowledgeImportCommand: CommandFactory = (command, session, done) => {
  command
    .description(
      'Import Markdown: a file, or a folder with its directories as product lines. Without a path: AGENTS.md, CLAUDE.md and .cursor/rules of the current directory. Each state of a file is imported once; an asset that was edited is not overwritten.',
    )
    .summary('import AGENTS.md, CLAUDE.md, .cursor/rules, or Markdown files')
    .argument('[path]', 'a Markdown file or a folder')
    .action(async (path: string | undefined, flags: ImportFlags) => done(await importAll(path, flags, session)));
  addKnowledgeOptions(command, [
    typeOption('type of the assets (default: reference; best-practice for instructions and rules)'),
    productLineOption('product line of the assets (default: the line of the directory, else general)'),
  ]);
};
