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
  PostingsOfBlock,
  Row,
  RowChange,
  TableChange,
  TableResult,
  Terms,
} from './records/backend.ts';
export { MemoryError } from './errors.ts';
export type { MemoryErrorCode } from './errors.ts';
export type { Fact, FactScope } from './facts/fact.ts';
export { projectOf } from './projects/project.ts';
export type { FactProject, Facts, MarkdownResult, RecalledFact } from './facts/facts-api.ts';
export type { FactVersion } from './facts/versions.ts';
export type { Graph } from './graph/graph.ts';
export type { Entity, KnowledgeGraph, Relation } from './graph/knowledge-graph.ts';
export type { Retention } from './records/limits.ts';
export { createMemory } from './memory.ts';
export type { Memory, MemoryOptions } from './memory.ts';
export type { ForgetResult } from './maintenance/forget.ts';
export type { ForgetOptions } from './maintenance/forget-selection.ts';
export type { Problem } from './maintenance/problems.ts';
export type {
  JsonObject,
  Namespace,
  NamespaceChanges,
  NamespaceKeyInfo,
  NamespaceRecord,
} from './records/namespace.ts';
export type { Message, NewMessage } from './conversations/message.ts';
export type { Place } from './conversations/messages.ts';
export { formatNotes } from './workflows/format-notes.ts';
export type { Note } from './workflows/notes.ts';
export type { MemoryStats } from './maintenance/overview.ts';
export type { UnreadableRecord } from './records/reader.ts';
export type { RecalledContext, RecalledMessage, RecallOptions } from './conversations/recall.ts';
export { projectStorePath, userStorePath } from './store-path.ts';
export type { FunctionContext, StreamDefinition, StreamFunction, StreamFunctions } from './conversations/stream.ts';
export type { Stream } from './conversations/streams.ts';
export type { ImportResult } from './maintenance/import.ts';
export type { Todo, WorkflowRecord } from './workflows/workflow-record.ts';
export type { TodoUpdate, WorkflowRun } from './workflows/workflow-run.ts';
export type { EditedTodo, WorkflowSummary } from './workflows/workflows.ts';
export { wrapContexts } from './conversations/wrap.ts';
