import { delegationTool } from './delegation/agent-tool.ts';
import type { Agents, AgentsOptions } from './run/agents.ts';
import { createRunner } from './run/runner.ts';

/**
 * Creates agents that share histories, tools and a model, and can delegate to one another. Nothing is opened or sent before the
 * first run.
 *
 * @throws {AgentError} `INVALID_OPTION`
 */
export function createAgents(options: AgentsOptions): Agents {
  const agents: Agents = createRunner(options, {
    delegate: (caller) => delegationTool(agents, caller, options.language ?? 'en'),
  });
  return agents;
}
