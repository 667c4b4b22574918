/**
 * Every coding tool, under its own name: one line per tool. The types of the tool set, its tools and the names that naming
 * profiles may use derive from this list; see `specs.ts`.
 */
export { deleteTool as delete } from './delete.ts';
export { editTool as edit } from './edit.ts';
export { globTool as glob } from './glob.ts';
export { grepTool as grep } from './grep.ts';
export { lsTool as ls } from './ls.ts';
export { patchTool as patch } from './patch.ts';
export { readTool as read } from './read.ts';
export { renameTool as rename } from './rename.ts';
export { writeTool as write } from './write.ts';
