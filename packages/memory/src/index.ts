export type { CallOptions, Clock, Draft, KeyInfo, ListQuery, ListRule, MemoryBackend, Swap } from './backend.ts';
export { DEFAULT_GROUP, DEFAULT_STREAM } from './defaults.ts';
export { MemoryError } from './errors.ts';
export type { MemoryErrorCode, MemoryErrorFacts } from './errors.ts';
export type { AddedObservations, Entity, Graph, KnowledgeGraph, Observations, Relation } from './graph.ts';
export { graphKey, memoryKey, notesKey, workflowKey } from './keys.ts';
export type { FullRetention, Retention } from './limits.ts';
export { createMemory } from './memory.ts';
export type { ForgetOptions, Memory, MemoryOptions } from './memory.ts';
export type { ImportedMessage, Message, NewMessage, Role } from './message.ts';
export type { Messages, Place } from './messages.ts';
export { formatNotes } from './notes.ts';
export type { Note, Notes, StoreNoteOptions } from './notes.ts';
export type { GroupInfo, MemoryStats, NotesInfo } from './overview.ts';
export type { QuarantinedRecord, QuarantineListener } from './quarantine.ts';
export type { RecalledContext, RecalledMessage, RecalledNote, RetrieveOptions } from './retrieve-contexts.ts';
export {
  cacheEmbeddings,
  createTermIndex,
  inverseDocumentFrequency,
  rankDocuments,
  RankError,
  readQuery,
  termFrequencyScore,
  termsOf,
} from './retrieve/index.ts';
export type {
  Embed,
  Query,
  QueryTerm,
  RankDocument,
  Ranked,
  RankErrorCode,
  RankNotice,
  RankOptions,
  TermIndex,
  Vector,
} from './retrieve/index.ts';
export { projectStorePath, userStorePath } from './store-path.ts';
export type { StorePlace } from './store-path.ts';
export type { StreamDefinition, StreamFunction, StreamFunctions } from './stream.ts';
export type { FunctionCall, HistoryOptions, MergeOptions, Stream, Streams } from './streams.ts';
export type { ExportOptions, ImportResult } from './transfer.ts';
export type { Lease, Todo, TodoStatus, WorkflowRecord, WorkflowStatus } from './workflow-record.ts';
export type { AcquireOptions, FinishOptions, TodoUpdate, WorkflowRun } from './workflow-run.ts';
export type { NewWorkflow, Workflows, WorkflowSummary } from './workflow.ts';
export { wrapContexts } from './wrap.ts';
