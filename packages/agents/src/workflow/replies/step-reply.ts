import { isObject, type Fields } from '@cairn/tool';
import type { Language } from '@cairn/tool/kernel';
import { parseJson } from '../../model/parse-json.ts';
import type { ParsedAction, StepReply } from '../types.ts';
import { calledActions, parseActions } from './actions.ts';
import { findObject, isNothing, meaningfulLines, splitSections, valueOf, type Section } from './labels.ts';
import { problems } from './problems.ts';

type Completion =
  | { readonly isValid: true; readonly value: number; readonly rest: string }
  | { readonly isValid: false };

const NUMBER =
  /^[\s"'“”‘’「[（(*_`]*(?:(?:about|around|approximately|大约|约|≈|~)\s*)?(\d+(?:[.,]\d+)?|[.,]\d+)\s*(?:(%)|\/\s*(\d+(?:[.,]\d+)?))?/iu;
/** Another number that the first one is a part of, such as of a range or of a date. */
const LONGER = /^(?:\s*(?:[-–—~～至到/:：]|to\b|or\b|或)\s*\d|[.,]?\d|\s*%)/iu;
const WORD = /^\s*[\p{L}\p{N}]/u;

/** Replaces full-width digits and signs, one for one. */
function toHalfWidth(text: string): string {
  return text.replaceAll(/[０-９．，％／]/gu, (character) => String.fromCharCode(character.charCodeAt(0) - 0xfe_e0));
}

/** Reads `0.8`, `0,8`, `80%`, `4/5`, with an explanation after it. A number elsewhere, or `1 file`, may count something else. */
export function parseCompletion(text: string): Completion {
  const half = toHalfWidth(text);
  const found = NUMBER.exec(half);
  const [all = '', number = '', percent, of] = found ?? [];
  const after = half.slice(all.length);
  const isBare = /^\d+$/u.test(number) && percent === undefined && of === undefined;
  if (!found || LONGER.test(after) || (isBare && WORD.test(after))) return { isValid: false };
  const total = percent === undefined ? Number((of ?? '1').replace(',', '.')) : 100;
  const value = Number(number.replace(',', '.')) / total;
  if (!(value >= 0 && value <= 1)) return { isValid: false };
  return { isValid: true, value, rest: text.slice(all.length) };
}

type Label = 'completion' | 'action' | 'nextStep' | 'note';

const RANGE = String.raw`(?:\s*[（(]\s*[01]\s*[-–~～到至]\s*(?:1|100\s*%)\s*[)）])?`;
const labels: Readonly<Record<Label, string>> = {
  completion: `(?:完成度评估|完成度|completion)${RANGE}`,
  action: String.raw`执行动作|actions?`,
  nextStep: String.raw`下一步建议|下一步|next[\s_-]?steps?`,
  note: String.raw`笔记|notes?`,
};

export interface ParseReplyOptions {
  /** The language of the problems. @default 'en' */
  readonly language?: Language | undefined;
  /** Whether a name without arguments is a function, as in `[list_files]`. @default none is */
  readonly isFunction?: ((name: string) => boolean) | undefined;
}

interface Draft {
  readonly completions: string[];
  readonly actions: ParsedAction[];
  readonly nextStep: string[];
  readonly note: string[];
  readonly result: string[];
  readonly unread: string[];
  readonly problems: string[];
}

interface Context {
  readonly language: Language;
  readonly isFunction: (name: string) => boolean;
}

/** Adds the actions in a reply. Actions are written with brackets, or as JSON with `name` and `arguments`. */
function addActions(draft: Draft, text: string, { language, isFunction }: Context): void {
  const value = parseJson(text);
  if (Array.isArray(value) && value.every((one) => typeof one === 'string' || callOf(one) !== undefined)) {
    for (const one of value as readonly unknown[]) addAction(draft, one, { language, isFunction });
    return;
  }
  const call = callOf(value);
  if (call) {
    draft.actions.push(call);
    return;
  }
  const { actions, rest, unclosed } = parseActions(text, isFunction);
  const [first] = actions;
  const before = first === undefined ? '' : text.slice(0, text.indexOf(first.text));
  if (/[\p{L}\p{N}]/u.test(before) && valueOf(before).value === undefined) {
    draft.unread.push(...meaningfulLines(text));
    // In the same line it explains why there is none.
    if (before.includes('\n')) draft.problems.push(problems[language].noneAndAction(text));
    return;
  }
  draft.actions.push(...actions);
  if (isNothing(rest)) return;
  draft.unread.push(...meaningfulLines(rest));
  const { unclosed: isUnclosed, noAction } = problems[language];
  if (unclosed !== undefined) draft.problems.push(isUnclosed(unclosed));
  else if (actions.length === 0 && valueOf(rest).value !== undefined) draft.problems.push(noAction(rest.trim()));
}

const NAMES = ['name', 'function', 'action', 'tool', 'type'];
const ARGUMENTS = ['arguments', 'args', 'input', 'parameters', 'params'];

function callOf(value: unknown): ParsedAction | undefined {
  if (!isObject(value)) return undefined;
  const keys = Object.keys(value);
  const nameKey = keys.find((key) => NAMES.includes(key));
  const argumentsKey = keys.find((key) => ARGUMENTS.includes(key));
  const name = nameKey === undefined ? undefined : value[nameKey];
  if (typeof name !== 'string' || keys.length > (argumentsKey === undefined ? 1 : 2)) return undefined;
  const args = argumentsKey === undefined ? '' : value[argumentsKey];
  const text = typeof args === 'string' ? args : JSON.stringify(args);
  return { name, args: text, text: JSON.stringify(value) };
}

function addAction(draft: Draft, value: unknown, context: Context): void {
  const call = callOf(value);
  if (call) draft.actions.push(call);
  else addActions(draft, typeof value === 'string' ? value : JSON.stringify(value), context);
}

function addValue(draft: Draft, to: 'nextStep' | 'note' | 'result', text: string): void {
  const { value, rest } = valueOf(text);
  if (value !== undefined) draft[to].push(value);
  draft.unread.push(...meaningfulLines(rest));
}

function addSection(draft: Draft, { label, text }: Section<Label>, context: Context): void {
  if (label === undefined) draft.unread.push(...meaningfulLines(text));
  else if (label === 'completion') draft.completions.push(text);
  else if (label === 'action') addActions(draft, text, context);
  else addValue(draft, label, text);
}

const FIELDS: Readonly<Record<string, Label | 'result'>> = { result: 'result', 结果: 'result' };

function labelOf(key: string): Label | 'result' | undefined {
  const found = Object.entries(labels).find(([, names]) => new RegExp(`^(?:${names})$`, 'iu').test(key));
  return (found?.[0] as Label | undefined) ?? FIELDS[key];
}

function addField(draft: Draft, [key, value]: readonly [key: string, value: unknown], context: Context): void {
  const label = labelOf(key);
  if (value === null || value === undefined) return;
  if (label === 'action') {
    for (const one of Array.isArray(value) ? value : [value]) addAction(draft, one, context);
  } else if (label === 'completion' && (typeof value === 'string' || typeof value === 'number')) {
    draft.completions.push(String(value));
  } else if (label !== undefined && label !== 'completion' && typeof value === 'string') {
    addValue(draft, label, value);
  } else {
    draft.unread.push(`${key}: ${JSON.stringify(value)}`);
    if (label !== undefined) draft.problems.push(problems[context.language].invalidField(key));
  }
}

/** Returns the completion of an answer. Several are one when they are equal. */
function completionOf({ completions, unread, problems: found }: Draft, language: Language): number | undefined {
  const texts = problems[language];
  const read = completions.map((text) => ({ text, ...parseCompletion(text) }));
  const values = new Set<number>();
  for (const one of read) {
    if (one.isValid) {
      values.add(one.value);
      const isSameLine = Object.values(labels).some((names) =>
        new RegExp(`(?:${names})\\s*[:：]`, 'iu').test(one.rest),
      );
      if (isSameLine) found.push(texts.sameLine);
      unread.push(...meaningfulLines(one.rest));
    } else {
      found.push(texts.invalidCompletion(one.text));
      unread.push(...meaningfulLines(one.text));
    }
  }
  if (read.length === 0) found.push(texts.noCompletion);
  if (values.size > 1) found.push(texts.twoCompletions(completions));
  return values.size === 1 && read.every((one) => one.isValid) ? [...values][0] : undefined;
}

/** Reads a report, as labels or JSON. Every line is in a field, in `unread`, or says nothing; `problems` states what is not usable. */
export function parseReply(text: string, options: ParseReplyOptions = {}): StepReply {
  const { language = 'en', isFunction = () => false } = options;
  const context: Context = { language, isFunction };
  const draft: Draft = { completions: [], actions: [], nextStep: [], note: [], result: [], unread: [], problems: [] };
  const sections = splitSections(text, labels);
  const json = sections.some(({ label }) => label !== undefined) ? undefined : findObject(text);
  if (json && Object.keys(json.object).some((key) => labelOf(key) === 'completion')) {
    for (const field of Object.entries(json.object)) addField(draft, field, context);
    draft.unread.push(...meaningfulLines(json.rest));
  } else {
    for (const section of sections) addSection(draft, section, context);
  }
  const completion = completionOf(draft, language);
  for (const { text: action } of calledActions(draft.unread.join('\n'), isFunction).called) {
    draft.problems.push(problems[language].outside(action));
  }
  const { nextStep, note, result } = draft;
  return {
    ...(completion !== undefined && { completion }),
    actions: draft.actions,
    ...(nextStep.length > 0 && { nextStep: nextStep.join('\n') }),
    ...(note.length > 0 && { note: note.join('\n') }),
    ...(result.length > 0 && { result: result.join('\n') }),
    unread: draft.unread,
    problems: draft.problems,
  };
}

/** Returns the reply that a call of `finish_step` states: the same rules for `None` and `无`. */
export function replyOfReport(report: Fields, options: ParseReplyOptions = {}): StepReply {
  return parseReply(JSON.stringify(report), options);
}
