import type { Agents, AgentsOptions } from './run/agents.ts';
import { createRunner } from './run/runner.ts';

/**
 * Creates agents that share histories, tools and a model. Nothing is opened or sent before the first run.
 *
 * @throws {AgentError} `INVALID_OPTION`
 */
export function createAgents(options: AgentsOptions): Agents {
  return createRunner(options);
}
