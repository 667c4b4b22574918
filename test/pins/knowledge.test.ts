import * as source from '@cairn/knowledge';
import * as session from '@cairn/knowledge/session';
import { expect, test } from 'vitest';

const exported = [
  'ASSET_TYPES',
  'KnowledgeError',
  'LINE_FORMAT',
  'MAX_ASSET_BYTES',
  'MAX_DOCUMENT_BYTES',
  'MAX_LISTED',
  'PAYLOAD_LIMITS',
  'PHASES',
  'SKILL_NAMES',
  'UNVERIFIED_AFTER_MS',
  'assetId',
  'assetPath',
  'buildPayload',
  'checkName',
  'checkProductLine',
  'checkSecrets',
  'createKnowledge',
  'createLayers',
  'createTeam',
  'decide',
  'decodeAsset',
  'detectPhase',
  'detectStack',
  'draftOf',
  'editAsset',
  'formatAsset',
  'formatLine',
  'formatPhase',
  'hasFrontMatter',
  'hashOf',
  'headOf',
  'headingOf',
  'importFiles',
  'importProject',
  'isGapDraft',
  'isPending',
  'knowledgeDirectory',
  'learnRanking',
  'marksOf',
  'openGaps',
  'openIndex',
  'openLocalStore',
  'orderHeads',
  'parseAsset',
  'parseAssetId',
  'parseAssetPath',
  'parseLine',
  'pendingGaps',
  'sinkAsset',
  'skills',
  'stackMatcherOf',
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

test('its part for the start of a session exports these names', () => {
  expect(Object.keys(session).toSorted()).toEqual(['PAYLOAD_LIMITS', 'knowledgeDirectory', 'sessionPayload']);
});
