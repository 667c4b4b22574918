import { bind, ownNames } from './bind.ts';
import type { ToolSpec } from './spec.ts';
import type { ToolDefinition } from './tool.ts';
import { deleteTool } from './tools/delete.ts';
import type { DeleteDetails, DeleteInput } from './tools/delete.ts';
import { editTool } from './tools/edit.ts';
import type { EditDetails, EditInput } from './tools/edit.ts';
import { globTool } from './tools/glob.ts';
import type { GlobDetails, GlobInput } from './tools/glob.ts';
import { grepTool } from './tools/grep.ts';
import type { GrepDetails, GrepInput } from './tools/grep.ts';
import { lsTool } from './tools/ls.ts';
import type { LsDetails, LsInput } from './tools/ls.ts';
import { patchTool } from './tools/patch.ts';
import type { PatchDetails, PatchInput } from './tools/patch.ts';
import { readTool } from './tools/read.ts';
import type { ReadDetails, ReadInput } from './tools/read.ts';
import { renameTool } from './tools/rename.ts';
import type { RenameDetails, RenameInput } from './tools/rename.ts';
import { writeTool } from './tools/write.ts';
import type { WriteDetails, WriteInput } from './tools/write.ts';
import { createWorkspace } from './workspace.ts';
import type { Workspace, WorkspaceOptions } from './workspace.ts';

/** The tools by their own names. */
export interface CodingTools {
  readonly read: ToolDefinition<ReadInput, ReadDetails>;
  readonly write: ToolDefinition<WriteInput, WriteDetails>;
  readonly edit: ToolDefinition<EditInput, EditDetails>;
  readonly patch: ToolDefinition<PatchInput, PatchDetails>;
  readonly delete: ToolDefinition<DeleteInput, DeleteDetails>;
  readonly rename: ToolDefinition<RenameInput, RenameDetails>;
  readonly glob: ToolDefinition<GlobInput, GlobDetails>;
  readonly grep: ToolDefinition<GrepInput, GrepDetails>;
  readonly ls: ToolDefinition<LsInput, LsDetails>;
}

/** Where the tools work: a workspace of their own, or one that is shared with mentions and other sets. */
export type CodingToolsOptions = WorkspaceOptions | { readonly workspace: Workspace };

/**
 * Makes the tools of a workspace. They work as they are in the AI SDK (`tools: createCodingTools({ root })`), behind MCP and
 * by direct call.
 *
 * @throws {ToolError} `INVALID_OPTION`.
 */
export function createCodingTools(options: CodingToolsOptions): CodingTools {
  const workspace = 'workspace' in options ? options.workspace : createWorkspace(options);
  const own = <Input, Details>(spec: ToolSpec<Input, Details>): ToolDefinition<Input, Details> =>
    bind(spec, workspace, { ...spec, names: ownNames });
  return {
    read: own(readTool),
    write: own(writeTool),
    edit: own(editTool),
    patch: own(patchTool),
    delete: own(deleteTool),
    rename: own(renameTool),
    glob: own(globTool),
    grep: own(grepTool),
    ls: own(lsTool),
  };
}
