import { nearNames } from '@cairn/tool/internal';
import type { Language } from '@cairn/tool/kernel';
import { isObject, type Fields } from '@cairn/tool';
import type { z } from 'zod';
import type { ParsedAction, WorkflowFunction } from '../types.ts';
import { problems } from './problems.ts';
import { parseJson } from '../../model/parse-json.ts';
import { checkInput, type CheckedInput } from './check-input.ts';
import { listParameters, parametersOf, type Parameter, type Parameters } from './parameters.ts';

class Problem extends Error {}

const OPEN = '[{';
const CLOSE = ']}';

/** Returns where a JSON value that begins at `start` ends: a string, an array or an object; `start` for other text. */
function endOfJson(text: string, start: number): number {
  let depth = 0;
  for (let index = start; index < text.length; index++) {
    const character = text.charAt(index);
    if (character === '"') {
      for (index++; index < text.length && text.charAt(index) !== '"'; index++)
        if (text.charAt(index) === '\\') index++;
    } else if (OPEN.includes(character)) depth++;
    else if (CLOSE.includes(character)) depth--;
    if (depth === 0) return index < text.length ? index + 1 : start;
  }
  return start;
}

/** Splits arguments at `:`, outside JSON values, addresses such as `https://`, and Windows drives such as `C:\`. */
function splitArguments(text: string): string[] {
  const parts: string[] = [];
  let start = 0;
  let isAtStart = true;
  for (let index = 0; index < text.length; index++) {
    const character = text.charAt(index);
    if (isAtStart && ['"', '[', '{'].includes(character)) index = Math.max(index, endOfJson(text, index) - 1);
    isAtStart &&= character.trim() === '';
    if (character !== ':' && character !== '：') continue;
    const isAddress = text.startsWith('//', index + 1) && /[a-z]/iu.test(text.charAt(index - 1));
    const isDrive = text.charAt(index + 1) === '\\' && /^\s*[a-z]$/iu.test(text.slice(start, index));
    if (isAddress || isDrive) continue;
    parts.push(text.slice(start, index).trim());
    start = index + 1;
    isAtStart = true;
  }
  return [...parts, text.slice(start).trim()];
}

interface Naming {
  readonly name: string;
  readonly language: Language;
}

