import { quotePath } from '@cairn/tool/paths';
import { UsageError } from '../../terminal/errors.ts';
import { ExitCode, Interrupted } from '../../terminal/exit.ts';
import { colorOption, watchOption } from '../../terminal/options.ts';
import { createPaint, usesColor, writeLines } from '../../terminal/output.ts';
import { NameFeed } from '../../picker/name-feed.ts';
import { runPicker } from '../../picker/picker.ts';
import { farewell } from '../../picker/screen.ts';
import type { FlagsOf } from '../../terminal/parsed.ts';
import type { CommandContext } from '../../terminal/command-context.ts';
import { chooseInput, STANDARD_INPUT } from '../../terminal/standard-input.ts';
import { defineCommand, type CommandFactory } from '../command.ts';
import { extensionOption, fileTypeOf, kindOption, nullOption, rootOptions, rootsOf } from '../search/options.ts';
import { pickSource } from './source.ts';

const [pathOption, ...placeOptions] = rootOptions('a directory', { searchesHidden: false });

const options = [
  pathOption,
  ['--grep', 'start in the mode that searches lines'],
  kindOption(['file', 'dir'], 'only files (f) or directories (d)'),
  extensionOption,
  nullOption,
  watchOption,
  ...placeOptions,
  colorOption,
] as const;

type PickFlags = FlagsOf<typeof options>;

/** Rejects what cannot be searched together. */
function checkTogether({ grep, type, watch }: PickFlags, roots: readonly string[]): void {
  if (roots.includes(STANDARD_INPUT) && (roots.length > 1 || grep === true || watch === true)) {
    throw new UsageError(
      '- excludes --grep, --watch and other paths',
      'choose from names on standard input, or in directories',
    );
  }
  if (grep === true && type === 'dir') {
    throw new UsageError('--grep and --type d exclude each other', 'leave --type out: directories have no lines');
  }
}

/** Returns the names to choose from, when standard input has them. A search in files does not read it. */
async function namesOf(
  isGiven: boolean,
  roots: readonly string[],
  context: CommandContext,
): Promise<NameFeed | undefined> {
  const { kind } = context.input;
  if (roots.includes(STANDARD_INPUT)) {
    if (kind === 'terminal')
      throw new UsageError('standard input is a terminal', 'pipe names: git ls-files | cairn pick');
    return new NameFeed(context.input.stream());
  }
  if (isGiven) return undefined;
  // The picker itself shows that it waits for names, so it starts at once.
  if (kind === 'pipe' || kind === 'file') return new NameFeed(context.input.stream());
  const { input } = await chooseInput(context, '');
  return input && new NameFeed(input);
}

async function pick(
  context: CommandContext,
  flags: PickFlags,
  query: string,
  paths: readonly string[],
): Promise<number> {
  const roots = rootsOf(flags, paths);
  checkTogether(flags, roots);
  const terminal = context.env['TERM'] === 'dumb' ? undefined : context.openTerminal();
  if (terminal === undefined) {
    throw new UsageError("'cairn pick' needs a terminal", "use 'cairn find' or 'cairn grep' instead");
  }
  const forget = context.onAbruptEnd(() => terminal.close(farewell));
  try {
    const result = await runPicker(terminal, {
      mode: flags.grep === true ? 'grep' : 'find',
      query,
      source: pickSource({
        roots,
        hidden: flags.hidden,
        gitignore: flags.ignore,
        watch: flags.watch,
        fileType: await fileTypeOf(flags.type),
        extensions: flags.extension,
        names: await namesOf(paths.length > 0 || flags.path !== undefined || flags.grep === true, roots, context),
      }),
      paint: createPaint(usesColor(flags.color, true, context.env)),
      loadTools: async () => {
        const { createCodingTools } = await import('@cairn/coding-agent');
        // A person may preview the targets of links outside the root.
        return createCodingTools({ root: context.cwd, policy: { confine: false } });
      },
      signal: context.signal,
    });
    if (result.kind === 'interrupted') return new Interrupted('SIGINT').exitCode;
    if (result.kind === 'left') return ExitCode.None;
    const { path, lineNumber } = result.item;
    const line = lineNumber === undefined ? '' : `:${lineNumber}`;
    const choice = context.out.isTerminal ? quotePath(path + line) : path + line;
    await writeLines(context.out, [choice], context.signal, flags.null === true ? '\0' : '\n');
    return ExitCode.Hit;
  } finally {
    forget();
    terminal.close(farewell);
  }
}

export const pickCommand: CommandFactory = defineCommand({
  description: 'Choose a path, or a line of a file, while you type.',
  summary: 'choose a path or a line while you type',
  args: [
    ['[query]', 'the query to start with', ''],
    ['[path...]', 'directories to search (default: the current directory); - for names on standard input'],
  ],
  options,
  examples: `
Examples:
  $ cairn pick                      type, see the matches, choose one
  $ vim "$(cairn pick sched)"       start with a query
  $ cairn pick '' src test -e ts    TypeScript files in two directories
  $ cairn pick --grep TODO          search in files; prints path:line
  $ git branch --format '%(refname:short)' | cairn pick   choose one of any names

Up and Down (Ctrl-K, Ctrl-J; Ctrl-P, Ctrl-N), PgUp and PgDn select, Enter prints the choice, Tab switches between paths and
lines, Ctrl-W and Ctrl-U erase, Esc cancels. The picker draws on the terminal; standard output has only the choice.
Words may have the operators of fzf: !not, ^start, end$, 'exact, one | other. Without a path and without --grep, the list is standard
input if that is a pipe or a file: one name a line, or each with a NUL after it.

Exit status: 0 if something was chosen, 1 after Esc, 130 after Ctrl-C, 2 without a terminal.`,
  run: pick,
});
