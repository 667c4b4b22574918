import * as source from '@cairn/knowledge';
import { expect, test } from 'vitest';

const exported = [
  'ASSET_TYPES',
  'KnowledgeError',
  'MAX_ASSET_BYTES',
  'PAYLOAD_LIMITS',
  'PHASES',
  'SKILL_NAMES',
  'UNVERIFIED_AFTER_MS',
  'assetId',
  'assetPath',
  'buildPayload',
  'checkName',
  'checkProductLine',
  'createKnowledge',
  'createLayers',
  'decide',
  'decodeAsset',
  'detectPhase',
  'draftOf',
  'editAsset',
  'formatAsset',
  'hasFrontMatter',
  'hashOf',
  'headOf',
  'isPending',
  'knowledgeDirectory',
  'learnRanking',
  'marksOf',
  'openGaps',
  'openLocalStore',
  'parseAsset',
  'parseAssetId',
  'parseAssetPath',
  'pendingGaps',
  'phaseTexts',
  'skills',
];

test('the package exports these names', () => {
  expect(Object.keys(source).toSorted()).toEqual(exported);
});

test('there are eight types of assets', () => {
  expect(source.ASSET_TYPES).toEqual([
    'pitfall',
    'reference',
    'pattern',
    'best-practice',
    'glossary',
    'adr',
    'discovery',
    'skill',
  ]);
});
