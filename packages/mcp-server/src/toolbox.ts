import { createToolSession } from '@cairn/tool';
import type { ResourceProvider, ToolDefinition, Tools, ToolSet, ToolSetContext } from '@cairn/tool';
import type { Tool } from '@modelcontextprotocol/server';
import { z } from 'zod';
import { McpServerError } from './errors.ts';

/** Options of {@link openToolbox}. */
export interface ToolboxOptions extends Pick<ToolSetContext, 'roots' | 'naming' | 'readOnly'> {
  readonly toolSets: readonly ToolSet[];
  /** The names of the tools to offer; `undefined` for all. */
  readonly only: readonly string[] | undefined;
}

/** The tools and resources of one client. */
export interface Toolbox {
  readonly tools: ReadonlyMap<string, ToolDefinition>;
  /** The tools as clients see them: in the order of the sets, and within a set in its own order. */
  readonly list: readonly Tool[];
  /** The resources of each set that has some, in the order of the sets. */
  readonly resources: readonly ResourceProvider[];
  /** Ends the session of the client. */
  close(): void;
}

interface Offer {
  readonly set: string;
  readonly tool: ToolDefinition;
}

/** Returns every tool of every set by its name. */
function gather(found: readonly (readonly [set: string, tools: Tools])[]): Map<string, Offer> {
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
    throw new McpServerError('INVALID_OPTION', `unknown tool ${unknown.join(', ')}; the tools are ${names}`);
  }
  if (refused.length > 0) {
    const what = `${refused.join(', ')} can change something, and the server is read-only`;
    throw new McpServerError('INVALID_OPTION', `${what}; the read-only tools are ${names}`);
  }
  if (only.length === 0)
    throw new McpServerError('INVALID_OPTION', `the list of tools is empty; the tools are ${names}`);
}

function describe(name: string, { description, inputSchema, annotations }: ToolDefinition): Tool {
  // MCP assumes this dialect.
  const { $schema: _, ...schema } = z.toJSONSchema(inputSchema, { io: 'input' });
  const { title } = annotations;
  return { name, title, description, inputSchema: { ...schema, type: 'object' } as Tool['inputSchema'], annotations };
}

/**
 * Opens the tools and resources of one client.
 *
 * @throws {McpServerError} `TOOL_NAME_TAKEN`, `INVALID_OPTION`.
 */
export async function openToolbox({ toolSets, only, ...options }: ToolboxOptions): Promise<Toolbox> {
  const ending = new AbortController();
  const context: ToolSetContext = { ...options, session: createToolSession(), signal: ending.signal };
  try {
    const opened = await Promise.all(toolSets.map(async (set) => ({ name: set.name, ...(await set.open(context)) })));
    const offers = gather(opened.map(({ name, tools }) => [name, tools]));
    if (only) checkNames(only, offers, options.readOnly);
    const tools = new Map<string, ToolDefinition>();
    for (const [name, { tool }] of offers) {
      if (options.readOnly && !tool.annotations.readOnlyHint) continue;
      if (only?.includes(name) !== false) tools.set(name, tool);
    }
    return {
      tools,
      list: [...tools].map(([name, tool]) => describe(name, tool)),
      resources: opened.flatMap(({ resources }) => (resources === undefined ? [] : [resources])),
      close: () => ending.abort(),
    };
  } catch (error) {
    ending.abort();
    throw error;
  }
}
