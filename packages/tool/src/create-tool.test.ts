import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { createTool, type ToolRunOptions, type ToolSpec } from './create-tool.ts';
import { succeed, textOf, type ToolDefinition, type ToolResult } from './definition.ts';
import { explaining } from './kernel/system-error.ts';
import { ToolError } from './kernel/tool-error.ts';
import { inputSchema } from './input.ts';

interface Input {
  readonly text: string;
  readonly times?: number | undefined;
}

interface Made {
  readonly tool: ToolDefinition<Input, object>;
  /** The arguments of each call of `run`. */
  readonly runs: (readonly [Input, ToolRunOptions])[];
}

const image = { type: 'image', data: 'aGk=', mimeType: 'image/png' } as const;

function make(run: ToolSpec<Input, object>['run'] = async ({ text }) => succeed(text, {}), readOnlyHint = false): Made {
  const runs: (readonly [Input, ToolRunOptions])[] = [];
  const tool = createTool<Input, object>({
    name: 'echo',
    description: 'Repeats a text.',
    inputSchema: inputSchema({ text: z.string(), times: z.number().optional() }, { aliases: [['text', 'words']] }),
    annotations: { title: 'Echo', readOnlyHint, destructiveHint: false, idempotentHint: true, openWorldHint: false },
    run: async (input, options) => {
      runs.push([input, options]);
      return run(input, options);
    },
  });
  return { tool, runs };
}

const failWith = (error: unknown): Made => make(() => Promise.reject(error));

function systemError(code: string, path?: string): Error {
  return Object.assign(new Error(`${code}: system`), { code, ...(path !== undefined && { path }) });
}

test('a tool has the parts of its spec', () => {
  const { tool } = make();
  expect(tool).toMatchObject({ name: 'echo', description: 'Repeats a text.', annotations: { title: 'Echo' } });
  expect(tool.inputSchema.parse({ words: 'a' })).toEqual({ text: 'a' });
});

describe('a call', () => {
  test('runs with checked input, and leaves the given input unchanged', async () => {
    const { tool, runs } = make();
    const given = Object.freeze({ words: 'hello', times: '2' }) as never;
    expect(await tool.execute(given)).toEqual({
      isError: false,
      content: [{ type: 'text', text: 'hello' }],
      details: {},
    });
    expect(runs).toEqual([
      [
        { text: 'hello', times: 2 },
        { signal: undefined, dryRun: false },
      ],
    ]);
    expect(given).toEqual({ words: 'hello', times: '2' });
  });

  test('with invalid input fails without running', async () => {
    const { tool, runs } = make();
    const result = await tool.execute({ times: 1, other: true } as never);
    expect(result).toMatchObject({
      isError: true,
      details: { reason: 'INVALID_INPUT', hint: 'Call it again with these parameters.', changed: false },
    });
    expect(textOf(result)).toBe(
      'echo: missing parameter text; unknown parameter other (parameters: text, times?). Nothing was changed. Call it again with these parameters.',
    );
    expect(runs).toEqual([]);
  });

  test('passes dryRun', async () => {
    const { tool, runs } = make();
    await tool.execute({ text: 'a' }, { dryRun: true });
    expect(runs[0]?.[1].dryRun).toBe(true);
  });

  test.each([
    ['signal', 'signal'],
    ['abortSignal, the name of the AI SDK', 'abortSignal'],
  ])('passes %s, and does not run after an abort', async (_, name) => {
    const { tool, runs } = make();
    const controller = new AbortController();
    await tool.execute({ text: 'a' }, { [name]: controller.signal });
    expect(runs[0]?.[1].signal).toBe(controller.signal);
    const reason = new Error('no longer wanted');
    controller.abort(reason);
    await expect(tool.execute({ text: 'a' }, { [name]: controller.signal })).rejects.toBe(reason);
    expect(runs).toHaveLength(1);
  });

  test('prefers signal to abortSignal', async () => {
    const { tool, runs } = make();
    const { signal } = new AbortController();
    await tool.execute({ text: 'a' }, { signal, abortSignal: AbortSignal.abort() });
    expect(runs[0]?.[1].signal).toBe(signal);
  });

  test.each([
    ['a ToolError', new ToolError('TIMEOUT', ['it took too long', 'Try again.'])],
    ['a system error', systemError('ETIMEDOUT')],
    ['a text', 'stop'],
  ])('rejects with the reason of an abort while it runs when that is %s', async (_, reason) => {
    const controller = new AbortController();
    const { tool } = make((_input, { signal }) =>
      explaining('a.txt', async () => {
        controller.abort(reason);
        signal?.throwIfAborted();
        return succeed('not reached', {});
      }),
    );
    await expect(tool.execute({ text: 'a' }, { signal: controller.signal })).rejects.toBe(reason);
  });

  test('reports a change that an abort could not prevent', async () => {
    const controller = new AbortController();
    const { tool } = make(() => {
      controller.abort();
      return Promise.reject(
        new ToolError('IO', ['half done', 'Read it.'], { changed: true, cause: controller.signal.reason }),
      );
    });
    expect(await tool.execute({ text: 'a' }, { signal: controller.signal })).toMatchObject({
      details: { changed: true },
    });
  });

  test('rejects with the reason of an abort while it runs', async () => {
    const controller = new AbortController();
    const { tool } = make(async (_, { signal }) => {
      controller.abort(new Error('stop'));
      signal?.throwIfAborted();
      return succeed('late', {});
    });
    await expect(tool.execute({ text: 'a' }, { signal: controller.signal })).rejects.toThrow('stop');
  });

  test('rejects with an unexpected error unchanged', async () => {
    const error = new TypeError('a bug');
    await expect(failWith(error).tool.execute({ text: 'a' })).rejects.toBe(error);
    await expect(failWith('text').tool.execute({ text: 'a' })).rejects.toBe('text');
  });
});

