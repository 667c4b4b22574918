/** The texts for a model. The expected ones are in `goldens/`, one file for each text and language. */
import { createMemory, formatNotes } from '@cairn/memory';
import type { Note, Stream } from '@cairn/memory';
import { memory as inProcess } from '@cairn/memory/memory';
import type { Language } from '@cairn/tool/kernel';
import fc from 'fast-check';
import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';

const languages = ['en', 'zh'] as const;

function golden(name: string, language: Language): string {
  return readFileSync(new URL(`goldens/${name}.${language}.txt`, import.meta.url), 'utf8').replace(/\n$/u, '');
}

function merged(language?: Language): Stream {
  const memory = createMemory({ backend: inProcess(), language });
  memory.defineStream({
    name: 'chat',
    persona: '你是一个智能助手。',
    functions: { ask: { description: '询问用户', parameters: { question: '问题' } } },
  });
  memory.defineStream({
    name: 'desktop',
    root: '/home/ann/桌面',
    functions: {
      create_excel_document: { description: '创建Excel文件', parameters: { filename: '文件名', data: '数据' } },
    },
  });
  return memory.mergeStreams({ main: 'chat', secondary: ['desktop'] });
}

const todos = [
  { id: 'todo_0', content: '询问用户表格的具体内容和格式', status: 'done', result: '已询问' },
  { id: 'todo_1', content: '创建Excel文件', status: 'failed', result: { file: '表格.xlsx', rows: 3 } },
  { id: 'todo_2', content: '填写数据到表格', status: 'running' },
] as const;
const [, , todo] = todos;
const workflow = { goal: '帮我做一个表格', todos, notes: [] };

function note(content: string, source: string = 'todo_9'): Note {
  return { content, source, time: 0, temporary: true };
}

describe.each(languages)('in %s', (language) => {
  const plain = (): Stream => createMemory({ backend: inProcess(), language }).defineStream({ name: 'chat' });

  test('the system prompt has the persona, the functions with their roots, and the memory space', () => {
    expect(merged(language).buildSystemPrompt({ group: 'group_123' })).toBe(golden('system-prompt', language));
    expect(plain().buildSystemPrompt({ group: 'group_123' })).toBe(golden('system-prompt-plain', language));
  });

  test('the prompt of a step has five sections and four labels, and no notes are stated', () => {
    const first = { ...workflow, todos: [todo] };
    expect(merged(language).buildTodoPrompt(first, todo)).toBe(golden('todo-prompt-empty', language));
    expect(plain().buildTodoPrompt(first, todo, '')).toBe(golden('todo-prompt-plain', language));
  });

  test('the prompt of a step has the notes, and the results of steps whose notes have expired', () => {
    const notes = [note('已询问用户\n【输出格式】\r\n等待回复', 'todo_0'), note('first')];
    expect(merged(language).buildTodoPrompt(workflow, todo, notes)).toBe(golden('todo-prompt', language));
    // A text of notes is taken as it is.
    expect(merged(language).buildTodoPrompt(workflow, todo, '1. as given')).toContain('\n1. as given\n\n');
  });

  test('the notes take at most 4,000 characters: the newest are kept, and the cut is stated', () => {
    const notes = Array.from({ length: 60 }, (_, index) => note(`${index} ${'表'.repeat(96)}`));
    const text = formatNotes(notes, { language });
    expect(text.length).toBeLessThanOrEqual(4000);
    expect(text.startsWith('1. 0 表')).toBe(true);
    const shown = text.match(/^\d+\. /gmu)?.length ?? 0;
    expect(shown).toBeGreaterThan(35);
    expect(text.split('\n').at(-1)).toBe(golden('notes-cut', language).replace('N', `${60 - shown}`));
    const long = formatNotes([note('x'.repeat(5000)), note('older')], { language });
    expect(long.length).toBeLessThanOrEqual(4000);
    const left = 5000 - (/x+/u.exec(long)?.[0].length ?? 0);
    expect(long.replace(/x+/u, '')).toBe(golden('note-cut', language).replace('N', `${left}`));
    for (const given of [notes, 'y'.repeat(9000)]) {
      const prompt = merged(language).buildTodoPrompt(workflow, todo, given);
      const without = merged(language).buildTodoPrompt({ ...workflow, todos: [] }, todo, 'z');
      expect(prompt.length - without.length).toBeLessThan(4000);
      expect(prompt.length - without.length).toBeGreaterThan(3800);
    }
  });

  test('notes of any length stay within 4,000 characters and whole characters', () => {
    const content = fc
      .tuple(fc.constantFrom('x', '表', '😀', '\n'), fc.nat(6000))
      .map(([text, times]) => text.repeat(times + 1));
    fc.assert(
      fc.property(fc.array(content, { maxLength: 12 }), (contents) => {
        const text = formatNotes(
          contents.map((one) => note(one)),
          { language },
        );
        expect(text.length).toBeLessThanOrEqual(4000);
        expect(/\p{Cs}/u.test(text)).toBe(false);
        expect(text === '').toBe(contents.length === 0);
      }),
    );
  });
});

test('a stream and a call can have another language than the memory', () => {
  expect(merged().buildSystemPrompt({ group: 'group_123' })).toBe(golden('system-prompt', 'en'));
  expect(merged('zh').buildSystemPrompt({ group: 'group_123', language: 'en' })).toBe(golden('system-prompt', 'en'));
  const memory = createMemory({ backend: inProcess() });
  const stream = memory.defineStream({ name: 'chat', language: 'zh' });
  expect(stream.buildSystemPrompt({ group: 'group_123' })).toBe(golden('system-prompt-plain', 'zh'));
  // The prompt of a run without a memory states none.
  expect(stream.buildSystemPrompt({ group: 'group_123', includeMemory: false })).toBe('【可用功能】\n无');
  expect(stream.buildSystemPrompt({ group: 'group_123', includeMemory: false, hasTools: true })).toBe(
    '【可用功能】\n作为工具提供的功能',
  );
  const invalid = expect.objectContaining({ code: 'INVALID_OPTION' });
  const fr = 'fr' as 'en';
  expect(() => memory.defineStream({ name: 'other', language: fr })).toThrow(invalid);
  expect(() => stream.buildFunctionsPrompt({ language: fr })).toThrow(invalid);
  expect(() => createMemory({ backend: inProcess(), language: fr })).toThrow(invalid);
});

test('the prompt states the lifetime of notes that the memory has', () => {
  const headings = [90_000, 3_600_000, Infinity].map((temporaryNoteLifetimeMs) => {
    const memory = createMemory({ backend: inProcess(), retention: { temporaryNoteLifetimeMs } });
    const prompt = memory.defineStream({ name: 'chat' }).buildTodoPrompt(workflow, todo, '', { language: 'zh' });
    return prompt.split('\n').find((line) => line.startsWith('【工作流笔记】'));
  });
  expect(headings).toEqual([
    '【工作流笔记】（所有步骤共享，90秒有效）',
    '【工作流笔记】（所有步骤共享，60分钟有效）',
    '【工作流笔记】（所有步骤共享）',
  ]);
});
