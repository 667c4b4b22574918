import { expect, test } from 'vitest';
import type { UnifiedMessage } from '../messages/message.ts';
import { textOf } from '../messages/message.ts';
import { createView } from './view.ts';

const main: UnifiedMessage[] = [
  { role: 'user', content: '我们的项目使用 React。密码是 hunter2。' },
  { role: 'assistant', content: '好的，我会记住' },
];
const own: UnifiedMessage[] = [
  { role: 'user', content: 'my own prompt' },
  { role: 'assistant', content: [{ type: 'tool-call', toolCallId: 'a', toolName: 'grep', input: {} }] },
];

test.each([
  ['isolated', { own: true, react: false, password: false }],
  ['handback', { own: true, react: false, password: false }],
  ['shared', { own: false, react: true, password: true }],
  ['fork', { own: false, react: true, password: true }],
  ['selective', { own: true, react: true, password: false }],
  ['summarized', { own: true, react: true, password: true }],
] as const)('%s shows what it reads', (mode, expected) => {
  const { messages } = createView({ mode, main, own, sharePatterns: ['项目使用 *'] });
  const text = messages.map((message) => textOf(message)).join('\n');
  expect({
    own: text.includes('my own prompt'),
    react: text.includes('React'),
    password: text.includes('hunter2'),
  }).toEqual(expected);
});
