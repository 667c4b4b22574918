import fc from 'fast-check';
import { expect, test } from 'vitest';
import { excerptOf } from './excerpt.ts';
import { runToEnd } from './score.ts';

function excerpt(
  text: string,
  query: string,
  around = 50,
): { text: string; hit: string; before: string; after: string } | undefined {
  const found = runToEnd(excerptOf(text, query, { around }));
  return (
    found && {
      text: text.slice(found.from, found.to),
      hit: text.slice(found.hit.from, found.hit.to),
      before: text.slice(found.from, found.hit.from),
      after: text.slice(found.hit.to, found.to),
    }
  );
}

const filler = '这里什么都不说。'.repeat(40);

test.each([
  ['两字词', `${filler}锁等待超时会怎样${filler}`, '等待', '等待'],
  ['one character', `${filler}锁等待超时${filler}`, '锁', '锁'],
  ['words beside each other', `${filler}消息队列失败重试的核心${filler}`, '失败重试', '失败重试'],
  ['an English word', `${'word '.repeat(99)}Sentinels fail over${' word'.repeat(99)}`, 'sentinel', 'Sentinels'],
  [
    'a part of an identifier',
    `${'word '.repeat(99)}maxmemoryPolicy=x${' word'.repeat(99)}`,
    'policy',
    'maxmemoryPolicy',
  ],
  ['query syntax', `${'word '.repeat(99)}redis-cluster${' word'.repeat(99)}`, '"redis-cluster" AND *', 'redis-cluster'],
])('finds %s with 50 characters on each side', (_, text, query, hit) => {
  const found = excerpt(text, query);
  expect(found?.hit).toBe(hit);
  expect([found?.before.length, found?.after.length]).toEqual([50, 50]);
});

test('prefers the place where the words of the query are near each other', () => {
  const text = `retry ${'word '.repeat(50)} queue ${'word '.repeat(50)} retry the queue ${'word '.repeat(50)}`;
  expect(excerpt(text, 'queue retry')?.hit).toBe('retry the queue');
});

test('a text without the words has no excerpt', () => {
  expect(excerpt('something else', 'redis')).toBeUndefined();
  expect(excerpt('something else', '?!')).toBeUndefined();
});

test('ends at the ends of the text', () => {
  expect(excerpt('redis', 'redis')).toEqual({ text: 'redis', hit: 'redis', before: '', after: '' });
});

test('characters of several code points stay whole', () => {
  const family = '👨‍👩‍👧';
  const found = excerpt(`${family.repeat(30)}redis${family.repeat(30)}`, 'redis', 3);
  expect(found?.before).toBe(family);
  expect(found?.after).toBe(family);
});

test('an excerpt is a part of the text with at least the wished characters round its hit, in any text', () => {
  const piece = fc.constantFrom('redis ', '消息队列', '重', '👨‍👩‍👧', 'e\u0301 ', ' ', '\n', 'ﾃｽﾄ', `${'x'.repeat(70)} `);
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 60 }), fc.integer({ min: 0, max: 60 }), (pieces, around) => {
      const text = pieces.join('');
      const found = excerpt(text, 'redis 消息', around);
      expect(found !== undefined).toBe(/redis|消|息/u.test(text));
      if (found === undefined) return;
      expect(text).toContain(found.text);
      expect(found.hit).toMatch(/redis|消|息/u);
      const [before, after] = [Array.from(found.before).length, Array.from(found.after).length];
      expect(before >= around || text.startsWith(found.text)).toBe(true);
      expect(after >= around || text.endsWith(found.text)).toBe(true);
      expect(found.text).not.toMatch(/\p{Cs}/u);
    }),
  );
});

test('a long text is read in steps', () => {
  const text = `${'word '.repeat(100_000)}redis`;
  let steps = 0;
  const running = excerptOf(text, 'redis', { around: 50 });
  for (let next = running.next(); next.done !== true; next = running.next()) steps += 1;
  expect(steps).toBeGreaterThan(20);
});
