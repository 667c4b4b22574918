import { isObject, type Fields } from '@cairn/tool';
import type { Language } from '@cairn/tool/kernel';
import { findObject, isNothing, linesOf, meaningfulLines, splitSections } from './labels.ts';
import { problems } from './problems.ts';

export type Decision =
  | { readonly kind: 'complex'; readonly todos: readonly string[] }
  | { readonly kind: 'simple'; readonly answer: string }
  /** The answer contradicts itself or is empty: `problem` states to the model what to write. */
  | { readonly kind: 'invalid'; readonly problem: string };

const labels = {
  decision: String.raw`决策|decision`,
  todos: String.raw`todo\s*列表|待办(?:事项|列表)?|任务列表|todo[\s_-]?list|todos`,
} as const;

const SIMPLE =
  /(?:不|无)[^，。,;；]{0,4}todo|不需要|无需|不用|没必要|没有必要|简单|\bsimple\b|\bno(?:\s+todos?)?(?:\s+(?:workflow|list))?(?:\s+(?:is|are))?(?:\s+(?:needed|required|necessary))?\b|\bnot\s+(?:needed|required|necessary|complex)/giu;
const COMPLEX = /需要|复杂|使用\s*todo|\bcomplex\b|\bneed(?:s|ed)?\b|\brequire[sd]?\b|\byes\b/iu;

function kindOf(text: string): 'simple' | 'complex' | undefined {
  const rest = text.replaceAll(SIMPLE, '');
  const isSimple = rest !== text;
  // `not needed` has `needed`, so what says simple is taken out first.
  const isComplex = COMPLEX.test(rest);
  if (isSimple === isComplex) return undefined;
  return isSimple ? 'simple' : 'complex';
}

const ITEM =
  /^\s*(?:(?:[-*+•]\s+)?\[[ xX]?\]\s*|(?:[-*+•]|\d{1,3}\s*[.)、．:：]|[（(]\d{1,3}[)）]|[①-⑳]|todo_\d+\s*[:：])\s*)+(\S.*)$/iu;
/** Items that follow each other in one line: `1. a 2. b`. */
const INLINE = /\s+(?=\d{1,3}\s*[.)、．]\s*\D)/u;

/** Splits a list that is one line at its numbers, when they count from the first one on. */
function itemsOf(line: string): string[] {
  const parts = line.split(INLINE);
  const numbers = parts.map((part) => Number(/^\s*(\d+)/u.exec(part)?.[1]));
  const isCounted = parts.length > 1 && numbers.every((number, index) => number === (numbers[0] ?? 0) + index);
  return isCounted ? parts : [line];
}

/** Reads a list: one todo for each marked line, with the indented lines after it. Without any mark, each line is a todo. */
function todosOf(text: string): string[] {
  const whole = linesOf(text);
  const marked = whole.filter((line) => ITEM.test(line)).length;
  const lines = marked === 1 ? whole.flatMap(itemsOf) : whole;
  const todos: string[] = [];
  for (const line of lines) {
    const item = marked > 0 ? ITEM.exec(line)?.[1] : line.trim();
    if (item !== undefined && !isNothing(item)) todos.push(item.trim());
    else if (marked > 0 && /^\s+\S/u.test(line) && todos.length > 0) todos.push(`${todos.pop()}\n${line.trim()}`);
  }
  return todos;
}

function joined(parts: readonly string[]): string {
  return parts.filter((part) => part !== '').join('\n');
}

/** The fields of a decision in JSON: an object with the labels, or a call of `create_todos` as text. */
function fieldsOf(object: Fields): { readonly decision?: string; readonly todos?: unknown; readonly answer?: string } {
  const call = object['name'] ?? object['function'] ?? object['tool'];
  const input = object['arguments'] ?? object['parameters'] ?? object['input'];
  if (call === 'create_todos' && isObject(input)) return { decision: 'complex', todos: input['todos'] };
  const get = (names: string): unknown =>
    Object.entries(object).find(([key]) => new RegExp(`^(?:${names})$`, 'iu').test(key))?.[1];
  const [decision, answer] = [get(labels.decision), get('answer|response|回答|答案')];
  return {
    ...(typeof decision === 'string' && { decision }),
    todos: get(labels.todos),
    ...(typeof answer === 'string' && { answer }),
  };
}

/** Reads a decision in JSON; `undefined` for JSON that is an answer. */
function decisionOf({ object, rest }: { object: Fields; rest: string }, language: Language): Decision | undefined {
  const texts = problems[language];
  const { decision, todos: list, answer } = fieldsOf(object);
  const kind = decision === undefined ? undefined : kindOf(decision);
  const items = Array.isArray(list) ? (list as readonly unknown[]) : [];
  const todos = items.flatMap((one) => {
    const text = isObject(one) ? Object.values(one).find((value) => typeof value === 'string') : one;
    return typeof text === 'string' && !isNothing(text) ? [text.trim()] : [];
  });
  if (kind === undefined) {
    if (items.length === 0) return undefined;
    return { kind: 'invalid', problem: decision === undefined ? texts.noDecision : texts.unclearDecision(decision) };
  }
  if (kind === 'simple') {
    return answer === undefined ? undefined : { kind, answer: joined([...meaningfulLines(rest), answer]) };
  }
  // A list with a part that cannot be read is not the whole one.
  if (todos.length === 0 || todos.length < items.length) return { kind: 'invalid', problem: texts.noTodos };
  return { kind, todos };
}

/** Reads a decision as text or JSON. Text without one is the simple answer; one that contradicts itself is invalid, not guessed. */
export function parseDecision(text: string, { language = 'en' }: { readonly language?: Language } = {}): Decision {
  const texts = problems[language];
  const sections = splitSections(text, labels);
  const all = (label: keyof typeof labels | undefined): string[] =>
    sections.filter((section) => section.label === label).map((section) => section.text);
  const [decisions, lists] = [all('decision'), all('todos')];
  const todos = todosOf(lists.join('\n'));
  if (decisions.length === 0) {
    const json = lists.length === 0 ? findObject(text) : undefined;
    const decision = json && decisionOf(json, language);
    if (decision) return decision;
    if (text.trim() === '') return { kind: 'invalid', problem: texts.emptyAnswer };
    return todos.length > 0 ? { kind: 'invalid', problem: texts.noDecision } : { kind: 'simple', answer: text.trim() };
  }
  const heads = decisions.map((decision) => linesOf(decision)[0] ?? '');
  const kinds = new Set(heads.map(kindOf));
  const [kind] = kinds;
  if (kinds.size > 1 || kind === undefined)
    return { kind: 'invalid', problem: texts.unclearDecision(heads.join(' / ')) };
  if (kind === 'complex') return todos.length === 0 ? { kind: 'invalid', problem: texts.noTodos } : { kind, todos };
  // The user may have asked for a list: after this decision it is a part of the answer.
  const tails = decisions.map((decision) => linesOf(decision).slice(1).join('\n').trim());
  const answer = joined([...all(undefined), ...tails, ...lists]);
  return answer === '' ? { kind: 'invalid', problem: texts.emptyAnswer } : { kind, answer };
}
