export type { DynamicListing, Language, ListedItem, ToolNames, TreeMetadata, WorkspaceCacheData } from './data.ts';
export type { WorkspaceRun } from './run.ts';
export { templateFilters, templateVariables } from './section/template.ts';
export type { TemplateVariables } from './section/template.ts';
export type { CallCounts, Estimate, RunStatistics, StatisticsOptions } from './statistics/statistics.ts';
export type { WorkspaceTree } from './tree/build.ts';
export { ALLOWED_NAMES, EXCLUDED_DIRECTORIES } from './tree/options.ts';
export type { TreeFormat, TreeOptions } from './tree/options.ts';
export { createWorkspaceCache } from './workspace-cache.ts';
export type {
  InitOptions,
  InitResult,
  TreeCallOptions,
  UserContext,
  WorkspaceCache,
  WorkspaceCacheOptions,
  WorkspaceCacheWarning,
} from './workspace-cache.ts';
