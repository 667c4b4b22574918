import { startOf } from '@cairn/tool/internal';
import type { Language } from '@cairn/tool/kernel';
import { checkArguments } from '../errors.ts';
import type { Note } from './notes.ts';
import { isPartlyDone, type Todo } from './workflow-record.ts';

/** The UTF-16 code units of the notes in a prompt. */
const MAX_CHARACTERS = 4000;

const texts = {
  en: {
    cut: (characters: number) => `… [${characters} more characters]`,
    left: (notes: number) => `(${notes} older ${notes === 1 ? 'note is' : 'notes are'} left out)`,
    result: (todoId: string, result: string, isPart: boolean) =>
      `Result of ${todoId}${isPart ? ' (partly done)' : ''}: ${result}`,
  },
  zh: {
    cut: (characters: number) => `…［还有${characters}个字符］`,
    left: (notes: number) => `（省略了${notes}条较早的笔记）`,
    result: (todoId: string, result: string, isPart: boolean) =>
      `${todoId}${isPart ? '（部分完成）' : ''}的结果：${result}`,
  },
} as const;

export interface FormatNotesOptions {
  /** @default 'en' */
  readonly language?: Language | undefined;
}

/** Indents the later lines of a note, so that none of them looks like a heading or another note. */
function indented(text: string): string {
  return text.replaceAll(/\r\n?|[\n\u2028\u2029]/gu, '\n   ');
}

function numbered(notes: readonly Pick<Note, 'content'>[]): string[] {
  return notes.map(({ content }, index) => `${index + 1}. ${indented(content)}`);
}

/** Cuts a string to a length, and states how much is missing. */
export function cutText(text: string, maxCharacters: number, language: Language = 'en'): string {
  if (text.length <= maxCharacters) return text;
  const room = maxCharacters - texts[language].cut(text.length).length;
  const start = startOf(text, room);
  return `${start}${texts[language].cut(text.length - start.length)}`;
}

/** Returns the first entries that fit, one per line, and states how many are left out. The first one is cut if it has to be. */
function fit(entries: readonly string[], language: Language): string {
  const whole = entries.join('\n');
  if (whole.length <= MAX_CHARACTERS) return whole;
  const { left } = texts[language];
  const room = MAX_CHARACTERS - left(entries.length).length - 1;
  const [first = '', ...rest] = entries;
  if (rest.length === 0) return cutText(first, MAX_CHARACTERS, language);
  const kept = [cutText(first, room, language)];
  let length = kept[0]?.length ?? 0;
  for (const entry of rest) {
    length += entry.length + 1;
    if (length > room) break;
    kept.push(entry);
  }
  return [...kept, left(entries.length - kept.length)].join('\n');
}

/**
 * Formats notes for a prompt: numbered, newest first, at most 4,000 characters. Older notes are left out, and the text states
 * how many. Returns an empty string without notes.
 */
export function formatNotes(notes: readonly Pick<Note, 'content'>[], options: FormatNotesOptions = {}): string {
  checkArguments.options('formatNotes', options, { language: 'optional' });
  const { language = 'en' } = options;
  return fit(numbered(notes), language);
}

/**
 * Formats what a step should know: the notes, and the results of steps without a note, because their notes have expired.
 * `notes` may be a string that is formatted already.
 */
export function formatProgress(notes: string | readonly Note[], todos: readonly Todo[], language: Language): string {
  if (typeof notes === 'string' && notes !== '') return cutText(notes, MAX_CHARACTERS, language);
  const list = typeof notes === 'string' ? [] : notes;
  const sources = new Set(list.map(({ source }) => source));
  const results = todos
    .filter(({ id, status, result }) => ['done', 'failed'].includes(status) && result !== undefined && !sources.has(id))
    .map((todo) => {
      const result = typeof todo.result === 'string' ? todo.result : JSON.stringify(todo.result);
      return indented(texts[language].result(todo.id, result, isPartlyDone(todo)));
    })
    .toReversed();
  return fit([...numbered(list), ...results], language);
}
