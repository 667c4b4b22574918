/** What the commands on a memory have in common. */
import type { Memory } from '@cairn/memory';
import { listDocument } from '../../terminal/answer.ts';
import { UsageError } from '../../terminal/errors.ts';
import { ExitCode } from '../../terminal/exit.ts';
import type { CommandContext } from '../../terminal/command-context.ts';
import type { OptionRow } from '../../terminal/options.ts';
import type { ArgumentRow, ArgumentsOf, FlagsOf } from '../../terminal/parsed.ts';
import { commandOf, type CommandFactory, type CommandTexts } from '../command.ts';
import { Printer } from '../printer.ts';
import { projectOption, storeOptions, type ProjectFlags, type Scope } from './options.ts';
import { NO_OWN_PROJECT, openMemory } from './store.ts';

/** An opened memory, and how its command prints. */
export interface MemoryPlace extends Pick<Printer, 'print' | 'printMatches' | 'notice'> {
  readonly memory: Memory;
  readonly context: CommandContext;
  readonly signal: AbortSignal;
  /** The place of the memory, for messages. */
  readonly where: string;
}

/** `needed` fails without a project, `wanted` reports that facts of projects are left out. */
type ProjectNeed = 'needed' | 'wanted' | undefined;

type Flags<Options extends readonly OptionRow[]> = FlagsOf<Options> & ProjectFlags;

interface MemoryCommand<Options extends readonly OptionRow[], Args extends readonly ArgumentRow[]> extends CommandTexts<
  Options,
  Args
> {
  /** Rejects what cannot be combined, before the memory is opened. */
  readonly check?: ((flags: Flags<Options>, ...args: ArgumentsOf<Args>) => void) | undefined;
  /** Whether the command is about facts of a project, and so has `--project`. @default it is not */
  readonly ofProject?: ProjectNeed | ((flags: Flags<Options>, ...args: ArgumentsOf<Args>) => ProjectNeed);
  /** Whether the command writes. Only then is a missing SQLite file created. @default it does not */
  readonly writes?: boolean | ((flags: Flags<Options>, ...args: ArgumentsOf<Args>) => boolean);
  /** The JSON document when the SQLite file is missing; `undefined` prints nothing. @default an empty list */
  readonly absent?: (where: string) => object | undefined;
  /** The exit status when the SQLite file is missing. @default 1 */
  readonly absentExitCode?: number;
  readonly run: (place: MemoryPlace, flags: Flags<Options>, ...args: ArgumentsOf<Args>) => Promise<number>;
}

export function needOf({ scope }: { readonly scope?: Scope }): ProjectNeed {
  if (scope === 'user') return undefined;
  return scope === 'project' ? 'needed' : 'wanted';
}

/** Returns the factory of a command that opens the memory that its options name, and closes it. */
export function memoryCommand<
  const Options extends readonly OptionRow[] = readonly [],
  const Args extends readonly ArgumentRow[] = readonly [],
>({
  check,
  ofProject,
  writes = false,
  absent = () => listDocument([]),
  absentExitCode = ExitCode.None,
  run,
  ...texts
}: MemoryCommand<Options, Args>): CommandFactory {
  return commandOf<Flags<Options>, ArgumentsOf<Args>>({
    ...texts,
    options: [...(texts.options ?? []), ...(ofProject === undefined ? [] : [projectOption]), ...storeOptions],
    run: async (context, flags, ...args) => {
      const need = typeof ofProject === 'function' ? ofProject(flags, ...args) : ofProject;
      if (need === undefined && flags.project !== undefined) {
        const isOfUser = 'scope' in flags && flags.scope === 'user';
        const fix = isOfUser ? 'leave it out, or use --scope project' : 'leave it out';
        throw new UsageError('--project has no effect with these options', fix);
      }
      check?.(flags, ...args);
      const printer = new Printer(context, flags);
      let isWhole = true;
      const { memory, where, isAbsent } = await openMemory(context, flags, {
        onUnreadable: (notice) => {
          isWhole = false;
          printer.notice(notice);
        },
        onNotice: printer.notice,
        ...(need !== undefined && { directory: context.cwd }),
      });
      try {
        if (need !== undefined && memory.project === undefined) {
          if (need === 'needed') throw new UsageError(NO_OWN_PROJECT, 'use --project <name>, or --scope user');
          printer.notice(`only facts of the user: ${NO_OWN_PROJECT}; use --project <name>`);
        }
        const isWriting = typeof writes === 'function' ? writes(flags, ...args) : writes;
        if (!isWriting && isAbsent()) {
          printer.notice(`there is no memory at ${where}; 'cairn memory remember <text>' creates it`);
          const document = absent(where);
          if (document !== undefined) await printer.print([], document);
          return absentExitCode;
        }
        const { print, printMatches, notice } = printer;
        const { signal } = context;
        const exitCode = await run({ memory, context, signal, where, print, printMatches, notice }, flags, ...args);
        const notices = memory.backend.notices?.() ?? [];
        for (const { message } of notices) notice(message);
        // A record that cannot be read, or may be lost, is missing in what was printed.
        return isWhole && (isWriting || notices.every(({ code }) => code !== 'DAMAGED')) ? exitCode : ExitCode.Error;
      } finally {
        await memory.close();
        await printer.end();
      }
    },
  });
}
