/** Code that several packages of Cairn need, once. For Cairn's packages only: it changes without notice. It loads no dependency. */
export { ArgumentChecks, type CallTable, type OptionNames } from './argument-checks.ts';
export { CairnError, HintedError, isNamed, type CairnErrorFacts, type ErrorText } from './cairn-error.ts';
export { observeCall, type ObservedCall } from './observe-call.ts';
export { quoted } from '../paths/quote.ts';
export { isMissing } from './system-error.ts';
export { checkArguments, ToolError, type ToolErrorCode } from './tool-error.ts';
export { retry } from './retry.ts';
export { isObject, isStrings, LANGUAGES, type Fields, type Language } from './values.ts';
export { writeAtomically } from './write-atomically.ts';
