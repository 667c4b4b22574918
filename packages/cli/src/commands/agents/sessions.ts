/** The commands on the sessions of a project. */
import { nearNames } from '@cairn/tool/internal';
import { listDocument, writeAnswer } from '../../terminal/answer.ts';
import { CommandError, UsageError } from '../../terminal/errors.ts';
import { ExitCode } from '../../terminal/exit.ts';
import { filled } from '../../terminal/options.ts';
import type { CommandContext } from '../../terminal/command-context.ts';
import { countOf } from '../../terminal/text.ts';
import { defineCommand, type CommandFactory } from '../command.ts';
import { formatTime } from '../memory/lines.ts';
import {
  historyOptions,
  openHistories,
  openStore,
  placeOptions,
  UNKNOWN_SESSION,
  type HistoryFlags,
} from './open-agents.ts';
import { agentName, loadAgents, rowOf } from './project.ts';

async function sessions(session: CommandContext, flags: HistoryFlags & { readonly remove?: string }): Promise<number> {
  const { stored, notices, close } = await openStore(session, flags, { writes: false });
  try {
    const { listSessions, removeSession } = await import('@cairn/context');
    const found = stored === undefined ? [] : await listSessions({ store: stored });
    if (flags.remove !== undefined) {
      // As a run names it.
      const name = flags.remove.normalize('NFC');
      // A process that was killed may have left a part even of a session without messages.
      const isRemoved = stored !== undefined && (await removeSession({ store: stored, session: name }));
      if (!isRemoved) {
        const near = nearNames(
          name,
          found.map((one) => one.session),
        );
        const fix =
          near.length > 0
            ? `did you mean ${near.join(', ')}?`
            : "'cairn agents sessions' lists the sessions of the project";
        throw new CommandError({ code: UNKNOWN_SESSION, message: `there is no session ${name}`, fix });
      }
      const messages = found.find((one) => one.session === name)?.messages ?? 0;
      notices.push(`removed ${name} with ${countOf(messages, 'message')}`);
      await writeAnswer(session, flags, { lines: [], document: { session: name, messages }, notices: () => notices });
      return ExitCode.Hit;
    }
    const lines = found.map(({ session: name, title, agents, messages, lastUsedAt }) => {
      const who = agents.length === 0 ? 'main' : agents.join(', ');
      return rowOf(`${name} ${formatTime(lastUsedAt)}, ${countOf(messages, 'message')}, ${who}: ${title}`, session.out);
    });
    if (found.length === 0) notices.push("there are no sessions; 'cairn agents run' begins one");
    await writeAnswer(session, flags, { lines, document: listDocument(found), notices: () => notices });
    return found.length > 0 ? ExitCode.Hit : ExitCode.None;
  } finally {
    await close();
  }
}

const sessionsExamples = `
Examples:
  $ cairn agents sessions                               name, time, messages, agents and title of each
  $ cairn agents run reviewer --session work 'Go on'    continues one
  $ cairn agents sessions --remove work                 removes one with all of its conversations`;

export const agentsSessionsCommand: CommandFactory = defineCommand({
  description: 'List the sessions of the project, the one that was used last first, or remove one.',
  summary: 'list or remove the sessions of the project',
  options: [['--remove <name>', 'remove this session: all of its conversations', filled], ...placeOptions],
  examples: sessionsExamples,
  run: sessions,
});

type Removal = { readonly session: string | undefined; readonly removed: number; readonly unreadable?: true };

/** Any name: of the main session only the mode matters. */
const ANY = 'agent';

async function remove(name: string | undefined, flags: HistoryFlags, session: CommandContext): Promise<Removal> {
  const opened = await openHistories(session, flags, { writes: false, orNewest: true }).catch((error: unknown) => {
    if (error instanceof CommandError && error.facts.code === UNKNOWN_SESSION) return undefined;
    throw error;
  });
  if (opened === undefined) return { session: undefined, removed: 0 };
  const { contexts, isNew, close } = opened;
  try {
    if (isNew) {
      const fix = "'cairn agents sessions' lists them; leave the name out for the newest one";
      throw new CommandError({ code: UNKNOWN_SESSION, message: `there is no session ${flags.session ?? ''}`, fix });
    }
    const [agent, mode] = name === undefined ? ([ANY, 'shared'] as const) : ([name, 'isolated'] as const);
    const context = contexts.getContext(agent, mode);
    const removed = context.conversationHistory.length;
    const isUnreadable = contexts.problems.some((problem) => problem.agent === context.agentName);
    // Also without messages: a process that was killed may have left a part of one.
    await contexts.clearHistory(agent, mode);
    return { session: contexts.session, removed, ...(isUnreadable && { unreadable: true }) };
  } finally {
    await close();
  }
}

async function clear(
  session: CommandContext,
  flags: HistoryFlags & { readonly main?: boolean },
  given: string | undefined,
): Promise<number> {
  // As definitions have it.
  const name = given === undefined ? undefined : agentName(given).normalize('NFC');
  if ((name === undefined) === (flags.main !== true)) {
    const what = name === undefined ? 'neither an agent nor --main is' : 'an agent and --main are both';
    throw new UsageError(`${what} named`, 'name an agent, or use --main for the main conversation');
  }
  const removal = await remove(name, flags, session);
  const { removed, session: from, unreadable = false } = removal;
  const isFound = removed > 0 || unreadable;
  if (!isFound && name !== undefined) {
    // A name without messages may be a typing error. An agent that has some needs no definition any more.
    const { findAgent } = await import('@cairn/context');
    findAgent(await loadAgents(session, flags), name);
  }
  const owner = name ?? 'the main conversation';
  const notice = isFound
    ? `removed ${countOf(removed, 'message')}${unreadable ? ' and what was not readable' : ''} of ${owner} from ${from ?? ''}`
    : `${from === undefined ? 'this project has no session' : `${owner} has no messages in ${from}`}; nothing was removed`;
  const document = { ...(name !== undefined && { agent: name }), ...removal };
  await writeAnswer(session, flags, { lines: [], document, notices: () => [notice] });
  return isFound ? ExitCode.Hit : ExitCode.None;
}

const clearExamples = `
Examples:
  $ cairn agents clear reviewer                  its conversation in the session of this terminal
  $ cairn agents clear reviewer --session work   in another session
  $ cairn agents clear --main                    the main conversation, which the mode shared reads and writes

Clearing an agent never clears the main conversation. The definition of the agent stays.`;

export const agentsClearCommand: CommandFactory = defineCommand({
  description: 'Remove the conversation of an agent, or the main conversation, from a session.',
  summary: 'remove the conversation of an agent',
  args: [['[name]', 'the agent, with or without @']],
  options: [
    ['--main', 'the main conversation'],
    ...historyOptions("this terminal's, else the newest of the project"),
    ...placeOptions,
  ],
  examples: clearExamples,
  run: clear,
});
