export { codingToolSet, createCodingToolSet, type CodingToolSetOptions } from './coding-tool-set.ts';
export { createCodingTools } from './coding-tools.ts';
export { createApplyPatchTool } from './hosted/apply-patch.ts';
export { createMemoryTool } from './hosted/memory.ts';
export { createTextEditorTool, type TextEditorInput } from './hosted/text-editor.ts';
export { expandMentions, type ExpandedMessage, type ExpandOptions } from './mentions/expand.ts';
export { formatMention, mentionAt, parseMentions, type Mention } from './mentions/parse.ts';
export { createMentionProvider } from './mentions/provider.ts';
export type { MentionAnswer, MentionProvider, MentionSuggestion } from './mentions/provider.ts';
export { formatHunks, type FileDiff } from './edit/diff.ts';
export {
  invalidateFsScanAfterDelete,
  invalidateFsScanAfterRename,
  invalidateFsScanAfterWrite,
  onAnyChange,
} from './commit/changes.ts';
export type { WorkspaceChange } from './commit/changes.ts';
export { namingProfiles, type CodingToolsOptions, type NamingProfile } from './naming/profiles.ts';
export { nodeFileOperations } from './files/node-operations.ts';
export type { DirectoryEntry, FileOperations, FileStat, OpenFile } from './files/operations.ts';
export { createShellTool } from './shell/shell-tool.ts';
export type { ShellDecision, ShellDetails, ShellInput, ShellToolOptions } from './shell/shell-tool.ts';
export type { ShellCommand } from './shell/run-command.ts';
export type { CodingTools, ToolDetails, ToolInput, ToolName } from './tools/specs.ts';
export { createWorkspace, type ToolPolicy, type Workspace, type WorkspaceOptions } from './workspace.ts';
