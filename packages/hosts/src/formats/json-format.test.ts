import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { changeText } from './config-format.ts';
import { jsonFormat } from './json-format.ts';

const entry = { command: 'npx', args: ['-y', 'x'] };
const path = ['servers', 'cairn'];

function set(text: string): string {
  return changeText(jsonFormat, text, [{ path, value: entry }]);
}

describe('adds an entry and keeps the rest', () => {
  const shown = '"cairn": {\n      "command": "npx",\n      "args": ["-y", "x"]\n    }';
  const cases: readonly (readonly [why: string, before: string, after: string])[] = [
    ['an empty file', '', `{\n  "servers": {\n    ${shown}\n  }\n}\n`],
    ['an empty object', '{}\n', `{\n  "servers": {\n    ${shown}\n  }\n}\n`],
    ['an empty list of servers', '{\n  "servers": {}\n}', `{\n  "servers": {\n    ${shown}\n  }\n}`],
    [
      'another server',
      '{\n  "servers": {\n    "a": 1\n  }\n}\n',
      `{\n  "servers": {\n    "a": 1,\n    ${shown}\n  }\n}\n`,
    ],
    [
      'a trailing comma stays, and comments stay where they were',
      '{\n  "servers": {\n    "a": 1, // about a\n    // the end\n  }, // about servers\n}\n',
      `{\n  "servers": {\n    "a": 1, // about a\n    ${shown},\n    // the end\n  }, // about servers\n}\n`,
    ],
    [
      'a comment after the last value stays after it',
      '{\n  "servers": {\n    "a": 1 // about a\n  }\n}',
      `{\n  "servers": {\n    "a": 1, // about a\n    ${shown}\n  }\n}`,
    ],
    [
      'only a comment',
      '{\n  "servers": {\n    // none\n  }\n}\n',
      `{\n  "servers": {\n    // none\n    ${shown}\n  }\n}\n`,
    ],
    ['minified', '{"servers":{},"b":1}', '{"servers":{"cairn":{"command":"npx","args":["-y","x"]}},"b":1}'],
    [
      'on one line',
      '{ "servers": { "a": 1 } }',
      '{ "servers": { "a": 1, "cairn": {"command":"npx","args":["-y","x"]} } }',
    ],
    [
      'tabs and CRLF',
      '{\r\n\t"servers": {\r\n\t\t"a": 1\r\n\t}\r\n}\r\n',
      '{\r\n\t"servers": {\r\n\t\t"a": 1,\r\n\t\t"cairn": {\r\n\t\t\t"command": "npx",\r\n\t\t\t"args": ["-y", "x"]\r\n\t\t}\r\n\t}\r\n}\r\n',
    ],
    [
      'of two equal keys the last one counts',
      '{\n  "servers": {},\n  "servers": {\n    "a": 1\n  }\n}',
      `{\n  "servers": {},\n  "servers": {\n    "a": 1,\n    ${shown}\n  }\n}`,
    ],
    ['a comment alone', '// mine\n', `// mine\n{\n  "servers": {\n    ${shown}\n  }\n}\n`],
  ];
  test.each(cases)('%s', (_, before, after) => expect(set(before)).toBe(after));
});

test.each([
  ['the only one', '{\n  "servers": {\n    "cairn": 1\n  }\n}\n', '{\n  "servers": {}\n}\n'],
  [
    'the last one',
    '{\n  "servers": {\n    "a": 1, // a\n    "cairn": 1\n  }\n}\n',
    '{\n  "servers": {\n    "a": 1 // a\n  }\n}\n',
  ],
  [
    'the first one',
    '{\n  "servers": {\n    "cairn": 1,\n    "a": 1\n  }\n}\n',
    '{\n  "servers": {\n    "a": 1\n  }\n}\n',
  ],
  [
    'with a trailing comma',
    '{\n  "servers": {\n    "a": 1,\n    "cairn": 1,\n  }\n}\n',
    '{\n  "servers": {\n    "a": 1,\n  }\n}\n',
  ],
  [
    'next to a comment',
    '{\n  "servers": {\n    // a\n    "cairn": 1 // c\n  }\n}\n',
    '{\n  "servers": {\n    // a\n    // c\n  }\n}\n',
  ],
  ['on one line', '{"servers":{"a":1,"cairn":1}}', '{"servers":{"a":1}}'],
])('removes an entry: %s', (_, before, after) => {
  expect(changeText(jsonFormat, before, [{ path, value: undefined }])).toBe(after);
});

