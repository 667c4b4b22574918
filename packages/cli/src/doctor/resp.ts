import { connect as connectPlain, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';

/** A Redis said no. The code is its first word: `NOAUTH`, `WRONGPASS`, `ERR`. */
export class RedisRefusal extends Error {
  override readonly name: string = 'RedisRefusal';
  readonly code: string;

  constructor(message: string) {
    super(message);
    this.code = message.split(' ', 1)[0] ?? '';
  }
}

/** What answers speaks another language. */
export class NoRedis extends Error {
  override readonly name: string = 'NoRedis';
}

/** Asks the server behind a connection. */
export type Ask = (...words: readonly string[]) => Promise<string>;

/** Answers are short here; one that does not end is no answer. */
const MOST_BYTES = 1 << 20;

/** The first answer in what was received, and how long it is; `undefined` until it is whole. */
function readReply(received: string): { readonly reply: string | RedisRefusal; readonly length: number } | undefined {
  const lineEnd = received.indexOf('\r\n');
  if (received !== '' && !'+-$:'.includes(received.charAt(0))) throw new NoRedis('the answer is not in its language');
  if (lineEnd === -1) return undefined;
  const line = received.slice(1, lineEnd);
  const end = lineEnd + 2;
  if (received.startsWith('-')) return { reply: new RedisRefusal(line), length: end };
  if (!received.startsWith('$')) return { reply: line, length: end };
  const size = Math.max(0, Number(line));
  const whole = end + size + 2;
  return received.length < whole ? undefined : { reply: received.slice(end, end + size), length: whole };
}

function encode(words: readonly string[]): string {
  return `*${words.length}\r\n${words.map((word) => `$${Buffer.byteLength(word)}\r\n${word}\r\n`).join('')}`;
}

function openSocket(url: URL): Socket {
  // IPv6 addresses stand in brackets in a URL.
  const host = url.hostname.replaceAll(/^\[|\]$/gu, '') || '127.0.0.1';
  const port = Number(url.port || 6379);
  return url.protocol === 'rediss:' ? connectTls({ host, port, servername: host }) : connectPlain({ host, port });
}

/**
 * Asks a Redis a few questions, one after the other, and hangs up. A client would take longer to load than this takes to run,
 * and its package is larger than all of Cairn.
 *
 * @throws {RedisRefusal} what the server said; {NoRedis}; the system's error; the signal's reason.
 */
export async function withRedis<T>(url: URL, signal: AbortSignal, use: (ask: Ask) => Promise<T>): Promise<T> {
  signal.throwIfAborted();
  const socket = openSocket(url).setEncoding('latin1');
  let received = '';
  let settle: { resolve: (reply: string) => void; reject: (error: unknown) => void } | undefined;
  const fail = (error: unknown): void => {
    settle?.reject(error);
    settle = undefined;
  };
  const onAbort = (): void => {
    fail(signal.reason);
    socket.destroy();
  };
  signal.addEventListener('abort', onAbort, { once: true });
  socket.on('error', fail);
  socket.on('close', () => fail(new NoRedis('the connection was closed without an answer')));
  socket.on('data', (text: string) => {
    received += text;
    try {
      const answer = readReply(received);
      if (!answer && received.length > MOST_BYTES) throw new NoRedis('the answer does not end');
      if (!answer) return;
      received = received.slice(answer.length);
      if (answer.reply instanceof RedisRefusal) fail(answer.reply);
      else settle?.resolve(answer.reply);
    } catch (error) {
      fail(error);
    }
  });
  const ask: Ask = (...words) =>
    new Promise((resolve, reject) => {
      settle = { resolve, reject };
      socket.write(encode(words));
    });
  try {
    return await use(ask);
  } finally {
    signal.removeEventListener('abort', onAbort);
    socket.destroy();
  }
}
