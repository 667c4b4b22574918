import type { LanguageModel } from 'ai';
import { inspect } from 'node:util';
import { describe, expect, test } from 'vitest';
import { AgentError } from '../errors.ts';
import { parseBaseUrl, resolveModel, type ModelOptions } from './resolve-model.ts';

const url = 'http://localhost:11434/v1';

function errorOf(call: () => unknown): AgentError {
  try {
    call();
  } catch (error) {
    if (AgentError.isInstance(error)) return error;
    throw error;
  }
  throw new Error('nothing was thrown');
}

describe('the base URL', () => {
  test.each([
    ['with /v1', url, url],
    ['with a slash at its end', `${url}/`, url],
    ['without a path', 'http://localhost:11434', url],
    ['without a path, with a slash', 'http://localhost:11434/', url],
    ['of the endpoint', `${url}/chat/completions`, url],
    ['of the endpoint, with a slash', `${url}/chat/completions/`, url],
    ['with another path', 'https://host/api/v3', 'https://host/api/v3'],
    ['with another path, with slashes', 'https://host/api/v3//', 'https://host/api/v3'],
    ['with capitals', 'HTTPS://Host/V1', 'https://host/V1'],
    ['with an IPv6 address', 'http://[::1]:8080', 'http://[::1]:8080/v1'],
  ])('%s', (_, text, expected) => expect(parseBaseUrl(text).url).toBe(expected));

  test('keeps its query apart, and out of what is shown', () => {
    expect(parseBaseUrl('https://host/v1?api-version=2&key=abc')).toEqual({
      url: 'https://host/v1',
      query: { 'api-version': '2', key: 'abc' },
      isReadable: false,
    });
  });

  test.each([
    ['text', 'localhost', 'not a URL'],
    ['a key in the wrong variable', 'sk-abc', 'not a URL'],
    ['a host and a port', 'localhost:11434', 'protocol "localhost:"'],
    ['a file', 'file:///v1', 'protocol "file:"'],
    ['a password', 'http://user:hunter2@host/v1', 'a user or a password'],
    ['a user', 'http://user@host/v1', 'a user or a password'],
  ])('%s is rejected without repeating it', (_, text, problem) => {
    const error = errorOf(() => parseBaseUrl(text));
    expect(error).toMatchObject({ code: 'INVALID_OPTION', option: 'baseUrl' });
    expect(error.message).toContain(problem);
    expect(error.message).not.toMatch(/sk-abc|hunter2/u);
  });
});

describe('the model is', () => {
  const env = { CAIRN_MODEL: 'of-env', CAIRN_BASE_URL: url, CAIRN_API_KEY: 'key' };
  test.each<[string, ModelOptions, string]>([
    ['the one of the environment', { env }, 'of-env'],
    ['the one of the options before that of the environment', { model: 'of-options', env }, 'of-options'],
    ['the one of the environment if the option is empty', { model: ' ', env }, 'of-env'],
  ])('%s', (_, options, expected) => {
    const { name, model, baseUrl } = resolveModel(options);
    expect([name, model.modelId, baseUrl]).toEqual([expected, expected, url]);
  });

  test('a model of the AI SDK, which needs no server', () => {
    const { model } = resolveModel({ env });
    const resolved = resolveModel({ model: model as LanguageModel });
    expect(resolved).toMatchObject({ name: 'of-env', warnings: [] });
    expect(resolved.baseUrl).toBeUndefined();
  });

  test.each<[string, ModelOptions, readonly string[]]>([
    ['no model and no server', {}, ['No model is configured', 'CAIRN_MODEL=qwen3 CAIRN_BASE_URL=', 'agents context']],
    ['empty variables', { env: { CAIRN_MODEL: '', CAIRN_BASE_URL: '' } }, ['No model is configured']],
    ['a server without a model', { baseUrl: url }, ['No model is configured', 'Set CAIRN_MODEL to the id of a model']],
    [
      'a model without a server',
      { model: 'a' },
      ['The model "a" has no server', 'Set CAIRN_BASE_URL', 'agents context'],
    ],
  ])('%s: the error states how to configure one and what works without', (_, options, texts) => {
    const error = errorOf(() => resolveModel(options));
    expect(error.code).toBe('NO_MODEL');
    for (const text of texts) expect(error.message).toContain(text);
  });
});

describe('the key', () => {
  test.each([
    ['http to this machine', 'http://localhost:1/v1', 'key', 0],
    ['http to an address of this machine', 'http://127.0.0.1:1/v1', 'key', 0],
    ['http to this machine by IPv6', 'http://[::1]:1/v1', 'key', 0],
    ['https to another', 'https://host/v1', 'key', 0],
    ['http to another', 'http://host/v1', 'key', 1],
    ['http to a name that begins like this machine', 'http://localhost.example.com/v1', 'key', 1],
    ['http to another without a key', 'http://host/v1', '', 0],
  ])('%s: is warned about when others can read it', (_, baseUrl, apiKey, count) => {
    const { warnings } = resolveModel({ model: 'a', baseUrl, apiKey });
    expect(warnings).toHaveLength(count);
    expect(warnings.join()).not.toContain('key=');
  });

  test.each([
    ['a space', 'Bearer secret1'],
    ['a character outside ASCII', 'secret1…'],
  ])('with %s is rejected without showing it', (_, apiKey) => {
    const error = errorOf(() => resolveModel({ model: 'a', baseUrl: url, apiKey }));
    expect(error).toMatchObject({ code: 'INVALID_OPTION', option: 'apiKey' });
    expect(error.message).not.toContain('secret1');
  });

  test('does not appear in the resolved model', () => {
    const resolved = resolveModel({ model: 'a', baseUrl: `${url}?token=query1`, apiKey: 'secret1' });
    expect(inspect(resolved, { depth: null, showHidden: true })).not.toMatch(/secret1|query1/u);
  });
});

test.each([
  ['firstByteTimeoutMs', 0],
  ['chunkTimeoutMs', Infinity],
  ['firstByteTimeoutMs', Number.NaN],
])('%s cannot be %d', (option, value) => {
  const { guard } = resolveModel({ model: 'a', baseUrl: url });
  expect(errorOf(() => guard({ [option]: value }))).toMatchObject({ code: 'INVALID_OPTION', option });
});
