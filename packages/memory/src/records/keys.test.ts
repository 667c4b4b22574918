import fc from 'fast-check';
import { MemoryError } from '../errors.ts';
import { describe, expect, test } from 'vitest';
import { memoryKey, notesKey, workflowKey } from './keys.ts';

describe('keys', () => {
  test.each([
    ['a group of a stream', memoryKey('chat', 'group_123'), 'ai:memory:chat:group_123'],
    ['a merged stream', memoryKey('chat-desktop', 'group_123'), 'ai:memory:chat-desktop:group_123'],
    ['notes', notesKey('workflow_1234567890_abc123'), 'ai:notes:workflow_1234567890_abc123'],
    ['a workflow', workflowKey('workflow_1234567890_abc123'), 'ai:workflow:workflow_1234567890_abc123'],
    ['plain names are not encoded', memoryKey('桌面/ä b', 'x-y_z.1'), 'ai:memory:桌面/ä b:x-y_z.1'],
    ['colons and percent signs are encoded', memoryKey('a:b', '50%:c'), 'ai:memory:a%3Ab:50%25%3Ac'],
  ])('%s', (_, actual, expected) => expect(actual).toBe(expected));

  const part = fc.oneof(
    fc.string({ unit: fc.constantFrom(':', '-', '%', '2', '5', '3', 'A', 'a', '/', '表'), maxLength: 6 }),
    fc.string({ unit: 'grapheme', maxLength: 8 }),
  );

  /** Returns the key, or the code of the error. */
  function keyOf(stream: string, group: string): string {
    try {
      return memoryKey(stream, group);
    } catch (error) {
      if (MemoryError.isInstance(error)) return error.code;
      throw error;
    }
  }

  test('no two pairs of names share a key', () => {
    fc.assert(
      fc.property(part, part, part, part, (a, b, c, d) => {
        const [one, other] = [keyOf(a, b), keyOf(c, d)];
        if (one === 'INVALID_NAME' || other === 'INVALID_NAME') return;
        expect(one === other).toBe(a === c && b === d);
      }),
      { numRuns: 5000 },
    );
  });

  test('the number of colons in a key depends only on its kind', () => {
    fc.assert(
      fc.property(part, part, (a, b) => {
        const key = keyOf(a, b);
        expect(key === 'INVALID_NAME' || key.split(':').length === 4).toBe(true);
      }),
    );
  });

  test.each([
    ['empty', ''],
    ['10 KB long', 'x'.repeat(10_240)],
    ['513 bytes of Chinese', '表'.repeat(171)],
    ['a line feed', 'a\nb'],
    ['a zero byte', 'a\0'],
    ['half of a surrogate pair', 'a\ud800b'],
    ['not a text', 5 as unknown as string],
  ])('a name is refused that is %s', (_, name) => {
    const refused = expect.objectContaining({
      code: 'INVALID_NAME',
      message: expect.stringMatching(/Use another name/u),
    });
    expect(() => memoryKey(name, 'a')).toThrow(refused);
    expect(() => memoryKey('a', name)).toThrow(refused);
    expect(() => notesKey(name)).toThrow(refused);
    expect(() => workflowKey(name)).toThrow(refused);
  });

  test('an error about a long name stays short', () => {
    expect(() => memoryKey('a', 'x'.repeat(10_240))).toThrow(/^.{1,200}$/u);
  });
});
