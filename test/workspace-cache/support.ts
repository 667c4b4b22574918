import { createWorkspaceCache } from '@cairn/workspace-cache';
import type { WorkspaceCache, WorkspaceCacheOptions } from '@cairn/workspace-cache';
import { onTestFinished } from 'vitest';

/** A cache whose warnings are kept. */
export interface TestCache {
  readonly cache: WorkspaceCache;
  readonly warnings: readonly string[];
}

/** Makes a cache that is closed when the test is over. Its trees have the form of the source document, whose rows the tests hold. */
export function createTestCache(root: string, options: Partial<WorkspaceCacheOptions> = {}): TestCache {
  const warnings: string[] = [];
  const onWarning = ({ message }: { readonly message: string }): void => void warnings.push(message);
  const cache = createWorkspaceCache({ root, onWarning, format: 'source', ...options });
  onTestFinished(() => cache.close());
  return { cache, warnings };
}
