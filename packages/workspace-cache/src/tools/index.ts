export { createWorkspaceCacheToolSet, type WorkspaceCacheToolSetOptions } from './tool-set.ts';
