import type { OptionNames } from '@cairn/tool/errors';
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import type { LanguageModel } from 'ai';
import { AgentError, checkArguments } from '../errors.ts';
import { chatFetch } from './chat-fetch.ts';
import { guardModel, type GuardOptions } from './guard-model.ts';
import type { ModelSubject } from './model-subject.ts';
import { convertUsage } from './usage.ts';

interface ServerAddress {
  /** The base URL with the version and without the query: `http://localhost:11434/v1`. */
  readonly url: string;
  /** The query of the URL, such as `api-version`. It may hold a key. */
  readonly query: Readonly<Record<string, string>>;
  /** Whether what is sent can be read on the way: plain HTTP to another machine. */
  readonly isReadable: boolean;
}

const EXAMPLE = 'use one such as http://localhost:11434/v1 or https://host/v1.';

function isOwnMachine(hostname: string): boolean {
  return /^(?:localhost|.+\.localhost|127(?:\.\d+){3}|\[::1\])$/u.test(hostname);
}

/** Adds `/v1` to a URL without a path, and removes the path of the endpoint. @throws {AgentError} `INVALID_OPTION` */
export function parseBaseUrl(text: string): ServerAddress {
  const invalid = (what: string, hint: string): AgentError =>
    new AgentError('INVALID_OPTION', [`The base URL of the model ${what}`, hint], { option: 'baseUrl' });
  const url = URL.parse(text);
  // A string that is not a URL may hold a key too, such as one that was pasted into the wrong variable.
  if (url === null) throw invalid('is not a URL', `Correct CAIRN_BASE_URL: ${EXAMPLE}`);
  if (url.protocol !== 'http:' && url.protocol !== 'https:') {
    throw invalid(`has the protocol "${url.protocol}"`, `Write http:// or https:// before the host: ${EXAMPLE}`);
  }
  if (url.username !== '' || url.password !== '') {
    throw invalid('contains a user or a password', 'Remove them from the URL, and pass the key as CAIRN_API_KEY.');
  }
  const path = url.pathname.replace(/\/+$/u, '').replace(/\/chat\/completions$/u, '');
  return {
    url: `${url.origin}${path === '' ? '/v1' : path}`,
    query: Object.fromEntries(url.searchParams),
    isReadable: url.protocol === 'http:' && !isOwnMachine(url.hostname),
  };
}

export interface ModelOptions {
  /** A model of the AI SDK, or the id of a model at `baseUrl`. @default CAIRN_MODEL */
  readonly model?: LanguageModel | undefined;
  /** The URL of a server with the chat completions of the OpenAI API. @default CAIRN_BASE_URL */
  readonly baseUrl?: string | undefined;
  /** @default CAIRN_API_KEY; without one, requests have no key, as local servers expect */
  readonly apiKey?: string | undefined;
  /** The environment, for what is left out. @default none */
  readonly env?: Readonly<Record<string, string | undefined>> | undefined;
}

export interface ResolvedModel {
  /** The model with the defaults of {@link GuardOptions}. */
  readonly model: GuardedModel;
  /** The id of the model. */
  readonly name: string;
  /** The URL of the server, without its query; absent for a model of the AI SDK. */
  readonly baseUrl?: string;
  /** What the user should know, such as a key that is sent unencrypted. */
  readonly warnings: readonly string[];
  /** Returns the model with other limits, and with a callback for retries. Cheap: call it for each run. */
  readonly guard: (options: GuardOptions) => GuardedModel;
}

/** A model with time limits and retries for its requests. Its failures are `AgentError`s. */
export type GuardedModel = ReturnType<typeof guardModel>;

function noModel(summary: string, how: string): AgentError {
  const without =
    'Without a model the tools, the memory, and the commands "agents list", "agents show" and "agents context" work.';
  return new AgentError('NO_MODEL', [summary, `${how}. ${without}`]);
}

/** An empty variable counts as not set. */
function firstOf(...values: readonly (string | undefined)[]): string | undefined {
  return values.map((value) => value?.trim()).find((value) => value !== undefined && value !== '');
}

export interface ModelServer extends ServerAddress {
  readonly key: string | undefined;
  readonly warnings: readonly string[];
}

