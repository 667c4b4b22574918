import type { ToolDefinition } from '@cairn/tool';
import { randomUUID } from 'node:crypto';
import { createFactTools } from './fact-tools.ts';
import type { FactTools } from './fact-tools.ts';
import { createNotesTool } from './notes-tool.ts';
import type { NotesDetails, NotesInput } from './notes-tool.ts';
import { createRecallTool } from './recall-tool.ts';
import type { RecallDetails, RecallInput } from './recall-tool.ts';
import type { ToolMemory } from './tool-context.ts';

/** The tools by name. A type, not an interface, so that it is also a record of tools. */
export type MemoryTools = FactTools & {
  readonly recall: ToolDefinition<RecallInput, RecallDetails>;
  readonly notes: ToolDefinition<NotesInput, NotesDetails>;
};

export function createOwnTools(context: ToolMemory): MemoryTools {
  const { remember, ...facts } = createFactTools(context);
  const notes = createNotesTool(context, `cairn-own-process-${randomUUID()}`);
  return { remember, recall: createRecallTool(context), ...facts, notes };
}
