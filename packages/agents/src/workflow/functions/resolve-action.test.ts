import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { parseActions } from '../replies/actions.ts';
import type { WorkflowFunction } from '../types.ts';
import { schemaOf } from './definition.ts';
import { isFunctionName, resolveAction } from './resolve-action.ts';

function fn(name: string, inputSchema: z.ZodType, aliases: readonly string[] = []): WorkflowFunction {
  const execute = async (): Promise<{ output: string; isError: boolean }> => ({ output: '', isError: false });
  return {
    name,
    toolName: name.replaceAll('.', '_'),
    description: name,
    inputSchema,
    aliases,
    isReadOnly: false,
    execute,
  };
}

const functions = [
  fn('desktop.create_excel_document', schemaOf({ filename: '文件名', data: '数据' }), ['生成Excel']),
  fn('ask_user', z.strictObject({ question: z.string().min(1) }), ['询问用户', 'ask user']),
  fn('write', z.strictObject({ path: z.string(), text: z.string(), mode: z.string().optional() })),
  fn('resize', z.strictObject({ rows: z.int(), wide: z.boolean().optional(), cells: z.array(z.int()).optional() })),
  fn('fill', schemaOf({ data: '数据' })),
  fn('list_files', z.strictObject({})),
  fn('anything', schemaOf(undefined)),
  fn('lax', z.object({ name: z.string().default('x') })),
];

async function resolve(text: string, language: 'en' | 'zh' = 'en'): Promise<unknown> {
  const [action] = parseActions(text, (name) => isFunctionName(functions, name)).actions;
  if (action === undefined) throw new Error(`${text} is not an action`);
  const resolved = await resolveAction(functions, action, { language });
  return resolved.isValid ? [resolved.fn.name, resolved.input] : resolved.problem;
}

const people = [{ 姓名: '张三', 年龄: 25, 城市: '北京' }];
const json = JSON.stringify(people);

describe('reads arguments', () => {
  test.each([
    [
      'of the source',
      `[生成Excel:表格.xlsx:${json}]`,
      'desktop.create_excel_document',
      { filename: '表格.xlsx', data: people },
    ],
    [
      'with full-width signs',
      `【生成Excel：表格.xlsx：${json}】`,
      'desktop.create_excel_document',
      { filename: '表格.xlsx', data: people },
    ],
    [
      'under the full name',
      `[desktop.create_excel_document:a:${json}]`,
      'desktop.create_excel_document',
      { filename: 'a', data: people },
    ],
    [
      'under the name of the tool',
      `[desktop_create_excel_document:a:[]]`,
      'desktop.create_excel_document',
      { filename: 'a', data: [] },
    ],
    [
      'under the alias of a stream',
      '[desktop.生成Excel:a:[]]',
      'desktop.create_excel_document',
      { filename: 'a', data: [] },
    ],
    ['in another case', '[生成excel:a:[]]', 'desktop.create_excel_document', { filename: 'a', data: [] }],
    [
      'with the only parameter as it is',
      '[询问用户:时间是 12:30，对吗？https://a.b/c]',
      'ask_user',
      { question: '时间是 12:30，对吗？https://a.b/c' },
    ],
    ['with brackets in a text', '[ask user:[重要] 几行？]', 'ask_user', { question: '[重要] 几行？' }],
    ['with a quoted text', '[ask_user:"几行？"]', 'ask_user', { question: '几行？' }],
    ['as an object', '[write:{"path":"a:b","text":"c"}]', 'write', { path: 'a:b', text: 'c' }],
    ['by name', '[write:path=a.txt, text=x, y]', 'write', { path: 'a.txt', text: 'x, y' }],
    [
      'by name with colons',
      '[write: text：hello：world，path：a.txt]',
      'write',
      { path: 'a.txt', text: 'hello：world' },
    ],
    [
      'by name with JSON',
      `[生成Excel:data=${json}, filename=a.xlsx]`,
      'desktop.create_excel_document',
      { data: people, filename: 'a.xlsx' },
    ],
    ['in quotes', '[write:"a:b":"c]"]', 'write', { path: 'a:b', text: 'c]' }],
    ['with an address', '[write:https://a.b/c:x]', 'write', { path: 'https://a.b/c', text: 'x' }],
    ['with a Windows drive', String.raw`[write:C:\a.txt:x]`, 'write', { path: String.raw`C:\a.txt`, text: 'x' }],
    ['with an optional one', '[write:a:b:c]', 'write', { path: 'a', text: 'b', mode: 'c' }],
    ['without an optional one', '[write:a:b:]', 'write', { path: 'a', text: 'b' }],
    ['of other types', '[resize:3:true:[1,2]]', 'resize', { rows: 3, wide: true, cells: [1, 2] }],
    ['that are text, though they look like numbers', '[write:007:1.0]', 'write', { path: '007', text: '1.0' }],
    ['that are one object', '[fill:{"a":1}]', 'fill', { data: { a: 1 } }],
    ['that are one list', '[fill:[1]]', 'fill', { data: [1] }],
    ['that do not exist', '[list_files]', 'list_files', {}],
    ['that do not exist, with a colon', '[list_files:]', 'list_files', {}],
    ['that are not described', '[anything:{"a":1}]', 'anything', { a: 1 }],
  ])('%s', async (_, text, name, input) => {
    expect(await resolve(text)).toEqual([name, input]);
  });
});

