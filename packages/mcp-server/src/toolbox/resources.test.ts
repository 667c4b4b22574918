import { ToolError } from '@cairn/tool';
import type { ResourceProvider } from '@cairn/tool';
import { describe, expect, test } from 'vitest';
import { Resources } from './resources.ts';

const { signal } = new AbortController();

/** Makes a provider of the URIs `<name>:<item>`, two on each page. */
function providerOf(name: string, items: readonly string[], more: Partial<ResourceProvider> = {}): ResourceProvider {
  return {
    templates: [{ uriTemplate: `${name}:{item}`, name }],
    list: async (cursor) => {
      const start = cursor === undefined ? 0 : Number(cursor);
      if (Number.isNaN(start)) throw new ToolError('INVALID_INPUT', ['the cursor is invalid', 'List again.']);
      const resources = items.slice(start, start + 2).map((item) => ({ uri: `${name}:${item}`, name: item }));
      return { resources, ...(start + 2 < items.length && { nextCursor: String(start + 2) }) };
    },
    read: async (uri) => {
      if (!uri.startsWith(`${name}:`)) return undefined;
      const item = uri.slice(name.length + 1);
      if (items.includes(item)) return [{ uri, text: item }];
      throw new ToolError('NOT_FOUND', [`${item} does not exist`, 'Choose another item.']);
    },
    complete: async ({ uriTemplate, value }) => {
      if (uriTemplate !== `${name}:{item}`) return undefined;
      const values = items.filter((item) => item.startsWith(value));
      return { values, total: values.length };
    },
    ...more,
  };
}

async function listAll(resources: Resources): Promise<string[][]> {
  const pages: string[][] = [];
  let cursor: string | undefined;
  do {
    const page = await resources.list(cursor, signal);
    pages.push(page.resources.map(({ uri }) => uri));
    cursor = page.nextCursor;
  } while (cursor !== undefined);
  return pages;
}

const bookshelf = providerOf('book', ['a', 'b', 'c']);
const music = providerOf('song', ['x']);

describe('a list', () => {
  test('has the pages of each provider in turn, and a last page goes on with the next provider', async () => {
    const more = providerOf('film', ['a', 'b', 'c']);
    expect(await listAll(new Resources([bookshelf, music, more]))).toEqual([
      ['book:a', 'book:b'],
      ['book:c', 'song:x', 'film:a', 'film:b'],
      ['film:c'],
    ]);
  });

  test('begins with the providers of the lowest order, and keeps the sequence of the others', async () => {
    const [first, second] = [
      providerOf('start', ['s'], { listOrder: -2 }),
      providerOf('index', ['i'], { listOrder: -1 }),
    ];
    expect(await listAll(new Resources([bookshelf, second, music, first]))).toEqual([
      ['start:s', 'index:i', 'book:a', 'book:b'],
      ['book:c', 'song:x'],
    ]);
  });

  test('continues after a provider without resources', async () => {
    expect(await listAll(new Resources([providerOf('none', []), music]))).toEqual([['song:x']]);
  });

  test('passes any cursor back to the provider that made it', async () => {
    const odd = providerOf('odd', [], {
      list: async (cursor) => ({
        resources: [{ uri: `odd:${cursor}`, name: '' }],
        ...(cursor !== '' && { nextCursor: '' }),
      }),
    });
    expect(await listAll(new Resources([music, odd]))).toEqual([['song:x', 'odd:undefined'], ['odd:']]);
  });

  test.each([
    ['text', 'text'],
    ['an unknown provider', Buffer.from('[7]').toString('base64url')],
    ['a negative index', Buffer.from('[-1]').toString('base64url')],
    ['a cursor that its provider rejects', Buffer.from('[0,"x"]').toString('base64url')],
    ['a cursor of another type', Buffer.from('[0,5]').toString('base64url')],
    ['an empty cursor', ''],
  ])('rejects %s as cursor', async (_, cursor) => {
    await expect(new Resources([bookshelf, music]).list(cursor, signal)).rejects.toMatchObject({
      code: -32_602,
      message: `invalid cursor ${JSON.stringify(cursor)}; list again without a cursor`,
    });
  });

  test('reports any other failure as it is, on a page of its own', async () => {
    const failing = providerOf('failing', [], {
      list: () => Promise.reject(new ToolError('NOT_FOUND', ['the root does not exist', 'Make it.'])),
    });
    const resources = new Resources([music, failing]);
    const { resources: listed, nextCursor } = await resources.list(undefined, signal);
    expect(listed.map(({ uri }) => uri)).toEqual(['song:x']);
    await expect(resources.list(nextCursor, signal)).rejects.toMatchObject({ code: 'NOT_FOUND' });
  });
});

