import type { ToolSet } from '@cairn/tool';
import { knowledgeToolSet } from '../knowledge/tool-set.ts';
import type { KnowledgeToolSetOptions } from '../knowledge/tool-set.ts';
import { memoryToolSet } from '../memory/tool-set.ts';
import type { MemoryToolSetOptions } from '../memory/tool-set.ts';
import { withOwnHints } from '../../terminal/own-hints.ts';
import type { Session } from '../../terminal/session.ts';
import type { AgentsToolSetOptions } from './agents-tool-set.ts';

export interface ToolSetOptions {
  readonly session: Pick<Session, 'env' | 'cwd'>;
  /** How the commands begin that hints suggest. */
  readonly command: () => string;
  /** Where running changes have their journal. Default: see `createWorkspace`. */
  readonly stateDirectory: string | undefined;
  readonly knowledge: KnowledgeToolSetOptions | undefined;
  readonly memory: MemoryToolSetOptions | undefined;
  readonly agents: AgentsToolSetOptions | undefined;
}

/** The tools that `cairn mcp` serves, in the order in which clients see them. They are loaded when a server starts. */
export async function loadToolSets({
  session,
  command,
  stateDirectory,
  knowledge,
  memory,
  agents,
}: ToolSetOptions): Promise<ToolSet[]> {
  const [{ createCodingToolSet }, { createWorkspaceCacheToolSet }] = await Promise.all([
    import('@cairn/coding-agent'),
    import('@cairn/workspace-cache/tools'),
  ]);
  const sets = [
    createCodingToolSet({ stateDirectory }),
    createWorkspaceCacheToolSet({ journalDirectory: stateDirectory }),
    ...(knowledge === undefined ? [] : [await knowledgeToolSet(session, knowledge)]),
    ...(memory === undefined ? [] : [await memoryToolSet(session, memory)]),
  ].map((set) => withOwnHints(set, command));
  // Agents work with the other sets.
  if (agents === undefined) return sets;
  const { agentsToolSet } = await import('./agents-tool-set.ts');
  return [...sets, withOwnHints(await agentsToolSet(session, agents, sets), command)];
}
