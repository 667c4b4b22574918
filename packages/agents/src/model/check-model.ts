import type { OptionNames } from '@cairn/tool/errors';
import { z } from 'zod';
import { checkArguments } from '../errors.ts';
import { AnswerError, modelFailure } from './model-failure.ts';
import { unreadable, type ModelSubject } from './model-subject.ts';
import { parseJson } from './parse-json.ts';
import { fetchWithinOrigin } from './redirects.ts';
import { configuredServer, modelOptions, secretsOf, type ModelOptions } from './resolve-model.ts';
import { serverFailure } from './server-failure.ts';

export interface CheckModelOptions extends ModelOptions {
  readonly model?: string | undefined;
  /** @default 5,000 */
  readonly timeoutMs?: number | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** A server that answers. */
export interface CheckedModel {
  /** The id of the configured model. */
  readonly name: string;
  /** The URL of its server. */
  readonly baseUrl: string;
  /** The ids of the models that the server lists; absent if it does not list them. */
  readonly models?: readonly string[];
  /** The window of the configured model, in tokens; absent if the server does not state it. */
  readonly windowTokens?: number;
  /** What the user should know, such as a key that is sent unencrypted. */
  readonly warnings: readonly string[];
}

const DEFAULT_TIMEOUT_MS = 5000;

const modelList = z.object({ data: z.array(z.looseObject({ id: z.string() })) });

/** The names of a model's window in lists of models, by the servers that have them. Where an entry has several, the smallest counts. */
const WINDOW_FIELDS: readonly (readonly string[])[] = [
  ['max_model_len'], // vLLM, SGLang
  ['meta', 'n_ctx'], // llama.cpp
  ['context_length'], // OpenRouter, Together, Fireworks
  ['top_provider', 'context_length'], // OpenRouter
  ['context_window'], // Groq, Cerebras
  ['max_context_length'], // Mistral, LM Studio
  ['loaded_context_length'], // LM Studio
  ['max_input_tokens'], // Anthropic, LiteLLM
  ['inputTokenLimit'], // Gemini
  ['capabilities', 'limits', 'max_prompt_tokens'], // GitHub Copilot
];

function windowIn(entry: object): number | undefined {
  const stated = WINDOW_FIELDS.map((path) =>
    path.reduce<unknown>((value, name) => Reflect.get(Object(value), name) as unknown, entry),
  ).filter((one): one is number => Number.isSafeInteger(one) && Number(one) > 0);
  return stated.length === 0 ? undefined : Math.min(...stated);
}
const errorBody = z.object({ error: z.object({ message: z.string(), code: z.string().nullish() }) });

const checkModelOptions: OptionNames<CheckModelOptions> = {
  ...modelOptions,
  timeoutMs: 'optional',
  signal: 'optional',
};

/** Asks the server of the configured model for its models. Calls no model. @throws {AgentError} like a request to the model. */
export async function checkModel(options: CheckModelOptions): Promise<CheckedModel> {
  checkArguments.options('checkModel', options, checkModelOptions);
  const { timeoutMs = DEFAULT_TIMEOUT_MS, signal } = options;
  const { name, server } = configuredServer(options);
  const { url, key, query, warnings } = server;
  const subject: ModelSubject = { name, server: url, secrets: secretsOf(server) };
  const address = new URL(`${url}/models`);
  address.search = new URLSearchParams(query).toString();
  const limit = AbortSignal.timeout(timeoutMs);
  const ask = async (): Promise<{ response: Response; text: string }> => {
    const response = await fetchWithinOrigin(address, {
      headers: key === undefined ? {} : { authorization: `Bearer ${key}` },
      signal: signal === undefined ? limit : AbortSignal.any([signal, limit]),
    });
    return { response, text: await response.text() };
  };
  const { response, text } = await ask().catch((error: unknown) => {
    signal?.throwIfAborted();
    const late = new AnswerError('late', `did not answer within ${timeoutMs / 1000} s`);
    throw modelFailure(limit.aborted ? late : error, subject).error;
  });
  const { status } = response;
  // Servers without the list reject its path or its method.
  if (status === 404 || status === 405 || status === 501) return { name, baseUrl: url, warnings };
  if (status >= 400) {
    const { message = '', code } = errorBody.safeParse(parseJson(text)).data?.error ?? {};
    const headers = Object.fromEntries(response.headers);
    throw serverFailure({ status, code: code ?? '', message, headers }, subject).error;
  }
  const list = modelList.safeParse(parseJson(text)).data;
  if (list) {
    const own = list.data.find(({ id }) => id === name);
    const windowTokens = own && windowIn(own);
    const models = list.data.map(({ id }) => id);
    return { name, baseUrl: url, models, ...(windowTokens !== undefined && { windowTokens }), warnings };
  }
  throw unreadable(`The server at ${url} answers, but not as a model server`).error;
}
