export { codingToolSet, createCodingToolSet, sessionWorkspace } from './coding-tool-set.ts';
export type { CodingToolSetOptions, SessionWorkspaceOptions } from './coding-tool-set.ts';
export { createCodingTools } from './coding-tools.ts';
export type { NamedTools } from './coding-tools.ts';
export { createApplyPatchTool } from './hosted/apply-patch.ts';
export type { ApplyPatchInput } from './hosted/apply-patch.ts';
export { createMemoryTool } from './hosted/memory.ts';
export type { MemoryInput } from './hosted/memory.ts';
export { createTextEditorTool } from './hosted/text-editor.ts';
export type { TextEditorInput } from './hosted/text-editor.ts';
export { recordOf } from './files/ledger.ts';
export type { FileRecord, Ledger } from './files/ledger.ts';
export type { SeenRange, SeenRanges } from './files/seen.ts';
export { expandMentions } from './mentions/expand.ts';
export type { AttachedMention, ExpandedMessage, ExpandOptions, LeftOutMention } from './mentions/expand.ts';
export { formatMention, mentionAt, parseMentions } from './mentions/parse.ts';
export type { Mention, MentionedLines, MentionTarget, OpenMention } from './mentions/parse.ts';
export { createMentionProvider } from './mentions/provider.ts';
export type {
  MentionAnswer,
  MentionProvider,
  MentionProviderOptions,
  MentionSuggestion,
  SuggestOptions,
} from './mentions/provider.ts';
export type { Recency } from './files/recency.ts';
export type { AppliedEdit, TextEdit } from './edit/apply-edit.ts';
export { formatHunks } from './edit/diff.ts';
export type { DiffHunk, FileDiff } from './edit/diff.ts';
export type {
  ChangeListener,
  Changes,
  ListenOptions,
  PathChange,
  RenamedPath,
  WorkspaceChange,
} from './commit/changes.ts';
export { onAnyChange } from './commit/changes.ts';
export type { ChangedFile } from './commit/changed-file.ts';
export type { Tier } from './edit/find-text.ts';
export type { Locks } from './commit/locks.ts';
export { toolNameIn, toolOfName } from './naming/name-tools.ts';
export { namingProfiles } from './naming/profiles.ts';
export type { CodingToolsOptions, NamingProfile } from './naming/profiles.ts';
export type { Names } from './tools/spec.ts';
export { nodeFileOperations } from './files/operations.ts';
export { OWN_TEMPORARY } from './files/own-names.ts';
export type {
  DirectoryEntry,
  FileKind,
  FileLock,
  FileOperations,
  FileStat,
  LockOptions,
  OpenFile,
  OpenMode,
  Replacement,
} from './files/operations.ts';
export { readWholeFile } from './files/read-whole-file.ts';
export type { WholeFile } from './files/read-whole-file.ts';
export { realPathOf, resolvePath, rootMoved } from './files/resolve.ts';
export type { PathUse, ResolvedPath, Territory } from './files/resolve.ts';
export type { DeleteDetails, DeleteInput } from './tools/delete.ts';
export type { EditDetails, EditInput } from './tools/edit.ts';
export {
  invalidateFsScanAfterDelete,
  invalidateFsScanAfterRename,
  invalidateFsScanAfterWrite,
} from './commit/scan-cache.ts';
export type { GlobDetails, GlobInput, LeftOut } from './tools/glob.ts';
export type { GrepDetails, GrepInput } from './tools/grep.ts';
export type { ListedEntry, Listing } from './tools/listing.ts';
export type { LsDetails, LsInput } from './tools/ls.ts';
export type { PageLimit } from './tools/page-lines.ts';
export type { PatchDetails, PatchedFile, PatchInput } from './tools/patch.ts';
export type { ReadDetails, ReadImageDetails, ReadInput, ReadTextDetails } from './tools/read.ts';
export type { RenameDetails, RenameInput } from './tools/rename.ts';
export { toolNames } from './tools/specs.ts';
export type { CodingTools, ToolDetails, ToolInput, ToolName } from './tools/specs.ts';
export type { WriteDetails, WriteInput } from './tools/write.ts';
export { createWorkspace } from './workspace.ts';
export type { ToolPolicy, Workspace, WorkspaceChoice, WorkspaceOptions } from './workspace.ts';
