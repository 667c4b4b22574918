import type { Command } from 'commander';
import { addOptions, type OptionRow } from '../terminal/options.ts';
import type { ArgumentRow, ArgumentsOf, FlagsOf } from '../terminal/parsed.ts';
import type { CommandContext } from '../terminal/command-context.ts';

/** Adds arguments, options and the action to a command. The action calls `done` with the exit status of a finished run. */
export type CommandFactory = (command: Command, context: CommandContext, done: (exitCode: number) => void) => void;

export interface CommandTexts<Options = readonly OptionRow[], Args = readonly ArgumentRow[]> {
  readonly description: string;
  /** Its line in a list of commands. @default the description, without its capital letter and its full stop */
  readonly summary?: string;
  readonly alias?: string;
  readonly args?: Args;
  readonly options?: Options;
  readonly examples?: string;
}

interface Runnable<Flags, Args extends readonly unknown[]> {
  /** Gets the options and the arguments as parsed. @returns the exit status. */
  readonly run: (context: CommandContext, flags: Flags, ...args: Args) => Promise<number>;
}

function describe(command: Command, { description, summary, alias, args = [], options = [], examples }: CommandTexts) {
  const short = `${description.charAt(0).toLowerCase()}${description.slice(1)}`.replace(/\.$/u, '');
  command.description(description).summary(summary ?? short);
  if (alias !== undefined) command.alias(alias);
  for (const [name, meaning, standard] of args) command.argument(name, meaning, standard);
  if (examples !== undefined) command.addHelpText('after', examples);
  addOptions(command, options);
}

export function commandOf<Flags, Args extends readonly unknown[]>({
  run,
  ...texts
}: CommandTexts & Runnable<Flags, Args>): CommandFactory {
  return (command, context, done) => {
    describe(command, texts);
    // commander passes the arguments, the options and the command.
    command.action(async (...given: readonly unknown[]) =>
      done(await run(context, given.at(-2) as Flags, ...(given.slice(0, -2) as unknown as Args))),
    );
  };
}

/** Returns the factory of a command. The types of what it gets are in its tables. */
export function defineCommand<
  const Options extends readonly OptionRow[] = readonly [],
  const Args extends readonly ArgumentRow[] = readonly [],
>(definition: CommandTexts<Options, Args> & Runnable<FlagsOf<Options>, ArgumentsOf<Args>>): CommandFactory {
  return commandOf(definition);
}

export function defineGroup(texts: CommandTexts): CommandFactory {
  return (command) => describe(command, texts);
}