describe('adds an element after the others of an array', () => {
  const list = ['hooks', 'on'];
  const shown = '{\n        "command": "npx",\n        "args": ["-y", "x"]\n      }';
  const cases: readonly (readonly [why: string, before: string, index: number, after: string])[] = [
    ['an empty file', '', 0, `{\n  "hooks": {\n    "on": [\n      ${shown}\n    ]\n  }\n}\n`],
    [
      'an empty array',
      '{\n  "hooks": {\n    "on": []\n  }\n}\n',
      0,
      `{\n  "hooks": {\n    "on": [\n      ${shown}\n    ]\n  }\n}\n`,
    ],
    [
      'another element with a comment',
      '{\n  "hooks": {\n    "on": [\n      1 // one\n    ]\n  }\n}\n',
      1,
      `{\n  "hooks": {\n    "on": [\n      1, // one\n      ${shown}\n    ]\n  }\n}\n`,
    ],
    [
      'a trailing comma',
      '{\n  "hooks": {\n    "on": [\n      { "a": [1] }, // one\n      // the end\n    ],\n  },\n}\n',
      1,
      `{\n  "hooks": {\n    "on": [\n      { "a": [1] }, // one\n      ${shown},\n      // the end\n    ],\n  },\n}\n`,
    ],
    ['minified', '{"hooks":{"on":[1]}}', 1, '{"hooks":{"on":[1,{"command":"npx","args":["-y","x"]}]}}'],
    [
      'on one line of several',
      '{\r\n  "hooks": { "on": [{ "a": 1 }] }\r\n}',
      1,
      '{\r\n  "hooks": { "on": [{ "a": 1 }, {"command":"npx","args":["-y","x"]}] }\r\n}',
    ],
    [
      'an array of arrays',
      '{"hooks":{"on":[[],{}]}}',
      2,
      '{"hooks":{"on":[[],{},{"command":"npx","args":["-y","x"]}]}}',
    ],
  ];
  test.each(cases)('%s', (_, before, index, after) => {
    const added = changeText(jsonFormat, before, [{ path: [...list, index], value: entry }]);
    expect(added).toBe(after);
    const removed = changeText(jsonFormat, added, [{ path: [...list, index], value: undefined }]);
    expect(jsonFormat.parse(removed)).toEqual(before === '' ? { hooks: { on: [] } } : jsonFormat.parse(before));
  });
});

test.each([
  ['the first element', 0, '{\n  "on": [\n    { "a": [2] } // b\n  ]\n}'],
  ['the last element', 1, '{\n  "on": [\n    1 // a\n  ]\n}'],
])('removes %s, and keeps the other one', (_, index, after) => {
  const before = '{\n  "on": [\n    1, // a\n    { "a": [2] } // b\n  ]\n}';
  const removed = changeText(jsonFormat, before, [{ path: ['on', index], value: undefined }]);
  expect(removed.replaceAll(/^ *\/\/ .\n/gmu, '')).toBe(after);
});

test('changes a value inside an element, and keeps its comments', () => {
  const before = '{\n  "on": [\n    {\n      "a": 1, // a\n      "b": [{ "c": 1 }] // b\n    }\n  ]\n}';
  const changes = [
    { path: ['on', 0, 'b', 0, 'c'], value: 2 },
    { path: ['on', 0, 'a'], value: undefined },
  ];
  expect(changeText(jsonFormat, before, changes)).toBe(
    '{\n  "on": [\n    {\n      // a\n      "b": [{ "c": 2 }] // b\n    }\n  ]\n}',
  );
});

