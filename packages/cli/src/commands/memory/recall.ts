import type { RecalledFact, RecalledMessage } from '@cairn/memory';
import { UsageError } from '../../terminal/errors.ts';
import { filled } from '../../terminal/options.ts';
import type { Session } from '../../terminal/session.ts';
import type { CommandFactory } from '../command.ts';
import { nothingFoundHint } from './hints.ts';
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
  type FactFlags,
} from './options.ts';

const DEFAULT_LIMIT = 10;

interface RecallFlags extends FactFlags {
  readonly group?: string;
  readonly role?: string;
}

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

function messageLines(
  { id, time, by, content, isSimilar }: RecalledMessage,
  words: readonly string[],
  session: Session,
): Generator<string, void, undefined> {
  const similar = isSimilar === true ? ' (similar)' : '';
  return textLines(`${formatTime(time)} ${id} ${by}${similar}: `, shownText(content, id, session, words), session);
}

export const memoryRecallCommand: CommandFactory = memoryCommand<RecallFlags, [query: string]>({
  description: 'Find facts, then messages of past sessions, by their words, best match first.',
  summary: 'find facts and past messages, best match first',
  alias: 'search',
  args: [['<query>', "any text; '' lists the newest"]],
  options: [
    scopeOption('only facts of the project, or of the user'),
    tagOption('only facts with this tag; repeat it for more'),
    ...timeOptions,
    streamOption('stream of the facts and messages (default: agent)'),
    groupOption('only messages of this group (default: all groups of the stream)'),
    ['--role <role>', 'only messages of this role, such as user or assistant', filled],
    limitOption('facts and N messages', String(DEFAULT_LIMIT)),
    offsetOption,
  ],
  ofProject: (flags) => (kindsOf(flags).facts ? needOf(flags) : undefined),
  run: async ({ memory, session, signal, printMatches, notice, where }, flags, query) => {
    const kinds = kindsOf(flags);
    const { DEFAULT_STREAM } = await import('@cairn/memory/internal');
    const { scope, stream, group, role, limit = DEFAULT_LIMIT, offset = 0 } = flags;
    const onNotice = ({ message }: { readonly message: string }): void => notice(message);
    const common = { query, ...(await timesOf(flags, memory, signal)), limit, offset, signal, onNotice };
    const none = { facts: [], contexts: [], searched: 0, hasMore: false };
    const found = kinds.facts ? await memory.facts.recall({ ...common, scope, stream, tags: flags.tag }) : none;
    const past = kinds.messages
      ? await memory.recall({ ...common, stream: stream ?? DEFAULT_STREAM, group, role })
      : none;
    const messages = past.contexts.filter((one): one is RecalledMessage => one.kind === 'message');
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
      ...facts.flatMap((fact) => [...factLines(fact, session)]),
      ...messages.flatMap((message) => [...messageLines(message, words, session)]),
    ];
    return printMatches(lines, matches, { hasMore });
  },
});
