export type { DynamicListing, ListedItem, TreeMetadata, WorkspaceCacheData } from './data.ts';
export { templateFilters, templateVariables } from './section/template.ts';
export type { TemplateVariables } from './section/template.ts';
export type { CallCounts, Estimate, RunStatistics, StatisticsOptions } from './statistics/statistics.ts';
