import { createToolSession } from '@cairn/tool';
import type { OpenToolSet, ToolDefinition, ToolSet, ToolSetContext } from '@cairn/tool';
import type { Tool } from '@modelcontextprotocol/server';
import { z } from 'zod';
import { McpServerError } from '../errors.ts';
import { ResourceNotices } from '../resource-notices.ts';
import { Resources } from './resources.ts';

interface ToolboxOptions extends Pick<ToolSetContext, 'roots' | 'naming' | 'readOnly'> {
  readonly toolSets: readonly ToolSet[];
  /** The names of the tools to offer; `undefined` for all. Resources are offered in any case. */
  readonly only: readonly string[] | undefined;
  /** The time between two rounds of notifications about changed resources. Milliseconds. */
  readonly noticeIntervalMs: number;
}

/** The tools and resources of one client. */
export interface Toolbox {
  readonly tools: ReadonlyMap<string, ToolDefinition>;
  /** The tools as clients see them: in the order of the sets, and within a set in its own order. */
  readonly list: readonly Tool[];
  /** The instructions of each set that has some and offers a tool, in the order of the sets. */
  readonly instructions: readonly string[];
  /** The resources of all sets. Absent when no set has resources. */
  readonly resources: Resources | undefined;
  /** Changes of the resources. Absent when no set announces any. */
  readonly notices: ResourceNotices | undefined;
  /** Ends the session of the client. Further calls do nothing. */
  close(): void;
}

interface OpenedSet extends OpenToolSet {
  readonly name: string;
}

/**
 * Opens every set. When one fails, the others still finish opening before the error is thrown: a set is never closed while it
 * opens.
 */
async function openAll(toolSets: readonly ToolSet[], context: ToolSetContext): Promise<OpenedSet[]> {
  const opening = toolSets.map(async (set) => ({ name: set.name, ...(await set.open(context)) }));
  await Promise.allSettled(opening);
  return Promise.all(opening);
}

function gatherTools(opened: readonly OpenedSet[]): Map<string, ToolDefinition> {
  const gathered = new Map<string, ToolDefinition>();
  for (const { name: set, tools } of opened) {
    for (const [name, tool] of Object.entries(tools)) {
      if (tool.isLocal === true) {
        const message = `the tool ${name} of the tool set ${set} cannot be served; leave it out`;
        throw new McpServerError('INVALID_OPTION', message);
      }
      if (gathered.has(name)) {
        const other = opened.find((one) => Object.hasOwn(one.tools, name))?.name;
        const message = `the tool sets ${other} and ${set} both have a tool ${name}; leave one set out`;
        throw new McpServerError('TOOL_NAME_TAKEN', message);
      }
      gathered.set(name, tool);
    }
  }
  return gathered;
}

function checkNames(only: readonly string[], tools: ReadonlyMap<string, ToolDefinition>, readOnly: boolean): void {
  const isOffered = (name: string): boolean => !readOnly || tools.get(name)?.annotations.readOnlyHint === true;
  const fail = (what: string): void => {
    const names = [...tools.keys()].filter(isOffered).join(', ');
    throw new McpServerError('INVALID_OPTION', `${what} tools are ${names}`);
  };
  const unknown = only.filter((name) => !tools.has(name));
  const refused = only.filter((name) => !isOffered(name));
  if (unknown.length > 0) fail(`unknown tool ${unknown.join(', ')}; the`);
  if (refused.length > 0) fail(`not a read-only tool: ${refused.join(', ')}; the read-only`);
  if (only.length === 0) fail('the list of tools is empty; the');
}

function describe(name: string, { description, inputSchema, annotations }: ToolDefinition): Tool {
  // MCP assumes this dialect.
  const { $schema: _, ...schema } = z.toJSONSchema(inputSchema, { io: 'input' });
  const { title } = annotations;
  return { name, title, description, inputSchema: { ...schema, type: 'object' } as Tool['inputSchema'], annotations };
}

/** Opens the tools and resources of one client. When it throws, the session has ended. @throws {McpServerError} */
export async function openToolbox({ toolSets, only, noticeIntervalMs, ...options }: ToolboxOptions): Promise<Toolbox> {
  const { readOnly } = options;
  const ending = new AbortController();
  const context: ToolSetContext = { ...options, session: createToolSession(), signal: ending.signal };
  try {
    const opened = await openAll(toolSets, context);
    const gathered = gatherTools(opened);
    if (only) checkNames(only, gathered, readOnly);
    const tools = new Map(
      [...gathered].filter(
        ([name, { annotations }]) => (!readOnly || annotations.readOnlyHint) && only?.includes(name) !== false,
      ),
    );
    const withTools = opened.filter((set) => Object.keys(set.tools).some((name) => tools.has(name)));
    const providers = opened.flatMap(({ resources }) => resources ?? []);
    return {
      tools,
      list: [...tools].map(([name, tool]) => describe(name, tool)),
      instructions: withTools.flatMap(({ instructions }) => instructions ?? []),
      resources: providers.length === 0 ? undefined : new Resources(providers),
      notices: providers.some(({ changes }) => changes)
        ? new ResourceNotices(providers, { intervalMs: noticeIntervalMs, signal: ending.signal })
        : undefined,
      close: () => ending.abort(),
    };
  } catch (error) {
    ending.abort();
    throw error;
  }
}
