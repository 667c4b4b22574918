import { quotePath } from '@cairn/tool/paths';
import { writeAnswer } from '../../terminal/answer.ts';
import { ExitCode } from '../../terminal/exit.ts';
import type { Session } from '../../terminal/session.ts';
import { lineEscape } from '../../terminal/text.ts';
import { defineCommand, type CommandFactory } from '../command.ts';
import { textLines } from '../memory/lines.ts';
import { agentArgument, agentName, agentOptions, loadAgents, type ProjectRootFlags } from './project.ts';

async function show(session: Session, flags: ProjectRootFlags, name: string): Promise<number> {
  const [definitions, { findAgent, formatProblem }, { DEFAULT_MODE }] = await Promise.all([
    loadAgents(session, flags),
    import('@cairn/context'),
    import('@cairn/context/internal'),
  ]);
  const agent = findAgent(definitions, agentName(name));
  const { systemPrompt, path = '', source = 'project', name: _, ...fields } = agent;
  const problems = definitions.problems.filter((problem) => problem.agent === agent.name);
  const replaced = definitions.replaced.filter((other) => other.name === agent.name);
  const values = Object.entries({ contextMode: DEFAULT_MODE, ...fields });
  const lines = [
    ...textLines('file: ', `${quotePath(path)} (${source})`, session),
    ...values.flatMap(([field, value]) => [
      ...textLines(`${field}: `, Array.isArray(value) ? value.join(', ') || 'none' : String(value), session),
    ]),
    '',
    ...systemPrompt.split('\n').map(lineEscape(session.out)),
  ];
  const notices = [
    ...problems.map(formatProblem),
    ...replaced.map(
      (other) => `not used, because ${quotePath(path)} has the same name: ${quotePath(other.path ?? '')}`,
    ),
  ];
  const document = { contextMode: DEFAULT_MODE, ...agent, problems, replaced: replaced.map((other) => other.path) };
  await writeAnswer(session, flags, { lines, document, notices: () => notices });
  return ExitCode.Hit;
}

export const agentsShowCommand: CommandFactory = defineCommand({
  description: 'Show the definition of an agent, its file, and what is wrong with it.',
  summary: 'show the definition of an agent',
  args: [agentArgument],
  options: agentOptions,
  run: show,
});
