import type { Hit } from './find-exact.ts';

/** A place, and the new lines as they fit there. */
export interface Found extends Hit {
  readonly newLines: readonly string[];
}

/** The lines of an edit. */
export interface Lines {
  readonly oldLines: readonly string[];
  readonly newLines: readonly string[];
}
