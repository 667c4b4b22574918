/** The messages of the AI SDK are those of the histories, and those of a view are the AI SDK's. */
import { createView } from '@cairn/context';
import type { UnifiedMessage } from '@cairn/context';
import { modelMessageSchema } from 'ai';
import type { ModelMessage } from 'ai';
import { expect, test } from 'vitest';

/** Every message of the AI SDK but those of the system: the compiler holds it. */
const asUnified = (message: Exclude<ModelMessage, { role: 'system' }>): UnifiedMessage => message;

const messages: Exclude<ModelMessage, { role: 'system' }>[] = [
  {
    role: 'user',
    content: [
      { type: 'text', text: 'See these.' },
      { type: 'image', image: new Uint8Array([1, 2, 3]), mediaType: 'image/png' },
      { type: 'file', data: { type: 'url', url: new URL('https://example.com/a.pdf') }, mediaType: 'application/pdf' },
      { type: 'file', data: 'aGk=', mediaType: 'text/plain', filename: 'hi.txt' },
    ],
  },
  {
    role: 'assistant',
    content: [
      { type: 'reasoning', text: 'Let me read.', providerOptions: { anthropic: { signature: 's' } } },
      { type: 'text', text: 'I read.' },
      { type: 'tool-call', toolCallId: '1', toolName: 'read', input: { path: 'a' } },
      { type: 'tool-call', toolCallId: '2', toolName: 'look_up', input: {}, providerExecuted: true },
      { type: 'tool-result', toolCallId: '2', toolName: 'look_up', output: { type: 'json', value: { hits: 1 } } },
    ],
  },
  {
    role: 'tool',
    content: [
      {
        type: 'tool-result',
        toolCallId: '1',
        toolName: 'read',
        output: {
          type: 'content',
          value: [
            { type: 'text', text: 'x' },
            { type: 'image-data', data: 'aGk=', mediaType: 'image/png' },
          ],
        },
      },
    ],
  },
  { role: 'assistant', content: 'Done.' },
];

test('a view of messages of the AI SDK has the same messages but for images of results, and the AI SDK accepts them', () => {
  const own = messages.map(asUnified);
  const view = createView({ mode: 'isolated', main: [], own });
  const value = 'x\n[image 1: in the next message]';
  const image = { type: 'file', mediaType: 'image/png', data: 'aGk=' };
  expect(view.messages).toEqual([
    ...messages.slice(0, 2),
    {
      role: 'tool',
      content: [{ type: 'tool-result', toolCallId: '1', toolName: 'read', output: { type: 'text', value } }],
    },
    { role: 'user', content: [{ type: 'text', text: '[image 1 of the results above]' }, image] },
    ...messages.slice(3),
  ]);
  expect(view.messages.every((message) => modelMessageSchema.safeParse(message).success)).toBe(true);
});
