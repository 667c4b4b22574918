export { createDataMarks } from './data-marks.ts';
export { count, formatBytes } from './format.ts';
export { findSecret, findSecrets } from './secrets.ts';
export { estimateTokens, type CountTokens } from './tokens.ts';
export { truncateLine } from './truncate.ts';
