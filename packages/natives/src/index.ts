export { fsScanCacheStats, invalidateFsScanCache } from './cache.ts';
export type { CachedScan, FsScanCacheStats } from './cache.ts';
export { CairnError } from '@cairn/tool/kernel';
export type { CairnErrorCode } from './errors.ts';
export { FileType, fileTypes } from './file-type.ts';
export type { FileTypeDefinition } from './file-type.ts';
export { fuzzyFind } from './fuzzy-find.ts';
export type { FuzzyFindMatch, FuzzyFindOptions, FuzzyFindResult, GuessKind } from './fuzzy-find.ts';
export { glob } from './glob.ts';
export type { GlobMatch, GlobOptions, GlobResult } from './glob.ts';
export { GrepOutputMode, grep, grepStream } from './grep.ts';
export type {
  ContextLine,
  GrepInputOptions,
  GrepMatch,
  GrepOptions,
  GrepResult,
  GrepSummary,
  Occurrence,
  Submatch,
} from './grep.ts';
export type { SearchOptions, StopReason } from './options.ts';
export { treeChanges, treeStateSync } from './tree-state.ts';
export type { TreeChange, TreeChanges, TreeStateOptions, TreeStateResult } from './tree-state.ts';
export { treeSummary } from './tree-summary.ts';
export type { TreeEntry, TreeState, TreeSummary, TreeSummaryOptions } from './tree-summary.ts';