describe('a read', () => {
  test('asks each provider until one knows the URI', async () => {
    const { contents } = await new Resources([bookshelf, music]).read('song:x', signal);
    expect(contents).toEqual([{ uri: 'song:x', text: 'x' }]);
  });

  test('reports why a provider cannot read its own URI', async () => {
    await expect(new Resources([bookshelf, music]).read('book:z', signal)).rejects.toMatchObject({
      code: -32_602,
      message: 'z does not exist. Choose another item.',
      data: { uri: 'book:z' },
    });
    const denied = providerOf('denied', [], {
      read: () => Promise.reject(new ToolError('PERMISSION', ['it is private', 'Ask for it.'])),
    });
    await expect(new Resources([denied]).read('denied:a', signal)).rejects.toMatchObject({
      code: -32_602,
      data: { uri: 'denied:a', reason: 'PERMISSION' },
    });
  });

  test('of a URI that no provider knows names the templates', async () => {
    await expect(new Resources([bookshelf, music]).read('film:a', signal)).rejects.toMatchObject({
      code: -32_602,
      message: 'unknown resource "film:a"; use a listed URI, or one of the form book:{item}, song:{item}',
    });
    const { templates: _, ...plain } = music;
    await expect(new Resources([plain]).read('film:a', signal)).rejects.toMatchObject({
      message: 'unknown resource "film:a"; list the resources to see their URIs',
    });
  });
});

describe('a completion', () => {
  const complete = (resources: Resources, uri: string, value: string): ReturnType<Resources['complete']> =>
    resources.complete({ ref: { type: 'ref/resource', uri }, argument: { name: 'item', value } }, signal);

  test('comes from the provider of the template', async () => {
    const silent: ResourceProvider = {
      list: (...args) => bookshelf.list(...args),
      read: (...args) => bookshelf.read(...args),
    };
    const resources = new Resources([silent, bookshelf, music]);
    expect(await complete(resources, 'song:{item}', '')).toEqual({
      completion: { values: ['x'], total: 1, hasMore: false },
    });
    expect(resources.completes).toBe(true);
    expect(new Resources([silent]).completes).toBe(false);
  });

  test('has at most 100 values, as the protocol demands, and states that there are more', async () => {
    const many = providerOf(
      'many',
      Array.from({ length: 150 }, (_, index) => `n${index}`),
    );
    const { completion } = await complete(new Resources([many]), 'many:{item}', 'n');
    expect([completion.values.length, completion.total, completion.hasMore]).toEqual([100, 150, true]);
  });

  test('of an unknown template or prompt names the templates', async () => {
    const resources = new Resources([bookshelf]);
    const message = 'cannot complete argument "item"; use an argument of book:{item}';
    await expect(complete(resources, 'film:{item}', '')).rejects.toMatchObject({ code: -32_602, message });
    const prompt = { ref: { type: 'ref/prompt', name: 'p' }, argument: { name: 'item', value: '' } } as const;
    await expect(resources.complete(prompt, signal)).rejects.toMatchObject({ code: -32_602, message });
  });

  test('that a provider rejects has the reason', async () => {
    const refusing = providerOf('refusing', [], {
      complete: () => Promise.reject(new ToolError('TIMEOUT', ['it took too long', 'Type more.'])),
    });
    await expect(complete(new Resources([refusing]), 'refusing:{item}', '')).rejects.toMatchObject({
      code: -32_602,
      data: { reason: 'TIMEOUT' },
    });
  });
});
