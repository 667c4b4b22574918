export { knowledgeDirectory } from '../directory.ts';
export type {
  KnowledgeResult,
  ScanIndexDetails,
  ScanIndexInput,
  SearchKnowledgeDetails,
  SearchKnowledgeInput,
} from './find-tools.ts';
export type { GetAssetDetails, GetAssetInput } from './get-tool.ts';
export type { ReportAssetDetails, ReportAssetInput, SinkAssetDetails, SinkAssetInput } from './keep-tools.ts';
export { createKnowledgeToolSet } from './tool-set.ts';
export type { KnowledgeTools } from './knowledge-tools.ts';
export type { KnowledgeToolSetOptions } from './tool-set.ts';
