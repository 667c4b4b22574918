import * as source from '@cairn/knowledge';
import * as internal from '@cairn/knowledge/internal';
import * as session from '@cairn/knowledge/session';
import { expect, test } from 'vitest';

const exported = [
  'ASSET_TYPES',
  'KnowledgeError',
  'PAYLOAD_LIMITS',
  'createKnowledge',
  'decide',
  'detectPhase',
  'detectStack',
  'formatAsset',
  'formatPhase',
  'importFiles',
  'importProject',
  'knowledgeDirectory',
  'parseAsset',
  'parseLine',
  'recall',
  'share',
  'skills',
];

test('the package exports these names', () => {
  expect(Object.keys(source).toSorted()).toEqual(exported);
});

test('@cairn/knowledge/internal exports these values to the other packages', () => {
  expect(Object.keys(internal).toSorted()).toEqual([
    'DEFAULT_TYPE',
    'SKILL_NAMES',
    'assetSource',
    'assetsPart',
    'buildPayload',
    'checkName',
    'checkProductLine',
    'checkSecrets',
    'createGlobs',
    'createLayers',
    'createTeam',
    'editAsset',
    'findShared',
    'formatLine',
    'hasFrontMatter',
    'hasTeam',
    'hashOf',
    'headOf',
    'headingOf',
    'marksOf',
    'nameOf',
    'openGaps',
    'openIndex',
    'openLocalStore',
    'sharedAssets',
  ]);
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
