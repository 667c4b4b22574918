/** Errors of servers that mean: the request has more tokens than the model can read. */
import { AgentError } from '../errors.ts';

/** A request that is too long for its model. */
export class TooLongError extends AgentError {
  /** The limit in the message of the server, in its tokens. */
  readonly limitTokens: number | undefined;
  /** The size of the request in the message of the server, in its tokens. */
  readonly requestTokens: number | undefined;
  /** Whether the limit is one of tokens, and not of the bytes of a request. */
  readonly isTokenLimit: boolean;

  constructor(text: readonly [summary: string, hint: string], found: Partial<TooLong> = {}) {
    super('MODEL_REFUSED', text);
    this.limitTokens = found.limitTokens;
    this.requestTokens = found.requestTokens;
    this.isTokenLimit = found.isTokenLimit ?? false;
  }
}

export interface TooLong {
  readonly limitTokens: number | undefined;
  readonly requestTokens: number | undefined;
  readonly isTokenLimit: boolean;
}

/** Codes and types of errors, of any server. */
const CODES =
  /context_length_exceeded|context_window_exceeded|exceed_context_size|model_max_prompt_tokens_exceeded|max_tokens_exceeded|string_above_max_length|prompt_too_long|ContextWindowExceeded/iu;

/** Messages, by the server that was seen to send them. Servers that pass on the message of another one send its words. */
const MESSAGES: readonly RegExp[] = [
  // OpenAI, Azure, DeepSeek, OpenRouter, vLLM, SGLang, Together, Mistral (… too large for model with N maximum context length)
  /(?:maximum|max|model'?s) context (?:length|window|size)/iu,
  // OpenAI (Responses), MiniMax, and proxies
  /(?:exceed\w*|over\w*|larger than|longer than|greater than|too (?:long|large) for)\b.{0,60}\bcontext[ _]?(?:length|window|size|limit)/iu,
  // llama.cpp, LM Studio (context length of only N tokens), llama-cpp-python, Anthropic
  /\bcontext[ _]?(?:length|window|size|limit)\b.{0,40}(?:exceed|overflow|is only|of only|too small|full)/iu,
  /context the overflows|configured context size/iu,
  // Anthropic, Ollama, Bedrock
  /(?:prompt|input|request|messages?|conversation|sequence)(?: length)?(?: is| are|:)? too long/iu,
  // Gemini, Vertex AI, GitHub Copilot, Kimi
  /(?:input|prompt|request)?\s?tokens? count.{0,40}exceeds/iu,
  /exceed\w* (?:the )?(?:model )?(?:token|input) limit|token limit exceeded/iu,
  // xAI, vLLM, Zhipu, DashScope, Poolside
  /maximum (?:prompt|model|input|allowed input) length|max(?:imum)? length of (?:the )?(?:prompt|input)|prompt exceeds max/iu,
  /range of input length should be|tokens? in request more than max/iu,
  // Groq, OpenAI
  /reduce the length of (?:the |your )?(?:messages|prompt|input)/iu,
  // Text Generation Inference, Cohere
  /inputs?`? (?:tokens \+ .{0,40})?must (?:have less than|be <=?) ?[\d,]+|number of tokens in the prompt cannot exceed/iu,
];

/** The size of a body, or what an account may send at once: a shorter request passes. */
const SIZES =
  /request_too_large|request (?:entity |body )?(?:is )?too large|payload too large|exceeds the maximum (?:allowed )?(?:request )?size/iu;

/** Words of a server that has too much to do. */
const BUSY = /rate.?limit|too many requests|throttl|please wait|unavailable|overloaded/iu;

const NUMBER = String.raw`(\d[\d,_]*\d)`;
const LIMITS: readonly RegExp[] = [
  new RegExp(String.raw`"n_ctx"\s*:\s*${NUMBER}`, 'u'),
  new RegExp(String.raw`tokens? > ${NUMBER}|\+ \d+ > ${NUMBER}`, 'iu'),
  new RegExp(
    String.raw`(?:context|prompt|model|input|sequence) (?:length|window|size|limit)(?: \(| of(?: only)?| is| of at most|:)? ?${NUMBER}`,
    'iu',
  ),
  new RegExp(String.raw`context size \(?${NUMBER}|context (?:length|size) is(?: only)? ${NUMBER}`, 'iu'),
  new RegExp(String.raw`(?:maximum|max|allowed)[^\d]{0,40}\(?${NUMBER}`, 'iu'),
  new RegExp(String.raw`${NUMBER} maximum`, 'iu'),
  new RegExp(String.raw`\blimit(?: of|:)? ${NUMBER}`, 'iu'),
  new RegExp(String.raw`(?:less than|cannot exceed|<=) ?${NUMBER}|\[\d+, ?${NUMBER}\]`, 'iu'),
];

/** A smaller number is not the window of a model. */
export const MIN_WINDOW_TOKENS = 1024;

function numberOf(text: string | undefined): number {
  return Number((text ?? '').replaceAll(/[,_]/gu, ''));
}

function limitIn(text: string): number | undefined {
  // The number of tokens that are too many is not a limit.
  const words = text.replaceAll(/\bby [\d,]+ tokens?/giu, '');
  for (const pattern of LIMITS) {
    const found = pattern
      .exec(words)
      ?.slice(1)
      .find((one) => one !== undefined);
    const limit = numberOf(found);
    if (limit >= MIN_WINDOW_TOKENS && Number.isSafeInteger(limit)) return limit;
  }
  return undefined;
}

/** Returns the smallest number of a text that is larger than a limit. */
function sizeAbove(text: string, limit: number): number | undefined {
  const numbers = (text.match(/\d[\d,_]*/gu) ?? []).map(numberOf).filter((one) => one > limit && one < limit * 100);
  return numbers.length === 0 ? undefined : Math.min(...numbers);
}

/** Servers send whole pages as errors. */
const MAX_SEARCHED = 8192;

/** Interprets an error of a server: `undefined` unless it means that the request is too long. */
export function tooLong({
  status,
  code,
  message,
  body = '',
}: {
  readonly status: number;
  readonly code: string;
  readonly message: string;
  /** @default '' */
  readonly body?: string | undefined;
}): TooLong | undefined {
  const text = `${code}\n${message}\n${body}`.slice(0, MAX_SEARCHED);
  const isSize = status === 413 || SIZES.test(text);
  const isBusy = status === 429 || BUSY.test(text);
  const isTokens = !isBusy && (CODES.test(text) || MESSAGES.some((one) => one.test(text)));
  if (!isTokens && !(isSize && (status === 413 || status === 429 || !isBusy))) return undefined;
  const isTokenLimit = isTokens || /\btokens?\b/iu.test(text);
  const limitTokens = isTokenLimit ? limitIn(text) : undefined;
  const requestTokens = limitTokens === undefined ? undefined : sizeAbove(text, limitTokens);
  return { limitTokens, requestTokens, isTokenLimit };
}
