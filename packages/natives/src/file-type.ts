import * as binding from '../binding/index.js';

/** What an entry is: `File` 1, `Dir` 2, `Symlink` 3. */
export const FileType = { File: 1, Dir: 2, Symlink: 3 } as const;
/** One of the numbers of {@link FileType}. */
export type FileType = (typeof FileType)[keyof typeof FileType];

/** Returns the types that `type` and `typeNot` take, each with the globs of its files, as `rg --type-list` shows them: sorted by name. */
export function fileTypes(): binding.NativeFileTypeName[] {
  return binding.fileTypes();
}
