import type { OptionNames } from '@cairn/tool/errors';
import type { NamingProfile } from '@cairn/coding-agent';
import { MODES, type AgentDefinition, type ContextMode } from '@cairn/context';
import { DEFAULT_MODE, SHOWN_PARTS } from '@cairn/context/internal';
import { createToolSession } from '@cairn/tool';
import type { OpenToolSet, ShownPart, ToolDefinition, ToolSession, ToolSet, ToolSetContext } from '@cairn/tool';
import type { Language } from '@cairn/tool/kernel';
import { AgentError, checkArguments } from '../errors.ts';
import type { ApprovalOutcome, Approvals } from '../approvals/approvals.ts';
import { definitionRules } from '../approvals/definition-rules.ts';
import { Gate, type GateOptions } from '../approvals/gate.ts';
import { asAgentTool, type AgentTool } from './agent-tool.ts';
import { allowedTools, intersect, type ToolGrant } from './grant.ts';
import { quote, refusal } from './refusal.ts';
import { shownParts } from './shown-parts.ts';
import { AGENT_TOOL } from '../tool-names.ts';

export interface AgentToolsOptions {
  readonly toolSets: readonly ToolSet[];
  /** The directories that the tools may use, absolute. */
  readonly roots: readonly [string, ...string[]];
  /** The definition of the agent: its `tools` are the only ones that it may call, with `permissions: plan` only reading ones. */
  readonly agent: Pick<
    AgentDefinition,
    'name' | 'tools' | 'shows' | 'permissions' | 'allow' | 'ask' | 'deny' | 'source' | 'path'
  >;
  /** In all modes but `shared` and `fork`, tools with conversations or notes see only the agent's own. @default 'isolated' */
  readonly mode?: ContextMode | undefined;
  /** The naming profile of the tools. @default 'default' */
  readonly naming?: NamingProfile | undefined;
  /** Whether to offer only tools that change nothing. @default false */
  readonly readOnly?: boolean | undefined;
  /** What the run is not shown, in addition to what the definition leaves out: neither are its tools. @default nothing */
  readonly without?: readonly ShownPart[] | undefined;
  /** Decides about each call that changes something. Default: the caller of the tools does. */
  readonly approvals?: Approvals | undefined;
  /** What the run that delegates to this one may call. @default everything */
  readonly within?: ToolGrant | undefined;
  /** The names of the agents that the run may start, itself and through others. @default all that `within` allows */
  readonly onlyAgents?: readonly string[] | undefined;
  /** Makes the tool that delegates, which is named `agent`. Its runs get the grant as `within`. Default: no such tool. */
  readonly delegate?: ((grant: ToolGrant) => AgentTool | undefined) | undefined;
  /** Of the texts for the model. @default 'en' */
  readonly language?: Language | undefined;
  /** @default a new one: what the tools of one run read counts as read for each other */
  readonly session?: ToolSession | undefined;
  /** Ends the session, like `close`. */
  readonly signal?: AbortSignal | undefined;
}

/** The tools of one run. */
export interface AgentTools {
  /** What the model is offered, in the order of the tool sets. Nothing else can be called. */
  readonly tools: Readonly<Record<string, AgentTool>>;
  /** What the run may call, for the runs that it delegates to. */
  readonly grant: ToolGrant;
  /** When to use the tools: one text for each set that has one and offers a tool. */
  readonly instructions: readonly string[];
  /** What the user should know, such as a tool of the definition that is not available. */
  readonly notices: readonly string[];
  /** Returns the answer to a call of a name that is not offered. The model reads it as an error. */
  refuse(name: string): string;
  /** Ends the session. The tool sets stay open for others. */
  close(): void;
}

const PERMISSIONS: readonly string[] = ['plan', 'ask', 'acceptEdits', 'bypassPermissions'];

/** @throws {AgentError} `INVALID_OPTION` for a value that no check of a file has seen: it would limit nothing. */
function isReadOnly({ name, permissions, ask = [], deny = [] }: AgentToolsOptions['agent'], isGated: boolean): boolean {
  if (!isGated && (ask.length > 0 || deny.length > 0 || (permissions !== undefined && permissions !== 'plan'))) {
    const summary = `The agent ${name} has rules about its calls, which nothing enforces without approvals`;
    throw new AgentError('INVALID_OPTION', [summary, 'Pass approvals.'], { option: 'approvals' });
  }
  if (permissions === undefined || PERMISSIONS.includes(permissions)) return permissions === 'plan';
  const summary = `The agent ${name} has the invalid permissions ${JSON.stringify(permissions)}`;
  const hint = `Use ${PERMISSIONS.join(', ')}, or leave them out.`;
  throw new AgentError('INVALID_OPTION', [summary, hint], { option: 'permissions' });
}

interface Opened extends OpenToolSet {
  readonly set: ToolSet;
}

/** Returns the tools of all sets by name. @throws {AgentError} `INVALID_OPTION` for two tools of one name. */
function joinTools(sets: readonly Opened[]): Map<string, ToolDefinition> {
  const owners = new Map<string, string>([[AGENT_TOOL, 'delegation']]);
  const tools = new Map<string, ToolDefinition>();
  for (const { set, tools: own } of sets) {
    for (const [name, tool] of Object.entries(own)) {
      const owner = owners.get(name);
      if (owner !== undefined) {
        const summary = `The tool sets ${owner} and ${set.name} both have a tool ${quote(name)}`;
        throw new AgentError('INVALID_OPTION', [summary, 'Leave one of the sets out, or rename its tool.']);
      }
      owners.set(name, set.name);
      tools.set(name, tool);
    }
  }
  return tools;
}

