/** The commands that show the definitions of agents. */
import { quotePath } from '@cairn/tool/paths';
import { listDocument, writeAnswer } from '../../terminal/answer.ts';
import { ExitCode } from '../../terminal/exit.ts';
import type { CommandContext } from '../../terminal/command-context.ts';
import { countOf, lineEscape } from '../../terminal/text.ts';
import { defineCommand, type CommandFactory } from '../command.ts';
import { textLines } from '../memory/lines.ts';
import { agentArgument, agentName, agentOptions, loadAgents, rowOf, type ProjectRootFlags } from './project.ts';

async function list(context: CommandContext, flags: ProjectRootFlags): Promise<number> {
  const [{ agents, problems }, { formatProblem }, { DEFAULT_MODE }] = await Promise.all([
    loadAgents(context, flags),
    import('@cairn/context'),
    import('@cairn/context/internal'),
  ]);
  const errors = problems.filter(({ severity }) => severity === 'error');
  const warnings = problems.filter(({ severity }) => severity === 'warning');
  // No agent shows the warnings about a directory.
  const aboutDirectories = warnings.filter(({ agent }) => agent === undefined);
  const others = warnings.length - aboutDirectories.length;
  const lines = [...agents.values()].map(({ name, contextMode = DEFAULT_MODE, source = 'project', description }) =>
    rowOf(`${name} (${contextMode}, ${source}): ${description.replaceAll(/\s+/gu, ' ')}`, context.out),
  );
  const matches = [...agents.values()].map(({ systemPrompt: _, ...agent }) => ({
    contextMode: DEFAULT_MODE,
    ...agent,
  }));
  const notices = [
    ...(agents.size === 0 ? ["there are no agents; 'cairn agents new' creates one"] : []),
    ...[...errors, ...aboutDirectories].map(formatProblem),
    ...(others === 0
      ? []
      : [`${countOf(others, 'warning')}; 'cairn agents show <name>' shows the warnings of an agent`]),
  ];
  const document = { ...listDocument(matches), problems };
  await writeAnswer(context, flags, { lines, document, notices: () => notices });
  // The agent of a broken file is missing in the list.
  if (errors.length > 0) return ExitCode.Error;
  return agents.size > 0 ? ExitCode.Hit : ExitCode.None;
}

export const agentsListCommand: CommandFactory = defineCommand({
  description: 'List the agents of the project and of the user.',
  summary: 'list the agents of the project and yours',
  options: agentOptions,
  run: list,
});

async function show(context: CommandContext, flags: ProjectRootFlags, name: string): Promise<number> {
  const [definitions, { findAgent, formatProblem }, { DEFAULT_MODE }] = await Promise.all([
    loadAgents(context, flags),
    import('@cairn/context'),
    import('@cairn/context/internal'),
  ]);
  const agent = findAgent(definitions, agentName(name));
  const { systemPrompt, path = '', source = 'project', name: _, ...fields } = agent;
  const problems = definitions.problems.filter((problem) => problem.agent === agent.name);
  const replaced = definitions.replaced.filter((other) => other.name === agent.name);
  const values = Object.entries({ contextMode: DEFAULT_MODE, ...fields });
  const lines = [
    ...textLines('file: ', `${quotePath(path)} (${source})`, context),
    ...values.flatMap(([field, value]) => [
      ...textLines(`${field}: `, Array.isArray(value) ? value.join(', ') || 'none' : String(value), context),
    ]),
    '',
    ...systemPrompt.split('\n').map(lineEscape(context.out)),
  ];
  const notices = [
    ...problems.map(formatProblem),
    ...replaced.map(
      (other) => `not used, because ${quotePath(path)} has the same name: ${quotePath(other.path ?? '')}`,
    ),
  ];
  const document = { contextMode: DEFAULT_MODE, ...agent, problems, replaced: replaced.map((other) => other.path) };
  await writeAnswer(context, flags, { lines, document, notices: () => notices });
  return ExitCode.Hit;
}

export const agentsShowCommand: CommandFactory = defineCommand({
  description: 'Show the definition of an agent, its file, and what is wrong with it.',
  summary: 'show the definition of an agent',
  args: [agentArgument],
  options: agentOptions,
  run: show,
});
