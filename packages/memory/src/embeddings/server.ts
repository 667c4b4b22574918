/** A server with the embeddings of the OpenAI API. */
import { checkArguments } from '../errors.ts';
import type { Vector } from '@cairn/retrieval';
import { findStoredSecrets } from '@cairn/tool/internal';
import { escapeControls } from '@cairn/tool/paths';
import { parseFields } from '../records/record.ts';
import { EmbedFailure, type Embeddings } from '../vectors/embeddings.ts';
import type { EmbeddingSettings } from './settings.ts';

/** The largest answer. One of 64 vectors of 4,096 numbers has about 6 MB. */
const MAX_ANSWER_BYTES = 64 * 1024 * 1024;
const MAX_REASON = 200;
/** Local servers document keys such as `ollama`, which protect nothing and are words of messages. */
const MIN_SECRET = 8;

/** Sends a request to the server and to no other. @returns the status, and the answer up to the limit. */
async function post(
  { url, server, query, key, model }: EmbeddingSettings,
  input: readonly string[],
  signal: AbortSignal | undefined,
): Promise<{ readonly status: number; readonly body: string }> {
  const address = new URL(`${url}/embeddings`);
  for (const [name, value] of Object.entries(query)) address.searchParams.set(name, value);
  const response = await fetch(address, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...(key !== undefined && { authorization: `Bearer ${key}` }) },
    body: JSON.stringify({ model, input, encoding_format: 'float' }),
    redirect: 'manual',
    ...(signal !== undefined && { signal }),
  });
  const pieces: Uint8Array[] = [];
  let bytes = 0;
  for await (const piece of response.body ?? []) {
    bytes += piece.length;
    if (bytes > MAX_ANSWER_BYTES) {
      throw new EmbedFailure(`${server} sent more than ${MAX_ANSWER_BYTES / 1024 / 1024} MiB`);
    }
    pieces.push(piece);
  }
  return { status: response.status, body: Buffer.concat(pieces).toString() };
}

/** Returns the vectors of an answer in the order of the strings; `undefined` for something else, such as two vectors of one string. */
function parseAnswer(body: string): { readonly vectors: readonly Vector[]; readonly model?: string } | undefined {
  const { data, model } = parseFields(body) ?? {};
  if (!Array.isArray(data)) return undefined;
  const items = data.map((item: unknown, place) => {
    const { index, embedding } = Object(item) as { readonly index?: unknown; readonly embedding?: unknown };
    return { place: typeof index === 'number' ? index : place, vector: embedding as Vector };
  });
  const ordered = items.toSorted((left, right) => left.place - right.place);
  if (ordered.some(({ place }, index) => place !== index)) return undefined;
  const vectors = ordered.map(({ vector }) => vector);
  return { vectors, ...(typeof model === 'string' && model !== '' && { model }) };
}

/** Returns a message of the server on one line, without secrets. */
function reasonIn(message: string, { key, query }: EmbeddingSettings): string {
  let words = message;
  // A name without a value may be a key too.
  const inQuery = Object.entries(query).map(([name, value]) => value || name);
  const secrets = [key ?? '', ...inQuery.flatMap((value) => [value, encodeURIComponent(value)])];
  for (const secret of secrets) if (secret.length >= MIN_SECRET) words = words.replaceAll(secret, '[key]');
  // Not before, so that no part of a key is left at the end.
  words = words.slice(0, 16 * MAX_REASON);
  for (const { start, end } of findStoredSecrets(words).toReversed()) {
    words = `${words.slice(0, start)}[key]${words.slice(end)}`;
  }
  words = escapeControls(words.replaceAll(/\s+/gu, ' ').trim()).replace(/\.$/u, '');
  if (words === '') return '';
  return `: ${words.length > MAX_REASON ? `${words.slice(0, MAX_REASON)}…` : words}`;
}

/** Returns what a server says in an answer that is an error. */
function errorIn(body: string): string {
  const error = parseFields(body)?.['error'];
  const message: unknown = typeof error === 'string' ? error : Reflect.get(Object(error), 'message');
  return typeof message === 'string' ? message : '';
}

/** Returns why a request failed: `rejected` when another one may not. */
function failureOf(status: number, body: string, settings: EmbeddingSettings): EmbedFailure {
  const { server, model } = settings;
  const failed = (what: string): EmbedFailure => new EmbedFailure(`${server} ${what}`);
  const reason = reasonIn(errorIn(body), settings);
  // The message of this error often repeats a part of the key.
  if (status === 401) return failed('rejects the key (401); correct CAIRN_EMBED_API_KEY');
  if (status === 403) return failed(`denies access to the model ${model} (403)`);
  if (status === 404) {
    return failed(`does not have the model ${model} (404); correct CAIRN_EMBED_MODEL or CAIRN_EMBED_BASE_URL`);
  }
  if (status === 400 || status === 413 || status === 422) {
    return new EmbedFailure(`${server} rejects the request (${status})${reason}`, 'rejected');
  }
  if (status >= 300 && status < 400) {
    return failed(
      `redirects to another address (${status}); set CAIRN_EMBED_BASE_URL to the address of the server itself`,
    );
  }
  return failed(`failed (${status})${reason}`);
}

/** Returns the reason of the system for a connection that failed, such as `ECONNREFUSED`. */
function systemReason(error: unknown): string {
  const codes: string[] = [];
  for (let inner = error; inner instanceof Error; inner = inner.cause) {
    const code: unknown = Reflect.get(inner, 'code');
    if (typeof code === 'string') codes.push(code);
  }
  return codes.at(-1) ?? 'the connection failed';
}

/** Returns the embeddings of a server. Nothing is sent before they are used. */
export function serverEmbeddings(
  settings: EmbeddingSettings,
  options: Pick<Embeddings, 'allowsSessions' | 'consent'> = {},
): Embeddings {
  checkArguments.options('serverEmbeddings', options, { consent: 'optional', allowsSessions: 'optional' });
  const { model, server } = settings;
  return {
    model,
    server,
    ...options,
    embed: async (texts, { signal }) => {
      let answer: Awaited<ReturnType<typeof post>>;
      try {
        answer = await post(settings, texts, signal);
      } catch (error) {
        signal?.throwIfAborted();
        if (error instanceof EmbedFailure) throw error;
        throw new EmbedFailure(`${server} cannot be reached (${systemReason(error)})`, 'failed', { cause: error });
      }
      const { status, body } = answer;
      if (status < 200 || status > 299) throw failureOf(status, body, settings);
      const parsed = parseAnswer(body);
      if (parsed !== undefined) return parsed;
      throw new EmbedFailure(`${server} returned an answer that is not one of the embeddings API`);
    },
  };
}
