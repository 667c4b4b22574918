import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { describeInputError, inputSchema } from './input.ts';
import { isObject, type Fields } from './kernel/values.ts';

const aliases = [
  ['path', 'file_path', 'filePath'],
  ['old_text', 'old_string'],
] as const;

const schema = inputSchema(
  {
    path: z.string(),
    limit: z.number().int().min(1).optional(),
    recursive: z.boolean().default(false),
    edits: z.array(z.strictObject({ old_text: z.string(), count: z.number().optional() })).optional(),
    names: z.array(z.string()).optional(),
  },
  { aliases },
);

const accepted: readonly (readonly [what: string, given: Fields, input: Fields])[] = [
  ['the exact form', { path: 'a', limit: 5, recursive: true }, { path: 'a', limit: 5, recursive: true }],
  ['an alias', { file_path: 'a' }, { path: 'a' }],
  ['another alias', { filePath: 'a' }, { path: 'a' }],
  ['an alias inside a list', { path: 'a', edits: [{ old_string: 'x' }] }, { path: 'a', edits: [{ old_text: 'x' }] }],
  ['a whole number as text', { path: 'a', limit: ' 12 ' }, { path: 'a', limit: 12 }],
  ['true as text', { path: 'a', recursive: 'true' }, { path: 'a', recursive: true }],
  ['false as text', { path: 'a', recursive: 'false' }, { path: 'a', recursive: false }],
  ['one object for a list', { path: 'a', edits: { old_text: 'x' } }, { path: 'a', edits: [{ old_text: 'x' }] }],
  ['a list as JSON', { path: 'a', edits: '[{"old_text":"x"}]' }, { path: 'a', edits: [{ old_text: 'x' }] }],
  ['an object as JSON for a list', { path: 'a', edits: '{"old_text":"x"}' }, { path: 'a', edits: [{ old_text: 'x' }] }],
  [
    'a number as text in a list',
    { path: 'a', edits: [{ old_text: 'x', count: '2' }] },
    { path: 'a', edits: [{ old_text: 'x', count: 2 }] },
  ],
  ['a list of text as JSON', { path: 'a', names: '["x","y"]' }, { path: 'a', names: ['x', 'y'] }],
  ['null for an optional parameter', { path: 'a', limit: null }, { path: 'a' }],
  ['null for a parameter with a default', { path: 'a', recursive: null }, { path: 'a' }],
  ['undefined for an unknown parameter', { path: 'a', other: undefined }, { path: 'a' }],
  ['text that is a number for a text', { path: '12' }, { path: '12' }],
];

test.each(accepted)('accepts %s', (_, given, input) => {
  const before = structuredClone(given);
  expect(schema.parse(given)).toEqual({ recursive: false, ...input });
  expect(given).toEqual(before);
});

const refused: readonly (readonly [what: string, given: unknown, message: string])[] = [
  ['a missing parameter', {}, 'missing parameter path'],
  ['null for a required parameter', { path: null }, 'missing parameter path'],
  ['a wrong type', { path: 5 }, 'invalid parameter path: Invalid input: expected string, received number'],
  [
    'a wrong type under an alias',
    { file_path: 5 },
    'invalid parameter path: Invalid input: expected string, received number',
  ],
  [
    'a fraction as text',
    { path: 'a', limit: '1.5' },
    'invalid parameter limit: Invalid input: expected number, received string',
  ],
  ['a number out of range', { path: 'a', limit: '0' }, 'invalid parameter limit: Too small: expected number to be >=1'],
  [
    'other text for a flag',
    { path: 'a', recursive: 'yes' },
    'invalid parameter recursive: Invalid input: expected boolean, received string',
  ],
  ['an unknown parameter', { path: 'a', colour: 'red' }, 'unknown parameter colour'],
  ['two names of one parameter', { path: 'a', file_path: 'b' }, 'unknown parameter file_path'],
  [
    'an unknown parameter in a list',
    { path: 'a', edits: [{ old_text: 'x', colour: 1 }] },
    'unknown parameter edits[0].colour',
  ],
  ['a missing parameter in a list', { path: 'a', edits: [{}] }, 'missing parameter edits[0].old_text'],
  [
    'a wrong type inside JSON',
    { path: 'a', edits: '[{"old_text":5}]' },
    'invalid parameter edits[0].old_text: Invalid input: expected string, received number',
  ],
  [
    'broken JSON',
    { path: 'a', edits: '[{' },
    'invalid parameter edits: Invalid input: expected array, received string',
  ],
  [
    'several errors at once',
    { limit: true, colour: 1 },
    'missing parameter path; invalid parameter limit: Invalid input: expected number, received boolean; unknown parameter colour',
  ],
  ['text instead of an object', 'a', 'Invalid input: expected object, received string'],
  ['a list instead of an object', [], 'Invalid input: expected object, received array'],
  ['nothing', undefined, 'Invalid input: expected object, received undefined'],
];

