import { escapeControls } from '@cairn/tool/paths';
import { resolve } from 'node:path';
import { colorOption } from '../terminal/options.ts';
import { ExitCode } from '../terminal/exit.ts';
import { createPaint, usesColor } from '../terminal/output.ts';
import { pathPrefix } from '../terminal/path-prefix.ts';
import { shellQuote } from '../terminal/shell-quote.ts';
import { abbreviate, pickExtension, pickFile, chooseWord, wordCandidates } from '../tour/choices.ts';
import { showCache, showFind, showGlob, showGrep, showTree, type Tour } from '../tour/steps.ts';
import { defineCommand, type CommandFactory } from './command.ts';

async function sayNext(
  tour: Tour,
  queries: { readonly pattern: string; readonly query: string; readonly word: string },
): Promise<void> {
  const name = tour.context.command?.() ?? 'cairn';
  const flag = tour.pathFlag;
  await tour.say(tour.paint.title('Try next'));
  for (const command of [
    `find ${shellQuote(queries.query)}${flag}`,
    `glob ${shellQuote(queries.pattern)}${flag} --sort-mtime --limit 10 --long`,
    `grep -i ${shellQuote(queries.word)}${flag} -C 2 --limit 20`,
    'help grep',
  ]) {
    await tour.say(`  ${name} ${escapeControls(command)}`);
  }
}

export const tourCommand: CommandFactory = defineCommand({
  description: 'Show find, glob, grep and the scan cache on a real tree, step by step, with times.',
  summary: 'show the searches on a tree, step by step',
  args: [['[path]', 'the directory of the tour', '.']],
  options: [colorOption],
  examples: `
Examples:
  $ cairn tour          the current directory
  $ cairn tour src      another one

The tour only reads, except for one small file that it creates in the directory and removes again.`,
  run: async (context, flags, given) => {
    const natives = await import('@cairn/natives');
    const path = resolve(context.cwd, given) === context.cwd ? '.' : given;
    const prefix = pathPrefix(path);
    const tour: Tour = {
      natives,
      context,
      paint: createPaint(usesColor(flags.color, context.out.isTerminal, context.env)),
      path,
      prefix,
      pathFlag: prefix === '' ? '' : ` --path ${shellQuote(path)}`,
      say: async (line = '') => {
        context.signal.throwIfAborted();
        await context.out.write(`${line}\n`);
      },
    };
    // Asked first, so that a wrong path is an error and not the start of a tour.
    await natives.glob({ pattern: '*', path, maxResults: 0, signal: context.signal });
    await tour.say(`${tour.paint.title('Cairn tour')} of ${escapeControls(resolve(context.cwd, path))}`);
    await tour.say();
    const { paths, extensions } = await showTree(tour);
    const extension = pickExtension(extensions);
    const file = pickFile(paths, extension);
    const pattern = extension === undefined ? '*' : `*.${extension}`;
    const query = file === undefined ? 'readme' : abbreviate(file);
    const source = await chooseWord(path, wordCandidates(paths, extensions), context.signal);
    const word = source?.word ?? 'cairn';
    await showGlob(tour, pattern);
    await showFind(tour, query, file);
    await showGrep(tour, word, source?.path);
    await showCache(tour);
    await sayNext(tour, { pattern, query, word });
    return ExitCode.Hit;
  },
});
