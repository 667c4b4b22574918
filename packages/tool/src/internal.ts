/** What only Cairn's packages use. It changes without notice, and loads no dependency. */
export type { ToolSpec } from './create-tool.ts';
export type { InputSchemaOptions } from './input.ts';
export { notify } from './kernel/notify.ts';
export type { CallOutcome } from './kernel/observe-call.ts';
export { nearNames, pairsOf, similarity } from './kernel/similarity.ts';
export { CHECK_PATH, errnoOf, explaining, explainSystemError } from './kernel/system-error.ts';
export { TEMPORARY_NAME } from './kernel/write-atomically.ts';
export { accountStateDirectories, temporaryDirectory } from './paths/directories.ts';
export { HOSTILE_CHARACTER } from './paths/quote.ts';
export { isSecretName, isSecretVariable, SECRET_NAMES } from './prompt/secret-names.ts';
export { findStoredSecrets, placeOf } from './prompt/secrets.ts';
export { startOf, truncate } from './prompt/truncate.ts';
