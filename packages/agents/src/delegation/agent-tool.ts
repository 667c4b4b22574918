import type { OptionNames } from '@cairn/tool/errors';
import type { Language } from '@cairn/tool/kernel';
import { checkArguments } from '../errors.ts';
import { findAgent } from '@cairn/context';
import type { AgentEvent, ToolRunContext } from '../run/agent-run.ts';
import type { Agents } from '../run/agents.ts';
import type { DelegationCaller } from '../run/shared-parts.ts';
import { asAgentTool, type AgentTool } from '../tools/agent-tool.ts';
import { AGENT_TOOL } from '../tools/tool-names.ts';
import { RunTool } from './run-tool.ts';

/** Runs that are started by runs go no deeper. */
const MAX_DEPTH = 2;

export interface AgentToolOptions {
  /** The names of the agents that the model may start, and that these may start. @default all */
  readonly only?: readonly string[] | undefined;
  /** The agents may change nothing. @default false */
  readonly readOnly?: boolean | undefined;
  /** Of the texts for the model. @default 'en' */
  readonly language?: Language | undefined;
  /** The characters of an answer that the model reads at once. @default 12_000 */
  readonly maxAnswerCharacters?: number | undefined;
  /** Called with what the runs do. */
  readonly onEvent?: ((event: AgentEvent) => void) | undefined;
}

const agentToolOptions: OptionNames<AgentToolOptions> = {
  only: 'optional',
  readOnly: 'optional',
  language: 'optional',
  maxAnswerCharacters: 'optional',
  onEvent: 'optional',
};

export function agentTool(agents: Agents, options: AgentToolOptions = {}): AgentTool {
  checkArguments.options('agentTool', options, agentToolOptions);
  const { only, readOnly = false, language = 'en', maxAnswerCharacters, onEvent } = options;
  const { definitions } = agents;
  const listed = only?.map((name) => findAgent(definitions, name));
  const may = { only: listed, onlyAgents: listed?.map(({ name }) => name), readOnly };
  const shared = { tool: AGENT_TOOL, definitions, agents: () => agents, language, maxAnswerCharacters };
  return asAgentTool(new RunTool({ ...shared, ...may }).of({ onEvent }));
}

/** Makes the tool `agent` of a run, unless the depth is reached. No agent at work above is offered: its turn is still open. */
export function delegationTool(agents: Agents, caller: DelegationCaller, language: Language): AgentTool | undefined {
  if (caller.depth >= MAX_DEPTH) return undefined;
  const { readOnly, agents: granted } = caller.grant;
  const { definitions } = agents;
  const isOpen = (name: string): boolean => !caller.agents.includes(name) && (granted?.has(name) ?? true);
  const only = [...definitions.agents.values()].filter(({ name }) => isOpen(name));
  if (only.length === 0) return undefined;
  const tool = new RunTool({ tool: AGENT_TOOL, definitions, agents: () => agents, language, only, caller, readOnly });
  return {
    ...asAgentTool(tool.of()),
    execute: (input, { abortSignal, context }) =>
      tool.of({ parent: context as ToolRunContext }).execute(input as never, { signal: abortSignal }),
  };
}
