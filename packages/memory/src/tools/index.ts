export { createMemoryTools } from './memory-tools.ts';
export type { MemoryNaming, MemoryTools, MemoryToolsOptions } from './memory-tools.ts';
export { RECALL_KINDS } from '../recall/recall-part.ts';
export { sessionRecall } from '../recall/session-recall.ts';
export type { SessionRecall } from '../recall/session-recall.ts';
export { asToolErrors } from './tool-errors.ts';
export { memoryToolSet } from './tool-set.ts';
export type { MemoryToolSetOptions } from './tool-set.ts';
