import * as source from '@cairn/memory';
import * as embeddings from '@cairn/memory/embeddings';
import * as internal from '@cairn/memory/internal';
import * as memoryBackend from '@cairn/memory/memory';
import * as redisBackend from '@cairn/memory/redis';
import * as sqliteBackend from '@cairn/memory/sqlite';
import * as terms from '@cairn/memory/terms';
import * as testing from '@cairn/memory/testing';
import * as tools from '@cairn/memory/tools';
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { z } from 'zod';

const exported: readonly (readonly [path: string, module: object, names: readonly string[]])[] = [
  [
    'index.js',
    source,
    ['MemoryError', 'createMemory', 'formatNotes', 'projectOf', 'projectStorePath', 'userStorePath', 'wrapContexts'],
  ],
  [
    'internal.js',
    internal,
    [
      'DEFAULT_GROUP',
      'DEFAULT_STREAM',
      'DONE_COMPLETION',
      'factSources',
      'findMessage',
      'findTwins',
      'isPartlyDone',
      'memoryParts',
      'moveCommand',
      'notesKey',
      'parseTime',
      'partOfHit',
      'recallParts',
      'sessionSources',
      'twinNotice',
      'unconfirmedLink',
    ],
  ],
  ['backends/in-process.js', memoryBackend, ['memory']],
  ['backends/sqlite.js', sqliteBackend, ['listBackups', 'restoreBackup', 'sqlite']],
  ['backends/redis.js', redisBackend, ['redis']],
  ['testing/backend-contract.js', testing, ['backendContract', 'clockContract', 'listsOf']],
  [
    'terms/index.js',
    terms,
    [
      'Meaning',
      'countVectors',
      'createTermStore',
      'glossaryFiles',
      'glossaryPaths',
      'readGlossaryFile',
      'removeAllVectors',
      'termsIn',
      'withoutVectors',
    ],
  ],
  [
    'embeddings/index.js',
    embeddings,
    ['Consent', 'configuredEmbeddings', 'embeddingSettings', 'probeEmbeddings', 'serverEmbeddings'],
  ],
  ['tools/index.js', tools, ['RECALL_KINDS', 'asToolErrors', 'createMemoryTools', 'memoryToolSet', 'sessionRecall']],
];

const sources = new URL('../../packages/memory/src/', import.meta.url);
const dist = new URL('../../packages/memory/dist/', import.meta.url);

test.each(exported)(
  '%s of @cairn/memory exports these values, from its sources and built',
  async (path, module, names) => {
    expect(Object.keys(module).toSorted()).toEqual(names);
    const built = (await import(new URL(path, dist).href)) as object;
    expect(Object.keys(built).toSorted()).toEqual(names);
  },
);

test('the codes of a MemoryError', () => {
  const declared = readFileSync(new URL('errors.ts', sources), 'utf8');
  const [, union = ''] = /export type MemoryErrorCode =([^;]+);/u.exec(declared) ?? [];
  expect([...union.matchAll(/'([A-Z_]+)'/gu)].map(([, code]) => code)).toEqual([
    'CORRUPT_RECORD',
    'CORRUPT_STORE',
    'FACT_ARCHIVED',
    'FACT_CHANGED',
    'FACT_EXISTS',
    'INVALID_INPUT',
    'INVALID_NAME',
    'INVALID_OPTION',
    'LEASE_LOST',
    'MESSAGE_EXISTS',
    'NOTHING_TO_RESTORE',
    'RESTORE_EXPIRED',
    'SECRET',
    'STORE_CLOSED',
    'STORE_DENIED',
    'STORE_FAILED',
    'STORE_FULL',
    'STORE_LOCKED',
    'STORE_UNAVAILABLE',
    'STORE_UNSUPPORTED',
    'STREAM_EXISTS',
    'TOO_LARGE',
    'UNKNOWN_FACT',
    'UNKNOWN_FUNCTION',
    'UNKNOWN_STREAM',
    'UNKNOWN_TODO',
    'UNKNOWN_WORKFLOW',
    'WORKFLOW_BUSY',
    'WORKFLOW_EXISTS',
  ]);
});

function parametersOf(naming: 'default' | 'mcp-memory'): unknown {
  const memory = source.createMemory({ backend: memoryBackend.memory() });
  const all = Object.values(tools.createMemoryTools({ memory, naming: naming as 'default' }));
  return all.map(({ name, inputSchema, annotations }) => {
    const { properties = {}, required = [] } = z.toJSONSchema(inputSchema, { io: 'input' });
    const names = Object.keys(properties).map((key) => (required.includes(key) ? key : `${key}?`));
    return `${name}(${names.join(', ')})${annotations.readOnlyHint ? ' reads' : ''}${annotations.destructiveHint ? ' destroys' : ''}`;
  });
}

test('the tools, their parameters, and whether they only read or destroy', () => {
  expect(parametersOf('default')).toEqual([
    'remember(text, tags?, scope?, pin?, replaces?)',
    'recall(query?, kind?, tags?, scope?, role?, since?, until?, limit?, offset?, id?) reads',
    'update_fact(id, text?, tags?, pin?)',
    'forget_fact(id) destroys',
    'notes(text?, source?, temporary?, workflow_id?, offset?)',
  ]);
  // The names and parameters of @modelcontextprotocol/server-memory.
  expect(parametersOf('mcp-memory')).toEqual([
    'create_entities(entities)',
    'create_relations(relations)',
    'add_observations(observations)',
    'delete_entities(entityNames) destroys',
    'delete_observations(deletions) destroys',
    'delete_relations(relations) destroys',
    'read_graph() reads',
    'search_nodes(query) reads',
    'open_nodes(names) reads',
  ]);
});
