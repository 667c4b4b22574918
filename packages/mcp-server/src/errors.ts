import { ArgumentChecks, CairnError, isNamed } from '@cairn/tool/kernel';

/**
 * Why a server cannot be made or started.
 *
 * - `INVALID_OPTION`: an invalid option, such as an unknown tool.
 * - `INVALID_ROOT`: a root that does not exist, is not a directory or cannot be read.
 * - `TOOL_NAME_TAKEN`: two tool sets have a tool of the same name.
 * - `PORT_IN_USE`, `PORT_REFUSED`: the system rejects the port.
 */
export type McpServerErrorCode = 'INVALID_OPTION' | 'INVALID_ROOT' | 'PORT_IN_USE' | 'PORT_REFUSED' | 'TOOL_NAME_TAKEN';

/** An error that prevents a server from being made or started. Its message ends with what to do next. */
export class McpServerError extends CairnError<McpServerErrorCode> {
  override readonly name: string = 'McpServerError';

  static override readonly isInstance: (error: unknown) => error is McpServerError = isNamed('McpServerError');
}

export const checkArguments: ArgumentChecks = new ArgumentChecks(
  (_, [summary, hint], facts) => new McpServerError('INVALID_OPTION', `${summary}; ${hint}`, facts),
);
