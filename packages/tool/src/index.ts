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
export { CairnError, hasMark } from './errors/cairn-error.ts';
export type { CairnErrorFacts } from './errors/cairn-error.ts';
export { CHECK_PATH, errnoOf, explaining, explainSystemError, isMissing } from './errors/system-error.ts';
export { ToolError } from './errors/tool-error.ts';
export type { ToolErrorCode, ToolErrorFacts } from './errors/tool-error.ts';
export { fileNotes } from './file-notes.ts';
export type { FileNoteOptions, FileNotes, FileNoteSource } from './file-notes.ts';
export { describeInputError, inputSchema, inputSchemaBeyond, isObject } from './input.ts';
export type { Fields, InputSchemaOptions, ParameterAliases } from './input.ts';
export { CALL_CHANNEL, CALL_CONTENTS_CHANNEL, observeCall, observeCalls } from './observer.ts';
export type { CallContents, CallEvent, CallOutcome, ObserveCallsOptions, ObservedCall } from './observer.ts';
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
