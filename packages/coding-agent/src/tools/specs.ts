import { deleteTool } from './delete.ts';
import { editTool } from './edit.ts';
import { globTool } from './glob.ts';
import { grepTool } from './grep.ts';
import { lsTool } from './ls.ts';
import { patchTool } from './patch.ts';
import { readTool } from './read.ts';
import { renameTool } from './rename.ts';
import { writeTool } from './write.ts';

/** Every tool by its own name. */
export interface ToolSpecs {
  readonly read: typeof readTool;
  readonly write: typeof writeTool;
  readonly edit: typeof editTool;
  readonly patch: typeof patchTool;
  readonly delete: typeof deleteTool;
  readonly rename: typeof renameTool;
  readonly glob: typeof globTool;
  readonly grep: typeof grepTool;
  readonly ls: typeof lsTool;
}

/** In the order in which models are shown them. Adding a tool is a file, and a line here and above. */
export const specs: ToolSpecs = {
  read: readTool,
  write: writeTool,
  edit: editTool,
  patch: patchTool,
  delete: deleteTool,
  rename: renameTool,
  glob: globTool,
  grep: grepTool,
  ls: lsTool,
};

/** A tool's own name. */
export type ToolName = keyof ToolSpecs;

export const toolNames: readonly ToolName[] = Object.keys(specs) as ToolName[];
