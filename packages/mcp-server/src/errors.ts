import { CairnError } from '@cairn/tool';

/**
 * Why a server cannot be made or started.
 *
 * - `INVALID_OPTION`: an option that cannot be used, such as a tool that does not exist.
 * - `INVALID_ROOT`: a root that does not exist, is no directory or cannot be read.
 * - `TOOL_NAME_TAKEN`: two tool sets have a tool of one name.
 * - `PORT_IN_USE`, `PORT_REFUSED`: the system does not give the port.
 */
export type McpServerErrorCode = 'INVALID_OPTION' | 'INVALID_ROOT' | 'PORT_IN_USE' | 'PORT_REFUSED' | 'TOOL_NAME_TAKEN';

const marker = Symbol.for('cairn.mcp-server-error');

/** A server that cannot be made or started. The message ends with what to do. */
export class McpServerError extends CairnError<McpServerErrorCode> {
  override readonly name: string = 'McpServerError';

  constructor(
    code: McpServerErrorCode,
    message: string,
    facts: { readonly path?: string | undefined; readonly cause?: unknown } = {},
  ) {
    super(code, message, facts);
    Object.defineProperty(this, marker, { value: true });
  }

  /** Whether `error` is an `McpServerError`, of this or another copy of the package. */
  static override isInstance(error: unknown): error is McpServerError {
    return typeof error === 'object' && error !== null && marker in error;
  }
}
