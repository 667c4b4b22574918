import { describe, expect, test } from 'vitest';
import { tooLong } from './too-long.ts';

type Row = [
  server: string,
  status: number,
  code: string,
  message: string,
  limit?: number | undefined,
  requested?: number | undefined,
];

const rows: readonly Row[] = [
  [
    'OpenAI, Azure',
    400,
    'context_length_exceeded',
    "This model's maximum context length is 128000 tokens. However, your messages resulted in 130345 tokens. Please reduce the length of the messages.",
    128_000,
    130_345,
  ],
  [
    'OpenAI with a largest answer',
    400,
    '',
    "This model's maximum context length is 8191 tokens, however you requested 10346 tokens (10346 in your prompt; 5 for the completion). Please reduce your prompt; or completion length.",
    8191,
    10_346,
  ],
  [
    'OpenAI, Responses',
    400,
    '',
    'Your input exceeds the context window of this model. Please adjust your input and try again.',
  ],
  [
    'OpenAI, tokens of a minute',
    429,
    'rate_limit_exceeded',
    'Request too large for gpt-4o in organization org on tokens per min (TPM): Limit 30000, Requested 35000. The input or output tokens must be reduced in order to run successfully.',
    30_000,
    35_000,
  ],
  ['Anthropic', 400, 'invalid_request_error', 'prompt is too long: 215324 tokens > 200000 maximum', 200_000, 215_324],
  [
    'Anthropic with a largest answer',
    400,
    'invalid_request_error',
    'input length and `max_tokens` exceed context limit: 188240 + 21333 > 200000, decrease input length or `max_tokens` and try again',
    200_000,
  ],
  ['Anthropic, bytes', 413, 'request_too_large', 'Request exceeds the maximum size'],
  [
    'Gemini',
    400,
    'INVALID_ARGUMENT',
    'The input token count (1196265) exceeds the maximum number of tokens allowed (1048575).',
    1_048_575,
    1_196_265,
  ],
  [
    'Mistral',
    400,
    'invalid_request_prompt',
    'Prompt contains 300000 tokens and 0 draft tokens, too large for model with 131072 maximum context length',
    131_072,
    300_000,
  ],
  ['Groq', 400, 'context_length_exceeded', 'Please reduce the length of the messages or completion.'],
  [
    'Groq, tokens of a minute',
    413,
    'rate_limit_exceeded',
    'Request too large for model `llama-3.3` on tokens per minute (TPM): Limit 6000, Requested 7012, please reduce your message size and try again.',
    6000,
    7012,
  ],
  [
    'DeepSeek, vLLM',
    400,
    '400',
    "This model's maximum context length is 65536 tokens. However, you requested 70000 tokens (66000 in the messages, 4000 in the completion). Please reduce the length of the messages or completion.",
    65_536,
    66_000,
  ],
  [
    'vLLM',
    400,
    '400',
    'The decoder prompt (length 5000) is longer than the maximum model length of 4096. Make sure that `max_model_len` is large enough.',
    4096,
    5000,
  ],
  [
    'llama.cpp',
    400,
    'exceed_context_size_error',
    'request (14429 tokens) exceeds the available context size (8192 tokens), try increasing it',
    8192,
    14_429,
  ],
  [
    'llama.cpp, older',
    500,
    '500',
    'the request exceeds the available context size. try increasing the context size or enable context shift',
  ],
  ['llama-cpp-python', 500, '', 'Requested tokens (5160) exceed context window of 5120', 5120, 5160],
  ['Ollama', 400, '', 'prompt too long; exceeded max context length by 100918 tokens'],
  [
    'LM Studio',
    400,
    '',
    'Trying to keep the first 6050 tokens when context the overflows. However, the model is loaded with context length of only 4096 tokens, which is not enough.',
    4096,
    6050,
  ],
  [
    'LM Studio, tokens to keep',
    400,
    '',
    'The number of tokens to keep from the initial prompt is greater than the context length.',
  ],
  [
    'OpenRouter',
    400,
    '400',
    "This endpoint's maximum context length is 131072 tokens. However, you requested about 140123 tokens (139000 of text input, 1123 of tool input).",
    131_072,
    139_000,
  ],
  ['Bedrock', 400, 'ValidationException', 'Input is too long for requested model.'],
  [
    'xAI',
    400,
    '',
    "This model's maximum prompt length is 131072 but the request contains 537812 tokens.",
    131_072,
    537_812,
  ],
  ['Kimi', 400, '', 'Your request exceeded model token limit: 262144 (requested: 300000)', 262_144, 300_000],
  [
    'GitHub Copilot',
    400,
    'model_max_prompt_tokens_exceeded',
    'prompt token count of 145000 exceeds the limit of 128000',
    128_000,
    145_000,
  ],
  ['MiniMax', 400, '', 'invalid params, context window exceeds limit'],
  [
    'Together',
    400,
    '',
    "Input (150000 tokens) is longer than the model's context length (131072 tokens)",
    131_072,
    150_000,
  ],
  ['DashScope', 400, 'InvalidParameter', 'Range of input length should be [1, 129024]', 129_024],
  ['Zhipu', 400, '1261', 'Prompt exceeds max length'],
  ['Text Generation Inference', 422, '', '`inputs` must have less than 4096 tokens. Given: 5000', 4096, 5000],
  [
    'Cohere',
    400,
    '',
    'too many tokens: total number of tokens in the prompt cannot exceed 4081 - received 5000',
    4081,
    5000,
  ],
  ['an error within a stream', 0, 'context_length_exceeded', 'The context is full.'],
  ['a proxy', 413, '', 'Payload Too Large'],
];

