export { createTool } from './create-tool.ts';
export type { ToolRunOptions, ToolSpec } from './create-tool.ts';
export { succeed, textOf } from './definition.ts';
export type {
  ContentPart,
  FailureDetails,
  ImagePart,
  ModelOutput,
  ModelOutputPart,
  TextPart,
  ToolAnnotations,
  ToolCallOptions,
  ToolDefinition,
  ToolFailure,
  ToolResult,
  Tools,
  ToolSuccess,
} from './definition.ts';
export { CairnError } from './kernel/cairn-error.ts';
export type { CairnErrorFacts } from './kernel/cairn-error.ts';
export { CHECK_PATH, errnoOf, explaining, explainSystemError, isMissing } from './kernel/system-error.ts';
export { ToolError } from './kernel/tool-error.ts';
export type { ToolErrorCode, ToolErrorFacts } from './kernel/tool-error.ts';
export { fileNotes } from './file-notes.ts';
export type { FileNoteOptions, FileNotes, FileNoteSource } from './file-notes.ts';
export { describeInputError, inputSchema, inputSchemaBeyond } from './input.ts';
export type { InputSchemaOptions, ParameterAliases } from './input.ts';
export { observeCall } from './kernel/observe-call.ts';
export type { ObservedCall } from './kernel/observe-call.ts';
export { isObject } from './kernel/values.ts';
export type { Fields } from './kernel/values.ts';
export { observeCalls } from './observer.ts';
export type { CallEvent, ObserveCallsOptions } from './observer.ts';
export type {
  Resource,
  ResourceCallOptions,
  ResourceChange,
  ResourceChanges,
  ResourceCompletion,
  ResourceContent,
  ResourcePage,
  ResourceProvider,
  ResourceTemplate,
} from './resources.ts';
export { createSessionKey, createToolSession } from './session.ts';
export type { SessionKey, ToolSession } from './session.ts';
export type { OpenToolSet, ShownPart, ToolSet, ToolSetContext } from './tool-set.ts';
