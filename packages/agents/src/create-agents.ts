import { modelOptions } from './model/resolve-model.ts';
import type { OptionNames } from '@cairn/tool/errors';
import { checkArguments } from './errors.ts';
import { delegationTool } from './delegation/agent-tool.ts';
import type { Agents, AgentsOptions } from './run/agents.ts';
import { createRunner } from './run/runner.ts';

const agentsOptions: OptionNames<AgentsOptions> = {
  ...modelOptions,
  root: 'required',
  directory: 'optional',
  contexts: 'required',
  definitions: 'optional',
  models: 'optional',
  toolSets: 'optional',
  roots: 'optional',
  naming: 'optional',
  readOnly: 'optional',
  memory: 'optional',
  knowledge: 'optional',
  workspaceCache: 'optional',
  summarizer: 'optional',
  language: 'optional',
  maxContextTokens: 'optional',
  countTokens: 'optional',
  firstByteTimeoutMs: 'optional',
  chunkTimeoutMs: 'optional',
};

/**
 * Creates agents that share histories, tools and a model, and can delegate to one another. Nothing is opened or sent before the
 * first run.
 *
 * @throws {AgentError} `INVALID_OPTION`
 */
export function createAgents(options: AgentsOptions): Agents {
  checkArguments.options('createAgents', options, agentsOptions);
  const agents: Agents = createRunner(options, (caller) => delegationTool(agents, caller, options.language ?? 'en'));
  return agents;
}