/** Converts the text of an argument to the type of its parameter. Text stays text, unless it is a JSON string. */
function valueOf(text: string, parameter: Parameter, { name, language }: Naming): unknown {
  const texts = problems[language];
  const { type, name: key } = parameter;
  const value = parseJson(text);
  if (typeof value === 'string') return value;
  if (type === 'string') return text;
  const isJson = /^[[{]/u.test(text) && endOfJson(text, 0) === text.length;
  if (type === undefined) {
    if (isJson && value === undefined) throw new Problem(texts.invalidJson(name, key));
    return isJson ? value : text;
  }
  if (value !== undefined) return value;
  const isText = type !== 'array' && type !== 'object';
  throw new Problem(isText ? texts.invalidType(name, key, type) : texts.invalidJson(name, key));
}

const SEPARATORS = String.raw`[,，;；:：&|\n]`;

function escaped(name: string): string {
  return name.replaceAll(/[.*+?^${}()|[\]\\]/gu, String.raw`\$&`);
}

/** Reads `name=value, name=value`, when the text begins with the name of a parameter. */
function namedArguments(text: string, parameters: Parameters, naming: Naming): Fields | undefined {
  const names = parameters.list.map((parameter) => escaped(parameter.name)).join('|');
  if (names === '' || !new RegExp(String.raw`^\s*(?:${names})\s*[=＝:：]`, 'u').test(text)) return undefined;
  const start = new RegExp(String.raw`(?:^|${SEPARATORS})\s*(${names})\s*[=＝:：]\s*`, 'uy');
  const found: { readonly parameter: Parameter; readonly from: number; end: number }[] = [];
  for (let index = 0; index < text.length;) {
    start.lastIndex = index;
    const [all, key] = start.exec(text) ?? [];
    const parameter = parameters.list.find((one) => one.name === key);
    if (all !== undefined && parameter !== undefined) {
      const last = found.at(-1);
      if (last) last.end = index;
      index += all.length;
      found.push({ parameter, from: index, end: text.length });
      // A name inside a JSON value is not a parameter of this function.
      index = Math.max(index, ['"', '[', '{'].includes(text.charAt(index)) ? endOfJson(text, index) : index);
    } else {
      index++;
    }
  }
  const fields: Record<string, unknown> = {};
  for (const { parameter, from, end } of found) {
    if (Object.hasOwn(fields, parameter.name)) {
      throw new Problem(problems[naming.language].repeated(naming.name, parameter.name));
    }
    fields[parameter.name] = valueOf(text.slice(from, end).trim(), parameter, naming);
  }
  return fields;
}

function positionalArguments(text: string, parameters: Parameters, naming: Naming): Fields {
  const texts = problems[naming.language];
  const [first, ...others] = parameters.list;
  if (first === undefined)
    throw new Problem((parameters.others === 'accepted' ? texts.unnamed : texts.noArguments)(naming.name));
  const parts = others.length === 0 ? [text] : splitArguments(text);
  if (parts.length > parameters.list.length) {
    throw new Problem(texts.manyArguments(naming.name, parts.length, listParameters(parameters)));
  }
  return Object.fromEntries(
    parameters.list.flatMap((parameter, index) => {
      const part = parts[index];
      // An empty part leaves out an optional argument.
      return part === undefined || (part === '' && !parameter.isRequired)
        ? []
        : [[parameter.name, valueOf(part, parameter, naming)]];
    }),
  );
}

function read(text: string, parameters: Parameters, naming: Naming): unknown {
  if (text === '') return {};
  const value = parseJson(text);
  const [only, ...others] = parameters.list;
  if (isObject(value)) {
    const isNamed = Object.keys(value).every((key) => parameters.list.some(({ name }) => name === key));
    // The only parameter may be an object itself.
    const isValue = only !== undefined && others.length === 0 && !isNamed && only.type !== 'string';
    return isValue ? { [only.name]: value } : value;
  }
  return namedArguments(text, parameters, naming) ?? positionalArguments(text, parameters, naming);
}

/** Reads and checks `[name:arguments]`: one JSON object, `name=value, …`, or values in order. More values than parameters are rejected. */
async function bindArguments(
  target: { readonly name: string; readonly inputSchema: z.ZodType },
  text: string,
  language: Language = 'en',
): Promise<CheckedInput> {
  try {
    const input = read(text.trim(), parametersOf(target.inputSchema), { name: target.name, language });
    return await checkInput(target, input, language);
  } catch (error) {
    if (error instanceof Problem) return { isValid: false, problem: error.message };
    throw error;
  }
}

export type ResolvedAction =
  | { readonly isValid: true; readonly fn: WorkflowFunction; readonly input: unknown }
  | { readonly isValid: false; readonly problem: string };

/** Folds case, width and the characters that separate words. */
function foldName(name: string): string {
  return name
    .normalize('NFKC')
    .toLowerCase()
    .replaceAll(/[\s_.-]+/gu, '');
}

/** Returns up to three names that a wrong one may mean, the most similar first; of each function the nearest one. */
function namesNear(name: string, functions: readonly WorkflowFunction[]): string[] {
  const all = functions.flatMap((fn) => [fn.name, ...fn.aliases].map((one) => [one, fn] as const));
  const owners = new Map(all);
  const near = nearNames(name, owners.keys(), { minSimilarity: 0.3, most: owners.size });
  const isNearest = (one: string): boolean => near.find((other) => owners.get(other) === owners.get(one)) === one;
  return near.filter(isNearest).slice(0, 3);
}

function namesOf({ name, toolName, aliases }: WorkflowFunction): string[] {
  const dot = name.lastIndexOf('.');
  const stream = name.slice(0, dot + 1);
  return [name, toolName, ...aliases, ...(dot === -1 ? [] : aliases.map((alias) => `${stream}${alias}`))];
}

/** Returns the functions of exactly this name, else alias, else folded name. One of the main stream goes before merged ones. */
function candidatesOf(functions: readonly WorkflowFunction[], name: string): readonly WorkflowFunction[] {
  const tests: readonly ((one: WorkflowFunction) => boolean)[] = [
    (one) => one.name === name,
    (one) => namesOf(one).includes(name),
    (one) => namesOf(one).some((other) => foldName(other) === foldName(name)),
  ];
  for (const test of tests) {
    const found = functions.filter(test);
    const ofMain = found.filter((one) => !one.name.includes('.'));
    if (found.length > 0) return ofMain.length === 1 ? ofMain : found;
  }
  return [];
}

export function isFunctionName(functions: readonly WorkflowFunction[], name: string): boolean {
  return candidatesOf(functions, name).length > 0;
}

export async function resolveAction(
  functions: readonly WorkflowFunction[],
  { name, args }: ParsedAction,
  { language = 'en' }: { readonly language?: Language } = {},
): Promise<ResolvedAction> {
  const texts = problems[language];
  const [fn, ...others] = candidatesOf(functions, name);
  if (fn === undefined) {
    const all = functions.map((one) => one.name);
    return { isValid: false, problem: texts.unknown(name, namesNear(name, functions), all) };
  }
  if (others.length > 0) {
    const names = [fn, ...others].map((one) => one.name);
    return { isValid: false, problem: texts.ambiguous(name, names) };
  }
  const bound = await bindArguments(fn, args, language);
  return bound.isValid ? { isValid: true, fn, input: bound.input } : bound;
}
