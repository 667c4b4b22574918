import { memory } from '@cairn/memory/memory';
import { expect, test } from 'vitest';
import { openLocalStore } from '../stores/local-store.ts';
import { gapId } from './gap.ts';
import { openGaps } from './gaps.ts';
import type { Gaps } from './gaps.ts';
import type { Gap } from './pending.ts';

const DAY = 86_400_000;
const START = Date.UTC(2026, 0, 28, 13, 45);

function open(): { gaps: Gaps; clock: { nowMs: number }; store: ReturnType<typeof openLocalStore> } {
  const clock = { nowMs: START };
  const backend = memory();
  return {
    gaps: openGaps({ backend, clock: () => clock.nowMs, language: 'en' }),
    store: openLocalStore({ backend, clock: () => clock.nowMs }),
    clock,
  };
}

async function recorded(gaps: Gaps, query: string): Promise<Gap> {
  const gap = await gaps.record(query);
  if (gap === undefined) throw new Error(`not recorded: ${query}`);
  return gap;
}

test('questions with the same words are one gap, whatever their order and their words of questions', async () => {
  const { gaps, clock } = open();
  await gaps.record('How do we rotate the signing keys?');
  clock.nowMs += DAY;
  await gaps.record('signing keys: rotate');
  clock.nowMs += DAY;
  await gaps.record('消息队列失败重试');
  await gaps.record('失败重试 消息队列');
  await gaps.record('怎么做消息队列失败重试？');
  expect(await gaps.list()).toMatchObject([
    { query: '消息队列失败重试', asked: 3 },
    { query: 'How do we rotate the signing keys?', asked: 2, firstMs: START, lastMs: START + DAY },
  ]);
});

test.each([
  [''],
  ['  '],
  ['?!'],
  ['key AKIAIOSFODNN7EXAMPLQ for s3'],
  ['password=hunter2hunter2hunter2'],
  ['is q8Zr4Xk2Lm9Tn5Vb7Wc1Yd3Sf6Gh0Jp2 valid?'],
])('the question %j is not recorded', async (query) => {
  const { gaps } = open();
  await gaps.record(query);
  expect(await gaps.list()).toEqual([]);
});

test('a gap is pending when it was asked three times, or is seven days old', async () => {
  const { gaps, clock } = open();
  await gaps.record('rotate keys');
  await gaps.record('rotate keys');
  expect(await gaps.pending()).toEqual([]);
  await gaps.record('rotate keys');
  expect(await gaps.pending()).toMatchObject([{ query: 'rotate keys', asked: 3 }]);
  clock.nowMs += DAY;
  await gaps.record('flush caches');
  clock.nowMs += 7 * DAY - 1;
  expect((await gaps.pending()).map(({ query }) => query)).toEqual(['rotate keys']);
  clock.nowMs += 1;
  expect((await gaps.pending()).map(({ query }) => query)).toEqual(['flush caches', 'rotate keys']);
});

test('a gap gives the draft of a discovery that the store accepts', async () => {
  for (const query of [
    'How do we rotate the signing keys?',
    '消息队列 失败重试',
    '../../x && $(rm -rf ~)',
    'C++ / Rust: FFI'.repeat(20),
  ]) {
    const { gaps, store } = open();
    const gap = await recorded(gaps, query);
    const asset = await store.add(gaps.draft(gap));
    expect(asset).toMatchObject({ type: 'discovery', title: gap.query, tags: ['knowledge-gap'] });
    expect(asset.name).toMatch(/^gap-[\p{L}\p{N}-]{1,60}$/u);
  }
});

test.each([
  ['emoji', `kubernetes ${'👩‍👩‍👧‍👦'.repeat(60)}`],
  ['characters of four bytes', '𠀀𠀁𠀂𠀃𠀄'.repeat(20)],
  ['half a character', 'a lone \ud800 surrogate'],
  ['5,000 characters', 'kafka '.repeat(800)],
  ['characters that hide text', 'what is \u202ea\u0000b\u2028c'],
])('a question with %s gives a draft that the store accepts', async (_, query) => {
  const { gaps, store } = open();
  const gap = await recorded(gaps, query);
  expect((await store.add(gaps.draft(gap))).type).toBe('discovery');
});

test('changed assets close the gaps that they fill, and only those that have a word in common are asked about', async () => {
  const { gaps, store } = open();
  await gaps.record('rotate signing keys');
  await gaps.record('flush caches');
  await gaps.record('rotate logs');
  const asset = await store.add({
    name: 'keys',
    type: 'reference',
    title: 'Rotate signing keys',
    body: 'With a script.',
  });
  const asked: string[] = [];
  const closed = await gaps.settle([asset], async (query) => {
    asked.push(query);
    return query.includes('keys');
  });
  expect(asked.toSorted()).toEqual(['rotate logs', 'rotate signing keys']);
  expect(closed.map(({ query }) => query)).toEqual(['rotate signing keys']);
  expect((await gaps.list()).map(({ query }) => query).toSorted()).toEqual(['flush caches', 'rotate logs']);
});

test('a gap is closed by its id, or by a question with its words', async () => {
  const { gaps } = open();
  const gap = await recorded(gaps, 'rotate keys');
  expect(await gaps.close('unknown')).toBe(false);
  expect(await gaps.close(gap.id)).toBe(true);
  await gaps.record('rotate keys');
  expect(await gaps.closeQuery('how to flush caches')).toBe(false);
  expect(await gaps.closeQuery('keys: how to rotate them?')).toBe(true);
  expect(await gaps.list()).toEqual([]);
});

test('at most 500 gaps are kept: those that were asked least and longest ago are dropped', async () => {
  const { gaps, clock } = open();
  await gaps.record('often asked');
  await gaps.record('often asked');
  for (let index = 0; index < 501; index++) {
    clock.nowMs += 1;
    await gaps.record(`topic${index}x`);
  }
  const all = (await gaps.list()).map(({ query }) => query);
  expect(all).toHaveLength(500);
  expect(all).toContain('often asked');
  expect(all).not.toContain('topic0x');
  expect(all).not.toContain('topic1x');
  expect(all).toContain('topic2x');
});

test('questions that are asked concurrently are all counted', async () => {
  const { gaps } = open();
  await Promise.all(Array.from({ length: 20 }, () => gaps.record('rotate keys')));
  expect(await gaps.list()).toMatchObject([{ asked: 20 }]);
});

test('a row that is not readable is left out', async () => {
  const backend = memory();
  const gaps = openGaps({ backend, language: 'en' });
  await backend.change('ai:knowledge:gaps', {
    rows: [{ id: gapId('rotate keys') ?? '', expected: undefined, next: '{"version":9}' }],
  });
  await gaps.record('flush caches');
  expect((await gaps.list()).map(({ query }) => query)).toEqual(['flush caches']);
  await gaps.record('rotate keys');
  expect(await gaps.list()).toHaveLength(2);
});
