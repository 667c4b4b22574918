import { expect, test } from 'vitest';
import { createSessionKey, createToolSession } from './session.ts';

test('tool sets of one session share one value of a key', () => {
  const key = createSessionKey<{ reads: number }>('ledger');
  const session = createToolSession();
  const first = session.share(key, () => ({ reads: 1 }));
  expect(session.share(key, () => ({ reads: 2 }))).toBe(first);
});

test('sessions share nothing with one another', () => {
  const key = createSessionKey<object>('ledger');
  const [one, other] = [createToolSession(), createToolSession()];
  expect(one.share(key, () => ({}))).not.toBe(other.share(key, () => ({})));
  expect(one.id).not.toBe(other.id);
});

test('keys with equal descriptions are different, and undefined is a value', () => {
  const session = createToolSession('a');
  let created = 0;
  const key = createSessionKey<undefined>('same');
  const create = (): undefined => {
    created += 1;
    return undefined;
  };
  session.share(key, create);
  session.share(key, create);
  session.share(createSessionKey<undefined>('same'), create);
  expect(created).toBe(2);
});

test('a value whose creation failed is created again', () => {
  const key = createSessionKey<number>('fails once');
  const session = createToolSession();
  const fail = (): never => {
    throw new Error('not now');
  };
  expect(() => session.share(key, fail)).toThrow('not now');
  expect(session.share(key, () => 5)).toBe(5);
});
