export { createWorkspaceCacheToolSet } from './tool-set.ts';
export type { WorkspaceCacheToolSetOptions } from './tool-set.ts';
