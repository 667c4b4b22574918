export { projectDirectory, userDirectories } from './directories.ts';
export type { DirectoryContext, UserDirectories } from './directories.ts';
export { accountStateDirectories, homeDirectory, temporaryDirectory } from './process-directories.ts';
export type { Account } from './process-directories.ts';
export { escapeControls, HOSTILE_CHARACTER, quotePath, unquotePath } from './quote.ts';
