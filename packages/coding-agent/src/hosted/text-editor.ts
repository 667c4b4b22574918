import type { ToolDefinition } from '@cairn/tool';
import { z } from 'zod';
import { bindAsItIs } from '../tools/bind.ts';
import { inputSchema } from '../tools/input.ts';
import { mutating, type CodingToolSpec } from '../tools/spec.ts';
import { workspaceOf, type WorkspaceChoice } from '../workspace.ts';
import { editorNames, runCommand, type EditorInput } from './editor-commands.ts';

const shape = {
  command: z.enum(['view', 'create', 'str_replace', 'insert']),
  path: z.string(),
  view_range: z.array(z.int()).length(2).optional().describe('first and last line; -1 is the end'),
  file_text: z.string().optional(),
  old_str: z.string().optional(),
  new_str: z.string().optional(),
  insert_line: z.int().min(0).optional().describe('insert after this line; 0 is the start'),
  insert_text: z.string().optional(),
};

/** The parameters of Anthropic's text-editor tool. */
export type TextEditorInput = EditorInput;

const textEditorSpec: CodingToolSpec<TextEditorInput, unknown> = {
  name: 'str_replace_based_edit_tool',
  description: 'View, create and edit text files.',
  shape,
  inputSchema: inputSchema(shape),
  annotations: mutating('Edit text'),
  run: runCommand,
};

/**
 * Makes a tool for Anthropic's text-editor tool (`text_editor_20250728` and earlier). Pass its `execute` to the hosted tool, or the
 * whole tool to a host that has none.
 */
export function createTextEditorTool(choice: WorkspaceChoice): ToolDefinition<TextEditorInput> {
  return bindAsItIs(textEditorSpec, workspaceOf('createTextEditorTool', choice), editorNames);
}
