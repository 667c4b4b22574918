export { CairnError, hasMark } from './cairn-error.ts';
export type { CairnErrorFacts } from './cairn-error.ts';
export { errnoOf, explainSystemError, isMissing } from './system-error.ts';
export { ToolError } from './tool-error.ts';
export type { ToolErrorCode, ToolErrorFacts } from './tool-error.ts';
