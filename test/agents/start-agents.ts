import { createAgents } from '@cairn/agents';
import type { Agents, AgentsOptions } from '@cairn/agents';
import { ContextManager } from '@cairn/context';
import { onTestFinished } from 'vitest';
import { startModelServer } from '../support/model-server.ts';
import type { ModelScript, ModelServer } from '../support/model-server.ts';
import { createTree } from '../support/tree.ts';

export const helper = { name: 'helper', description: 'Helps.', systemPrompt: 'You help.' };

export interface StartedAgents {
  readonly server: ModelServer;
  readonly agents: Agents;
  readonly contexts: ContextManager;
}

/** Starts agents whose model is a scripted server. Both are closed when the test ends. */
export async function startAgents(script: ModelScript, options: Partial<AgentsOptions> = {}): Promise<StartedAgents> {
  const server = await startModelServer(script);
  const { contexts = new ContextManager() } = options;
  const root = options.root ?? createTree({});
  const agents = createAgents({ model: 'scripted', baseUrl: server.url, ...options, root, contexts });
  onTestFinished(async () => {
    await agents.close();
    await server.close();
  });
  return { server, agents, contexts };
}
