import { ContextManager, listSessions, openContexts } from '@cairn/context';
import type { UnifiedMessage } from '@cairn/context';
import { describe, expect, test } from 'vitest';
import { backendKinds, openMemory, useBackends } from '../memory/backends.ts';

useBackends();

const user = (content: string): UnifiedMessage => ({ role: 'user', content });
const assistant = (content: string): UnifiedMessage => ({ role: 'assistant', content });

describe.each(backendKinds)('histories on $name', (kind) => {
  test.skipIf(kind.isSkipped)('survive a restart, under their project and session', async () => {
    const { memory } = await openMemory(kind);
    const first = await openContexts({ store: memory, session: 'one' });
    await first.appendTurn('coder', [user('a'), assistant('b')]);
    await first.addMessage('coder', user('main'), 'shared');
    await first.close();

    const again = await openContexts({ store: memory, session: 'one' });
    expect(again.getContext('coder').conversationHistory).toEqual([user('a'), assistant('b')]);
    expect(again.main.conversationHistory).toEqual([user('main')]);
    expect((await openContexts({ store: memory, session: 'two' })).main.conversationHistory).toEqual([]);
    const other = await openContexts({ store: memory, session: 'one', project: '/other' });
    expect(other.main.conversationHistory).toEqual([]);
    expect(await listSessions({ store: memory })).toMatchObject([{ session: 'one', messages: 3, agents: ['coder'] }]);
  });

  test.skipIf(kind.isSkipped)('show what another manager added and cleared, after a refresh', async () => {
    const { memory } = await openMemory(kind);
    const [one, two] = await Promise.all([1, 2].map(() => openContexts({ store: memory, session: 's' })));
    if (one === undefined || two === undefined) throw new Error('unreachable');
    await one.appendTurn('coder', [user('1')]);
    await two.appendTurn('coder', [user('2')]);
    const { conversationHistory: before } = one.getContext('coder');
    await Promise.all([one.refresh(), two.refresh(['coder'])]);
    expect(one.getContext('coder').conversationHistory).toEqual([user('1'), user('2')]);
    expect(one.getContext('coder').conversationHistory).toBe(before);
    expect(two.getContext('coder').conversationHistory).toEqual([user('1'), user('2')]);
    await two.addMessage('coder', user('main'), 'shared');
    await two.clearHistory('coder');
    await one.addMessage('coder', user('3'));
    await one.refresh();
    await two.refresh();
    for (const manager of [one, two]) {
      expect(manager.getContext('coder').conversationHistory).toEqual([user('3')]);
      expect(manager.main.conversationHistory).toEqual([user('main')]);
    }
  });

  test.skipIf(kind.isSkipped)('keep each part of a message as it is, also large ones', async () => {
    const { memory } = await openMemory(kind, { maxContentBytes: 300_000 });
    const message: UnifiedMessage = {
      role: 'user',
      content: [
        { type: 'text', text: `"表${'\u{1f600}'.repeat(100_000)}` },
        { type: 'file', data: new Uint8Array(1_000_000).fill(7), mediaType: 'image/png' },
        { type: 'image', image: Buffer.from('x') },
        { type: 'image', image: new URL('https://example.org/a b') },
        { type: 'file', data: { odd: [undefined, -0, Number.NaN, new Date(5), { $cairn: 1 }] } },
      ],
      providerOptions: { cairn: { agent: 'a', run: 'r' }, x: { nothing: undefined } },
    };
    const first = await openContexts({ store: memory, session: 's' });
    await first.addMessage('coder', message);
    const again = await openContexts({ store: memory, session: 's' });
    expect(again.problems).toEqual([]);
    expect(again.getContext('coder').conversationHistory).toStrictEqual([message]);
    await again.clearHistory('coder');
    expect(await memory.namespace('contexts').keys()).toEqual([]);
  });
});

test('a manager without a store refuses invalid names and messages', async () => {
  const manager = new ContextManager();
  for (const name of ['', '__main__', 'a\nb']) {
    expect(() => manager.getContext(name)).toThrow(expect.objectContaining({ code: 'INVALID_NAME' }));
  }
  await expect(manager.addMessage('a', { role: 'system', content: 'x' } as never)).rejects.toMatchObject({
    code: 'INVALID_INPUT',
  });
  expect(manager.getContext('a').conversationHistory).toEqual([]);
});
