import { ToolError, type ToolErrorCode } from '@cairn/tool';
import { MemoryError, type MemoryErrorCode } from '../errors.ts';

const codes: Readonly<Record<MemoryErrorCode, ToolErrorCode>> = {
  CORRUPT_RECORD: 'IO',
  CORRUPT_STORE: 'IO',
  FACT_ARCHIVED: 'STALE',
  FACT_CHANGED: 'STALE',
  FACT_EXISTS: 'EXISTS',
  INVALID_INPUT: 'INVALID_INPUT',
  INVALID_NAME: 'INVALID_INPUT',
  INVALID_OPTION: 'INVALID_OPTION',
  LEASE_LOST: 'LOCKED',
  MESSAGE_EXISTS: 'EXISTS',
  NOTHING_TO_RESTORE: 'NO_CHANGE',
  RESTORE_EXPIRED: 'NOT_FOUND',
  SECRET: 'PROTECTED',
  STORE_CLOSED: 'IO',
  STORE_DENIED: 'PERMISSION',
  STORE_FAILED: 'IO',
  STORE_FULL: 'NO_SPACE',
  STORE_LOCKED: 'LOCKED',
  STORE_UNAVAILABLE: 'TIMEOUT',
  STORE_UNSUPPORTED: 'IO',
  STREAM_EXISTS: 'EXISTS',
  TOO_LARGE: 'TOO_LARGE',
  UNKNOWN_FACT: 'NOT_FOUND',
  UNKNOWN_FUNCTION: 'NOT_FOUND',
  UNKNOWN_STREAM: 'NOT_FOUND',
  UNKNOWN_TODO: 'NOT_FOUND',
  UNKNOWN_WORKFLOW: 'NOT_FOUND',
  WORKFLOW_BUSY: 'LOCKED',
  WORKFLOW_EXISTS: 'EXISTS',
};

/** Runs a task on a memory and turns its errors into tool errors. A write with an unknown result counts as a change. */
export async function asToolErrors<T>(run: () => Promise<T>): Promise<T> {
  try {
    return await run();
  } catch (error) {
    if (!MemoryError.isInstance(error)) throw error;
    const { code, summary, hint, isDone, key } = error;
    if (code === 'SECRET') {
      // In words for a model: only a person decides that it is stored.
      const where =
        "Say where it is kept instead; only a person stores it, with 'cairn memory remember --allow-secret'.";
      throw new ToolError('PROTECTED', [summary, where], { cause: error });
    }
    throw new ToolError(codes[code], [summary, hint], { path: key, changed: isDone === 'unknown', cause: error });
  }
}
