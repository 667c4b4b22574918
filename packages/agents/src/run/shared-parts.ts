import { isAbsolute } from 'node:path';
import { sessionWorkspace } from '@cairn/coding-agent/internal';
import type { NamingProfile } from '@cairn/coding-agent';
import type { AgentDefinition, AgentDefinitions, ContextMode } from '@cairn/context';
import { createToolSession, type ToolSession } from '@cairn/tool';
import { estimateTokens } from '@cairn/tool/prompt';
import { asSchema, type LanguageModel } from 'ai';
import type { WorkspaceCache, WorkspaceRun } from '@cairn/workspace-cache';
import type { Knowledge } from '@cairn/knowledge';
import type { Language } from '@cairn/tool/kernel';
import { AgentError } from '../errors.ts';
import { createApprovals, type Approvals } from '../approvals/approvals.ts';
import { resolveModel, type ResolvedModel } from '../model/resolve-model.ts';
import type { AgentTool } from '../tools/agent-tool.ts';
import { openAgentTools, type AgentTools } from '../tools/open-agent-tools.ts';
import { toolNameOf } from '../tool-names.ts';
import type { ToolRunContext } from './agent-run.ts';
import type { AgentsOptions, PreparedTool, RequestOptions, RunOptions } from './agents.ts';

/** The largest section, in UTF-16 code units: as much as other hosts keep of the same text. */
const MAX_CHARACTERS = 9500;

/** Returns the index of the knowledge for a project. A store that cannot be read does not keep an agent from its work. */
export async function knowledgeSection(
  knowledge: Pick<Knowledge, 'payload'> | undefined,
  { root, language, tools }: { readonly root: string; readonly language: Language; readonly tools: readonly string[] },
): Promise<{ readonly text: string; readonly problem?: string }> {
  try {
    // An agent has its tools only.
    const of = { project: root, language, tools, hasCommands: false };
    return { text: (await knowledge?.payload({ ...of, maxCharacters: MAX_CHARACTERS, omitEmpty: true })) ?? '' };
  } catch (error) {
    return { text: '', problem: error instanceof Error ? error.message : String(error) };
  }
}

/**
 * The tree for the prompts of agents. It stays the same while only the tools of agents change the workspace: their changes are in
 * `updates()`, and the system prompt keeps its bytes. When something else changed it between two requests, or when the changes no
 * longer fit into the updates, the tree is made again.
 */
class WorkspaceSection {
  readonly #cache: WorkspaceCache | undefined;
  #run: Promise<WorkspaceRun> | undefined;
  latest: WorkspaceRun | undefined;

  constructor(cache: WorkspaceCache | undefined) {
    this.#cache = cache;
  }

  async next(): Promise<WorkspaceRun | undefined> {
    const cache = this.#cache;
    if (cache === undefined) return undefined;
    const begin = async (): Promise<WorkspaceRun> => (await cache.init({ userContext: {} })).run;
    if (this.#run === undefined) {
      // A run begins with the tree of now.
      this.#run = begin();
    } else {
      const { others, isWhole } = await (await this.#run).refresh();
      if (others > 0 || !isWhole) this.#run = begin();
    }
    this.latest = await this.#run;
    return this.latest;
  }
}

export type DelegationCaller = Pick<ToolRunContext, 'agents' | 'depth' | 'grant'>;

export type Delegate = (caller: DelegationCaller) => AgentTool | undefined;

export interface OpenedTools extends AgentTools {
  readonly session: ToolSession;
  readonly offered: readonly PreparedTool[];
}

/** Lets tools that may change files unannounced, such as a shell, be followed by a refresh. One that fails changes no result. */
function refreshAfter(
  tools: Readonly<Record<string, AgentTool>>,
  refresh: () => Promise<void>,
): Readonly<Record<string, AgentTool>> {
  const refreshing = (tool: AgentTool): AgentTool => ({
    ...tool,
    execute: async (input, call) => {
      try {
        return await tool.execute(input, call);
      } finally {
        await refresh().catch(() => undefined);
      }
    },
  });
  const entries = Object.entries(tools).map(([name, tool]) => {
    const mayChangeFiles = !tool.annotations.readOnlyHint && toolNameOf(name) === undefined;
    return [name, mayChangeFiles ? refreshing(tool) : tool];
  });
  return Object.fromEntries(entries);
}

export class SharedParts {
  readonly options: AgentsOptions;
  readonly definitions: AgentDefinitions;
  readonly roots: readonly [string, ...string[]];
  /** The set of coding tools rejects an unknown name. */
  readonly naming: NamingProfile | undefined;
  readonly section: WorkspaceSection;
  readonly approvals: Approvals;
  readonly #delegate: Delegate;
  readonly #offered = new WeakMap<object, PreparedTool>();
  readonly #models = new Map<LanguageModel | undefined, ResolvedModel>();

