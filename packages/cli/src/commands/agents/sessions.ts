import { nearNames } from '@cairn/tool/internal';
import { escapeControls } from '@cairn/tool/paths';
import { listDocument, writeAnswer } from '../../terminal/answer.ts';
import { CommandError } from '../../terminal/errors.ts';
import { ExitCode } from '../../terminal/exit.ts';
import { filled } from '../../terminal/options.ts';
import type { Session } from '../../terminal/session.ts';
import { countOf, fitText } from '../../terminal/text.ts';
import { defineCommand, type CommandFactory } from '../command.ts';
import { formatTime } from '../memory/lines.ts';
import { openStore, placeOptions, UNKNOWN_SESSION, type HistoryFlags } from './open-agents.ts';

interface SessionsFlags extends HistoryFlags {
  readonly remove?: string;
}

async function sessions(session: Session, flags: SessionsFlags): Promise<number> {
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
        const known = found.map((one) => one.session);
        const near = nearNames(name, known);
        const fix =
          near.length > 0 ? `did you mean ${near.join(', ')}?` : "'cairn agents sessions' lists those of the project";
        throw new CommandError({ code: UNKNOWN_SESSION, message: `there is no session ${name}`, fix });
      }
      const messages = found.find((one) => one.session === name)?.messages ?? 0;
      const notice = `removed ${name} with ${countOf(messages, 'message')}`;
      const document = { session: name, messages };
      await writeAnswer(session, flags, { lines: [], document, notices: () => [...notices, notice] });
      return ExitCode.Hit;
    }
    const { isTerminal, width } = session.out;
    const lines = found.map(({ session: name, title, agents, messages, lastUsedAt }) => {
      const who = agents.length === 0 ? 'main' : agents.join(', ');
      const line = escapeControls(
        `${name} ${formatTime(lastUsedAt)}, ${countOf(messages, 'message')}, ${who}: ${title}`,
      );
      return isTerminal ? fitText(line, width) : line;
    });
    const hint = "there are no sessions; 'cairn agents run' begins one";
    await writeAnswer(session, flags, {
      lines,
      document: listDocument(found),
      notices: () => [...notices, ...(found.length === 0 ? [hint] : [])],
    });
    return found.length > 0 ? ExitCode.Hit : ExitCode.None;
  } finally {
    await close();
  }
}

const examples = `
Examples:
  $ cairn agents sessions                               name, time, messages, agents and title of each
  $ cairn agents run reviewer --session work 'Go on'    continues one
  $ cairn agents sessions --remove work                 removes one with all of its conversations`;

export const agentsSessionsCommand: CommandFactory = defineCommand({
  description: 'List the sessions of the project, the one that was used last first, or remove one.',
  summary: 'list or remove the sessions of the project',
  options: [['--remove <name>', 'remove this session: all of its conversations', filled], ...placeOptions],
  examples,
  run: sessions,
});
