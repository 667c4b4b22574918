/** Code that several packages of Cairn need, once. For Cairn's packages only: it changes without notice. It loads no dependency. */
export { ArgumentChecks } from './argument-checks.ts';
export type { CallTable, OptionNames } from './argument-checks.ts';
export { CairnError, HintedError, isNamed } from './cairn-error.ts';
export type { CairnErrorFacts, ErrorText } from './cairn-error.ts';
export { observeCall } from './observe-call.ts';
export type { ObservedCall } from './observe-call.ts';
export { quoted } from '../paths/quote.ts';
export { isMissing } from './system-error.ts';
export { checkArguments, ToolError } from './tool-error.ts';
export type { ToolErrorCode } from './tool-error.ts';
export { retry } from './retry.ts';
export { isObject, isStrings, LANGUAGES } from './values.ts';
export type { Fields, Language } from './values.ts';
export { writeAtomically } from './write-atomically.ts';
