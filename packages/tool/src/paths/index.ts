export { homeDirectory, projectDirectory, userDirectories } from './directories.ts';
export type { DirectoryContext } from './directories.ts';
export { escapeControls, quotePath, unquotePath } from './quote.ts';