describe('an error that means too long', () => {
  test.each(rows)(
    'of %s (%i) is found, with the limit that it states',
    (_, status, code, message, limit, requested) => {
      const found = tooLong({ status, code, message });
      expect([found !== undefined, found?.limitTokens, found?.requestTokens]).toEqual([true, limit, requested]);
    },
  );

  test('is found in a body that the provider cannot read', () => {
    const body = '{"message":"Prompt contains 9000 tokens, too large for model with 8192 maximum context length"}';
    expect(tooLong({ status: 400, code: '', message: 'Bad Request', body })?.limitTokens).toBe(8192);
    const json = '{"error":{"code":400,"type":"exceed_context_size_error","n_prompt_tokens":1407,"n_ctx":1256}}';
    expect(tooLong({ status: 400, code: '400', message: '', body: json })?.limitTokens).toBe(1256);
  });

  test('of bytes teaches nothing about tokens', () => {
    expect(tooLong({ status: 413, code: '', message: 'Payload Too Large' })).toMatchObject({ isTokenLimit: false });
    expect(tooLong({ status: 400, code: '', message: 'Input is too long for requested model.' })).toMatchObject({
      isTokenLimit: true,
    });
  });

  test('with an absurd limit teaches none', () => {
    const limit = (message: string): number | undefined => tooLong({ status: 400, code: '', message })?.limitTokens;
    expect(limit('maximum context length is 7 tokens')).toBeUndefined();
    expect(limit(`maximum context length is ${'9'.repeat(40)} tokens`)).toBeUndefined();
  });
});

test.each<[status: number, code: string, message: string]>([
  [500, '', 'cuda error'],
  [
    429,
    'rate_limit_exceeded',
    'Rate limit reached for gpt-4o on tokens per min (TPM): Limit 30000, Used 29000, Requested 2000.',
  ],
  [429, 'ThrottlingException', 'Too many tokens, please wait before trying again.'],
  [503, '', 'The service is temporarily unavailable: the context window is full'],
  [400, '', 'tools are not supported'],
  [400, 'invalid_value', "'max_tokens' must be at most 4096"],
  [400, '', 'Invalid parameter: context must be an object'],
  [404, '', 'The model `long-context` does not exist'],
  [408, '', 'The request took too long'],
  [0, '', 'The operation took too long'],
])('another error (%i %s %s) is not one', (status, code, message) => {
  expect(tooLong({ status, code, message })).toBeUndefined();
});
