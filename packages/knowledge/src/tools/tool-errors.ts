import { asToolErrors as memoryToolErrors } from '@cairn/memory/tools';
import { ToolError, type ToolErrorCode } from '@cairn/tool';
import { KnowledgeError, type KnowledgeErrorCode } from '../errors.ts';

const codes: Readonly<Record<KnowledgeErrorCode, ToolErrorCode>> = {
  AMBIGUOUS_ASSET: 'AMBIGUOUS',
  ASSET_CHANGED: 'STALE',
  ASSET_EXISTS: 'EXISTS',
  GIT_FAILED: 'IO',
  INVALID_ASSET: 'INVALID_INPUT',
  INVALID_INPUT: 'INVALID_INPUT',
  INVALID_NAME: 'INVALID_INPUT',
  INVALID_OPTION: 'INVALID_OPTION',
  NO_TEAM: 'NOT_FOUND',
  REMOTE_FAILED: 'IO',
  SECRET: 'PROTECTED',
  SIMILAR_ASSETS: 'EXISTS',
  STORE_FAILED: 'IO',
  SYNC_BUSY: 'LOCKED',
  TOO_LARGE: 'TOO_LARGE',
  UNKNOWN_ASSET: 'NOT_FOUND',
};

/** Runs a task on knowledge and turns its errors, and those of its store, into tool errors. */
export function asToolErrors<T>(run: () => Promise<T>): Promise<T> {
  return memoryToolErrors(async () => {
    try {
      return await run();
    } catch (error) {
      if (!KnowledgeError.isInstance(error)) throw error;
      const { code, summary, hint, path } = error;
      throw new ToolError(codes[code], [summary, hint], { path, cause: error });
    }
  });
}
