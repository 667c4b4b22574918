import * as binding from '../binding/index.js';
import type { NativeFileTypeName } from '../binding/index.js';

/** What an entry is: `File` 1, `Dir` 2, `Symlink` 3. */
export const FileType = { File: 1, Dir: 2, Symlink: 3 } as const;
/** One of the numbers of {@link FileType}. */
export type FileType = (typeof FileType)[keyof typeof FileType];

/** A type of files by name: `name`, and the `globs` of the names of its files. */
export type FileTypeDefinition = NativeFileTypeName;

/** Returns the types that `type` and `typeNot` take, as `rg --type-list` shows them: sorted by name. */
export function fileTypes(): FileTypeDefinition[] {
  return binding.fileTypes();
}
