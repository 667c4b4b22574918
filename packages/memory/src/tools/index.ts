export { createMemoryTools } from './memory-tool-factory.ts';
export type { MemoryNaming, MemoryToolsOptions } from './memory-tool-factory.ts';
export type {
  MemoryTools,
  NotesDetails,
  NotesInput,
  RecallDetails,
  RecallInput,
  RememberDetails,
  RememberInput,
} from './memory-tools.ts';
export { memoryToolSet } from './tool-set.ts';
export type { MemoryToolSetOptions } from './tool-set.ts';
