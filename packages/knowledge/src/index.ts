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
export type { FieldChanges } from './assets/fields.ts';
export { hasFrontMatter } from './assets/front-matter.ts';
export { decodeAsset, editAsset, formatAsset, hashOf, parseAsset } from './assets/markdown.ts';
export type { AssetEdit, ParseAssetOptions, ParsedAsset } from './assets/markdown.ts';
export { marksOf, UNVERIFIED_AFTER_MS } from './assets/marks.ts';
export type { AssetMark } from './assets/marks.ts';
export { assetId, assetPath, checkName, checkProductLine, parseAssetId, parseAssetPath } from './assets/names.ts';
export { checkSecrets } from './assets/secrets.ts';
export { createKnowledge } from './create-knowledge.ts';
export type { Knowledge, KnowledgeOptions } from './create-knowledge.ts';
export { knowledgeDirectory } from './directory.ts';
export { KnowledgeError } from './errors.ts';
export type { KnowledgeErrorCode } from './errors.ts';
export { importFiles, importProject } from './imports/import-files.ts';
export type { ImportOptions, ImportProblem, ImportResult } from './imports/import-files.ts';
export { headingOf } from './imports/read-file.ts';
export type { ImportFields } from './imports/read-file.ts';
export { MAX_DOCUMENT_BYTES } from './index/document.ts';
export type { IndexDocument, IndexWarning } from './index/document.ts';
export { openIndex } from './index/knowledge-index.ts';
export type { DocumentOptions, KnowledgeIndex, KnowledgeIndexOptions } from './index/index-api.ts';
export type { ScanResult } from './index/scan-entries.ts';
export { formatLine, LINE_FORMAT, parseLine } from './index/lines.ts';
export type { IndexLine } from './index/lines.ts';
export { orderHeads } from './index/order.ts';
export type { OrderOptions } from './index/order.ts';
export { MAX_LISTED } from './index/selection.ts';
export type { IndexCounts, IndexFilters, IndexOverview, ListResult, Omitted } from './index/selection.ts';
export { detectStack } from './stack/detect-stack.ts';
export { stackMatcherOf } from './stack/match-stack.ts';
export type { Stack, UnreadableManifest } from './stack/stack.ts';
export type { AssetChanges, KnownAssets } from './stores/changes.ts';
export { openLocalStore } from './stores/local.ts';
export type {
  AddOptions,
  AssetChange,
  AssetDraft,
  AssetFile,
  AssetListener,
  ChangeOptions,
  LocalStore,
  LocalStoreOptions,
} from './stores/local-store.ts';
export { headOf } from './stores/record.ts';
export type { StoreEntry, TeamChange, TeamResult } from './stores/team-changes.ts';
export { detectPhase, PHASES } from './skills/detect-phase.ts';
export type { DetectedPhase, DetectPhaseOptions, GitOperation, Phase, PhaseFact } from './skills/detect-phase.ts';
export { formatPhase } from './skills/phase-texts.ts';
export { SKILL_NAMES } from './skills/skill.ts';
export type { SkillName } from './skills/skill.ts';
export { skills } from './skills/skills.ts';
export type { Skill, SkillOptions } from './skills/skills.ts';
export type { HotAssets } from './usage/hot-assets.ts';
export { learnRanking } from './usage/learned-ranking.ts';
export type { LearnedRanking, OpenedEvent, RankableResult } from './usage/learned-ranking.ts';
export type { Usage } from './usage/usage.ts';
export { buildPayload, PAYLOAD_LIMITS } from './payload/payload.ts';
export type { PayloadContent, PayloadGap, PayloadHost, PayloadLimit, PayloadOptions } from './payload/payload.ts';
export { draftOf, isGapDraft } from './gaps/gap.ts';
export { openGaps } from './gaps/gaps.ts';
export type { Gaps, GapsOptions } from './gaps/gaps.ts';
export { isPending, pendingGaps } from './gaps/pending.ts';
export type { Gap } from './gaps/pending.ts';
export { decide } from './layers/decide.ts';
export type { NextLayer, ScanCounts } from './layers/decide.ts';
export type { FoundAsset, GetAssetOptions } from './layers/get-asset.ts';
export type { AssetLink } from './layers/links.ts';
export { createLayers } from './layers/layers.ts';
export type {
  AskOptions,
  LayerAnswer,
  Layers,
  LayersOptions,
  Retrieval,
  Scanned,
  SimilarOptions,
} from './layers/layers.ts';
export type { SearchAnswer, SearchFilters, SearchOptions, SearchResult } from './layers/search.ts';
export type { SearchNotice, SearchNoticeCode } from './layers/texts.ts';
export type { TeamChanges, TeamProblem, TeamReport, Withheld } from './team/report.ts';
export { createTeam } from './team/team.ts';
export type {
  InitTeamOptions,
  Resolution,
  Team,
  TeamCallOptions,
  TeamConflict,
  TeamOptions,
  TeamStatus,
} from './team/team.ts';
export { sinkAsset } from './layers/sink.ts';
export type { SinkDraft, SinkOptions, SinkResult } from './layers/sink.ts';
