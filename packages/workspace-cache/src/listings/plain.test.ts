import { describe, expect, test } from 'vitest';
import { copyPlain, textOfPlain } from './plain.ts';

const LIMIT = 10_000;

describe('a copy', () => {
  test.each([
    ['text', 'a'],
    ['nothing', undefined],
    ['null', null],
    ['a big integer', 12n],
    ['not a number', NaN],
    ['nested data', { a: [1, { b: 'c' }, null], d: undefined }],
    ['a name that is special', JSON.parse('{"__proto__": {"a": 1}, "constructor": 2}')],
    ['an object without a prototype', Object.assign(Object.create(null), { a: 1 })],
    ['a date', new Date(5)],
    ['bytes', Uint8Array.of(1, 2)],
    ['a buffer', Buffer.from('abc')],
  ])('of %s is equal', (_what, value: unknown) => {
    const copied = copyPlain(value, LIMIT);
    expect(copied?.value).toStrictEqual(value);
    expect(Object.getPrototypeOf(Object(copied?.value))).toBe(Object.getPrototypeOf(Object(value)));
  });

  const cycle: { self?: unknown } = {};
  cycle.self = cycle;
  const deep = Array.from({ length: 100 }).reduce<unknown>((inner) => [inner], 1);
  const sparse: unknown[] = [1];
  sparse[5] = 2;
  const long: unknown[] = [];
  long.length = 4_000_000_000;
  const doubled = Array.from({ length: 60 }).reduce<unknown>((inner) => [inner, inner], 1);
  test.each([
    ['a function', () => 1],
    ['a symbol', Symbol('a')],
    ['a class instance', new (class A {})()],
    ['a map', new Map()],
    ['a promise', Promise.resolve(1)],
    ['a signal', { signal: new AbortController().signal }],
    ['a cycle', cycle],
    ['data that is nested too deeply', deep],
    ['data that is shared by much', doubled],
    ['a list with holes', sparse],
    ['a list with a name', Object.assign([1], { more: 2 })],
    [
      'a getter',
      {
        get a() {
          return 1;
        },
      },
    ],
    ['a hidden property', Object.defineProperty({}, 'a', { value: 1 })],
    ['a symbol as a name', { [Symbol('a')]: 1 }],
    [
      'a proxy that throws',
      new Proxy(
        {},
        {
          getPrototypeOf: () => {
            throw new Error('no');
          },
        },
      ),
    ],
    [
      'a revoked proxy',
      (() => {
        const { proxy, revoke } = Proxy.revocable({}, {});
        revoke();
        return proxy;
      })(),
    ],
    ['much text', 'x'.repeat(LIMIT)],
    ['a long list', Array.from({ length: LIMIT }, () => 0)],
    ['a list of a huge length', long],
    ['many bytes', new Uint8Array(LIMIT + 1)],
  ])('of %s is not made', (_what, value: unknown) => {
    expect(copyPlain(value, LIMIT)).toBeUndefined();
  });
});

test('what is in a copy is not what was copied', () => {
  const value = { a: { b: [1] }, bytes: Buffer.from('a') };
  const copy = copyPlain(value, LIMIT)?.value;
  value.a.b.push(2);
  value.bytes.fill(0);
  expect(copy).toEqual({ a: { b: [1] }, bytes: Buffer.from('a') });
});

test('equal data has an equal text, whatever the order of names', () => {
  expect(textOfPlain({ a: 1, b: [2, 'c'] })).toBe(textOfPlain({ b: [2, 'c'], a: 1 }));
});

test('different data has different texts', () => {
  const values = [
    '1',
    1,
    1n,
    true,
    'true',
    null,
    'null',
    undefined,
    'undefined',
    0,
    -0,
    NaN,
    [],
    {},
    [1],
    ['1'],
    [[]],
    [[], []],
    [1, 2],
    ['1,2'],
    { a: 1 },
    { a: '1' },
    { a: undefined },
    { 'a":1,"b': 2 },
    { a: 1, b: 2 },
    new Date(1),
    new Date(NaN),
    Uint8Array.of(1),
    Uint8Array.of(2),
    'date 1',
    'bytes AQ==',
    '1n',
    '-0',
  ];
  expect(new Set(values.map(textOfPlain)).size).toBe(values.length);
});
