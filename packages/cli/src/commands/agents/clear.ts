import type { ContextManager } from '@cairn/context';
import { Option } from 'commander';
import { writeAnswer } from '../../terminal/answer.ts';
import { UsageError } from '../../terminal/errors.ts';
import { ExitCode } from '../../terminal/exit.ts';
import type { Session } from '../../terminal/session.ts';
import { countOf } from '../../terminal/text.ts';
import type { CommandFactory } from '../command.ts';
import { historyOptions, openHistories, placeOptions, type HistoryFlags } from './open-agents.ts';
import { loadAgents } from './project.ts';

interface ClearFlags extends HistoryFlags {
  readonly main?: boolean;
}

/** Any name: of the main session only the mode matters. */
const ANY = 'agent';

/** Removes the messages of an agent, or of main. @returns their number. */
async function removeFrom(contexts: ContextManager, name: string | undefined): Promise<number> {
  const [agent, mode] = name === undefined ? ([ANY, 'shared'] as const) : ([name, 'isolated'] as const);
  const removed = contexts.getContext(agent, mode).conversationHistory.length;
  if (removed > 0) await contexts.clearHistory(agent, mode);
  return removed;
}

async function clear(name: string | undefined, flags: ClearFlags, session: Session): Promise<number> {
  if ((name === undefined) === (flags.main !== true)) {
    const what = name === undefined ? 'neither an agent nor --main is' : 'an agent and --main are both';
    throw new UsageError(`${what} named`, 'name an agent, or use --main for the main conversation');
  }
  const { findAgent } = await import('@cairn/context');
  const definitions = await loadAgents(session, flags);
  const newest = { ...flags, resume: flags.session === undefined };
  const { contexts, isNew, notices, close } = await openHistories(session, newest, { writes: false });
  try {
    if (isNew) throw new UsageError(`there is no session ${contexts.session}`, 'use the name that a run printed, or leave it out');
    const removed = await removeFrom(contexts, name);
    // A name without messages may be a typing error. An agent that has some needs no definition any more.
    if (removed === 0 && name !== undefined && !definitions.problems.some(({ agent }) => agent === name)) {
      findAgent(definitions, name);
    }
    const owner = name ?? 'the main conversation';
    const notice =
      removed === 0
        ? `${owner} has no messages in ${contexts.session}; nothing was removed`
        : `removed ${countOf(removed, 'message')} of ${owner} from ${contexts.session}`;
    const document = { session: contexts.session, ...(name !== undefined && { agent: name }), removed };
    await writeAnswer(session, flags, { lines: [], document, notices: () => [...notices, notice] });
    return removed > 0 ? ExitCode.Hit : ExitCode.None;
  } finally {
    await close();
  }
}

const examples = `
Examples:
  $ cairn agents clear reviewer                  what the agent and the user said in the newest session
  $ cairn agents clear reviewer --session work   in another session
  $ cairn agents clear --main                    the main conversation, which the mode shared reads and writes

Clearing an agent never clears the main conversation. The definition of the agent stays.`;

export const agentsClearCommand: CommandFactory = (command, session, done) => {
  command
    .description('Remove the conversation of an agent, or the main conversation, from a session.')
    .summary('remove the conversation of an agent')
    .argument('[name]', 'the agent')
    .addHelpText('after', examples)
    .action(async (name: string | undefined, flags: ClearFlags) => done(await clear(name, flags, session)))
    .addOption(new Option('--main', 'the main conversation'));
  for (const option of [...historyOptions('the newest of the project'), ...placeOptions()]) command.addOption(option);
};
