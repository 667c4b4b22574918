export { createMemoryTools } from './memory-tool-factory.ts';
export type { MemoryNaming, MemoryToolsOptions } from './memory-tool-factory.ts';
export type { MemoryTools } from './memory-tools.ts';
export { asToolErrors } from './tool-errors.ts';
export { memoryToolSet } from './tool-set.ts';
export type { MemoryToolSetOptions } from './tool-set.ts';