describe('states what is wrong', () => {
  test.each([
    ['[生成Exel:a:[]]', 'Unknown function "生成Exel"; did you mean 生成Excel?'],
    [
      '[create_excel_document:a:[]]',
      'Unknown function "create_excel_document"; did you mean desktop.create_excel_document?',
    ],
    [
      '[删除:a]',
      'Unknown function "删除"; use desktop.create_excel_document, ask_user, write, resize, fill, list_files, anything, lax.',
    ],
    [
      '[write:a:b:c:d]',
      'write got 4 arguments for its parameters (path, text, mode?); put an argument that has ":" in double quotes, or write one JSON object: [write:{…}].',
    ],
    [
      '[write:a]',
      'write: missing parameter text (parameters: path, text, mode?); call it again with these parameters.',
    ],
    [
      '[write:{"path":"a","txt":"b"}]',
      'write: missing parameter text; unknown parameter txt (parameters: path, text, mode?); call it again with these parameters.',
    ],
    ['[write:path=a, path=b]', 'write: the argument path is there twice; write it once.'],
    [
      '[生成Excel:a:[{"姓名":}]]',
      'desktop.create_excel_document: the argument data is not valid JSON; write valid JSON.',
    ],
    [
      '[生成Excel:a.xlsx]',
      'desktop.create_excel_document: missing parameter data (parameters: filename, data); call it again with these parameters.',
    ],
    ['[resize:three]', 'resize: the argument rows is not of the type integer; write a integer.'],
    ['[resize:3:true:1,2]', 'resize: the argument cells is not valid JSON; write valid JSON.'],
    ['[list_files:src]', 'list_files has no parameters; write [list_files] without arguments.'],
    ['[anything:a]', 'anything does not state its parameters; write one JSON object with their names: [anything:{…}].'],
    ['[lax:{"nam":"a"}]', 'lax: unknown parameter nam; use its parameters (name?).'],
    [
      '[ask_user:]',
      'ask_user: missing parameter question (parameters: question); call it again with these parameters.',
    ],
  ])('%s', async (text, problem) => {
    expect(await resolve(text)).toBe(problem);
  });

  test('in Chinese', async () => {
    expect(await resolve('[生成Exel:a:[]]', 'zh')).toBe('未知功能“生成Exel”；是否指生成Excel？');
    expect(await resolve('[list_files:src]', 'zh')).toBe('list_files没有参数；请写[list_files]，不带参数。');
  });

  test('an alias of two merged functions is ambiguous, and one of the main stream goes first', async () => {
    const two = [fn('a.f', z.strictObject({}), ['x']), fn('b.g', z.strictObject({}), ['x'])];
    const action = { name: 'x', args: '', text: '[x]' };
    expect(await resolveAction(two, action)).toEqual({
      isValid: false,
      problem: 'Ambiguous function "x"; use one of a.f, b.g.',
    });
    const main = fn('h', z.strictObject({}), ['x']);
    expect(await resolveAction([...two, main], action)).toMatchObject({ isValid: true, fn: main });
  });

  test('no functions at all', async () => {
    expect(await resolveAction([], { name: 'x', args: '', text: '[x:]' })).toEqual({
      isValid: false,
      problem: 'Unknown function "x"; there are no functions.',
    });
  });
});

test('arguments that are printed are read again: as an object, by name, and by position', async () => {
  const text = fc.string({ minLength: 1 }).filter((one) => one.trim() === one);
  await fc.assert(
    fc.asyncProperty(text, fc.jsonValue({ maxDepth: 3 }), async (filename, value) => {
      const data = JSON.parse(JSON.stringify([value])) as unknown;
      const [a, b] = [JSON.stringify(filename), JSON.stringify(data)];
      const expected = ['desktop.create_excel_document', { filename, data }];
      expect(await resolve(`[生成Excel:{"filename":${a},"data":${b}}]`)).toEqual(expected);
      expect(await resolve(`[生成Excel:filename=${a}, data=${b}]`)).toEqual(expected);
      expect(await resolve(`【生成Excel：${a}：${b}】`)).toEqual(expected);
    }),
  );
});

test('random arguments never throw', async () => {
  const part = fc.oneof(
    fc.constantFrom(':', '：', '"', '\\', '[', ']', '{', '}', ',', '=', 'path', 'text', 'data', ' '),
    fc.string(),
  );
  await fc.assert(
    fc.asyncProperty(fc.array(part, { maxLength: 20 }), fc.constantFrom(...functions), async (parts, one) => {
      const resolved = await resolveAction(functions, { name: one.name, args: parts.join(''), text: '' });
      expect(typeof resolved.isValid).toBe('boolean');
    }),
  );
});
