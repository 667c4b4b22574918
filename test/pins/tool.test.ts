import * as source from '@cairn/tool';
import * as paths from '@cairn/tool/paths';
import * as internal from '@cairn/tool/internal';
import * as kernel from '@cairn/tool/kernel';
import * as prompt from '@cairn/tool/prompt';
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

const entries = [
  [
    'index.js',
    source,
    [
      'CairnError',
      'ToolError',
      'createSessionKey',
      'createTool',
      'createToolSession',
      'describeInputError',
      'fileNotes',
      'inputSchema',
      'isMissing',
      'isObject',
      'observeCalls',
      'succeed',
      'textOf',
    ],
  ],
  [
    'internal.js',
    internal,
    [
      'CHECK_PATH',
      'HOSTILE_CHARACTER',
      'SECRET_NAMES',
      'TEMPORARY_NAME',
      'accountStateDirectories',
      'errnoOf',
      'explainSystemError',
      'explaining',
      'findStoredSecrets',
      'isSecretName',
      'nearNames',
      'notify',
      'pairsOf',
      'placeOf',
      'similarity',
      'startOf',
      'temporaryDirectory',
      'truncate',
    ],
  ],
  [
    'paths/index.js',
    paths,
    ['escapeControls', 'homeDirectory', 'projectDirectory', 'quotePath', 'unquotePath', 'userDirectories'],
  ],
  [
    'kernel/index.js',
    kernel,
    [
      'ArgumentChecks',
      'CairnError',
      'HintedError',
      'LANGUAGES',
      'ToolError',
      'checkArguments',
      'isMissing',
      'isNamed',
      'isObject',
      'isStrings',
      'observeCall',
      'quoted',
      'retry',
      'writeAtomically',
    ],
  ],
  [
    'prompt/index.js',
    prompt,
    ['count', 'createDataMarks', 'estimateTokens', 'findSecret', 'findSecrets', 'formatBytes', 'truncateLine'],
  ],
] as const;

const sources = new URL('../../packages/tool/src/', import.meta.url);
const dist = new URL('../../packages/tool/dist/', import.meta.url);

test.each(entries)('%s of @cairn/tool exports these values, in source and built', async (path, exports, names) => {
  expect(Object.keys(exports).toSorted()).toEqual(names);
  const built = (await import(new URL(path, dist).href)) as object;
  expect(Object.keys(built).toSorted()).toEqual(names);
});

test('the codes of a ToolError', () => {
  const declared = readFileSync(new URL('kernel/tool-error.ts', sources), 'utf8');
  const [, union = ''] = /export type ToolErrorCode =([^;]+);/u.exec(declared) ?? [];
  expect([...union.matchAll(/'([A-Z_]+)'/gu)].map(([, code]) => code)).toEqual([
    'AMBIGUOUS',
    'BINARY',
    'CLOSED',
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
    'NOT_ALLOWED',
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
    'ROOT_MOVED',
    'STALE',
    'TIMEOUT',
    'TOO_LARGE',
  ]);
});
