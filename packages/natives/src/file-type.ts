/** What an entry is: `File` 1, `Dir` 2, `Symlink` 3. */
export const FileType = { File: 1, Dir: 2, Symlink: 3 } as const;
/** One of the numbers of {@link FileType}. */
export type FileType = (typeof FileType)[keyof typeof FileType];
