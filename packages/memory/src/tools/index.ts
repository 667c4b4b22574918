export { createMemoryTools } from './memory-tools.ts';
export type { MemoryNaming, MemoryTools, MemoryToolsOptions } from './memory-tools.ts';
export { asToolErrors } from './tool-errors.ts';
export { memoryToolSet } from './tool-set.ts';
export type { MemoryToolSetOptions } from './tool-set.ts';
