import { listsOf } from '@cairn/memory/testing';
import { describe, expect, test } from 'vitest';
import { backendKinds, openMemory, useBackends } from './backends.ts';

useBackends();

const place = { stream: 'chat', group: 'g' };
const forever = {
  maxRecords: Infinity,
  maxTemporaryRecords: Infinity,
  lifetimeMs: Infinity,
  temporaryLifetimeMs: Infinity,
};

describe.each(backendKinds)('messages on $name', (kind) => {
  test.skipIf(kind.isSkipped)('a call with an id can be repeated, and stores one message', async () => {
    const { memory, advance } = await openMemory(kind);
    const stream = memory.defineStream({ name: 'chat' });
    const message = { id: 'request 1', content: 'make a table', author: 'Ann' };
    const first = await stream.addMessage('g', message);
    expect(first).toMatchObject({ ...message, role: 'user' });
    await advance(1000);
    await stream.addMessage('g', { content: 'another' });
    expect(await stream.addMessage('g', message)).toEqual(first);
    expect((await stream.history('g')).map(({ content }) => content)).toEqual(['another', 'make a table']);
    // The id counts within its group, and as a whole.
    await stream.addMessage('g', { ...message, id: 'request' });
    await stream.addMessage('other', message);
    expect(await stream.history('g')).toHaveLength(3);
    expect(await stream.history('other')).toHaveLength(1);
  });

  test.skipIf(kind.isSkipped)('an id with another content is rejected, and nothing is stored', async () => {
    const { memory } = await openMemory(kind);
    const message = { id: 'a"\\ 表', content: 'one' };
    await memory.messages.add(place, message);
    for (const other of [{ content: 'two' }, { role: 'assistant' }, { author: 'Ann' }] as const) {
      await expect(memory.messages.add(place, { ...message, ...other })).rejects.toMatchObject({
        code: 'MESSAGE_EXISTS',
        message: expect.stringContaining('another message with the id "a'),
      });
    }
    expect(await memory.messages.history(place)).toMatchObject([message]);
  });

  test.skipIf(kind.isSkipped)('of simultaneous calls with one id one stores the message', async () => {
    const { memory } = await openMemory(kind);
    const same = Array.from({ length: 20 }, () => memory.messages.add(place, { id: 'a', content: 'same' }));
    expect(new Set((await Promise.all(same)).map(({ time, id }) => `${time} ${id}`)).size).toBe(1);
    const different = await Promise.allSettled(
      Array.from({ length: 20 }, (_, index) => memory.messages.add(place, { id: 'b', content: `${index}` })),
    );
    expect(different.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    expect(await memory.messages.history(place)).toHaveLength(2);
  });

  test.skipIf(kind.isSkipped)('an id of a message that retention removed can be used again', async () => {
    const { memory } = await openMemory(kind, { retention: { maxMessages: 1 } });
    await memory.messages.add(place, { id: 'a', content: 'one' });
    await memory.messages.add(place, { content: 'two' });
    await memory.messages.add(place, { id: 'a', content: 'three' });
    expect(await memory.messages.history(place)).toMatchObject([{ id: 'a', content: 'three' }]);
  });

  test.skipIf(kind.isSkipped)(
    'records of other programs and of newer versions are read, and keep their fields',
    async () => {
      const { memory, advance } = await openMemory(kind);
      const records = [
        '{"message":"desktop你记住，下次见我要喊我主人","time":',
        '{"id":"m","role":"critic","content":"newer","author":{"name":"Ann"},"pinned":true,"time":',
        '{"id":5,"message":"both","content":"counts","__proto__":{"a":1},"time":',
      ];
      const drafts = records.map((before) => ({ before, after: '}' }));
      await listsOf(memory.backend).append('ai:memory:chat:g', drafts, { rule: forever });
      const history = await memory.messages.history(place);
      expect(history).toMatchObject([
        { id: expect.stringMatching(/^message_[\da-f]{12}$/u), role: 'user', content: 'counts' },
        { id: 'm', role: 'critic', content: 'newer', fields: { author: { name: 'Ann' }, pinned: true } },
        { role: 'user', content: 'desktop你记住，下次见我要喊我主人' },
      ]);
      expect(JSON.stringify(history[0]?.fields)).toBe('{"message":"both","__proto__":{"a":1}}');
      expect(history[2]).not.toHaveProperty('fields');
      expect(await memory.messages.get(place, 'm')).toEqual(history[1]);
      expect(await memory.messages.get(place, 'none')).toBeUndefined();
      // They are written again with the same meaning.
      await advance(1000);
      const copy = { stream: 'chat', group: 'copy' };
      await memory.messages.addAll(copy, history.toReversed());
      expect(await memory.messages.history(copy)).toEqual(history);
    },
  );

  test.skipIf(kind.isSkipped)('a record that is not a message hides no other, and stays where it is', async () => {
    const { memory } = await openMemory(kind);
    const records = ['{"role":5,"content":"a","time":', '{"content":["a"],"time":', '{"time":', '["a",{"time":'];
    const drafts = records.map((before) => ({ before, after: before.startsWith('[') ? '}]' : '}' }));
    await listsOf(memory.backend).append('ai:memory:chat:g', drafts, { rule: forever });
    await memory.messages.add(place, { content: 'good' });
    expect((await memory.messages.history(place)).map(({ content }) => content)).toEqual(['good']);
  });

  test.skipIf(kind.isSkipped)('an invalid limit of a history is rejected', async () => {
    const { memory } = await openMemory(kind);
    const stream = memory.defineStream({ name: 'chat' });
    await stream.addMessage('g', { content: 'a' });
    for (const limit of [-1, Number.NaN, 1.5, -Infinity, '2', null] as number[]) {
      await expect(stream.history('g', { limit })).rejects.toMatchObject({
        code: 'INVALID_INPUT',
        message: expect.stringContaining(`Invalid limit ${String(limit)}`),
      });
    }
    expect(await stream.history('g', { limit: 0 })).toEqual([]);
    expect(await stream.history('g', { limit: 2 })).toHaveLength(1);
  });

  test.skipIf(kind.isSkipped)('an unknown role is rejected in a new message', async () => {
    const { memory } = await openMemory(kind);
    const role = 'robot' as 'user';
    await expect(memory.messages.add(place, { role, content: 'a' })).rejects.toMatchObject({
      code: 'INVALID_INPUT',
      message: 'Invalid role "robot". Use user, assistant, system or tool.',
    });
  });

  test.skipIf(kind.isSkipped)('a message with a secret is stored, and the kind of the secret is reported', async () => {
    const { memory } = await openMemory(kind);
    const content = 'my key is AKIAQ7BQ4ZK2M5XWTDEV';
    expect(await memory.messages.add(place, { content })).toMatchObject({ content, secrets: ['AWS access key'] });
    expect(await memory.messages.history(place)).toEqual([expect.not.objectContaining({ secrets: expect.anything() })]);
    expect(await memory.messages.add(place, { content: 'nothing' })).not.toHaveProperty('secrets');
    const [first, second] = await memory.messages.addAll(place, [{ content }, { content: 'nothing' }]);
    expect(first).toMatchObject({ secrets: ['AWS access key'] });
    expect(second).not.toHaveProperty('secrets');
  });
});
