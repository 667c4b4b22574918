/** The commands that change one fact. */
import type { Fact, Memory } from '@cairn/memory';
import { UsageError } from '../../terminal/errors.ts';
import { ExitCode } from '../../terminal/exit.ts';
import { readText } from '../../terminal/input.ts';
import { filled, switchOf, type OptionRow } from '../../terminal/options.ts';
import type { CommandContext } from '../../terminal/command-context.ts';
import type { CommandFactory, CommandTexts } from '../command.ts';
import type { FlagsOf } from '../../terminal/parsed.ts';
import { onFact } from './find-by-id.ts';
import { factLines } from './lines.ts';
import { memoryCommand, type MemoryPlace } from './memory-command.ts';
import { allowSecretOption, pinOption, tagOption } from './options.ts';

/** A fact that was changed, and what else that did. */
interface Changed {
  readonly fact: Fact;
  readonly notice?: string | undefined;
}

interface FactChange<Options extends readonly OptionRow[]> extends CommandTexts {
  readonly options?: Options;
  readonly check?: (flags: FlagsOf<Options>) => void;
  readonly change: (
    facts: Memory['facts'],
    id: string,
    flags: FlagsOf<Options>,
    context: CommandContext,
  ) => Promise<Changed>;
  readonly done: (id: string) => string;
}

function changeCommand<const Options extends readonly OptionRow[] = readonly []>({
  check,
  change,
  done,
  ...texts
}: FactChange<Options>): CommandFactory {
  return memoryCommand({
    ...texts,
    args: [['<id>', 'the fact']],
    check,
    ofProject: 'wanted',
    absent: () => ({}),
    run: (place, flags, id) =>
      changeFact(place, id, { change: () => change(place.memory.facts, id, flags, place.context), done }),
  });
}

async function changeFact(
  { memory, context, signal, print, notice }: MemoryPlace,
  id: string,
  { change, done }: { readonly change: () => Promise<Changed>; readonly done: (id: string) => string },
): Promise<number> {
  const changed = await onFact(memory, { id, signal }, change);
  const { fact } = changed;
  notice(done(id));
  if (changed.notice !== undefined) notice(changed.notice);
  await print(factLines(fact, context), fact);
  return ExitCode.Hit;
}

export const memoryArchiveCommand: CommandFactory = changeCommand({
  description: 'Keep a fact, but let no search find it.',
  change: async (facts, id, _, { signal }) => ({ fact: await facts.archive(id, { signal }) }),
  done: (id) => `archived ${id}; 'cairn memory restore ${id}' undoes it for 30 days`,
});

/** Returns the fact that is recalled in place of one: the last of those that replaced one another. */
async function successorOf(facts: Memory['facts'], id: string, signal: AbortSignal): Promise<Fact | undefined> {
  const seen = new Set([id]);
  let last: Fact | undefined;
  let { supersededBy } = await facts.get(id, { signal });
  while (supersededBy !== undefined && !seen.has(supersededBy)) {
    seen.add(supersededBy);
    // It may be forgotten.
    last = await facts.get(supersededBy, { signal }).catch(() => undefined);
    supersededBy = last?.supersededBy;
  }
  return last;
}

/** Undoes the last change of a fact. */
export function restoreFact(place: MemoryPlace, id: string): Promise<number> {
  const { facts } = place.memory;
  const { signal } = place;
  const change = async (): Promise<Changed> => {
    const before = await successorOf(facts, id, signal);
    const fact = await facts.restore(id, { signal });
    if (before === undefined || before.archivedAt !== undefined) return { fact };
    const { archivedAt } = await facts.get(before.id, { signal });
    return {
      fact,
      notice: archivedAt === undefined ? undefined : `archived ${before.id}, which had replaced it`,
    };
  };
  return changeFact(place, id, { change, done: () => `restored ${id}` });
}

export const memoryUpdateCommand: CommandFactory = changeCommand({
  description: 'Change the text, the tags or the pin of a fact.',
  options: [
    ['--text <text>', 'the new text; - reads standard input', filled],
    tagOption('replace all tags by this one; repeat it for more'),
    ['--no-tags', 'remove all tags', undefined, { conflicts: 'tag' }],
    pinOption,
    ['--no-pin', 'show it first no longer', switchOf(false)],
    ['--shared', 'let all streams find it', switchOf(true)],
    ['--no-shared', 'let only its own stream find it', switchOf(false)],
    allowSecretOption,
  ],
  check: ({ text, tag, tags, pin, shared }) => {
    if ([text, tag, pin, shared].some((one) => one !== undefined) || tags === false) return;
    throw new UsageError(
      'nothing to change is given',
      'use --text, --tag, --no-tags, --pin, --no-pin, --shared or --no-shared',
    );
  },
  change: async (facts, id, { text, tag, tags, pin, shared, allowSecret }, { input, signal }) => {
    const given =
      text === '-' ? (await readText(input, 'pipe the text, or give it to --text')).replace(/\n$/u, '') : text;
    const wanted = tags === false ? [] : tag;
    return { fact: await facts.update(id, { text: given, tags: wanted, pinned: pin, shared, allowSecret, signal }) };
  },
  done: (id) => `updated ${id}; 'cairn memory restore ${id}' undoes it for 30 days`,
});
