/** Images that tools return and users attach: what a server without images in results receives, and what budgets count. */
import { codingToolSet } from '@cairn/coding-agent';
import { ContextManager } from '@cairn/context';
import { IMAGE_TOKENS, withNewestImages } from '@cairn/context/internal';
import type { UnifiedMessage } from '@cairn/context';
import { randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import type { ChatMessage, ModelAnswer, ModelRequest } from '../support/model-server.ts';
import { createTree } from '../support/tree.ts';
import { helper, startAgents } from './start-agents.ts';
import type { StartedAgents } from './start-agents.ts';

const done = { text: 'Done.' };
const MAGIC = Buffer.from('\u0089PNG\r\n\u001A\n', 'latin1');
const SIZE = 30_000;
const png = (): Buffer => Buffer.concat([MAGIC, randomBytes(SIZE - MAGIC.length)]);
const names = Array.from({ length: 6 }, (_, index) => `${index}.png`);
const files = Object.fromEntries(names.map((name) => [name, png()]));
const base64 = (name: string): string => (files[name] ?? png()).toString('base64');
const read = (...paths: string[]): ModelAnswer => ({
  toolCalls: paths.map((path) => ({ name: 'read', input: { path } })),
});

function start(script: readonly ModelAnswer[], options: object = {}): Promise<StartedAgents> {
  return startAgents(script, { root: createTree(files), toolSets: [codingToolSet], ...options });
}

/** The names of the images of a request, in order, as its parts for images have them. */
function imagesOf({ chat }: ModelRequest): string[] {
  return chat.messages.flatMap(({ content }) =>
    (typeof content === 'string' ? [] : (content ?? [])).flatMap((part) =>
      part.type === 'image_url'
        ? (names.find((name) => part.image_url.url === `data:image/png;base64,${base64(name)}`) ?? 'unknown')
        : [],
    ),
  );
}

function requestAt({ server }: StartedAgents, index: number): ModelRequest {
  const request = server.requests[index];
  if (request === undefined) throw new Error(`there are ${server.requests.length} requests`);
  return request;
}

/** Whether a request begins with the messages of an earlier one, without the system prompt, which states the mode. */
function sharesBytes(earlier: ModelRequest, later: ModelRequest): boolean {
  const [before, after] = [earlier, later].map(({ chat }) => JSON.stringify(chat.messages.slice(1)).slice(0, -1));
  return after?.startsWith(before ?? ' ') === true;
}

const textsOf = ({ content }: ChatMessage): string[] =>
  typeof content === 'string'
    ? [content]
    : (content ?? []).flatMap((part) => (part.type === 'text' ? [part.text] : []));

test('an image of a result follows it as a message of the user, in this run and the next', async () => {
  const started = await start([read('0.png', '1.png'), done, done]);
  await started.agents.run({ agent: helper, prompt: 'One' }).result;
  await started.agents.run({ agent: helper, prompt: 'Two' }).result;
  expect(started.server.refusals).toEqual([]);
  const second = requestAt(started, 1);
  const roles = second.chat.messages.map(({ role }) => role);
  expect(roles).toEqual(['system', 'user', 'assistant', 'tool', 'tool', 'user']);
  expect(imagesOf(second)).toEqual(['0.png', '1.png']);
  const results = second.chat.messages.filter(({ role }) => role === 'tool').map(textsOf);
  expect(results).toEqual([
    [expect.stringMatching(/0\.png[^]*\[image 1: in the next message\]$/u)],
    [expect.stringMatching(/1\.png[^]*\[image 2: in the next message\]$/u)],
  ]);
  expect(textsOf(second.chat.messages.at(-1) as ChatMessage)).toEqual([
    '[image 1 of the results above]',
    '[image 2 of the results above]',
  ]);
  // Its bytes are sent once, and nowhere as text.
  expect(second.body.length).toBeLessThan(2 * base64('0.png').length + 20_000);
  expect(sharesBytes(second, requestAt(started, 2))).toBe(true);
  // The history has the results as the tool returned them.
  const history = started.contexts.getContext('helper').conversationHistory;
  expect(history.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool', 'assistant', 'user', 'assistant']);
  expect(JSON.stringify(history[2])).toContain(base64('0.png'));
});

test('the newest four images stay, and older ones become a line, within a run and after it', async () => {
  const started = await start([read('0.png', '1.png', '2.png'), read('3.png', '4.png'), read('5.png'), done, done]);
  await started.agents.run({ agent: helper, prompt: 'One' }).result;
  const prepared = await started.agents.prepare({ agent: helper, prompt: 'Two' });
  await started.agents.run({ agent: helper, prompt: 'Two' }).result;
  expect(started.server.requests.map(imagesOf)).toEqual([
    [],
    names.slice(0, 3),
    names.slice(1, 5),
    names.slice(2, 6),
    names.slice(2, 6),
  ]);
  const last = requestAt(started, 4);
  const line = '[An earlier image (image/png, 29.3 KB) is no longer shown: only newer ones are.]';
  expect(last.chat.messages.flatMap(textsOf).filter((text) => text === line)).toHaveLength(2);
  expect(sharesBytes(requestAt(started, 3), last)).toBe(true);
  // The numbers are those of what is sent.
  const messages = JSON.stringify(last.chat.messages.slice(1)).length;
  expect(prepared.bytes.messages).toBeGreaterThan(4 * base64('0.png').length);
  expect(Math.abs(messages - prepared.bytes.messages)).toBeLessThan(2500);
  expect(prepared.tokens.messages).toBeGreaterThan(4 * IMAGE_TOKENS);
  expect(prepared.tokens.messages).toBeLessThan(4 * IMAGE_TOKENS + 1500);
});

test('all images of a prompt are sent with it, and the newest of them later', async () => {
  const started = await start([read('5.png'), done, done]);
  const images = names
    .slice(0, 5)
    .map((name) => ({ type: 'file' as const, mediaType: 'image/png', data: base64(name) }));
  await started.agents.run({ agent: helper, prompt: [{ type: 'text', text: 'See' }, ...images] }).result;
  await started.agents.run({ agent: helper, prompt: 'And now?' }).result;
  expect(started.server.requests.map(imagesOf)).toEqual([names.slice(0, 5), names, names.slice(2, 6)]);
});

test('images that are not sent do not count for the budget', async () => {
  const contexts = new ContextManager();
  for (let turn = 0; turn < 12; turn++) {
    const messages: UnifiedMessage[] = [
      { role: 'user', content: `Prompt ${turn}` },
      { role: 'assistant', content: [{ type: 'tool-call', toolCallId: `c${turn}`, toolName: 'read', input: {} }] },
      {
        role: 'tool',
        content: [
          {
            type: 'tool-result',
            toolCallId: `c${turn}`,
            toolName: 'read',
            output: {
              type: 'content',
              value: [
                { type: 'file', mediaType: 'image/png', data: { type: 'data', data: base64(names[turn % 6] ?? '') } },
              ],
            },
          },
        ],
      },
      { role: 'assistant', content: 'Seen.' },
    ];
    await contexts.appendTurn('helper', messages);
  }
  const started = await start([done], { contexts, maxContextTokens: 10_000 });
  await started.agents.run({ agent: helper, prompt: 'Go' }).result;
  const [request] = started.server.requests;
  expect(started.server.refusals).toEqual([]);
  expect(request && imagesOf(request)).toEqual(['2.png', '3.png', '4.png', '5.png']);
  const texts = request?.chat.messages.flatMap(textsOf) ?? [];
  for (let turn = 0; turn < 12; turn++) expect(texts).toContain(`Prompt ${turn}`);
});

test('a turn whose steps are only listed has no images of them', async () => {
  const started = await start([read('0.png', '1.png', '2.png', '3.png'), done, done], { maxContextTokens: 3000 });
  await started.agents.run({ agent: helper, prompt: 'One' }).result;
  await started.agents.run({ agent: helper, prompt: 'Two' }).result;
  const last = requestAt(started, 2);
  expect(last.chat.messages.map(({ role }) => role)).toEqual(['system', 'user', 'user', 'assistant', 'user']);
  expect(imagesOf(last)).toEqual([]);
});

test('another file of a result is named, and its bytes are not sent as text', async () => {
  const contexts = new ContextManager();
  const pdf = randomBytes(3000).toString('base64');
  await contexts.appendTurn('helper', [
    { role: 'user', content: 'Go' },
    { role: 'assistant', content: [{ type: 'tool-call', toolCallId: 'c', toolName: 'read', input: {} }] },
    {
      role: 'tool',
      content: [
        {
          type: 'tool-result',
          toolCallId: 'c',
          toolName: 'read',
          output: {
            type: 'content',
            value: [
              { type: 'text', text: 'a.pdf' },
              { type: 'file', mediaType: 'application/pdf', data: { type: 'data', data: pdf } },
            ],
          },
        },
      ],
    },
    { role: 'assistant', content: 'Seen.' },
  ]);
  const started = await start([done], { contexts });
  await started.agents.run({ agent: helper, prompt: 'And now?' }).result;
  expect(requestAt(started, 0).chat.messages[3]).toMatchObject({
    role: 'tool',
    content: 'a.pdf\n[application/pdf, 2.9 KB: not shown]',
  });
});

test('a line in place of an image is true for every limit', () => {
  const image = { type: 'file' as const, mediaType: 'image/png', data: base64('0.png') };
  const messages: UnifiedMessage[] = [{ role: 'user', content: [image, image] }];
  const [message] = withNewestImages(messages, { language: 'en', max: 1 });
  expect(message?.content).toEqual([
    { type: 'text', text: '[An earlier image (image/png, 29.3 KB) is no longer shown: only newer ones are.]' },
    image,
  ]);
});

test.each([
  ['a language without texts', { language: 'fr' }],
  ['no language', {}],
  ['a negative number', { language: 'en', max: -1 }],
  ['a part of an image', { language: 'en', max: 1.5 }],
  ['no number', { language: 'en', max: '2' }],
])('%s is an error of `withNewestImages`', (_, options) => {
  expect(() => withNewestImages([], options as never)).toThrow(expect.objectContaining({ code: 'INVALID_OPTION' }));
});

test('a line in place of an image stays the same while newer images arrive', async () => {
  const started = await start([read('0.png', '1.png', '2.png', '3.png', '4.png'), done, read('5.png'), done, done]);
  for (const prompt of ['One', 'Two', 'Three']) await started.agents.run({ agent: helper, prompt }).result;
  const linesOf = (index: number): string[] =>
    requestAt(started, index).chat.messages.flatMap((message) =>
      textsOf(message).filter((text) => text.includes('no longer shown')),
    );
  const line = '[An earlier image (image/png, 29.3 KB) is no longer shown: only newer ones are.]';
  expect([1, 3, 4].map(linesOf)).toEqual([[line], [line, line], [line, line]]);
});
