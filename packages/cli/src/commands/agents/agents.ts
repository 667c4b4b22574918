import { defineGroup, type CommandFactory } from '../command.ts';
import { modeTexts } from './modes.ts';

const modes = Object.entries(modeTexts)
  .map(([mode, text]) => `  ${mode.padEnd(12)}${text}${mode === 'isolated' ? ' (the default)' : ''}`)
  .join('\n');

const examples = `
Examples:
  $ cairn agents new reviewer --description 'Reviews a change' --prompt 'You review code.'
  $ cairn agents list                                   the agents of the project and yours
  $ cairn agents run reviewer 'Review @src/main.ts'     needs a model: see 'cairn agents run --help'
  $ cairn agents context reviewer                       exactly what a run would send; needs no model

Context modes:
${modes}

An agent is a Markdown file in .cairn/agents of the project, or in ~/.config/cairn/agents for all projects. The agents of
Claude Code (.claude/agents, ~/.claude/agents) are used too.`;

export const agentsCommand: CommandFactory = defineGroup({
  description: 'Define agents, run them, and see what they are sent.',
  summary: 'define agents, run them, see what they are sent',
  examples,
});
