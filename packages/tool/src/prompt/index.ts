export { createDataMarks } from './data-marks.ts';
export type { DataMarks } from './data-marks.ts';
export { count, formatBytes } from './format.ts';
export { findSecret, findSecrets, isSecretName, SECRET_NAMES } from './secrets.ts';
export type { FoundSecret, NamedKind, SecretOptions } from './secrets.ts';
export { estimateTokens } from './tokens.ts';
export type { CountTokens } from './tokens.ts';
export { truncate, truncateLine } from './truncate.ts';
export type { TruncateLimit, TruncateLimits, Truncation } from './truncate.ts';
