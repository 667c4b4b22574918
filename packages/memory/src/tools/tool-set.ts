import { checkArguments } from '@cairn/tool/errors';
import { ToolError, type ResourceProvider, type ToolSet } from '@cairn/tool';
import { DEFAULT_STREAM } from '../defaults.ts';
import type { Memory } from '../memory.ts';
import { sessionRecall } from '../recall/session-recall.ts';
import { INSTRUCTIONS, READ_ONLY_INSTRUCTIONS } from './instructions.ts';
import { createSessionTools, memoryToolsOptions, type MemoryToolsOptions } from './memory-tools.ts';
import { agentStream, factStream, noticesOf } from './tool-context.ts';
import { asToolErrors } from './tool-errors.ts';

/** The URI of what a session should know at its start. */
const START_URI = 'cairn://memory/start';

const RESOURCE = {
  uri: START_URI,
  name: 'memory-start',
  title: 'Memory at the start of a session',
  description: 'The pinned and the newest facts of this project and of the user.',
  mimeType: 'text/plain',
} as const;

/** Offers the start block as a resource. Hosts that run hooks use `cairn memory start` instead. */
function startResource(open: () => Promise<Memory>, stream: string): ResourceProvider {
  return {
    listOrder: -2,
    list: async (cursor) => {
      if (cursor === undefined) return { resources: [RESOURCE] };
      throw new ToolError('INVALID_INPUT', ['The cursor is invalid', 'List again without a cursor.']);
    },
    read: (uri, { signal }) =>
      uri === START_URI
        ? asToolErrors(async () => {
            const { facts } = await open();
            const block = await facts.startBlock({ ...factStream(stream), signal });
            const notices = await noticesOf(open);
            const text = [notices, block].filter((part) => part !== '').join('\n');
            return [{ uri, mimeType: RESOURCE.mimeType, text }];
          })
        : Promise.resolve(undefined),
  };
}

export interface MemoryToolSetOptions extends Omit<MemoryToolsOptions, 'memory'> {
  /**
   * Opens the memory. The first call of a tool opens it, for all sessions; after a failure the next call tries again. The set
   * closes it.
   */
  readonly open: () => Promise<Memory>;
  /** Whether to open the memory with the first session, so that a wrong setting is reported immediately. @default false */
  readonly opensAtStart?: boolean | undefined;
}

/**
 * Creates the tool set of a memory, for a server or an agent. All sessions share one memory. The naming profile of a session
 * is about coding tools and does not apply; `options.naming` does.
 */
export function memoryToolSet(given: MemoryToolSetOptions): ToolSet {
  checkArguments.options('memoryToolSet', given, {
    ...memoryToolsOptions,
    open: 'required',
    opensAtStart: 'optional',
  });
  const { open, opensAtStart = false, ...options } = given;
  let opening: Promise<Memory> | undefined;
  const memory = (): Promise<Memory> => {
    opening ??= open().catch((error: unknown) => {
      opening = undefined;
      throw error;
    });
    return opening;
  };
  return {
    name: 'memory',
    open: async ({ readOnly, agent, stream, hidden, session }) => {
      if (hidden?.has('facts') === true) return { tools: {} };
      if (opensAtStart) await memory();
      const given = { ...options, memory, ...(agent !== undefined && { agent, stream }) };
      const tools = createSessionTools(given, sessionRecall(session));
      if (options.naming === 'mcp-memory') return { tools };
      return {
        tools,
        resources: startResource(
          memory,
          agent === undefined ? (options.stream ?? DEFAULT_STREAM) : (stream ?? agentStream(agent)),
        ),
        instructions: readOnly ? READ_ONLY_INSTRUCTIONS : INSTRUCTIONS,
      };
    },
    close: async () => {
      const opened = await opening?.catch(() => undefined);
      await opened?.close();
    },
  };
}
