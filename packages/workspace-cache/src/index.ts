export type { DynamicListing, ListedItem, TreeMetadata, WorkspaceCacheData } from './data.ts';
