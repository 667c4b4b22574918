export { ArgumentChecks } from './argument-checks.ts';
export type { CallTable, InvalidArgument, OptionNames } from './argument-checks.ts';
export { CairnError, hasMark } from './cairn-error.ts';
export type { CairnErrorFacts } from './cairn-error.ts';
export { errnoOf, explainSystemError, isMissing } from './system-error.ts';
export { checkArguments, ToolError } from './tool-error.ts';
export type { ToolErrorCode, ToolErrorFacts } from './tool-error.ts';
