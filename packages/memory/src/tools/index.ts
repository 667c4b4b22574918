import { ToolError } from '@cairn/tool';
import type { ToolDefinition } from '@cairn/tool';
import { DEFAULT_GROUP, DEFAULT_STREAM } from '../defaults.ts';
import type { Memory } from '../memory.ts';
import { createGraphTools } from './graph-tools.ts';
import { createOwnTools } from './memory-tools.ts';
import type { MemoryTools } from './memory-tools.ts';

export type {
  MemoryTools,
  NotesDetails,
  NotesInput,
  RecallDetails,
  RecallInput,
  RememberDetails,
  RememberInput,
} from './memory-tools.ts';

/** Whose names the tools have. */
export type MemoryNaming = 'default' | 'mcp-memory';

/** What the tools work on. */
export interface MemoryToolsOptions {
  /** The memory, or what gives it: it is asked with the first call, and then every time. */
  readonly memory: Memory | (() => Promise<Memory>);
  /**
   * `default`: `remember`, `recall`, `notes`. `mcp-memory`: the knowledge graph of `@modelcontextprotocol/server-memory`, by
   * its names.
   * @default 'default'
   */
  readonly naming?: MemoryNaming | undefined;
  /** The stream that is remembered in. @default 'agent', where `cairn memory` looks too */
  readonly stream?: string | undefined;
  /** The group, unless a call names another. @default 'default' */
  readonly group?: string | undefined;
  /** The workflow whose notes are meant, unless a call names another. */
  readonly workflowId?: string | undefined;
  /** The name of the knowledge graph. @default 'default' */
  readonly graph?: string | undefined;
}

/**
 * Makes the tools with which an agent keeps its memory. They work as they are in the AI SDK, behind MCP and by direct call.
 *
 * @throws {ToolError} `INVALID_OPTION`.
 */
export function createMemoryTools(
  options: MemoryToolsOptions & { readonly naming?: 'default' | undefined },
): MemoryTools;
export function createMemoryTools(options: MemoryToolsOptions): Readonly<Record<string, ToolDefinition>>;
export function createMemoryTools(options: MemoryToolsOptions): MemoryTools | Readonly<Record<string, ToolDefinition>> {
  const { memory, naming = 'default', stream = DEFAULT_STREAM, group = DEFAULT_GROUP, workflowId } = options;
  const open = async (): Promise<Memory> => (typeof memory === 'function' ? memory() : memory);
  if (naming === 'mcp-memory') return createGraphTools(async () => (await open()).graph(options.graph));
  if (naming === 'default') return createOwnTools({ open, stream, group, workflowId });
  const summary = `naming must be one of default, mcp-memory, not ${JSON.stringify(naming)}`;
  throw new ToolError('INVALID_OPTION', [summary, 'Leave it out for the own names of the tools.']);
}
