import { ToolError, type ToolDefinition } from '@cairn/tool';
import { quotePath } from '@cairn/tool/paths';
import { z } from 'zod';
import { bindAsItIs } from '../tools/bind.ts';
import { inputSchema } from '../tools/input.ts';
import { deleteTool } from '../tools/delete.ts';
import { emptyListing } from '../tools/ls.ts';
import { renameTool } from '../tools/rename.ts';
import { mutating, type CodingToolSpec } from '../tools/spec.ts';
import { workspaceOf, type Workspace, type WorkspaceChoice } from '../workspace.ts';
import { editorNames, runCommand, type TextEditorInput } from './text-editor.ts';

const shape = {
  command: z.enum(['view', 'create', 'str_replace', 'insert', 'delete', 'rename']),
  path: z.string().optional(),
  view_range: z.array(z.int()).length(2).optional(),
  file_text: z.string().optional(),
  old_str: z.string().optional(),
  new_str: z.string().optional(),
  insert_line: z.int().min(0).optional(),
  insert_text: z.string().optional(),
  old_path: z.string().optional(),
  new_path: z.string().optional(),
};

/** The parameters of Anthropic's memory tool. Paths begin with `/memories`. */
interface MemoryInput extends Omit<TextEditorInput, 'command' | 'path'> {
  readonly command: TextEditorInput['command'] | 'delete' | 'rename';
  readonly path?: string | undefined;
  readonly old_path?: string | undefined;
  readonly new_path?: string | undefined;
}

const MEMORIES = '/memories';

/**
 * Returns a path of the model relative to the root.
 *
 * @throws {ToolError} `OUTSIDE_ROOT` unless it begins with `/memories`.
 */
function below(path: string | undefined, command: string): string {
  const hint = `Use a path that begins with ${MEMORIES}.`;
  if (path === undefined) throw new ToolError('INVALID_INPUT', [`${command} needs a path`, hint]);
  if (path !== MEMORIES && !path.startsWith(`${MEMORIES}/`)) {
    throw new ToolError('OUTSIDE_ROOT', [`${quotePath(path)} is not below ${MEMORIES}`, hint], { path });
  }
  // The rest is relative, however many slashes it starts with.
  const rest = path.slice(MEMORIES.length).replace(/^\/+/u, '');
  return rest === '' ? '.' : rest;
}

const memorySpec: CodingToolSpec<MemoryInput, unknown> = {
  name: 'memory',
  description: `Keep notes in files below ${MEMORIES}.`,
  shape,
  inputSchema: inputSchema(shape),
  annotations: mutating('Keep notes'),
  run: async (input, context) => {
    const { command, old_path, new_path, ...rest } = input;
    if (command === 'rename') {
      const [from, to] = [below(old_path, command), below(new_path, command)];
      return renameTool.run({ from, to }, context);
    }
    const path = below(input.path, command);
    if (command === 'delete') return deleteTool.run({ path, recursive: true }, context);
    if (command === 'view' && path === '.') {
      const { stat, display } = await context.workspace.resolve(path);
      // The root does not exist before the first note.
      if (stat === undefined) return emptyListing(display);
    }
    return runCommand({ ...rest, command, path }, context);
  },
};

/**
 * Makes a tool for Anthropic's memory tool (`memory_20250818`). The model sees the root of the workspace as `/memories`.
 */
export function createMemoryTool(choice: WorkspaceChoice): ToolDefinition<MemoryInput> {
  const workspace = workspaceOf('createMemoryTool', choice);
  const resolve: Workspace['resolve'] = (path, use) => workspace.resolve(path, { ...use, rootName: MEMORIES });
  return bindAsItIs(memorySpec, { ...workspace, resolve }, editorNames);
}
