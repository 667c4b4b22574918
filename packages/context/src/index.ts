export type { AgentDefinition, DefinitionSource } from './definitions/definition.ts';
export { ContextError } from './errors.ts';
export type { ContextErrorCode, ContextErrorFacts } from './errors.ts';
export { labelOf } from './messages/message.ts';
export type {
  AssistantMessage,
  MediaPart,
  MessageLabel,
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
export { checkMode, DEFAULT_MODE, isContextMode, modeOf, MODES } from './modes/mode.ts';
export type { ContextMode } from './modes/mode.ts';
