import { resolve } from 'node:path';
import { ExitCode } from '../../terminal/exit.ts';
import type { CommandFactory } from '../command.ts';
import { assetDocument } from './assets.ts';
import { knowledgeCommand } from './knowledge-command.ts';
import { areaOption, typeOption } from './options.ts';

export const knowledgeImportCommand: CommandFactory = knowledgeCommand({
  description:
    'Import Markdown: a file, or a folder with its directories as areas. Without a path: AGENTS.md, CLAUDE.md and .cursor/rules of the current directory. Each state of a file is imported once; an asset that was edited is not overwritten.',
  summary: 'import AGENTS.md, CLAUDE.md, .cursor/rules, or Markdown files',
  args: [['[path]', 'a Markdown file or a folder']],
  options: [
    typeOption('type of the assets (default: reference; best-practice for instructions and rules)'),
    areaOption('area of the assets (default: the one of the directory, else general)'),
  ],
  writes: true,
  run: async ({ knowledge, context, signal, print, notice }, flags, path) => {
    const { importFiles, importProject } = await import('@cairn/knowledge');
    const { cwd } = context;
    const options = { store: knowledge.store, type: flags.type, productLine: flags.area, signal };
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
    if (added.length + updated.length + present.length + problems.length === 0) {
      const where =
        path === undefined ? `${cwd} has no AGENTS.md, CLAUDE.md or .cursor/rules` : `${path} has no Markdown`;
      notice(`${where}; 'cairn knowledge import <path>' imports a file or a folder`);
    }
    const documents = {
      added: await Promise.all(added.map(assetDocument)),
      updated: await Promise.all(updated.map(assetDocument)),
    };
    const ids = [...added, ...updated].map(({ id }) => id);
    await print(ids, { ...documents, present, links, problems });
    if (problems.length > 0) return ExitCode.Error;
    return ids.length > 0 ? ExitCode.Hit : ExitCode.None;
  },
});
