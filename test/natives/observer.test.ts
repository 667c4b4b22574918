import { CairnError, fuzzyFind, glob, grep, treeSummary } from '@cairn/natives';
import { CairnError as BaseError, observeCalls } from '@cairn/tool';
import type { CallEvent } from '@cairn/tool';
import { expect, onTestFinished, test } from 'vitest';
import { createTree } from '../support/tree.ts';

function observe(contents = false): CallEvent[] {
  const events: CallEvent[] = [];
  onTestFinished(observeCalls((event) => events.push(event), { contents }));
  return events;
}

test('an observer sees the start and the end of each call, with sizes and without contents', async () => {
  const path = createTree({ 'secret-name.txt': 'secret line\n' });
  const events = observe();
  await glob({ pattern: 'secret*', path });
  await fuzzyFind({ query: 'secret', path });
  await grep({ pattern: 'secret', path });
  await treeSummary({ path });
  expect(events.map(({ kind, call }) => [kind, call.name])).toEqual([
    ['call-start', 'glob'],
    ['call-end', 'glob'],
    ['call-start', 'fuzzyFind'],
    ['call-end', 'fuzzyFind'],
    ['call-start', 'grep'],
    ['call-end', 'grep'],
    ['call-start', 'treeSummary'],
    ['call-end', 'treeSummary'],
  ]);
  expect(events[0]?.call).toEqual({
    id: expect.stringMatching(/^natives-\d+$/u),
    source: 'natives',
    name: 'glob',
    startedAt: expect.any(Number),
    inputBytes: Buffer.byteLength(JSON.stringify({ pattern: 'secret*', path })),
  });
  const ended = events.filter(({ kind }) => kind === 'call-end').map(({ call }) => call);
  for (const call of ended) {
    expect(call).toMatchObject({ results: 1, durationMs: expect.any(Number) });
    expect(call.outputBytes).toBeGreaterThan('secret-name.txt'.length);
  }
  expect(JSON.stringify(events)).not.toContain('secret');
});

test('an observer sees the code of a call that fails', async () => {
  const events = observe();
  await expect(glob({ pattern: '[', path: '.' })).rejects.toThrow('invalid glob');
  await expect(glob({ pattern: 5, path: '.' } as never)).rejects.toThrow('pattern');
  await expect(grep({ pattern: 'a', path: '.', signal: AbortSignal.abort() })).rejects.toThrow('aborted');
  expect(events.map(({ kind, call }) => [kind, call.failure])).toEqual([
    ['call-start', undefined],
    ['call-error', 'INVALID_GLOB'],
    ['call-start', undefined],
    ['call-error', 'INVALID_OPTION'],
    ['call-start', undefined],
    ['call-error', 'AbortError'],
  ]);
});

test('an observer that asks for contents gets options and results', async () => {
  const path = createTree({ a: '' });
  const events = observe(true);
  const result = await glob({ pattern: '*', path });
  expect(events[0]).toMatchObject({ kind: 'call-start', input: { pattern: '*', path } });
  expect(events[1]).toMatchObject({ kind: 'call-end', result });
});

test('nothing is published after the observer has unsubscribed', async () => {
  const events: CallEvent[] = [];
  observeCalls((event) => events.push(event))();
  await glob({ pattern: '*', path: createTree({ a: '' }) });
  expect(events).toEqual([]);
});

test('the errors of natives and of tools recognise each other', () => {
  expect(BaseError.isInstance(new CairnError('TIMEOUT', 'late'))).toBe(true);
  expect(CairnError.isInstance(new BaseError('ANY', 'base'))).toBe(true);
});
