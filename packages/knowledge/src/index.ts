export { ASSET_TYPES, MAX_ASSET_BYTES } from './assets/asset.ts';
export type {
  Asset,
  AssetConflict,
  AssetFields,
  AssetHead,
  AssetKey,
  AssetOrigin,
  AssetReports,
  AssetStatus,
  AssetType,
} from './assets/asset.ts';
export { knowledgeDirectory } from './directory.ts';
export { KnowledgeError } from './errors.ts';
export type { KnowledgeErrorCode, KnowledgeErrorFacts } from './errors.ts';
