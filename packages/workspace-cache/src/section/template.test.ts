import fc from 'fast-check';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { templateFilters, templateVariables } from './template.ts';

const stringify = templateFilters['yaml.stringify'];

test('what the YAML filter writes is read back as the same data', () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      expect(parse(stringify(value))).toEqual(JSON.parse(JSON.stringify(value)));
    }),
  );
});

test('the YAML filter keeps each line of a tree as one line, however long it is', () => {
  const long = `${'├── '}${'a'.repeat(200)} b c d/`;
  expect(stringify({ tree: `${long}\n│   └── x` })).toBe(`tree: |-\n  ${long}\n  │   └── x\n`);
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
