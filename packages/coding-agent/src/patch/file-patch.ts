import { ToolError } from '@cairn/tool';

/** A line of a hunk: kept, removed or added. */
export interface HunkLine {
  readonly kind: ' ' | '-' | '+';
  readonly text: string;
  /** It ends with CRLF where the lines of the patch itself end with LF: so does the line of the file. */
  readonly isCrlf?: boolean;
}

/** A place of a file that is changed, with lines around it. */
export interface PatchHunk {
  readonly lines: readonly HunkLine[];
  /** Lines that stand above it, one after the other, though not next to it. */
  readonly anchors: readonly string[];
  /** Where the old lines begin, from 1, as a unified diff says it. */
  readonly lineNumber?: number | undefined;
  /** The old lines are the last of the file. */
  readonly isAtEnd: boolean;
  /** The last old line has no line end. */
  readonly oldLacksEnd: boolean;
  /** The last new line has none. */
  readonly newLacksEnd: boolean;
}

/** What a patch does to one file. */
export type FilePatch =
  | {
      readonly kind: 'add';
      readonly path: string;
      readonly content: string;
      readonly permissions?: number | undefined;
    }
  | { readonly kind: 'delete'; readonly path: string; readonly hunks: readonly PatchHunk[] }
  | {
      readonly kind: 'update';
      readonly path: string;
      readonly to?: string | undefined;
      readonly hunks: readonly PatchHunk[];
    };

export const FORMAT_HINT =
  "Give '*** Begin Patch', sections '*** Add File: ', '*** Update File: ' or '*** Delete File: ', '*** End Patch'; or a unified diff.";

/** A line of a patch that cannot be read. */
export function invalidPatch(what: string, lineNumber: number, hint: string = FORMAT_HINT): ToolError {
  return new ToolError('INVALID_PATCH', [`Line ${lineNumber} of the patch: ${what}`, hint]);
}
