import * as source from '@cairn/hosts';
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

const exported = ['HostError', 'configScopes', 'createEntryEditor', 'hosts', 'sessionHosts'];

const sources = new URL('../../packages/hosts/src/', import.meta.url);
const dist = new URL('../../packages/hosts/dist/', import.meta.url);

test('@cairn/hosts exports these values', () => {
  expect(Object.keys(source).toSorted()).toEqual(exported);
});

test('the built @cairn/hosts exports the same values', async () => {
  const built = (await import(new URL('index.js', dist).href)) as object;
  expect(Object.keys(built).toSorted()).toEqual(exported);
});

test('the codes of a HostError', () => {
  const declared = readFileSync(new URL('errors.ts', sources), 'utf8');
  const [, union = ''] = /export type HostErrorCode =([^;]+);/u.exec(declared) ?? [];
  expect([...union.matchAll(/'([A-Z_]+)'/gu)].map(([, code]) => code)).toEqual([
    'CONFIG_SYNTAX',
    'CONFIG_SHAPE',
    'CONFIG_UNSUPPORTED',
    'INVALID_OPTION',
    'NOTHING_TO_UNDO',
    'STATE',
  ]);
});

test('the hosts', () => {
  expect(source.hosts.map(({ id }) => id)).toEqual(['claude-code', 'codex', 'cursor', 'vscode', 'gemini', 'opencode']);
});
