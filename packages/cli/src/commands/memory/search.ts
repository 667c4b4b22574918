/** The commands that find facts and messages. */
import type { RecalledContext, RecalledFact, RecalledMessage } from '@cairn/memory';
import { UsageError } from '../../terminal/errors.ts';
import { filled } from '../../terminal/options.ts';
import type { CommandContext } from '../../terminal/command-context.ts';
import { ExitCode } from '../../terminal/exit.ts';
import { shellQuote } from '../../terminal/shell-quote.ts';
import { countOf } from '../../terminal/text.ts';
import type { CommandFactory } from '../command.ts';
import type { FlagsOf } from '../../terminal/parsed.ts';
import { escapeControls } from '@cairn/tool/paths';
import { factLines, formatTime, shownText, textLines } from './lines.ts';
import { memoryCommand, needOf } from './memory-command.ts';
import {
  groupOption,
  limitOption,
  offsetOption,
  scopeOption,
  streamOption,
  tagOption,
  timeOptions,
  timesOf,
} from './options.ts';

const RECALL_LIMIT = 10;

const recallOptions = [
  scopeOption('only facts of the project, or of the user'),
  tagOption('only facts with this tag; repeat it for more'),
  ...timeOptions,
  streamOption('stream of the facts and messages (default: agent)'),
  groupOption('only messages of this group (default: all groups of the stream)'),
  ['--role <role>', 'only messages of this role, such as user or assistant', filled],
  limitOption('facts and N messages', String(RECALL_LIMIT)),
  offsetOption,
] as const;

type RecallFlags = FlagsOf<typeof recallOptions>;

/** Which kinds the options select. A tag and a scope are of facts, a group and a role of messages. */
function kindsOf({ scope, tag, group, role }: RecallFlags): { readonly facts: boolean; readonly messages: boolean } {
  const onlyFacts = scope !== undefined || tag !== undefined;
  const onlyMessages = group !== undefined || role !== undefined;
  if (onlyFacts && onlyMessages) {
    const message = '--scope and --tag select facts, --group and --role select messages';
    throw new UsageError(message, 'leave two of them out, or run the command twice');
  }
  return { facts: !onlyMessages, messages: !onlyFacts };
}

function wordsOf({ scope, tag, since, until, group, role }: RecallFlags): string[] {
  const all = { scope, tag: tag?.join(','), since, until, group, role };
  return Object.entries(all).flatMap(([name, value]) =>
    value === undefined ? [] : [`--${name} ${shellQuote(value)}`],
  );
}

/** Returns a notice with what was searched and what else to try, for a search that found nothing. */
function nothingFoundHint(
  where: string,
  { facts, messages }: Readonly<Record<'facts' | 'messages', number>>,
  { stream, ...filters }: RecallFlags & { readonly stream: string },
): string {
  const searched = `${countOf(facts, 'fact')} and ${countOf(messages, 'message')} of the stream ${escapeControls(stream)} in ${where}`;
  const words = wordsOf(filters);
  const [selected, fix] = words.length === 0 ? ['', ''] : [` with ${words.join(' ')}`, ', leave out filters'];
  return `nothing found${selected} in ${searched}; try other words${fix}, or see 'cairn memory list' and 'cairn memory groups'`;
}

function messageLines(
  { id, time, by, content, isSimilar }: RecalledMessage,
  words: readonly string[],
  context: CommandContext,
): Generator<string, void, undefined> {
  const similar = isSimilar === true ? ' (similar)' : '';
  return textLines(
    `${formatTime(time)} ${id} ${by}${similar}: `,
    shownText(content, id, context, { matched: words }),
    context,
  );
}

