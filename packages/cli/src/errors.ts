import { escapeControls } from './text.ts';

/** The command line cannot be carried out as it was typed. The message says what to type instead. */
export class UsageError extends Error {
  override readonly name: string = 'UsageError';
}

/** The results could not be handed on: the disk is full, or the device refuses them. */
export class OutputError extends Error {
  override readonly name: string = 'OutputError';
}

interface CodedError extends Error {
  readonly code: string;
}

/** Names of the errors of our packages that are meant to be read by whoever typed the command. */
const ownErrors: readonly string[] = ['CairnError', 'MemoryError'];

/** An error of a package of ours. Known by its name, so that a run which fails before it is used need not load it. */
function isCairnError(error: unknown): error is CodedError {
  return error instanceof Error && ownErrors.includes(error.name) && 'code' in error && typeof error.code === 'string';
}

function describe(error: unknown): string {
  if (!(error instanceof Error)) return `unexpected failure: ${String(error)}`;
  if (error instanceof UsageError || error instanceof OutputError) return error.message;
  // The library names its option; at the terminal it has another name.
  if (isCairnError(error)) return error.message.replace('or set literal to search', 'or use -F to search');
  if ('code' in error && typeof error.code === 'string' && error.code.startsWith('ERR_')) {
    return `internal error: ${error.message}; CAIRN_DEBUG=1 shows where it comes from`;
  }
  if ('syscall' in error || 'code' in error) return error.message;
  return `internal error: ${error.message}; CAIRN_DEBUG=1 shows where it comes from`;
}

/** An error as the one line a user sees. */
export function errorLine(error: unknown): string {
  return `cairn: ${escapeControls(
    describe(error)
      .trim()
      .replace(/\s*\n\s*/gu, ' '),
  )}`;
}
