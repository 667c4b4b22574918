import { escapeControls } from '@cairn/tool/paths';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { templateFilters, templateVariables } from './template.ts';

const stringify = templateFilters['yaml.stringify'];

test('what the YAML filter writes is read back as the same data', () => {
  fc.assert(
    fc.property(fc.jsonValue({ stringUnit: 'binary', noUnicodeString: false }), (value) => {
      const data = JSON.parse(JSON.stringify(value)) as unknown;
      expect(parse(stringify(data))).toEqual(data);
    }),
    { numRuns: 1000 },
  );
});

test('the YAML filter keeps each line of a tree as one line, however long it is', () => {
  const long = `${'├── '}${'a'.repeat(200)} b c d/`;
  expect(stringify({ tree: `${long}\n│   └── x` })).toBe(`tree: |-\n  ${long}\n  │   └── x\n`);
});

test('a name of the YAML filter stays on its line and hides nothing', () => {
  const hostile = ['a\n- name: b', 'a\r- name: b', 'a\u2028b', '\u202eexe.txt', '\u001b[2J', 'a\tb'];
  const items = hostile.map((name) => ({ name }));
  const text = stringify(Object.fromEntries(hostile.map((path) => [path, { items }])));
  expect(text.split('\n')).toHaveLength(hostile.length * (2 + hostile.length) + 1);
  expect(escapeControls(text, '\n')).toBe(text);
  expect(Object.keys(parse(text) as object)).toEqual(hostile);
});

test('the YAML filter writes the same object twice instead of an anchor', () => {
  const items = [{ name: 'a' }];
  expect(stringify({ first: items, second: items })).toBe('first:\n  - name: a\nsecond:\n  - name: a\n');
});

test('the YAML filter writes nothing for a missing value', () => {
  expect(stringify(undefined)).toBe('');
});

test('a template sees the data under both names', () => {
  const workspaceCache = { static: { tree: 'a' } };
  const variables = templateVariables({ workspaceCache, user: 'x' });
  expect(variables.workspaceCache).toBe(workspaceCache);
  expect(variables.$context.userContext['workspaceCache']).toBe(workspaceCache);
  expect(variables.$context.userContext['user']).toBe('x');
});
