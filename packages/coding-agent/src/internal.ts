/** What other packages of Cairn use. It may change with every version. */
export { sessionWorkspace } from './coding-tool-set.ts';
export type { TextEdit } from './edit/found.ts';
export { isWithin } from './files/confine.ts';
export { recordOf, type FileRecord, type Ledger } from './files/ledger.ts';
export { fileStatOf } from './files/node-operations.ts';
export { OWN_TEMPORARY, type FileLock } from './files/operations.ts';
export { readWholeFile } from './files/read-whole-file.ts';
export { canonicalRoots, realPathOf, resolvePath, rootMoved } from './files/resolve.ts';
export type { PathUse, ResolvedPath } from './files/resolve.ts';
export { toolNameIn, toolOfName } from './naming/name-tools.ts';
export type { DeleteDetails } from './tools/delete.ts';
export type { EditDetails, EditInput } from './tools/edit.ts';
export type { ListedEntry, LsDetails } from './tools/ls.ts';
export type { PatchDetails } from './tools/patch.ts';
export type { ReadDetails } from './tools/read.ts';
export type { RenameDetails } from './tools/rename.ts';
export { readOnly, type Names } from './tools/spec.ts';
export type { WriteDetails } from './tools/write.ts';
