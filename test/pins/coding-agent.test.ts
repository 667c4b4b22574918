import * as source from '@cairn/coding-agent';
import * as internal from '@cairn/coding-agent/internal';
import { expect, test } from 'vitest';
import { z } from 'zod';

const exported = [
  'codingToolSet',
  'createApplyPatchTool',
  'createCodingToolSet',
  'createCodingTools',
  'createMemoryTool',
  'createMentionProvider',
  'createShellTool',
  'createTextEditorTool',
  'createWorkspace',
  'expandMentions',
  'formatHunks',
  'formatMention',
  'invalidateFsScanAfterDelete',
  'invalidateFsScanAfterRename',
  'invalidateFsScanAfterWrite',
  'mentionAt',
  'namingProfiles',
  'nodeFileOperations',
  'onAnyChange',
  'parseMentions',
];

const dist = new URL('../../packages/coding-agent/dist/', import.meta.url);

test('@cairn/coding-agent exports these values', () => {
  expect(Object.keys(source).toSorted()).toEqual(exported);
});

test('the built @cairn/coding-agent exports the same values', async () => {
  const built = (await import(new URL('index.js', dist).href)) as object;
  expect(Object.keys(built).toSorted()).toEqual(exported);
});

test('@cairn/coding-agent/internal exports these values to the other packages', () => {
  expect(Object.keys(internal).toSorted()).toEqual([
    'OWN_TEMPORARY',
    'canonicalRoots',
    'fileStatOf',
    'isWithin',
    'readOnly',
    'readWholeFile',
    'realPathOf',
    'recordOf',
    'resolvePath',
    'rootMoved',
    'sessionWorkspace',
    'toolNameIn',
    'toolOfName',
  ]);
});

test('the shell tool: its name, parameters and effects', () => {
  const approve = (): source.ShellDecision => ({ approved: false });
  const { inputSchema, ...tool } = source.createShellTool({ root: '/nowhere', approve });
  expect(tool).toMatchObject({
    name: 'shell',
    isLocal: true,
    annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: true },
  });
  expect(z.toJSONSchema(inputSchema, { io: 'input' })).toMatchObject({
    type: 'object',
    properties: {
      command: { type: 'string', minLength: 1 },
      timeout: { type: 'integer', minimum: 1000, maximum: 600_000, description: 'milliseconds; 120000 by default' },
    },
    required: ['command'],
  });
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