test.each([
  ['an object', '{\n  "on": {}\n}', 'on is an object instead of an array, at line 2, column 9'],
  ['null', '{"on": null}', 'on is null instead of an array, at line 1, column 8'],
  ['a string', '{"on": "x"}', 'on is a string instead of an array, at line 1, column 8'],
])('rejects %s where an array belongs, and names the place', (_, text, message) => {
  for (const value of [entry, undefined]) {
    expect(() => changeText(jsonFormat, text, [{ path: ['on', 0], value }])).toThrow(
      expect.objectContaining({ code: 'CONFIG_SHAPE', message: `${message}; correct it first` }),
    );
  }
});

test.each([
  ['a missing value', '{\n  "a": ,\n}', 'CONFIG_SYNTAX', { line: 2, column: 8 }],
  ['a missing end', '{\n  "a": 1', 'CONFIG_SYNTAX', { line: 2, column: 9 }],
  ['text after the end', '{}\n{}', 'CONFIG_SYNTAX', { line: 2, column: 1 }],
  ['a list', '[]', 'CONFIG_SHAPE', { line: 1, column: 1 }],
  ['servers that are not an object', '{\n  "servers": null\n}', 'CONFIG_SHAPE', { line: 2, column: 14 }],
])('rejects %s and names the place', (_, text, code, position) => {
  expect(() => set(text)).toThrow(expect.objectContaining({ code, position }));
});

/** Spaces and comments as a person might type them. */
const layouts = fc.array(fc.constantFrom('', ' ', '\n', '\n  ', '\n\t', ' // c\n', '/* c */', ' /* , } */ '), {
  minLength: 1,
  maxLength: 12,
});
const values = fc.letrec((tie) => ({
  value: fc.oneof({ depthSize: 'small' }, fc.jsonValue({ maxDepth: 0 }), tie('object')),
  object: fc.dictionary(fc.constantFrom('a', 'b', 'servers', 'cairn', 'x"y'), tie('value'), {
    maxKeys: 4,
    noNullPrototype: true,
  }),
})).object;

function typed(value: unknown, gaps: readonly string[], trailing: boolean): string {
  let turn = 0;
  const gap = (): string => gaps[turn++ % gaps.length] ?? '';
  const write = (one: unknown): string => {
    if (typeof one !== 'object' || one === null || Array.isArray(one)) return JSON.stringify(one);
    const pairs = Object.entries(one).map(
      ([key, inner]) => `${gap()}${JSON.stringify(key)}${gap()}:${gap()}${write(inner)}${gap()}`,
    );
    return `{${pairs.join(',')}${trailing && pairs.length > 0 ? ',' : ''}${gap()}}`;
  };
  return write(value);
}

test('in any layout only the entry changes, no comment is lost, and removing it restores the rest', () => {
  const comments = (text: string): number => text.split(/\/\/ c\n|\/\* c \*\/|\/\* , \} \*\//u).length;
  fc.assert(
    fc.property(values, layouts, fc.boolean(), (value, gaps, trailing) => {
      const servers: unknown = Reflect.get(value as object, 'servers');
      // Replacing a value replaces the comments in it.
      fc.pre(typeof servers === 'object' && servers !== null && !Object.hasOwn(servers, 'cairn'));
      const before = typed(value, gaps, trailing);
      const after = set(before);
      const removed = changeText(jsonFormat, after, [{ path, value: undefined }]);
      expect(jsonFormat.parse(removed)).toEqual(jsonFormat.parse(before));
      expect([comments(after), comments(removed)]).toEqual([comments(before), comments(before)]);
    }),
    { numRuns: 1000 },
  );
});
