export { createTool, type ToolRunOptions } from './create-tool.ts';
export { succeed, textOf } from './definition.ts';
export type {
  BeforeChange,
  ChangedPath,
  ContentPart,
  ModelOutput,
  ToolAnnotations,
  ToolDefinition,
  ToolFailure,
  ToolResult,
  Tools,
  ToolSuccess,
} from './definition.ts';
export { CairnError } from './kernel/cairn-error.ts';
export { isMissing } from './kernel/system-error.ts';
export { ToolError, type ToolErrorCode } from './kernel/tool-error.ts';
export { fileNotes, type FileNotes, type FileNoteSource } from './file-notes.ts';
export { describeInputError, inputSchema } from './input.ts';
export type { ObservedCall } from './kernel/observe-call.ts';
export { isObject, type Fields } from './kernel/values.ts';
export { observeCalls, type CallEvent } from './observer.ts';
export type {
  Resource,
  ResourceChange,
  ResourceChanges,
  ResourceCompletion,
  ResourceContent,
  ResourcePage,
  ResourceProvider,
  ResourceTemplate,
} from './resources.ts';
export { createSessionKey, createToolSession, type SessionKey, type ToolSession } from './session.ts';
export type { OpenToolSet, ShownPart, ToolSet, ToolSetContext } from './tool-set.ts';
