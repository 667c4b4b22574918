/** A server with the embeddings of the OpenAI API, whose vectors and failures a test decides. */
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createHash } from 'node:crypto';

interface EmbeddingsRequest {
  readonly model: string;
  readonly input: readonly string[];
  /** The header with the key. */
  readonly authorization: string | undefined;
  /** The path with the query. */
  readonly url: string;
}

/** What the server does with a request. */
export type Behavior = (
  request: EmbeddingsRequest,
  response: ServerResponse,
  vectorOf: (text: string) => readonly number[],
) => unknown;

export interface EmbeddingsServer {
  /** The base URL, with the version. */
  readonly url: string;
  readonly requests: EmbeddingsRequest[];
  /** Changes what the server does. @default it answers */
  behave: Behavior;
  readonly close: () => Promise<void>;
}

/** Returns numbers from -1 to 1 that a string decides. */
function noise(text: string, dimension: number): number[] {
  const numbers: number[] = [];
  for (let block = 0; numbers.length < dimension; block++) {
    for (const byte of createHash('sha512').update(`${block} ${text}`).digest()) numbers.push(byte / 127.5 - 1);
  }
  return numbers.slice(0, dimension);
}

export interface Vocabulary {
  /** Words that mean the same, or phrases. */
  readonly synonyms: readonly (readonly string[])[];
  readonly dimension?: number | undefined;
}

/** Words without a meaning of their own. */
const EMPTY = new Set(
  'a an and are as at be by can do does for from how i in is it my of on or our that the their they this to use we what when where which who why with you your'.split(
    ' ',
  ),
);

/** Returns a function that gives strings whose words mean the same similar vectors. */
export function vectorsOf({ synonyms, dimension = 256 }: Vocabulary): (text: string) => readonly number[] {
  const concepts = new Map(synonyms.flatMap((words) => words.map((word) => [word.toLowerCase(), words[0] ?? word])));
  const phrases = [...concepts.keys()].toSorted((a, b) => b.length - a.length);
  const conceptsOf = (text: string): string[] => {
    let rest = ` ${text.toLowerCase().replaceAll(/[^\p{L}\p{N}]+/gu, ' ')} `;
    const found: string[] = [];
    for (const phrase of phrases) {
      const isWord = /^[\p{Script=Latin}\d ]+$/u.test(phrase);
      const mark = isWord ? ` ${phrase} ` : phrase;
      while (rest.includes(mark)) {
        found.push(`concept ${concepts.get(phrase) ?? ''}`);
        rest = rest.replace(mark, '  ');
      }
    }
    return [...found, ...rest.split(' ').filter((word) => word !== '' && !EMPTY.has(word))];
  };
  return (text) => {
    const sum = noise(`all of ${text}`, dimension).map((one) => one * 0.3);
    for (const concept of conceptsOf(text)) {
      for (const [index, one] of noise(concept, dimension).entries()) sum[index] = (sum[index] ?? 0) + one;
    }
    return sum;
  };
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  const pieces: Buffer[] = [];
  for await (const piece of request) pieces.push(piece as Buffer);
  return Buffer.concat(pieces).toString();
}

export function answer(response: ServerResponse, model: string, vectors: readonly (readonly unknown[])[]): void {
  const data = vectors.map((embedding, index) => ({ object: 'embedding', index, embedding }));
  response.setHeader('content-type', 'application/json');
  response.end(JSON.stringify({ object: 'list', model, data, usage: { prompt_tokens: 1, total_tokens: 1 } }));
}

export const answers: Behavior = ({ model, input }, response, vectorOf) => answer(response, model, input.map(vectorOf));

export async function startEmbeddingsServer(
  vectorOf: (text: string) => readonly number[] = vectorsOf({ synonyms: [] }),
): Promise<EmbeddingsServer> {
  const requests: EmbeddingsRequest[] = [];
  const server = createServer((request, response) => {
    void bodyOf(request).then((body) => {
      const { model, input } = JSON.parse(body) as EmbeddingsRequest;
      const { url = '', headers } = request;
      const asked = { model, input, url, authorization: headers.authorization };
      requests.push(asked);
      return started.behave(asked, response, vectorOf);
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const started: EmbeddingsServer = {
    url: `http://127.0.0.1:${port}/v1`,
    requests,
    behave: answers,
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
  return started;
}
