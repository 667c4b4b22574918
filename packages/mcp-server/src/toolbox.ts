import { createWorkspace } from '@cairn/coding-agent';
import type { NamingProfile, ToolDefinition, Workspace } from '@cairn/coding-agent';
import type { Tool } from '@modelcontextprotocol/server';
import { z } from 'zod';
import { McpServerError } from './errors.ts';
import type { ToolSet } from './tool-set.ts';

/** What the tools of every client are made from. */
export interface ToolboxOptions {
  readonly roots: readonly [string, ...string[]];
  readonly toolSets: readonly ToolSet[];
  readonly naming: NamingProfile;
  readonly readOnly: boolean;
  /** The names of the tools that are offered; `undefined` for all. */
  readonly only: readonly string[] | undefined;
}

/** The tools of one client. */
export interface Toolbox {
  readonly workspace: Workspace;
  readonly tools: ReadonlyMap<string, ToolDefinition>;
  /** As clients are told of them: in the order of the sets, and within a set in its own. */
  readonly list: readonly Tool[];
  /** Tells the sets that the client has gone. */
  close(): void;
}

interface Offer {
  readonly set: string;
  readonly tool: ToolDefinition;
}

/** Every tool of every set, under its name. */
function gather(
  found: readonly (readonly [set: string, tools: Readonly<Record<string, ToolDefinition>>])[],
): Map<string, Offer> {
  const offers = new Map<string, Offer>();
  for (const [set, tools] of found) {
    for (const [name, tool] of Object.entries(tools)) {
      const other = offers.get(name);
      if (other) {
        const message = `the tool sets ${other.set} and ${set} both have a tool ${name}; leave one set out`;
        throw new McpServerError('TOOL_NAME_TAKEN', message);
      }
      offers.set(name, { set, tool });
    }
  }
  return offers;
}

function checkNames(only: readonly string[], offers: ReadonlyMap<string, Offer>, readOnly: boolean): void {
  const offered = (name: string): boolean => !readOnly || offers.get(name)?.tool.annotations.readOnlyHint === true;
  const unknown = only.filter((name) => !offers.has(name));
  const refused = only.filter((name) => offers.has(name) && !offered(name));
  const names = [...offers.keys()].filter(offered).join(', ');
  if (unknown.length > 0) {
    throw new McpServerError('INVALID_OPTION', `there is no tool ${unknown.join(', ')}; the tools are ${names}`);
  }
  if (refused.length > 0) {
    const what = `${refused.join(', ')} can change something, which a read-only server does not offer`;
    throw new McpServerError('INVALID_OPTION', `${what}; the tools that only look are ${names}`);
  }
  if (only.length === 0) throw new McpServerError('INVALID_OPTION', `no tool is left; the tools are ${names}`);
}

function describe(name: string, { description, inputSchema, annotations }: ToolDefinition): Tool {
  // The dialect is the one that MCP takes for granted.
  const { $schema: _, ...schema } = z.toJSONSchema(inputSchema, { io: 'input' });
  const { title } = annotations;
  return { name, title, description, inputSchema: { ...schema, type: 'object' } as Tool['inputSchema'], annotations };
}

/**
 * Makes the tools of one client.
 *
 * @throws {McpServerError} `TOOL_NAME_TAKEN`, `INVALID_OPTION`.
 */
export async function openToolbox(options: ToolboxOptions): Promise<Toolbox> {
  const { roots, toolSets, naming, readOnly, only } = options;
  const [root, ...allowedRoots] = roots;
  const workspace = createWorkspace({ root, policy: { allowedRoots } });
  const leaving = new AbortController();
  const context = { roots, workspace, naming, readOnly, signal: leaving.signal };
  try {
    const found = await Promise.all(toolSets.map(async (set) => [set.name, await set.create(context)] as const));
    const offers = gather(found);
    if (only) checkNames(only, offers, readOnly);
    const tools = new Map<string, ToolDefinition>();
    for (const [name, { tool }] of offers) {
      if (readOnly && !tool.annotations.readOnlyHint) continue;
      if (only?.includes(name) !== false) tools.set(name, tool);
    }
    const list = [...tools].map(([name, tool]) => describe(name, tool));
    return { workspace, tools, list, close: () => leaving.abort() };
  } catch (error) {
    leaving.abort();
    throw error;
  }
}
