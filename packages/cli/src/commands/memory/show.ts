import { findFactOrMessage, type FoundById } from '../../memory/find-by-id.ts';
import { factHeading, formatTime, textLines } from '../../memory/lines.ts';
import { withMemory, type ProjectFlags } from '../../memory/store.ts';
import { ExitCode } from '../../terminal/exit.ts';
import type { Session } from '../../terminal/session.ts';
import type { CommandFactory } from '../command.ts';
import { addFactOptions } from './options.ts';

function linesOf(found: FoundById, session: Session): string[] {
  if (found.kind === 'message') {
    const { time, id, role, author, stream, group, content } = found.message;
    const by = author === undefined ? role : `${role} ${author}`;
    return [...textLines(`${formatTime(time)} ${id} ${by} in ${stream}/${group}: `, content, session)];
  }
  const { fact, history } = found;
  const facts = [
    ...(fact.source === undefined ? [] : [`source: ${fact.source}`]),
    ...(fact.supersedes === undefined ? [] : [`replaces: ${fact.supersedes}`]),
    ...(fact.supersededBy === undefined ? [] : [`replaced by: ${fact.supersededBy}`]),
  ];
  return [
    ...textLines(factHeading(fact), fact.text, session),
    ...facts.flatMap((line) => [...textLines('    ', line, session)]),
    ...history.flatMap(({ until, by, text }) => [
      ...textLines(`    until ${formatTime(until)} (${by}): `, text, session),
    ]),
  ];
}

async function show(id: string, flags: ProjectFlags, session: Session): Promise<number> {
  return withMemory(session, {
    flags,
    ofProject: 'wanted',
    run: async (memory, { print }) => {
      const found = await findFactOrMessage(memory, id, session.signal);
      const document =
        found.kind === 'fact'
          ? { kind: 'fact', ...found.fact, history: found.history }
          : { kind: 'message', ...found.message };
      await print(linesOf(found, session), document);
      return ExitCode.Hit;
    },
  });
}

export const memoryShowCommand: CommandFactory = (command, session, done) => {
  command
    .description('Show a fact with its earlier versions, or a message, whole.')
    .summary('show a fact or a message whole')
    .argument('<id>', 'the fact or the message')
    .action(async (id: string, flags: ProjectFlags) => done(await show(id, flags, session)));
  addFactOptions(command);
};
