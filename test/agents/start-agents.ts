import { createAgents, createApprovals } from '@cairn/agents';
import type { Agents, AgentsOptions } from '@cairn/agents';
import { ContextManager } from '@cairn/context';
import type { ContextMode } from '@cairn/context';
import { readFileSync } from 'node:fs';
import { onTestFinished } from 'vitest';
import { startModelServer } from '../support/model-server.ts';
import type { ModelScript, ModelServer } from '../support/model-server.ts';
import { createTree } from '../support/tree.ts';

export const helper = { name: 'helper', description: 'Helps.', systemPrompt: 'You help.' };

/** The English text at the end of the first prompt after main got a message. */
export function announcementOf(mode: ContextMode): string {
  const golden = new URL(`../context/goldens/announcement-${mode}.en.txt`, import.meta.url);
  return readFileSync(golden, 'utf8').replace(/\n$/u, '');
}

export interface StartedAgents {
  readonly server: ModelServer;
  readonly agents: Agents;
  readonly contexts: ContextManager;
}

/** Starts agents whose model is a scripted server, and whose calls are all allowed. Both are closed when the test ends. */
export async function startAgents(script: ModelScript, options: Partial<AgentsOptions> = {}): Promise<StartedAgents> {
  const server = await startModelServer(script);
  const { contexts = new ContextManager() } = options;
  const root = options.root ?? createTree({});
  const { approvals = createApprovals({ root, rules: [{ source: 'the test', allow: ['*'] }] }) } = options;
  const agents = createAgents({ model: 'scripted', baseUrl: server.url, ...options, root, contexts, approvals });
  onTestFinished(async () => {
    await agents.close();
    await server.close();
  });
  return { server, agents, contexts };
}
