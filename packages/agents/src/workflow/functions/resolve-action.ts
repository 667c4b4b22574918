import { nearNames } from '@cairn/tool/internal';
import type { Language } from '@cairn/tool/kernel';
import type { ParsedAction, WorkflowFunction } from '../types.ts';
import { bindArguments } from './bind-arguments.ts';
import { problems } from './problems.ts';

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