describe('an expected failure', () => {
  test('is a result with its reason, path and hint', async () => {
    const error = new ToolError('NOT_FOUND', ['a.txt does not exist', 'Check the path.'], { path: 'a.txt' });
    expect(await failWith(error).tool.execute({ text: 'a' })).toEqual({
      isError: true,
      content: [{ type: 'text', text: 'a.txt does not exist. Nothing was changed. Check the path.' }],
      details: { reason: 'NOT_FOUND', hint: 'Check the path.', changed: false, path: 'a.txt' },
    });
  });

  test('of a read-only tool does not mention changes', async () => {
    const { tool } = make(() => Promise.reject(new ToolError('IO', ['a fails', 'Try again.'])), true);
    expect(textOf(await tool.execute({ text: 'a' }))).toBe('a fails. Try again.');
  });

  test('after a change states it, and does not claim that nothing was changed', async () => {
    const error = new ToolError('IO', ['b.txt failed after a.txt was written', 'Read both.'], { changed: true });
    const result = await failWith(error).tool.execute({ text: 'a' });
    expect(textOf(result)).toBe('b.txt failed after a.txt was written. Read both.');
    expect(result).toMatchObject({ details: { changed: true } });
  });

  test('has its context in a paragraph of its own', async () => {
    const error = new ToolError('STALE', ['a.txt changed', 'Edit again.'], { context: '1: new' });
    expect(textOf(await failWith(error).tool.execute({ text: 'a' }))).toBe(
      'a.txt changed. Nothing was changed. Edit again.\n\n1: new',
    );
  });

  test.each([
    ['ENOENT', 'a.txt', 'NOT_FOUND', 'a.txt does not exist.'],
    ['EACCES', 'a.txt', 'PERMISSION', 'a.txt cannot be accessed: permission denied.'],
    ['ENOSPC', undefined, 'NO_SPACE', 'The path cannot be written: the disk is full.'],
    ['EUNKNOWN', 'a.txt', 'IO', 'a.txt could not be accessed (EUNKNOWN).'],
  ])('may be the system error %s at %s', async (code, path, reason, summary) => {
    const result = await failWith(systemError(code, path)).tool.execute({ text: 'a' });
    expect(textOf(result)).toContain(summary);
    expect(result).toMatchObject({ isError: true, details: { reason } });
    expect(result.isError && result.details.path).toBe(path);
  });

  test('is not an error of Node with another kind of code', async () => {
    const error = systemError('ERR_INVALID_ARG_TYPE', 'a.txt');
    await expect(failWith(error).tool.execute({ text: 'a' })).rejects.toBe(error);
  });
});

describe('toModelOutput', () => {
  const { tool } = make();
  const rows: readonly (readonly [what: string, output: ToolResult<object>, expected: object])[] = [
    [
      'joins texts',
      {
        isError: false,
        content: [
          { type: 'text', text: 'a' },
          { type: 'text', text: 'b' },
        ],
        details: {},
      },
      { type: 'text', value: 'a\nb' },
    ],
    ['gives an empty text for no content', { isError: false, content: [], details: {} }, { type: 'text', value: '' }],
    [
      'gives parts when there is an image',
      { isError: false, content: [{ type: 'text', text: 'a' }, image], details: {} },
      {
        type: 'content',
        value: [
          { type: 'text', text: 'a' },
          { type: 'file', mediaType: 'image/png', data: { type: 'data', data: 'aGk=' } },
        ],
      },
    ],
    [
      'marks a failure',
      {
        isError: true,
        content: [{ type: 'text', text: 'a' }],
        details: { reason: 'IO', hint: 'b', changed: false },
      },
      { type: 'error-text', value: 'a' },
    ],
  ];

  test.each(rows)('%s', (_, output, expected) => {
    expect(tool.toModelOutput({ output })).toEqual(expected);
  });
});

test('the text of an image is its type', () => {
  expect(textOf({ isError: false, content: [{ type: 'text', text: 'a' }, image], details: {} })).toBe('a\n[image/png]');
});
