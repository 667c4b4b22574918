/**
 * One configuration file, open for a change. The caller of this package implements it, because a safe change (atomic
 * replace, file mode, links, a check that the file did not change since) needs a commit engine, which is above this
 * package.
 */
export interface ConfigFile {
  readonly path: string;
  /** The content without a byte order mark; `undefined` when the file does not exist. */
  readonly text: string | undefined;
  /** The directories that a new file needs, outermost first. */
  readonly missingDirectories: readonly string[];
  /** Replaces the content, or creates the file. Rejects when the file changed since it was opened. */
  write(text: string): Promise<void>;
  /** Deletes the file. */
  remove(): Promise<void>;
}

/** Opens a configuration file, which need not exist. */
export type OpenConfigFile<File extends ConfigFile = ConfigFile> = (path: string) => Promise<File>;
