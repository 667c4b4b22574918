import { quotePath } from '@cairn/tool/paths';
import { resolve } from 'node:path';
import { Option } from 'commander';
import { UsageError } from '../terminal/errors.ts';
import { ExitCode, Interrupted } from '../terminal/exit.ts';
import { createPaint, usesColor, writeLines } from '../terminal/output.ts';
import { runPicker } from '../picker/picker.ts';
import { farewell } from '../picker/screen.ts';
import { pathPrefix } from '../terminal/path-prefix.ts';
import type { Session } from '../terminal/session.ts';
import type { CommandFactory } from './command.ts';
import { onlyRoot, searchOptions, type SearchFlags } from './search/options.ts';

const examples = `
Examples:
  $ cairn pick                      type, see the matches, choose one
  $ vim "$(cairn pick sched)"       start with a query
  $ cairn pick --grep TODO          search in files; prints path:line

Up and Down (Ctrl-P, Ctrl-N), PgUp and PgDn select, Enter prints the choice, Tab switches between paths and lines, Ctrl-W and
Ctrl-U erase, Esc cancels. The picker draws on the terminal; standard output has only the choice.

Exit status: 0 if something was chosen, 1 after Esc, 130 after Ctrl-C, 2 without a terminal.`;

interface PickFlags extends Pick<SearchFlags, 'path' | 'hidden' | 'ignore' | 'color'> {
  readonly grep?: boolean;
}

async function runPick(query: string, flags: PickFlags, session: Session): Promise<number> {
  const terminal = session.env['TERM'] === 'dumb' ? undefined : session.openTerminal();
  if (terminal === undefined) {
    throw new UsageError("'cairn pick' needs a terminal", "use 'cairn find' or 'cairn grep' instead");
  }
  const forget = session.onAbruptEnd(() => terminal.close(farewell));
  const root = resolve(session.cwd, onlyRoot(flags));
  try {
    const result = await runPicker(terminal, {
      mode: flags.grep === true ? 'grep' : 'find',
      query,
      scope: { path: root, hidden: flags.hidden, gitignore: flags.ignore },
      paint: createPaint(usesColor(flags.color, true, session.env)),
      loadTools: async () => {
        const { createCodingTools } = await import('@cairn/coding-agent');
        // A person may preview the targets of links outside the root.
        return createCodingTools({ root, policy: { confine: false } });
      },
      signal: session.signal,
    });
    if (result.kind === 'interrupted') return new Interrupted('SIGINT').exitCode;
    if (result.kind === 'left') return ExitCode.None;
    const { path, lineNumber } = result.item;
    const line = lineNumber === undefined ? '' : `:${lineNumber}`;
    const choice = `${pathPrefix(onlyRoot(flags))}${path}${line}`;
    await writeLines(session.out, [session.out.isTerminal ? quotePath(choice) : choice], session.signal);
    return ExitCode.Hit;
  } finally {
    forget();
    terminal.close(farewell);
  }
}

export const pickCommand: CommandFactory = (command, session, done) => {
  command
    .description('Choose a path, or a line of a file, while you type.')
    .summary('choose a path or a line while you type')
    .argument('[query]', 'the query to start with', '')
    .addHelpText('after', examples)
    .action(async (query: string, flags: PickFlags) => done(await runPick(query, flags, session)));
  const shared = searchOptions({ root: 'a directory', limit: '', searchesHidden: false });
  const wanted = shared.filter(({ long }) => !['--limit', '--timeout', '--json'].includes(long ?? ''));
  const [path, ...rest] = wanted;
  if (path) command.addOption(path);
  command.addOption(new Option('--grep', 'start in the mode that searches lines'));
  for (const option of rest) command.addOption(option);
};
