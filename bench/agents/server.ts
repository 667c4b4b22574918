/**
 * The model server of the benchmark, in a process of its own, so that its work is not measured with that of the clients. Reads its
 * script from the first argument: the answers of one turn. The place of a request in its turn decides its answer.
 */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { estimateTokens } from '@cairn/tool/prompt';

/** An answer of the script. */
export interface Answer {
  readonly text?: string;
  readonly calls?: readonly { readonly name: string; readonly input: object }[];
}

/** What the server measured since it was asked last. */
export interface Measured {
  readonly requests: number;
  /** From the head of each request to the end of its answer. */
  readonly ms: number;
  /** Of the bodies of the requests. */
  readonly tokens: number;
}

interface Chat {
  readonly model: string;
  readonly stream?: boolean;
  readonly messages: readonly { readonly role: string }[];
}

const script = JSON.parse(process.argv[2] ?? '[]') as readonly Answer[];
const bodies: string[] = [];
let ms = 0;
let number = 0;

function answerTo({ messages }: Chat): Answer {
  const begin = messages.findLastIndex(({ role }) => role === 'user');
  const step = messages.slice(begin).filter(({ role }) => role === 'assistant').length;
  return script[step] ?? { text: 'Done.' };
}

function streamed({ model }: Chat, { text, calls = [] }: Answer): string {
  number += 1;
  const head = { id: `chatcmpl-${number}`, object: 'chat.completion.chunk', created: 0, model };
  const event = (choices: readonly object[], more: object = {}): string =>
    `data: ${JSON.stringify({ ...head, choices, ...more })}\n\n`;
  const delta = (value: object): string => event([{ index: 0, delta: value, finish_reason: null }]);
  const tools = calls.map(({ name, input }, index) =>
    delta({
      tool_calls: [
        {
          index,
          id: `call_${number}_${index}`,
          type: 'function',
          function: { name, arguments: JSON.stringify(input) },
        },
      ],
    }),
  );
  const usage = { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 };
  return [
    delta({ role: 'assistant', content: '' }),
    ...(text === undefined ? [] : text.split(/(?<= )/u).map((piece) => delta({ content: piece }))),
    ...tools,
    event([{ index: 0, delta: {}, finish_reason: calls.length > 0 ? 'tool_calls' : 'stop' }]),
    event([], { usage }),
    'data: [DONE]\n\n',
  ].join('');
}

const server = createServer((request, response) => {
  const begin = performance.now();
  const chunks: Buffer[] = [];
  request.on('data', (chunk: Buffer) => chunks.push(chunk));
  request.on('end', () => {
    const body = Buffer.concat(chunks).toString();
    const chat = JSON.parse(body) as Chat;
    if (chat.stream !== true) throw new Error('a request is not streamed');
    const text = streamed(chat, answerTo(chat));
    response.on('finish', () => {
      ms += performance.now() - begin;
      bodies.push(body);
    });
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.end(text);
  });
});
server.listen(0, '127.0.0.1', () => process.send?.((server.address() as AddressInfo).port));
process.on('message', () => {
  const tokens = bodies.reduce((sum, body) => sum + estimateTokens(body), 0);
  process.send?.({ requests: bodies.length, ms, tokens } satisfies Measured);
  bodies.length = 0;
  ms = 0;
});
process.on('disconnect', () => process.exit());
