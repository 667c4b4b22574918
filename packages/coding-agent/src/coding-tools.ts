import { ToolError } from '@cairn/tool';
import type { ToolDefinition } from '@cairn/tool';
import { nameTools } from './naming/name-tools.ts';
import type { CodingToolsOptions, NamingProfile } from './naming/profile.ts';
import { bindAsItIs } from './tools/bind.ts';
import type { DeleteDetails, DeleteInput } from './tools/delete.ts';
import type { EditDetails, EditInput } from './tools/edit.ts';
import type { GlobDetails, GlobInput } from './tools/glob.ts';
import type { GrepDetails, GrepInput } from './tools/grep.ts';
import type { LsDetails, LsInput } from './tools/ls.ts';
import type { PatchDetails, PatchInput } from './tools/patch.ts';
import type { ReadDetails, ReadInput } from './tools/read.ts';
import type { RenameDetails, RenameInput } from './tools/rename.ts';
import { specs } from './tools/specs.ts';
import type { WriteDetails, WriteInput } from './tools/write.ts';
import { workspaceOf } from './workspace.ts';
import type { WorkspaceChoice } from './workspace.ts';

/** The tools by their own names. A type, and no interface, so that it is also a record of tools, as the AI SDK wants it. */
export type CodingTools = {
  readonly read: ToolDefinition<ReadInput, ReadDetails>;
  readonly write: ToolDefinition<WriteInput, WriteDetails>;
  readonly edit: ToolDefinition<EditInput, EditDetails>;
  readonly patch: ToolDefinition<PatchInput, PatchDetails>;
  readonly delete: ToolDefinition<DeleteInput, DeleteDetails>;
  readonly rename: ToolDefinition<RenameInput, RenameDetails>;
  readonly glob: ToolDefinition<GlobInput, GlobDetails>;
  readonly grep: ToolDefinition<GrepInput, GrepDetails>;
  readonly ls: ToolDefinition<LsInput, LsDetails>;
};

/** The tools by the names of a host. */
export type NamedTools = Readonly<Record<string, ToolDefinition>>;

const namings: readonly string[] = ['default', 'claude', 'pi', 'gemini', 'codex', 'mcp-fs'] satisfies NamingProfile[];

/**
 * Makes the tools of a workspace. They work as they are in the AI SDK (`tools: createCodingTools({ root })`), behind MCP and
 * by direct call.
 *
 * @throws {ToolError} `INVALID_OPTION`.
 */
export function createCodingTools(options: WorkspaceChoice & { readonly naming?: 'default' | undefined }): CodingTools;
export function createCodingTools(options: CodingToolsOptions): NamedTools;
export function createCodingTools(options: CodingToolsOptions): CodingTools | NamedTools {
  const { naming = 'default' } = options;
  if (!namings.includes(naming)) {
    const summary = `naming must be one of ${namings.join(', ')}, not ${JSON.stringify(naming)}`;
    throw new ToolError('INVALID_OPTION', [summary, 'Leave it out for the own names of the tools.']);
  }
  const workspace = workspaceOf(options);
  if (naming !== 'default') return nameTools(workspace, naming);
  return {
    read: bindAsItIs(specs.read, workspace),
    write: bindAsItIs(specs.write, workspace),
    edit: bindAsItIs(specs.edit, workspace),
    patch: bindAsItIs(specs.patch, workspace),
    delete: bindAsItIs(specs.delete, workspace),
    rename: bindAsItIs(specs.rename, workspace),
    glob: bindAsItIs(specs.glob, workspace),
    grep: bindAsItIs(specs.grep, workspace),
    ls: bindAsItIs(specs.ls, workspace),
  };
}
