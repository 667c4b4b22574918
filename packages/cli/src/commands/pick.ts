import { resolve } from 'node:path';
import { Option, type Command } from 'commander';
import { sharedOptions, type SharedFlags } from '../args.ts';
import { UsageError } from '../errors.ts';
import { ExitCode, Interrupted } from '../exit.ts';
import { createPaint, usesColor, writeLines } from '../output.ts';
import { runPicker } from '../picker/picker.ts';
import { farewell } from '../picker/screen.ts';
import { pathPrefix } from '../root.ts';
import type { Session } from '../session.ts';
import { escapeControls } from '../text.ts';

const examples = `
Examples:
  $ cairn pick                      type, see what matches, choose
  $ vim "$(cairn pick sched)"       begin with a query
  $ cairn pick --grep TODO          lines of files; prints path:line

Up and Down (Ctrl-P, Ctrl-N), PgUp and PgDn select, Enter prints the choice, Tab switches between paths and lines of
files, Ctrl-W and Ctrl-U erase, Esc leaves. It is drawn on the terminal, so standard output has only the choice.

Exit status: 0 when something was chosen, 1 after Esc, 130 after Ctrl-C, 2 when there is no terminal.`;

interface PickFlags extends Pick<SharedFlags, 'path' | 'hidden' | 'ignore' | 'color'> {
  readonly grep?: boolean;
}

async function runPick(query: string, flags: PickFlags, session: Session): Promise<number> {
  const terminal = session.env['TERM'] === 'dumb' ? undefined : session.openTerminal();
  if (terminal === undefined) {
    throw new UsageError("'cairn pick' needs a terminal to draw on; without one, use 'cairn find' or 'cairn grep'");
  }
  const forget = session.onAbruptEnd(() => terminal.close(farewell));
  const root = resolve(session.cwd, flags.path);
  try {
    const result = await runPicker(terminal, {
      mode: flags.grep === true ? 'grep' : 'find',
      query,
      scope: { path: root, hidden: flags.hidden, gitignore: flags.ignore },
      paint: createPaint(usesColor(flags.color, true, session.env)),
      loadTools: async () => {
        const { createCodingTools } = await import('@cairn/coding-agent');
        // A person may look wherever links lead.
        return createCodingTools({ root, policy: { confine: false } });
      },
      signal: session.signal,
    });
    if (result.kind === 'interrupted') return new Interrupted('SIGINT').exitCode;
    if (result.kind === 'left') return ExitCode.None;
    const { path, lineNumber } = result.item;
    const line = lineNumber === undefined ? '' : `:${lineNumber}`;
    const choice = `${pathPrefix(flags.path)}${path}${line}`;
    await writeLines(session.out, [session.out.isTerminal ? escapeControls(choice) : choice], session.signal);
    return ExitCode.Hit;
  } finally {
    forget();
    terminal.close(farewell);
  }
}

export function pickCommand(command: Command, session: Session, done: (exitCode: number) => void): void {
  command
    .description('Choose a path, or a line of a file, while you type.')
    .summary('choose a path or a line while you type')
    .argument('[query]', 'what to begin with', '')
    .addHelpText('after', examples)
    .action(async (query: string, flags: PickFlags) => done(await runPick(query, flags, session)));
  const shared = sharedOptions({ root: 'a directory', limit: '', searchesHidden: false });
  const wanted = shared.filter(({ long }) => !['--limit', '--timeout', '--json'].includes(long ?? ''));
  const [path, ...rest] = wanted;
  if (path) command.addOption(path);
  command.addOption(new Option('--grep', 'begin with lines of files'));
  for (const option of rest) command.addOption(option);
}