test.each(refused)('rejects %s and lists the parameters', (_, given, message) => {
  const { error } = schema.safeParse(given, { reportInput: true });
  if (error === undefined) throw new Error('the schema accepted the input');
  const parameters = 'path, limit?, recursive?, edits?: [{ old_text, count? }], names?';
  expect(describeInputError(error, given, schema)).toBe(`${message} (parameters: ${parameters})`);
});

test('an error that was parsed without its input is described from the whole input', () => {
  const { error } = schema.safeParse({ path: 5 });
  if (error === undefined) throw new Error('the schema accepted the input');
  expect(describeInputError(error, { path: 5 }, schema)).toMatch(/^invalid parameter path: /u);
});

test('a key named __proto__ is an unknown parameter', () => {
  const given: unknown = JSON.parse('{"path":"a","__proto__":{"limit":1}}');
  expect(schema.safeParse(given).success).toBe(false);
});

test('models see neither aliases nor what is accepted besides', () => {
  expect(z.toJSONSchema(schema, { io: 'input' })).toMatchObject({
    type: 'object',
    required: ['path'],
    properties: { path: { type: 'string' }, limit: { type: 'integer' }, recursive: { type: 'boolean' } },
    additionalProperties: false,
  });
});

test('adapt converts an object before its aliases, and nothing else', () => {
  const seen: Fields[] = [];
  const adapted = inputSchema(
    { path: z.string() },
    {
      aliases,
      adapt: (input) => {
        seen.push(input);
        return { file_path: input['where'] };
      },
    },
  );
  expect(adapted.parse({ where: 'a' })).toEqual({ path: 'a' });
  expect(adapted.safeParse('a').success).toBe(false);
  expect(seen).toEqual([{ where: 'a' }]);
});

describe('hidden parameters', () => {
  const hidden = { old_text: z.string().optional(), limit: z.number().optional() };
  const beyond = inputSchema({ path: z.string() }, { aliases, hidden });

  test('are accepted with aliases and as text', () => {
    expect(beyond.parse({ filePath: 'a', old_string: 'x', limit: '3' })).toEqual({
      path: 'a',
      old_text: 'x',
      limit: 3,
    });
  });

  test('are not shown to models, nor in errors', () => {
    const { properties } = z.toJSONSchema(beyond, { io: 'input' });
    expect(Object.keys(properties ?? {})).toEqual(['path']);
    const { error } = beyond.safeParse({ other: 1 }, { reportInput: true });
    if (error === undefined) throw new Error('the schema accepted the input');
    expect(describeInputError(error, { other: 1 }, beyond)).toBe(
      'missing parameter path; unknown parameter other (parameters: path)',
    );
  });
});

test.each([
  [{}, true],
  [[], false],
  [null, false],
  ['text', false],
  [undefined, false],
])('isObject(%j) is %s', (value, expected) => {
  expect(isObject(value)).toBe(expected);
});
