export { createDefinitionFile, formatDefinition } from './definitions/create-definition-file.ts';
export type { CreateDefinitionOptions } from './definitions/create-definition-file.ts';
export { ContextManager, openContexts, type ContextsOptions } from './context-manager.ts';
export type { AgentDefinition, DefinitionProblem, DefinitionSource } from './definitions/definition.ts';
export { findAgent, formatProblem } from './definitions/find-agent.ts';
export { loadDefinitions } from './definitions/load-definitions.ts';
export type { AgentDefinitions, DefinitionPlaces, LoadDefinitionsOptions } from './definitions/load-definitions.ts';
export type { ToolNaming } from './definitions/parse-definition.ts';
export { ContextError, type ContextErrorCode } from './errors.ts';
export { readProjectInstructions } from './instructions/read-instructions.ts';
export type {
  LeftOutInstructions,
  ProjectInstructions,
  ReadInstructionsOptions,
} from './instructions/read-instructions.ts';
export type { AgentContext } from './histories/history.ts';
export type { HistoryProblem } from './histories/history-store.ts';
export type { HistoryPlace } from './histories/keys.ts';
export { moveSessions, type MoveSessionsOptions } from './histories/move-sessions.ts';
export { continueSession, listSessions, removeSession, sessionOfOwner } from './histories/sessions.ts';
export type {
  ContinueSessionOptions,
  OwnedSessionOptions,
  SessionInfo,
  SessionsOptions,
} from './histories/sessions.ts';
export type { CallEffect, DescribeCall } from './messages/calls.ts';
export type {
  AssistantMessage,
  MediaPart,
  OtherPart,
  ProviderOptions,
  ReasoningPart,
  TextPart,
  ToolCallPart,
  ToolMessage,
  ToolResultPart,
  UnifiedMessage,
  UserMessage,
} from './messages/message.ts';
export type { LeftOut, LeftOutReason, ModelSummary } from './modes/head.ts';
export { MODES, type ContextMode } from './modes/mode.ts';
export { summarizeByModel } from './modes/model-summary.ts';
export type { AskModel, ModelSummaryOptions, ModelSummaryResult, SummaryStore } from './modes/model-summary.ts';
export { summarize, type SummarizeOptions } from './modes/summarize.ts';
export type { ModeTextChoice } from './modes/texts.ts';
export { createView, type ContextView, type ViewDetails, type ViewOptions } from './modes/view.ts';
