import * as source from '@cairn/coding-agent';
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

const exported = [
  'ToolError',
  'createApplyPatchTool',
  'createCodingTools',
  'createMemoryTool',
  'createMentionProvider',
  'createTextEditorTool',
  'createTool',
  'createWorkspace',
  'expandMentions',
  'formatHunks',
  'formatMention',
  'inputSchema',
  'invalidateFsScanAfterDelete',
  'invalidateFsScanAfterRename',
  'invalidateFsScanAfterWrite',
  'mentionAt',
  'nodeFileOperations',
  'parseMentions',
  'readWholeFile',
  'succeed',
  'textOf',
];

const sources = new URL('../../packages/coding-agent/src/', import.meta.url);
const dist = new URL('../../packages/coding-agent/dist/', import.meta.url);

test('@cairn/coding-agent exports these values', () => {
  expect(Object.keys(source).toSorted()).toEqual(exported);
});

test('the built @cairn/coding-agent exports the same values', async () => {
  const built = (await import(new URL('index.js', dist).href)) as object;
  expect(Object.keys(built).toSorted()).toEqual(exported);
});

test('the codes of a ToolError', () => {
  const declared = readFileSync(new URL('errors.ts', sources), 'utf8');
  const [, union = ''] = /export type ToolErrorCode =([^;]+);/u.exec(declared) ?? [];
  expect([...union.matchAll(/'([A-Z_]+)'/gu)].map(([, code]) => code)).toEqual([
    'AMBIGUOUS',
    'BINARY',
    'ENCODING',
    'EXISTS',
    'INVALID_INPUT',
    'INVALID_OPTION',
    'INVALID_PATCH',
    'INVALID_PATTERN',
    'IO',
    'IS_DIRECTORY',
    'LOCKED',
    'NAME_TOO_LONG',
    'NOT_A_DIRECTORY',
    'NOT_A_FILE',
    'NOT_FOUND',
    'NOT_READ',
    'NO_CHANGE',
    'NO_MATCH',
    'NO_SPACE',
    'OUTSIDE_ROOT',
    'OVERLAP',
    'PERMISSION',
    'PROTECTED',
    'READ_ONLY',
    'STALE',
    'TIMEOUT',
    'TOO_LARGE',
  ]);
});

test('the tools, and which of them change files', () => {
  const tools = source.createCodingTools({ root: '/nowhere' });
  const hints = Object.entries(tools).map(([name, { annotations }]) => [name, annotations.readOnlyHint]);
  expect(hints).toEqual([
    ['read', true],
    ['write', false],
    ['edit', false],
    ['patch', false],
    ['delete', false],
    ['rename', false],
    ['glob', true],
    ['grep', true],
    ['ls', true],
  ]);
});
