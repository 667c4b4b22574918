import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { AgentError } from '../../errors.ts';
import { toStreamFunctions } from './definition.ts';
import { loadFunctions } from './load-functions.ts';

let directory = '';
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'cairn-functions-'));
});
afterAll(() => rm(directory, { recursive: true, force: true }));

let count = 0;
async function load(source: string, extension = 'mjs'): Promise<string[]> {
  const name = `functions-${count++}.${extension}`;
  await writeFile(join(directory, name), source);
  return (await loadFunctions(name, directory)).map((one) => one.name);
}

async function failure(source: string): Promise<string> {
  const error: unknown = await load(source).catch((reason: unknown) => reason);
  if (!AgentError.isInstance(error)) throw new Error('not an AgentError', { cause: error });
  expect(error.code).toBe('INVALID_FUNCTIONS');
  return error.summary.replace(/^Invalid functions in .*?\.mjs: /u, '').replaceAll(directory, '');
}

const F = `description: 'd', execute: () => 'x'`;

test.each([
  ['a list as the default export', `export default [{ name: 'a', ${F} }, { name: 'b', ${F} }];`, ['a', 'b']],
  ['one function as the default export', `export default { name: 'a', ${F} };`, ['a']],
  ['an object of functions by name', `export default { a: { ${F} }, b: { ${F} } };`, ['a', 'b']],
  ['named exports', `export const a = { ${F} }; export const second = { name: 'b', ${F} };`, ['a', 'b']],
  [
    'named exports next to a default export',
    `export const n = 3; export const b = { ${F} }; export default [{ name: 'a', ${F} }];`,
    ['a', 'b'],
  ],
  ['a function that is exported twice', `export const a = { name: 'a', ${F} }; export default [a];`, ['a']],
])('loads %s', async (_, source, names) => {
  expect(await load(source)).toEqual(names);
});

test('loads TypeScript whose types can be removed', async () => {
  expect(await load(`const n: number = 1; export default [{ name: 'a', ${F} }] as const;`, 'mts')).toEqual(['a']);
});

test('parameters may be descriptions or JSON Schema, and the prompt shows them', async () => {
  const schema = `{ type: 'object', properties: { rows: { type: 'integer', description: 'how many' }, title: { type: 'string' } }, required: ['rows'] }`;
  await writeFile(
    join(directory, 'schema.mjs'),
    `export default { a: { ${F}, parameters: ${schema} }, b: { ${F}, parameters: { type: 'the type' } } };`,
  );
  const functions = toStreamFunctions(await loadFunctions('schema.mjs', directory));
  expect(functions['a']?.parameters).toEqual({ rows: 'how many', 'title?': 'string' });
  expect(functions['b']?.parameters).toEqual({ type: 'the type' });
});

test.each([
  [`export default [];`, 'Cannot load functions from /x.mjs: it exports nothing'],
  [`export const n = 1;`, 'n: it is not an object with name, description and execute'],
  [`export default () => [];`, 'default export: it is not an object with name, description and execute'],
  [
    `export default [{ name: 'a b', description: '', execute: 1 }];`,
    'a b: `name` is not a text of at most 64 characters without spaces, brackets, quotes, ":" and "."; a b: `description` is not a text; a b: `execute` is not a function',
  ],
  [`export default [{ name: 'ask_user', ${F} }];`, 'ask_user: the name "ask_user" is one of the workflow itself'],
  [
    `export default [{ name: 'a', ${F}, aliases: ['x:y'] }];`,
    'a: `aliases` is not a list of texts without brackets, quotes and ":"',
  ],
  [`export default [{ name: 'a', ${F}, aliases: ['x'] }, { name: 'x', ${F} }];`, 'x: the name "x" is also one of a'],
  [`export default [{ name: 'a', ${F}, parameters: [] }];`, 'a: `parameters` is not an object'],
  [
    `export default [{ name: 'a', ${F}, parameters: { type: 'array' , items: 3 } }];`,
    'a: `parameters` has neither descriptions nor a JSON Schema of an object',
  ],
  [
    `export default [{ name: 'a', ${F}, parameters: { type: 'object', properties: { x: { type: 'strin' } } } }];`,
    'a: `parameters` is not a usable schema: Unsupported type: strin',
  ],
  [`export default [{ name: 'a', ${F}, readonly: true }];`, 'a: unknown fields readonly'],
  [`export default [{ name: 'a', ${F}, readOnly: 'yes' }];`, 'a: `readOnly` is neither true nor false'],
])('rejects %s', async (source, problem) => {
  expect((await failure(source)).replace(/functions-\d+/u, 'x')).toBe(problem);
});

test('a module that does not load states why', async () => {
  expect(await failure('export default [')).toMatch(/^Cannot load functions from .*syntax/iu);
  expect(await failure(`throw new Error('no database');`)).toMatch(/: Error: no database$/u);
  await expect(loadFunctions('missing.mjs', directory)).rejects.toThrow(
    /missing\.mjs: there is no such file\. Check the path\.$/u,
  );
  await expect(loadFunctions('.', directory)).rejects.toThrow(/: it is not a file\. Pass the path of a module\.$/u);
});
