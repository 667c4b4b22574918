export { homeDirectory, projectDirectory, userDirectories, type DirectoryContext } from './directories.ts';
export { escapeControls, quotePath, unquotePath } from './quote.ts';
