export { checkDefinition, createDefinitionFile } from './definitions/create-definition-file.ts';
export type { CreateDefinitionOptions } from './definitions/create-definition-file.ts';
export type { AgentDefinition, DefinitionSource } from './definitions/definition.ts';
export { findAgent, formatProblem } from './definitions/find-agent.ts';
export { formatDefinition } from './definitions/format-definition.ts';
export { definitionDirectories, loadDefinitions } from './definitions/load-definitions.ts';
export type { AgentDefinitions, DefinitionPlaces, LoadDefinitionsOptions } from './definitions/load-definitions.ts';
export { nearNames } from './definitions/near-names.ts';
export type { DefinitionProblem } from './definitions/problem.ts';
export { ContextError } from './errors.ts';
export type { ContextErrorCode, ContextErrorFacts } from './errors.ts';
export { readProjectInstructions } from './instructions/read-instructions.ts';
export type {
  LeftOutInstructions,
  ProjectInstructions,
  ReadInstructionsOptions,
} from './instructions/read-instructions.ts';
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
