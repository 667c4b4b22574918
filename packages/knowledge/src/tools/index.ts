export { knowledgeDirectory } from '../directory.ts';
export { createKnowledgeToolSet } from './tool-set.ts';
export type { KnowledgeToolSetOptions } from './tool-set.ts';
