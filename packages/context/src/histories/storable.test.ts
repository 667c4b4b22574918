import { describe, expect, test } from 'vitest';
import type { UnifiedMessage } from '../messages/message.ts';
import { copyMessage } from './copy.ts';
import { storableMessage } from './storable.ts';

const MIB = 1024 * 1024;
const result = (id: string, output: object): object => ({
  type: 'tool-result',
  toolCallId: id,
  toolName: 'read',
  output,
});
const text = (value: string): object => ({ type: 'text', value });

const cases: readonly (readonly [reason: string, message: object, cut: readonly string[], kept: object])[] = [
  [
    'only the largest part is cut, while the rest fits',
    {
      role: 'tool',
      content: [
        result('c1', text('x'.repeat(15 * MIB))),
        result('c2', text('y'.repeat(6 * MIB))),
        result('c3', text('z')),
      ],
    },
    ['result of read, 15.0 MB'],
    [
      {
        toolCallId: 'c1',
        output: {
          type: 'text',
          value: expect.stringMatching(/^x{262144}\n\[Not kept whole: it had 15\.0 MB/u) as string,
        },
      },
      { toolCallId: 'c2', output: { value: 'y'.repeat(6 * MIB) } },
      { toolCallId: 'c3', output: { value: 'z' } },
    ],
  ],
  [
    'an error stays an error',
    { role: 'tool', content: [result('c1', { type: 'error-text', value: 'x'.repeat(21 * MIB) })] },
    ['result of read, 21.0 MB'],
    [{ output: { type: 'error-text', value: expect.stringContaining('Not kept whole') as string } }],
  ],
  [
    'a character is not split',
    { role: 'user', content: `a${'😀'.repeat(6 * MIB)}` },
    ['text, 24.0 MB'],
    [{ type: 'text', text: expect.stringMatching(/^a(?:😀){131071}\n\[/u) as string }],
  ],
  [
    'the value of a call that cannot be kept',
    { role: 'assistant', content: [{ type: 'tool-call', toolCallId: 'c', toolName: 'read', input: { at: () => 1 } }] },
    ['call of read'],
    [
      {
        type: 'tool-call',
        toolCallId: 'c',
        toolName: 'read',
        input: { note: expect.stringContaining('form') as string },
      },
    ],
  ],
  [
    'reasoning is left out as a whole',
    {
      role: 'assistant',
      content: [
        { type: 'reasoning', text: 'x'.repeat(21 * MIB) },
        { type: 'text', text: 'Done.' },
      ],
    },
    ['reasoning, 21.0 MB'],
    [{ type: 'text', text: 'Done.' }],
  ],
];

describe('of a message that no history can keep', () => {
  test.each(cases)('%s', (_, message, cut, kept) => {
    const found = storableMessage(message as UnifiedMessage, 'en');
    expect(found.cut).toEqual(cut);
    expect(found.message.content).toMatchObject(kept);
    expect(() => copyMessage(found.message)).not.toThrow();
  });
});

test('a message that fits is the same', () => {
  const message: UnifiedMessage = { role: 'user', content: 'a'.repeat(20 * MIB - 4) };
  expect(storableMessage(message, 'en')).toEqual({ message, cut: [] });
});

test('the label of a message stays', () => {
  const providerOptions = { cairn: { agent: 'a', run: 'run_1' }, other: {} };
  const message: UnifiedMessage = { role: 'user', content: 'a'.repeat(21 * MIB), providerOptions };
  expect(storableMessage(message, 'zh').message.providerOptions).toEqual({ cairn: { agent: 'a', run: 'run_1' } });
});

test.each([
  ['many parts, each of the size that is kept', 100, 'x'.repeat(250_000)],
  ['characters of three bytes', 30, '中'.repeat(260_000)],
])('%s are cut until they fit together', (_, count, value) => {
  const content = Array.from({ length: count }, (__, index) => result(`c${index}`, text(value)));
  const found = storableMessage({ role: 'tool', content } as UnifiedMessage, 'en');
  expect(() => copyMessage(found.message)).not.toThrow();
  const kept = found.message.content as readonly { readonly output: { readonly value: string } }[];
  expect(kept.length).toBe(count);
  // The list names the parts with a note, and no others.
  const isCut = kept.filter(({ output }) => output.value.includes('Not kept whole'));
  expect(isCut.length).toBe(found.cut.length);
  expect(kept.filter(({ output }) => output.value === value).length).toBe(count - isCut.length);
});
