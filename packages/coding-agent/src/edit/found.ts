import type { ByteRange } from './document.ts';

/** A place where a string was found, and the new lines as they fit there. */
export interface Found extends ByteRange {
  /** The range of each line of it, without line endings. */
  readonly place: readonly ByteRange[];
  readonly newLines: readonly string[];
  /** Nothing shows how wide a tab is here, so the new lines cannot be indented like the file. */
  readonly isUnclear?: boolean | undefined;
}

export interface Lines {
  readonly oldLines: readonly string[];
  readonly newLines: readonly string[];
}

export interface TextEdit {
  readonly old_text: string;
  readonly new_text: string;
  readonly replace_all?: boolean | undefined;
}
