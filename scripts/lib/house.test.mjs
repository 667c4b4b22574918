import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { API } from 'typescript/unstable/sync';
import { expect, test } from 'vitest';

import { circlesOf, closuresOf, longFunctions, relativeImports } from './house.mjs';

/**
 * @template T
 * @param {string} text
 * @param {(source: import('typescript/unstable/ast').SourceFile) => T} measure
 */
const measured = (text, measure) => {
  const directory = mkdtempSync(join(tmpdir(), 'house-'));
  const config = join(directory, 'tsconfig.json');
  writeFileSync(config, '{ "compilerOptions": { "noLib": true, "types": [] }, "files": ["a.ts"] }');
  writeFileSync(join(directory, 'a.ts'), text);
  const api = new API({ cwd: directory });
  try {
    const program = api.updateSnapshot({ openProject: config }).getProject(config)?.program;
    const source = program?.getSourceFile(join(directory, 'a.ts'));
    if (!source) throw new Error('the compiler did not read the file');
    return measure(source);
  } finally {
    api.close();
    rmSync(directory, { recursive: true });
  }
};

const lines = (/** @type {string} */ line, /** @type {number} */ count) => `${line}\n`.repeat(count);

test.each([
  ['80 lines are not long', `function f() {\n${lines('g();', 78)}}`, []],
  [
    '81 lines are long',
    `// a comment\nconst f = () => {\n${lines('g();', 79)}};`,
    [{ name: 'f', line: 2, lines: 81, isTable: false }],
  ],
  [
    'one literal is a table',
    `function f() {\n  return [\n${lines("{ run: () => g(), name: 'a' },", 90)}  ];\n}`,
    [{ name: 'f', line: 1, lines: 94, isTable: true }],
  ],
  [
    'a literal of long functions is not a table',
    `function f() {\n  return {\n    run() {\n${lines('g();', 79)}    },\n  };\n}`,
    [
      { name: 'f', line: 1, lines: 85, isTable: false },
      { name: 'run', line: 3, lines: 81, isTable: false },
    ],
  ],
])('%s', (_reason, text, expected) => {
  expect(measured(text, longFunctions)).toEqual(expected);
});

test.each([
  ['five captured lets', 'let a, b, c, d, e;', 'a; b; c; d; e;', [['a', 'b', 'c', 'd', 'e']]],
  ['a pattern', 'let { a, b, c } = x, [d, e] = y;', 'a; b; c; d; e;', [['a', 'b', 'c', 'd', 'e']]],
  ['four captured lets', 'let a, b, c, d, e; e;', 'a; b; c; d;', []],
  ['constants', 'const a = 1, b = 1, c = 1, d = 1, e = 1;', 'a; b; c; d; e;', []],
  ['names declared again inside', 'let a, b, c, d, e;', 'const e = 1; a; b; c; d; e;', []],
  ['names of members', 'let a, b, c, d, e;', 'a; b; c; d; x.e; y({ e: 1 });', []],
])('counts the lets that a nested function uses: %s', (_reason, own, nested, expected) => {
  const text = `function f() { ${own} return () => { ${nested} }; }`;
  expect(measured(text, closuresOf).map(({ captured }) => captured)).toEqual(expected);
});

test('reads imports of types, exports and dynamic imports', () => {
  const text = `import type { A } from './a.ts';\nexport * from '../b.ts';\nimport 'node:fs';\nawait import('./c.ts');`;
  expect(measured(text, relativeImports)).toEqual(['./a.ts', '../b.ts', './c.ts']);
});

test('finds the files that import each other', () => {
  const imports = new Map([
    ['a', ['b', 'd']],
    ['b', ['c', 'elsewhere']],
    ['c', ['a']],
    ['d', ['e']],
    ['e', ['d', 'f']],
    ['f', []],
    ['g', ['g', 'a']],
  ]);
  expect(circlesOf(imports)).toEqual([['d', 'e'], ['a', 'b', 'c'], ['g']]);
});
