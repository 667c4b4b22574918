import * as source from '@cairn/context';
import { ContextManager } from '@cairn/context';
import * as internal from '@cairn/context/internal';
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

const exported = [
  'ContextError',
  'ContextManager',
  'MODES',
  'continueSession',
  'createDefinitionFile',
  'createView',
  'findAgent',
  'formatDefinition',
  'formatProblem',
  'listSessions',
  'loadDefinitions',
  'moveSessions',
  'openContexts',
  'readProjectInstructions',
  'removeSession',
  'sessionOfOwner',
  'summarize',
  'summarizeByModel',
];

const dist = new URL('../../packages/context/dist/', import.meta.url);
const sources = new URL('../../packages/context/src/', import.meta.url);

test('@cairn/context exports these values, from its sources and built', async () => {
  expect(Object.keys(source).toSorted()).toEqual(exported);
  const built = (await import(new URL('index.js', dist).href)) as object;
  expect(Object.keys(built).toSorted()).toEqual(exported);
});

test('@cairn/context/internal exports these values to the other packages', () => {
  expect(Object.keys(internal).toSorted()).toEqual([
    'DEFAULT_MAX_TOKENS',
    'DEFAULT_MODE',
    'DEFAULT_SUMMARIZE_AFTER',
    'DEFAULT_WINDOW_TOKENS',
    'IMAGE_TOKENS',
    'MAIN',
    'RequestFold',
    'SHOWN_PARTS',
    'bytesOf',
    'checkMessage',
    'checkMode',
    'definitionDirectories',
    'foldedCount',
    'isContextMode',
    'labelOf',
    'modeOf',
    'storableMessage',
    'textOf',
    'tokensOf',
    'turnsOf',
    'withImagesAfter',
    'withNewestImages',
  ]);
});

test('the methods of a ContextManager', () => {
  expect(Object.getOwnPropertyNames(ContextManager.prototype).toSorted()).toEqual([
    'addMessage',
    'appendTurn',
    'clearHistory',
    'close',
    'constructor',
    'getContext',
    'keepModeText',
    'main',
    'problems',
    'readModeText',
    'readSummary',
    'refresh',
    'writeSummary',
  ]);
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

test('the keys of histories in the store', async () => {
  const { createMemory } = await import('@cairn/memory');
  const { memory } = await import('@cairn/memory/memory');
  const backend = memory();
  const store = createMemory({ backend });
  const contexts = await source.openContexts({ store, project: '/home/me', session: 'a: b' });
  await contexts.addMessage('50%', { role: 'user', content: 'hi' }, 'shared');
  await contexts.addMessage('50%', { role: 'user', content: 'x'.repeat(300_000) });
  await contexts.writeSummary('50%', { text: 'hi', messages: 1 }, 'shared');
  const keys = (await store.namespace('contexts').keys()).map(({ key }) => key);
  expect(keys).toEqual([
    expect.stringMatching(/^blobs:\/home\/me:a%3A b:50%25:[\w-]{43}$/u),
    'history:/home/me:a%3A b:50%25',
    'history:/home/me:a%3A b:__main__',
    'summaries:/home/me:a%3A b:__main__:model',
  ]);
  const [record] = await store.namespace('contexts').list('history:/home/me:a%3A b:__main__');
  expect(record?.value).toEqual({
    turn: expect.any(String),
    index: 0,
    count: 1,
    message: { role: 'user', content: 'hi' },
  });
});
