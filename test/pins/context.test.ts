import * as source from '@cairn/context';
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

const exported = [
  'ContextError',
  'ContextManager',
  'DEFAULT_MAX_TOKENS',
  'DEFAULT_MODE',
  'DEFAULT_SUMMARIZE_AFTER',
  'IMAGE_TOKENS',
  'MAIN',
  'MODES',
  'checkDefinition',
  'checkMode',
  'checkSharePatterns',
  'checkWindow',
  'closeOpenCalls',
  'createDefinitionFile',
  'createView',
  'definitionDirectories',
  'findAgent',
  'foldedCount',
  'formatDefinition',
  'formatProblem',
  'isContextMode',
  'labelOf',
  'listSessions',
  'loadDefinitions',
  'modeOf',
  'nearNames',
  'openContexts',
  'readProjectInstructions',
  'removeSession',
  'summarize',
  'summarizeByModel',
  'summaryPrompt',
  'textOf',
  'tokensOf',
  'turnsOf',
];

const dist = new URL('../../packages/context/dist/', import.meta.url);
const sources = new URL('../../packages/context/src/', import.meta.url);

test('@cairn/context exports these values, from its sources and built', async () => {
  expect(Object.keys(source).toSorted()).toEqual(exported);
  const built = (await import(new URL('index.js', dist).href)) as object;
  expect(Object.keys(built).toSorted()).toEqual(exported);
});

test('the codes of a ContextError', () => {
  const declared = readFileSync(new URL('errors.ts', sources), 'utf8');
  const [, union = ''] = /export type ContextErrorCode =([^;]+);/u.exec(declared) ?? [];
  expect([...union.matchAll(/'([A-Z_]+)'/gu)].map(([, code]) => code)).toEqual([
    'AGENT_EXISTS',
    'INVALID_DEFINITION',
    'INVALID_INPUT',
    'INVALID_MODE',
    'INVALID_NAME',
    'INVALID_OPTION',
    'TOO_LARGE',
    'UNKNOWN_AGENT',
  ]);
});

test('the context modes, what they read and what they write', () => {
  expect(source.MODES).toEqual({
    isolated: { reads: 'own', writes: 'own' },
    shared: { reads: 'main', writes: 'main' },
    fork: { reads: 'main', writes: 'own' },
    handback: { reads: 'own', writes: 'own' },
    selective: { reads: 'both', writes: 'own' },
    summarized: { reads: 'both', writes: 'own' },
  });
});
