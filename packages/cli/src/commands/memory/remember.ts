import { Option } from 'commander';
import type { Fact } from '@cairn/memory';
import { onFact } from '../../memory/find-by-id.ts';
import { withMemory } from '../../memory/store.ts';
import { UsageError } from '../../terminal/errors.ts';
import { ExitCode } from '../../terminal/exit.ts';
import { givenText } from '../../terminal/input.ts';
import { filled } from '../../terminal/options.ts';
import type { Session } from '../../terminal/session.ts';
import type { CommandFactory } from '../command.ts';
import { addFactOptions, scopeOption, streamOption, tagOption, type FactFlags } from './options.ts';

interface RememberFlags extends FactFlags {
  readonly shared?: boolean;
  readonly pin?: boolean;
  readonly source?: string;
  readonly replaces?: string;
  readonly allowSecret?: boolean;
}

/** Returns the readers of a fact, in words. */
function ownerOf({ scope, project, stream, shared }: Fact): string {
  const owner = scope === 'user' ? 'all projects of the user' : `the project ${project ?? ''}`;
  return stream === undefined || shared === true ? owner : `${owner}, only in the stream ${stream}`;
}

async function remember(given: string | undefined, flags: RememberFlags, session: Session): Promise<number> {
  const text = (await givenText(given, session.input, 'pipe the text, or give it as an argument')).replace(/\n$/u, '');
  const { scope = 'project', stream, tag: tags, pin, replaces, allowSecret, source = 'cli' } = flags;
  const { signal } = session;
  if (replaces !== undefined && (flags.scope ?? stream ?? flags.shared) !== undefined) {
    const message = 'a fact that replaces another one keeps its scope and its stream';
    throw new UsageError(message, 'leave out --scope, --stream and --shared, or store it without --replaces');
  }
  return withMemory(session, {
    flags,
    ofProject: replaces !== undefined ? 'wanted' : scope === 'user' ? undefined : 'needed',
    writes: true,
    run: async (memory, { print, notice, where }) => {
      const { facts } = memory;
      if (replaces !== undefined) {
        const fact = await onFact(memory, { id: replaces, signal }, () =>
          facts.supersede(replaces, text, { tags, source, pinned: pin, allowSecret, signal }),
        );
        notice(`stored in ${where} for ${ownerOf(fact)}; it replaces ${replaces}`);
        await print([fact.id], { ...fact, isNew: true, similar: [] });
        return ExitCode.Hit;
      }
      const shared = flags.shared;
      const options = { scope, stream, shared, tags, source, pinned: pin, allowSecret, signal };
      const { fact, isNew, similar } = await facts.remember(text, options);
      notice(
        isNew
          ? `stored in ${where} for ${ownerOf(fact)}, until it is forgotten`
          : `an equal fact exists in ${where} for ${ownerOf(fact)}; it was not stored again`,
      );
      for (const one of similar) notice(`similar: ${one.id}; if it is outdated, use 'cairn memory forget ${one.id}'`);
      await print([fact.id], { ...fact, isNew, similar });
      return ExitCode.Hit;
    },
  });
}

export const memoryRememberCommand: CommandFactory = (command, session, done) => {
  command
    .alias('add')
    .description('Store a fact. It is kept until it is forgotten.')
    .summary('store a fact')
    .argument('[text]', 'the fact; - reads standard input (default: standard input)')
    .action(async (text: string | undefined, flags: RememberFlags) => done(await remember(text, flags, session)));
  addFactOptions(command, [
    scopeOption('scope of the fact: project, or user for all projects (default: project)'),
    tagOption('add a tag; repeat it for more'),
    new Option('--pin', 'show it first at the start of every session'),
    new Option('--replaces <id>', 'the outdated fact, which is then no longer found').argParser(filled('--replaces')),
    new Option('--source <name>', 'where it comes from (default: cli)').argParser(filled('--source')),
    streamOption('the only stream that finds it (default: all)'),
    new Option('--shared', 'let all streams find it although it has a stream'),
    new Option('--allow-secret', 'store a text with a key, token or password'),
  ]);
};
