import * as source from '@cairn/retrieval';
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

const exported = [
  'MAX_FUSED_SCORE',
  'Misspelled',
  'NEAR_IN_MEANING',
  'RetrievalError',
  'cacheEmbeddings',
  'countTerms',
  'createGlossary',
  'createTermIndex',
  'excerptOf',
  'foundSlots',
  'fuseRanks',
  'inverseDocumentFrequency',
  'matchedTerms',
  'noticesOf',
  'parseGlossary',
  'rankDocuments',
  'readQuery',
  'relatedQuery',
  'scoreParts',
  'similarTerms',
  'snippetOf',
  'standsOut',
  'termsOf',
  'withEvidence',
];

const dist = new URL('../../packages/retrieval/dist/', import.meta.url);
const sources = new URL('../../packages/retrieval/src/', import.meta.url);

test('@cairn/retrieval exports these values, from its sources and built', async () => {
  expect(Object.keys(source).toSorted()).toEqual(exported);
  const built = (await import(new URL('index.js', dist).href)) as object;
  expect(Object.keys(built).toSorted()).toEqual(exported);
});

test('the codes of a RetrievalError', () => {
  const declared = readFileSync(new URL('errors.ts', sources), 'utf8');
  const [, union = ''] = /export type RetrievalErrorCode =([^;]+);/u.exec(declared) ?? [];
  expect([...union.matchAll(/'([A-Z_]+)'/gu)].map(([, code]) => code)).toEqual(['EMBED_FAILED', 'INVALID_OPTION']);
});