const agentToolsOptions: OptionNames<AgentToolsOptions> = {
  toolSets: 'required',
  roots: 'required',
  agent: 'required',
  mode: 'optional',
  naming: 'optional',
  readOnly: 'optional',
  approvals: 'optional',
  within: 'optional',
  onlyAgents: 'optional',
  without: 'optional',
  delegate: 'optional',
  language: 'optional',
  session: 'optional',
  signal: 'optional',
};

/** What the executor of a run passes to its tools. */
interface GatedRun {
  readonly run: string;
  readonly onApproval: (id: string, name: string, outcome: ApprovalOutcome | undefined) => void;
}

/** Returns a tool whose calls need an approval. */
function gatedTool(tool: ToolDefinition, options: GateOptions): AgentTool {
  const { name } = options;
  const gate = new Gate(tool, options);
  return {
    ...asAgentTool(tool),
    execute: (input, { toolCallId: id, abortSignal: signal, context }) => {
      const { run = '', onApproval }: Partial<GatedRun> = context ?? {};
      return gate.execute(input, { run, id, signal, onOutcome: (outcome) => onApproval?.(id, name, outcome) });
    },
  };
}

/**
 * Opens tool sets for one run of an agent: what its definition allows, within what its caller may call. Nothing else is in `tools`.
 *
 * @throws {ContextError} `INVALID_DEFINITION`: the definition names a tool that does not exist. @throws {ToolError} of a set.
 * @throws {AgentError} `INVALID_OPTION`: two tools of one name, invalid permissions, an unknown part. `INVALID_RULE`: of the definition.
 *   `DELEGATION_REFUSED`: the mode
 *   sees what the caller does not.
 */
export async function openAgentTools(options: AgentToolsOptions): Promise<AgentTools> {
  checkArguments.options('openAgentTools', options, agentToolsOptions);
  const { toolSets, roots, agent, approvals, within, onlyAgents, delegate, signal } = options;
  const { mode = DEFAULT_MODE, naming = 'default', language = 'en', session = createToolSession() } = options;
  const shows = shownParts({ agent, without: options.without, within });
  const readOnly =
    isReadOnly(agent, approvals !== undefined) || (options.readOnly ?? false) || (within?.readOnly ?? false);
  const { reads } = MODES[mode];
  if (within?.readsMain === false && reads !== 'own') {
    const why = 'the run that starts it does not see the main conversation';
    const summary = `The agent ${agent.name} cannot run in the mode ${mode}: ${why}`;
    throw new AgentError('DELEGATION_REFUSED', [summary, 'Use isolated or handback.']);
  }
  const readsMain = reads === 'main';
  const own = approvals && definitionRules(agent, { approvals, isDelegated: within !== undefined });
  const rules = [...(within?.rules ?? []), ...(own?.rules ?? [])];
  const end = new AbortController();
  const base: ToolSetContext = {
    roots,
    naming,
    readOnly,
    agent: readsMain ? undefined : agent.name,
    hidden: new Set(SHOWN_PARTS.filter((part) => shows?.has(part) === false)),
    session,
    signal: signal === undefined ? end.signal : AbortSignal.any([signal, end.signal]),
  };
  try {
    const sets: Opened[] = [];
    // In sequence: a set may share what an earlier one made.
    for (const set of toolSets) sets.push({ set, ...(await set.open(base)) });
    const all = joinTools(sets);
    const known = [...all.keys(), ...(delegate === undefined ? [] : [AGENT_TOOL])];
    const allowed = allowedTools(agent, known, naming);
    const names = intersect(allowed.names, within?.names);
    const agents = intersect(onlyAgents && new Set(onlyAgents), within?.agents);
    const grant: ToolGrant = { names, agents, readOnly, shows, readsMain, rules };
    const mayCall = (name: string): boolean => names?.has(name) ?? true;
    const isOffered = ([name, { annotations }]: readonly [string, ToolDefinition]): boolean =>
      mayCall(name) && (!readOnly || annotations.readOnlyHint);
    const gate = approvals && { approvals, agent: agent.name, naming, language, rules };
    const tools: Record<string, AgentTool> = Object.fromEntries(
      [...all]
        .filter(isOffered)
        .map(([name, tool]) => [name, gate ? gatedTool(tool, { ...gate, name }) : asAgentTool(tool)]),
    );
    const delegation = mayCall(AGENT_TOOL) ? delegate?.(grant) : undefined;
    if (delegation !== undefined) tools[AGENT_TOOL] = delegation;
    const offered = Object.keys(tools);
    const hidden = known.filter((name) => !offered.includes(name));
    const facts = { agent: agent.name, naming, readOnly, language, offered, hidden };
    return {
      tools,
      grant,
      instructions: await instructionsOf(sets, tools, base),
      notices: [...allowed.notices, ...(own?.notices ?? [])],
      refuse: (name) => refusal(name, facts),
      close: () => end.abort(),
    };
  } catch (error) {
    end.abort();
    throw error;
  }
}

/** Returns the texts of the sets that offer a tool. A set with only reading tools here states how to use them for that. */
async function instructionsOf(
  sets: readonly Opened[],
  tools: Readonly<Record<string, AgentTool>>,
  context: ToolSetContext,
): Promise<string[]> {
  const texts: string[] = [];
  for (const { set, tools: own, instructions } of sets) {
    const offered = Object.keys(own).filter((name) => Object.hasOwn(tools, name));
    if (instructions === undefined || offered.length === 0) continue;
    if (context.readOnly || offered.some((name) => own[name]?.annotations.readOnlyHint === false)) {
      texts.push(instructions);
      continue;
    }
    const end = new AbortController();
    const reading = await set.open({ ...context, readOnly: true, signal: end.signal });
    end.abort();
    if (reading.instructions !== undefined) texts.push(reading.instructions);
  }
  return texts;
}
