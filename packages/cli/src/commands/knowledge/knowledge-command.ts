/** What the commands on knowledge have in common. */
import type { Knowledge } from '@cairn/knowledge';
import { listDocument } from '../../terminal/answer.ts';
import { ExitCode } from '../../terminal/exit.ts';
import type { OptionRow } from '../../terminal/options.ts';
import type { ArgumentRow, ArgumentsOf, FlagsOf } from '../../terminal/parsed.ts';
import type { CommandContext } from '../../terminal/command-context.ts';
import { commandOf, type CommandFactory, type CommandTexts } from '../command.ts';
import { Printer } from '../printer.ts';
import { hasStore, openKnowledge } from './open.ts';
import { knowledgeOptions, type KnowledgeFlags } from './options.ts';

/** The opened knowledge, and how its command prints. */
export interface KnowledgePlace extends Pick<Printer, 'print' | 'printMatches' | 'notice'> {
  readonly knowledge: Knowledge;
  readonly context: CommandContext;
  readonly signal: AbortSignal;
}

interface KnowledgeCommand<
  Options extends readonly OptionRow[],
  Args extends readonly ArgumentRow[],
> extends CommandTexts<Options, Args> {
  /** Rejects what cannot be combined, before the knowledge is opened. */
  readonly check?: (flags: FlagsOf<Options>, ...args: ArgumentsOf<Args>) => void;
  /** Whether the command writes. Only then is a missing store created. */
  readonly writes?: boolean;
  /** The JSON document when the store is missing. @default an empty list */
  readonly absent?: (directory: string) => object;
  readonly run: (
    place: KnowledgePlace,
    flags: FlagsOf<Options> & KnowledgeFlags,
    ...args: ArgumentsOf<Args>
  ) => Promise<number>;
}

/** Returns the factory of a command that opens the knowledge that its options name, and closes it. */
export function knowledgeCommand<
  const Options extends readonly OptionRow[] = readonly [],
  const Args extends readonly ArgumentRow[] = readonly [],
>({
  check,
  writes = false,
  absent = () => listDocument([]),
  run,
  ...texts
}: KnowledgeCommand<Options, Args>): CommandFactory {
  return commandOf<FlagsOf<Options> & KnowledgeFlags, ArgumentsOf<Args>>({
    ...texts,
    options: [...(texts.options ?? []), ...knowledgeOptions],
    run: async (context, flags, ...args) => {
      check?.(flags, ...args);
      const printer = new Printer(context, flags);
      const knowledge = await openKnowledge(context, { directory: flags.directory, onNotice: printer.notice });
      const { directory } = knowledge;
      try {
        if (!writes && !hasStore(directory)) {
          printer.notice(`there is no knowledge in ${directory}; 'cairn knowledge add' creates it`);
          await printer.print([], absent(directory));
          return ExitCode.None;
        }
        const { print, printMatches, notice } = printer;
        const place = { knowledge, context, signal: context.signal, print, printMatches, notice };
        const exitCode = await run(place, flags, ...args);
        const notices = knowledge.store.backend.notices?.() ?? [];
        for (const { message } of notices) notice(message);
        return writes || notices.every(({ code }) => code !== 'DAMAGED') ? exitCode : ExitCode.Error;
      } finally {
        await knowledge.close();
        await printer.end();
      }
    },
  });
}
