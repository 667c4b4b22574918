import type { ToolErrorCode } from '@cairn/coding-agent';

/** Why a configuration was not changed, when it was not the file tools that refused. */
type ConfigErrorCode =
  /** The file is no JSON, or no TOML; `line` and `column` say where. */
  | 'CONFIG_SYNTAX'
  /** The file parses, but something else is where servers belong. */
  | 'CONFIG_SHAPE'
  /** The change cannot be made without touching more than the entry. */
  | 'CONFIG_UNSUPPORTED'
  /** There is nobody to ask, and `--yes` was not given. */
  | 'CONFIRMATION_NEEDED'
  /** Nothing that was installed is known of. */
  | 'NOTHING_TO_UNDO'
  /** The notes of an installation cannot be read or written. */
  | 'STATE';

/** Where in a file something is; both count from 1, columns in UTF-16 code units. */
export interface Place {
  readonly line: number;
  readonly column: number;
}

/** A configuration stays as it was. The message says why and what to do next. */
export class ConfigError extends Error {
  override readonly name: string = 'ConfigError';
  readonly code: ConfigErrorCode | ToolErrorCode;
  readonly path?: string;
  readonly place?: Place;

  constructor(
    code: ConfigErrorCode | ToolErrorCode,
    message: string,
    facts: { readonly path?: string | undefined; readonly place?: Place | undefined; readonly cause?: unknown } = {},
  ) {
    super(message, facts.cause === undefined ? undefined : { cause: facts.cause });
    this.code = code;
    if (facts.path !== undefined) this.path = facts.path;
    if (facts.place !== undefined) this.place = facts.place;
  }
}

/** The place of an offset in a text. */
export function placeOf(text: string, offset: number): Place {
  const before = text.slice(0, offset);
  const lineStart = before.lastIndexOf('\n') + 1;
  return { line: before.split('\n').length, column: offset - lineStart + 1 };
}