export const memoryRecallCommand: CommandFactory = memoryCommand({
  description: 'Find facts, then messages of past sessions, by their words, best match first.',
  summary: 'find facts and past messages, best match first',
  alias: 'search',
  args: [['<query>', "any text; '' lists the newest"]],
  options: recallOptions,
  ofProject: (flags) => (kindsOf(flags).facts ? needOf(flags) : undefined),
  run: async ({ memory, context, signal, printMatches, notice, where }, flags, query) => {
    const kinds = kindsOf(flags);
    const { DEFAULT_STREAM, twinNotice } = await import('@cairn/memory/internal');
    const { scope, stream, group, role, limit = RECALL_LIMIT, offset = 0 } = flags;
    const onNotice = ({ message }: { readonly message: string }): void => notice(message);
    const common = { query, ...(await timesOf(flags, memory, signal)), limit, offset, signal, onNotice };
    const none = { facts: [], contexts: [], searched: 0, fullScore: undefined, hasMore: false };
    const found = kinds.facts ? await memory.facts.recall({ ...common, scope, stream, tags: flags.tag }) : none;
    const past = kinds.messages
      ? await memory.recall({ ...common, stream: stream ?? DEFAULT_STREAM, group, role })
      : none;
    const twins = kinds.facts && scope !== 'user' ? await twinNotice(memory.backend, memory.project, { signal }) : '';
    for (const line of twins.split('\n')) if (line !== '') notice(line.trim());
    const contexts: readonly RecalledContext[] = past.contexts;
    const messages = contexts.filter((one): one is RecalledMessage => one.kind === 'message');
    const facts: readonly RecalledFact[] = found.facts;
    const matches = [...facts.map((fact) => ({ kind: 'fact', ...fact })), ...messages];
    if (matches.length === 0) {
      const searched = { facts: found.searched, messages: past.searched };
      notice(
        offset > 0
          ? `nothing more at --offset ${offset}; use a smaller one`
          : nothingFoundHint(where, searched, { ...flags, stream: stream ?? DEFAULT_STREAM }),
      );
    }
    const hasMore = found.hasMore || past.hasMore;
    if (hasMore && matches.length > 0) notice(`there are more: use --offset ${offset + limit}`);
    const words = query.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
    const lines = [
      ...facts.flatMap((fact) => [...factLines(fact, context)]),
      ...messages.flatMap((message) => [...messageLines(message, words, context)]),
    ];
    return printMatches(lines, matches, { hasMore });
  },
});

const LIST_LIMIT = 50;

export const memoryListCommand: CommandFactory = memoryCommand({
  description: 'List facts of the project and the user, newest first, in pages.',
  summary: 'list facts, newest first, in pages',
  options: [
    scopeOption('only facts of the project, or of the user'),
    tagOption('only facts with this tag; repeat it for more'),
    ...timeOptions,
    streamOption('only facts that this stream finds (default: facts of all streams)'),
    ['--archived', 'list archived and replaced facts instead'],
    limitOption('facts', String(LIST_LIMIT)),
    offsetOption,
  ],
  ofProject: needOf,
  run: async ({ memory, context, signal, printMatches, notice }, flags) => {
    const { scope, tag: tags, stream, archived, limit = LIST_LIMIT, offset = 0 } = flags;
    const selection = { scope, tags, stream, allStreams: stream === undefined, archived };
    const times = await timesOf(flags, memory, signal);
    const { facts, total, nextOffset } = await memory.facts.list({ ...selection, ...times, limit, offset, signal });
    if (total === 0)
      notice("no fact matches; 'cairn memory remember <text>' stores one, 'cairn memory groups' lists messages");
    else if (facts.length === 0) notice(`there are only ${countOf(total, 'fact')}; use a smaller --offset`);
    if (nextOffset !== undefined) {
      notice(`facts ${offset + 1} to ${nextOffset} of ${total}; for the next use --offset ${nextOffset}`);
    }
    const lines = facts.flatMap((fact) => [...factLines(fact, context)]);
    const exitCode = await printMatches(lines, facts, { total, hasMore: facts.length < total });
    return facts.length > 0 ? exitCode : ExitCode.None;
  },
});