function serverOf(baseUrl: string, { apiKey, env = {} }: ModelOptions): ModelServer {
  const address = parseBaseUrl(baseUrl);
  const key = firstOf(apiKey, env['CAIRN_API_KEY']);
  if (key !== undefined && !/^[\x21-\x7e]+$/u.test(key)) {
    throw new AgentError(
      'INVALID_OPTION',
      ['The key of the model server contains spaces or characters outside ASCII', 'Copy it again into CAIRN_API_KEY.'],
      { option: 'apiKey' },
    );
  }
  const isExposed = key !== undefined && address.isReadable;
  const warnings = isExposed
    ? [`The key is sent unencrypted to ${address.url}; use https:// if the server supports it`]
    : [];
  return { ...address, key, warnings };
}

/** Returns the id of the configured model and its server. @throws {AgentError} `NO_MODEL`, `INVALID_OPTION` */
export function configuredServer(options: ModelOptions & { readonly model?: string | undefined }): {
  readonly name: string;
  readonly server: ModelServer;
} {
  const { env = {} } = options;
  const name = firstOf(options.model, env['CAIRN_MODEL']);
  const base = firstOf(options.baseUrl, env['CAIRN_BASE_URL']);
  if (name === undefined) {
    throw noModel(
      'No model is configured',
      base === undefined
        ? 'Set CAIRN_MODEL and CAIRN_BASE_URL, such as CAIRN_MODEL=qwen3 CAIRN_BASE_URL=http://localhost:11434/v1, and CAIRN_API_KEY if the server needs a key; or pass a model of the AI SDK'
        : 'Set CAIRN_MODEL to the id of a model of the server',
    );
  }
  if (base === undefined) {
    throw noModel(
      `The model "${name}" has no server`,
      'Set CAIRN_BASE_URL to the URL of its server, such as http://localhost:11434/v1, and CAIRN_API_KEY if the server needs a key',
    );
  }
  return { name, server: serverOf(base, options) };
}

/** Returns the strings that no message about a server may contain. */
export function secretsOf({ key, query }: ModelServer): readonly string[] {
  // Servers repeat the URL of a request, too.
  const encoded = (value: string): string => new URLSearchParams({ value }).toString().slice('value='.length);
  const values = Object.values(query).flatMap((value) => [value, encodeURIComponent(value), encoded(value)]);
  return [...(key === undefined ? [] : [key]), ...values];
}

export const modelOptions: OptionNames<ModelOptions> = {
  model: 'optional',
  baseUrl: 'optional',
  apiKey: 'optional',
  env: 'optional',
};

/** The time limits and retries of requests. The events that a caller follows decide the others. */
export const requestOptions: OptionNames<Omit<GuardOptions, 'onRetry'>> = {
  firstByteTimeoutMs: 'optional',
  chunkTimeoutMs: 'optional',
  maxRetries: 'optional',
  retryDelayMs: 'optional',
  maxRetryDelayMs: 'optional',
  busyMs: 'optional',
  wait: 'optional',
  isFollowed: 'optional',
  onUnsent: 'optional',
};

const guardOptions: OptionNames<GuardOptions> = { ...requestOptions, onRetry: 'optional' };

function guardOf(model: Exclude<LanguageModel, string>, subject: ModelSubject = {}): ResolvedModel['guard'] {
  return (limits) => {
    checkArguments.options('guard', limits, guardOptions);
    return guardModel(model, subject, limits);
  };
}

/**
 * Returns the model to use: a model of the AI SDK as it is, and for an id the model at the base URL. Sends nothing.
 *
 * @throws {AgentError} `NO_MODEL`: no model, or no base URL for its id. `INVALID_OPTION`: the base URL or the key is invalid.
 */
export function resolveModel(options: ModelOptions): ResolvedModel {
  checkArguments.options('resolveModel', options, modelOptions);
  const { model } = options;
  if (typeof model === 'object') {
    const guard = guardOf(model);
    return { model: guard({}), name: model.modelId, warnings: [], guard };
  }
  const { name, server } = configuredServer({ ...options, model });
  const { url, key, query, warnings } = server;
  const provider = createOpenAICompatible({
    // Not `cairn`: a provider sends the options under its name, and the messages have labels under that one.
    name: 'model-server',
    baseURL: url,
    includeUsage: true,
    fetch: chatFetch,
    convertUsage,
    ...(key !== undefined && { apiKey: key }),
    ...(Object.keys(query).length > 0 && { queryParams: query }),
  });
  const guard = guardOf(provider.chatModel(name), { name, server: url, secrets: secretsOf(server) });
  return { model: guard({}), name, baseUrl: url, warnings, guard };
}
