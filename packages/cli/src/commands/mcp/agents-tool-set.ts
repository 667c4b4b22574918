import type { Memory } from '@cairn/memory';
import type { ToolSet } from '@cairn/tool';
import { NO_OWN_PROJECT, openMemory, type MemoryToolSetOptions } from '../memory/store.ts';
import { UsageError } from '../../terminal/errors.ts';
import { useEnvironmentProxy } from '../../terminal/proxy.ts';
import type { CommandContext } from '../../terminal/command-context.ts';
import { openApprovals, openRules, type ApprovalFlags } from '../agents/approvals.ts';
import { loadAgents } from '../agents/project.ts';
import { trustedDefinitions } from '../agents/trust.ts';

export interface AgentsToolSetOptions extends Pick<MemoryToolSetOptions, 'root' | 'store' | 'project' | 'say'> {
  /** Whether the agents have facts, and histories that outlive the server. */
  readonly hasMemory: boolean;
  readonly model?: string | undefined;
  readonly baseUrl?: string | undefined;
  readonly flags: Partial<ApprovalFlags>;
}

/** Hides `close`: the server closes the sets after the last session. */
function withoutClose(set: ToolSet): ToolSet {
  return { name: set.name, open: (context) => set.open(context) };
}

/** Returns the tool set of the agents of the project and of the user. Each client begins a session of its own. */
export async function agentsToolSet(
  session: CommandContext,
  { root, store, project, hasMemory, model, baseUrl, flags, say }: AgentsToolSetOptions,
  toolSets: readonly ToolSet[],
): Promise<ToolSet> {
  const { createAgents, createAgentsToolSet, resolveModel } = await import('@cairn/agents');
  const { env } = session;
  const { agents: known } = await loadAgents(session, { root });
  // A missing model is reported at the start, unless each agent could name its own.
  const [named] = [model, ...Array.from(known.values(), (agent) => agent.model)].filter((one) => one !== undefined);
  resolveModel({ model: named, baseUrl, env });
  useEnvironmentProxy(env);
  const openStore = async (): Promise<Memory> => {
    const flags = { ...(store !== undefined && { store }), ...(project !== undefined && { project }) };
    const { memory } = await openMemory(session, flags, { onUnreadable: say, directory: root });
    if (memory.project !== undefined) return memory;
    await memory.close();
    throw new UsageError(NO_OWN_PROJECT, 'use --project <name>');
  };
  let opening: Promise<Memory> | undefined;
  const memoryOf = (): Promise<Memory> => {
    opening ??= openStore().catch((error: unknown) => {
      opening = undefined;
      throw error;
    });
    return opening;
  };
  if (hasMemory && store === undefined && Boolean(env['CAIRN_REDIS_URL'])) await memoryOf();
  return createAgentsToolSet({
    definitions: async () => {
      const definitions = await loadAgents(session, { root });
      const rules = await openRules(session, root);
      const agents = [...definitions.agents.values()];
      // The server has the flag at each start.
      const options = { trust: flags.trust, canAsk: false, isRecorded: false, onNotice: say, agents };
      const found = await trustedDefinitions(session, rules, definitions, options);
      for (const item of found.untrusted) {
        say(`not offered, because you have not trusted it as it is now: ${item.name}; --trust allows it`);
      }
      return found.definitions;
    },
    open: async (definitions, { roots: [, ...roots], naming, readOnly }) => {
      const [{ ContextManager, openContexts }, { createWorkspaceCache }] = await Promise.all([
        import('@cairn/context'),
        import('@cairn/workspace-cache'),
      ]);
      const memory = hasMemory ? await memoryOf() : undefined;
      const contexts = memory === undefined ? new ContextManager() : await openContexts({ store: memory });
      // The rules of now: an answer in a terminal may have added some. No person can be asked here.
      const rules = await openRules(session, root);
      const approvals = await openApprovals(session, rules, { root, roots, flags, onNotice: say });
      const workspaceCache = createWorkspaceCache({ root, onWarning: ({ message }) => say(message) });
      const agents = createAgents({
        root,
        roots,
        contexts,
        definitions,
        model,
        baseUrl,
        env,
        toolSets: toolSets.map(withoutClose),
        naming,
        readOnly,
        approvals,
        memory,
        workspaceCache,
      });
      const close = async (): Promise<void> => {
        await agents.close();
        await Promise.all([contexts.close(), workspaceCache.close()]);
      };
      return { run: (options) => agents.run(options), contexts: agents.contexts, close };
    },
    close: async () => {
      const memory = await opening?.catch(() => undefined);
      await memory?.close();
    },
  });
}
