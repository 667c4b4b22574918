export type {
  CallOptions,
  Clock,
  Erasure,
  Keep,
  KeyInfo,
  MemoryBackend,
  Page,
  PageQuery,
  Postings,
  Row,
  RowChange,
  TableChange,
  TableResult,
  Terms,
} from './records/backend.ts';
export { DEFAULT_GROUP, DEFAULT_STREAM } from './defaults.ts';
export { MemoryError } from './errors.ts';
export type { MemoryErrorCode } from './errors.ts';
export type { Fact, FactChange, FactScope } from './facts/fact.ts';
export { projectOf } from './facts/project.ts';
export type {
  ApplyMarkdownOptions,
  FactList,
  FactListOptions,
  FactProject,
  Facts,
  FactSelection,
  ForgottenFact,
  MarkdownConflict,
  MarkdownResult,
  MovedFacts,
  ProjectOptions,
  RecalledFact,
  RecalledFacts,
  RecallFactsOptions,
  RememberedFact,
  RememberFactOptions,
  RestoreFactOptions,
  SupersedeFactOptions,
  UpdateFactOptions,
} from './facts/facts-api.ts';
export type { StartBlockOptions } from './facts/start-block.ts';
export type { FactVersion } from './facts/versions.ts';
export type { Graph } from './graph/graph.ts';
export type { AddedObservations, Observations } from './graph/graph-changes.ts';
export type { Entity, KnowledgeGraph, Relation } from './graph/knowledge-graph.ts';
export { graphKey, memoryKey, notesKey, workflowKey } from './records/keys.ts';
export type { FullRetention, Retention } from './records/limits.ts';
export { createMemory } from './memory.ts';
export type { Memory, MemoryOptions } from './memory.ts';
export { findMessage } from './maintenance/find-message.ts';
export type { FoundMessage, MessageSource } from './maintenance/find-message.ts';
export type { ForgetResult } from './maintenance/forget.ts';
export type {
  ForgetEverything,
  ForgetFacts,
  ForgetGraph,
  ForgetMessages,
  ForgetNamespace,
  ForgetNotes,
  ForgetOptions,
  ForgetUnreadable,
  ForgetWorkflow,
} from './maintenance/forget-selection.ts';
export type { Problem, ProblemListener } from './maintenance/problems.ts';
export type {
  JsonObject,
  Namespace,
  NamespaceChanges,
  NamespaceChangesQuery,
  NamespaceKeyInfo,
  NamespaceOptions,
  NamespaceRecord,
} from './records/namespace.ts';
export type { ImportedMessage, Message, MessageInput, NewMessage, Role } from './conversations/message.ts';
export type { AddedMessage, Messages, Place } from './conversations/messages.ts';
export { formatNotes } from './workflows/format-notes.ts';
export type { FormatNotesOptions } from './workflows/format-notes.ts';
export type { Note, Notes, StoredNote, StoreNoteOptions } from './workflows/notes.ts';
export type { GroupInfo, MemoryStats, NamespaceInfo, NotesInfo } from './maintenance/overview.ts';
export type { UnreadableListener, UnreadableRecord } from './records/reader.ts';
export type {
  Recall,
  RecalledContext,
  RecalledMessage,
  RecalledNote,
  RecallOptions,
  RecallResult,
  RetrieveOptions,
} from './conversations/recall.ts';
export { parseTime } from './records/parse-time.ts';
export type { ParseTimeOptions } from './records/parse-time.ts';
export { projectStorePath, userStorePath } from './store-path.ts';
export type { FunctionContext, StreamDefinition, StreamFunction, StreamFunctions } from './conversations/stream.ts';
export type {
  ConversationMessage,
  FunctionCall,
  HistoryOptions,
  MergeOptions,
  PromptOptions,
  Stream,
  Streams,
  FunctionsPromptOptions,
  SystemPromptOptions,
} from './conversations/streams.ts';
export type { ExportOptions } from './maintenance/export.ts';
export type { ImportResult } from './maintenance/import.ts';
export { DONE_COMPLETION, isPartlyDone } from './workflows/workflow-record.ts';
export type { Lease, Question, Todo, TodoStatus, WorkflowRecord, WorkflowStatus } from './workflows/workflow-record.ts';
export type {
  AcquireOptions,
  FinishOptions,
  TodoUpdate,
  WaitOptions,
  WorkflowRun,
  WorkflowUpdate,
} from './workflows/workflow-run.ts';
export type {
  CancelOptions,
  EditedTodo,
  NewWorkflow,
  WaitingOptions,
  Workflows,
  WorkflowSummary,
} from './workflows/workflows.ts';
export { wrapContexts } from './conversations/wrap.ts';
export type { WrapOptions } from './conversations/wrap.ts';
