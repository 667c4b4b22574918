export { createMemoryTools } from './memory-tool-factory.ts';
export type { MemoryNaming, MemoryToolsOptions } from './memory-tool-factory.ts';
export type {
  FactTools,
  ForgetFactDetails,
  ForgetFactInput,
  ListFactsDetails,
  ListFactsInput,
  RememberDetails,
  RememberInput,
  UpdateFactDetails,
  UpdateFactInput,
} from './fact-tools.ts';
export type { MemoryTools } from './memory-tools.ts';
export type { NotesDetails, NotesInput } from './notes-tool.ts';
export type { RecallDetails, RecallInput } from './recall-tool.ts';
export { asToolErrors } from './tool-errors.ts';
export { memoryToolSet } from './tool-set.ts';
export type { MemoryToolSetOptions } from './tool-set.ts';
