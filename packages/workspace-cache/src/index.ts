export type {
  DataMetadata,
  DynamicListing,
  Language,
  ListedItem,
  SectionOptions,
  ToolNames,
  TreeMetadata,
  WorkspaceCacheData,
} from './data.ts';
export type { AgentActivity } from './run-counter.ts';
export type { RunTools, WorkspaceRun } from './run.ts';
export type { Refreshed, SinceOptions, UpdatesSince, WorkspaceDifference } from './run-texts.ts';
export { templateFilters, templateVariables } from './section/template.ts';
export type { TemplateVariables } from './section/template.ts';
export type { CallCounts, Estimate, RunStatistics, StatisticsOptions } from './statistics/statistics.ts';
export type { WorkspaceTree } from './tree/build.ts';
export { ALLOWED_NAMES, EXCLUDED_DIRECTORIES } from './tree/options.ts';
export type { TreeForm, TreeFormat, TreeOptions } from './tree/options.ts';
export { createWorkspaceCache } from './workspace-cache.ts';
export type { InitOptions, InvocationOptions } from './init-options.ts';
export type { CallsOfRun, InitResult, TreeCallOptions, UserContext, WorkspaceCache } from './workspace-cache.ts';
export type { WorkspaceCacheOptions, WorkspaceCacheWarning } from './cache-options.ts';
export type { CachedFile, CachedReadOptions, ContentCache, ContentStatistics, Preloaded } from './content/types.ts';
export type { AccessCount } from './content/access-counts.ts';
export type { CacheDirectoryDetails, CacheDirectoryInput, ItemDifferences } from './listings/cache-directory.ts';
export { cacheDirectoryRules } from './listings/cache-directory-texts.ts';
export type { WrapOptions } from './listings/call-arguments.ts';
export type { Wrapped } from './listings/call-cache.ts';
export type { Interceptors, OnResult } from './listings/interceptors.ts';
export { isSecretName, SECRET_NAMES } from '@cairn/tool/prompt';
