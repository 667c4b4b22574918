import type { Fact } from '@cairn/memory';
import { UsageError } from '../../terminal/errors.ts';
import { ExitCode } from '../../terminal/exit.ts';
import { givenText } from '../../terminal/input.ts';
import { filled } from '../../terminal/options.ts';
import { shellQuote } from '../../terminal/shell-quote.ts';
import type { CommandFactory } from '../command.ts';
import { onFact } from './find-by-id.ts';
import { memoryCommand } from './memory-command.ts';
import { allowSecretOption, pinOption, scopeOption, streamOption, tagOption, type ProjectFlags } from './options.ts';

function ownerOf({ scope, project, stream, shared }: Fact): string {
  const owner = scope === 'user' ? 'all projects of the user' : `the project ${project ?? ''}`;
  return stream === undefined || shared === true ? owner : `${owner}, only in the stream ${stream}`;
}

type Place = Pick<ProjectFlags, 'store' | 'url' | 'backend' | 'project'>;

/** Returns the commands that find and share a fact where it was stored. Not every command has a stream. */
function howToShare({ id, stream, shared }: Fact, { store, url, backend, project }: Place): string {
  // A URL may have a password.
  const given = { backend, store, url: url === undefined ? undefined : '<url>', project };
  const options = Object.entries(given)
    .flatMap(([name, value]) =>
      value === undefined ? [] : [` --${name} ${name === 'url' ? value : shellQuote(value)}`],
    )
    .join('');
  const isForAll = stream === undefined || shared === true;
  const finds = isForAll
    ? `'cairn recall${options}' finds it`
    : `'cairn memory recall <words> --stream ${shellQuote(stream)}${options}' finds it`;
  return `${finds}; 'cairn knowledge share ${id}${options}' shares it with the team`;
}

export const memoryRememberCommand: CommandFactory = memoryCommand({
  description: 'Store a fact. It is kept until it is forgotten.',
  summary: 'store a fact',
  alias: 'add',
  args: [['[text]', 'the fact; - reads standard input (default: standard input)']],
  options: [
    scopeOption('scope of the fact: project, or user for all projects (default: project)'),
    tagOption('add a tag; repeat it for more'),
    pinOption,
    ['--replaces <id>', 'the outdated fact, which is then no longer found', filled],
    ['--source <name>', 'where it comes from (default: cli)', filled],
    streamOption('the only stream that finds it (default: all)'),
    ['--shared', 'let all streams find it although it has a stream'],
    allowSecretOption,
  ],
  check: ({ replaces, scope, stream, shared }) => {
    if (replaces === undefined || (scope ?? stream ?? shared) === undefined) return;
    const message = 'a fact that replaces another one keeps its scope and its stream';
    throw new UsageError(message, 'leave out --scope, --stream and --shared, or store it without --replaces');
  },
  ofProject: ({ replaces, scope }) => {
    if (replaces !== undefined) return 'wanted';
    return scope === 'user' ? undefined : 'needed';
  },
  writes: true,
  run: async ({ memory, context, signal, print, notice, where }, flags, given) => {
    const { facts } = memory;
    const { scope = 'project', stream, shared, tag: tags, pin: pinned, replaces, allowSecret, source = 'cli' } = flags;
    const input = await givenText(given, context.input, 'pipe the text, or give it as an argument');
    const text = input.replace(/\n$/u, '');
    const common = { tags, source, pinned, allowSecret, signal };
    if (replaces !== undefined) {
      const fact = await onFact(memory, { id: replaces, signal }, () => facts.supersede(replaces, text, common));
      notice(`stored in ${where} for ${ownerOf(fact)}; it replaces ${replaces}`);
      notice(howToShare(fact, flags));
      await print([fact.id], { ...fact, isNew: true, similar: [] });
      return ExitCode.Hit;
    }
    const {
      fact,
      isNew,
      similar,
      disagreesWith = [],
    } = await facts.remember(text, { ...common, scope, stream, shared });
    notice(
      isNew
        ? `stored in ${where} for ${ownerOf(fact)}, until it is forgotten`
        : `an equal fact exists in ${where} for ${ownerOf(fact)}; it was not stored again`,
    );
    notice(howToShare(fact, flags));
    for (const { id } of similar) {
      const relation = disagreesWith.includes(id) ? 'seems to disagree with' : 'similar:';
      notice(`${relation} ${id}; if it is outdated, use 'cairn memory forget ${id}'`);
    }
    await print([fact.id], { ...fact, isNew, similar, ...(disagreesWith.length > 0 && { disagreesWith }) });
    return ExitCode.Hit;
  },
});