  /** @throws {AgentError} `INVALID_OPTION` for a root that is not absolute. */
  constructor(options: AgentsOptions, delegate: Delegate) {
    this.options = options;
    this.definitions = options.definitions ?? { agents: new Map(), problems: [], replaced: [] };
    this.roots = [options.root, ...(options.roots ?? [])];
    this.naming = options.naming as NamingProfile | undefined;
    this.section = new WorkspaceSection(options.workspaceCache);
    this.#delegate = delegate;
    const relative = this.roots.find((path) => !isAbsolute(path));
    if (relative !== undefined) {
      const summary = `The root ${JSON.stringify(relative)} is not absolute`;
      throw new AgentError('INVALID_OPTION', [summary, 'Pass an absolute path.'], { option: 'root' });
    }
    this.approvals = options.approvals ?? createApprovals({ root: options.root, roots: options.roots });
  }

  async openTools(
    agent: AgentDefinition,
    mode: ContextMode,
    { parent, readOnly = false, onlyAgents, without }: Omit<RequestOptions, 'prompt'>,
  ): Promise<OpenedTools> {
    const { toolSets = [], language, workspaceCache } = this.options;
    const { roots, naming } = this;
    const agents = [...(parent?.agents ?? []), agent.name];
    const depth = parent === undefined ? 0 : parent.depth + 1;
    const session = createToolSession();
    const opened = await openAgentTools({
      toolSets,
      roots,
      agent,
      mode,
      naming,
      language,
      readOnly: readOnly || this.options.readOnly,
      without,
      approvals: this.approvals,
      within: parent?.grant,
      onlyAgents,
      session,
      delegate: (grant) => this.#delegate({ agents, depth, grant }),
    });
    // The tools made the workspace of the session, if they need one.
    const unfollow = workspaceCache?.follow(sessionWorkspace({ roots, session }));
    const close = (): void => {
      unfollow?.();
      opened.close();
    };
    const tools = workspaceCache ? refreshAfter(opened.tools, () => workspaceCache.refresh()) : opened.tools;
    const offered = Object.entries(tools).map(([name, tool]) => this.#offer(name, tool));
    return { ...opened, tools, close, session, offered: await Promise.all(offered) };
  }

  /** Returns a tool as the model is offered it. A schema that was seen before costs nothing. */
  async #offer(name: string, { description, inputSchema: schema }: AgentTool): Promise<PreparedTool> {
    const before = this.#offered.get(schema);
    if (before?.name === name && before.description === description) return before;
    const { countTokens = estimateTokens } = this.options;
    const inputSchema = (await asSchema(schema).jsonSchema) as object;
    const tokens = countTokens(JSON.stringify({ name, description, inputSchema }));
    const offered = { name, description, inputSchema, tokens };
    this.#offered.set(schema, offered);
    return offered;
  }

  /** Returns the model of a run: the first of its argument, its definition, its parent and the agents. */
  modelOf({ model, parent }: RunOptions, definition: AgentDefinition): [LanguageModel, ResolvedModel] {
    const { options } = this;
    const chosen = model ?? definition.model ?? parent?.model ?? options.model;
    const isDefault = typeof options.model === 'object' && options.model.modelId === chosen;
    const named = typeof chosen === 'string' ? (options.models?.(chosen) ?? chosen) : chosen;
    const given = isDefault ? options.model : named;
    let found = this.#models.get(given);
    if (found === undefined) {
      const { baseUrl, apiKey, env } = options;
      found = resolveModel({ model: given, baseUrl, apiKey, env });
      this.#models.set(given, found);
    }
    return [given ?? found.name, found];
  }
}
