import { isMissing, isObject } from '@cairn/tool';
import { stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { AgentError } from '../../errors.ts';
import { checkFunctions, type Candidate, type FunctionDefinition } from './definition.ts';

/** Whether an export is meant as a function, even if it is not a valid one. */
function isDefinition(value: unknown): boolean {
  return isObject(value) && ('execute' in value || ('name' in value && 'description' in value));
}

/** Returns the entries of a default export: a function, a list of functions, or an object with functions by name. */
function entriesOf(value: unknown): Candidate[] {
  if (Array.isArray(value))
    return value.map((one: unknown, index) => ({ label: labelOf(one, `[${index}]`), value: one }));
  if (!isObject(value) || isDefinition(value)) return [{ label: labelOf(value, 'default export'), value }];
  return Object.entries(value).map(named);
}

/** A function has the name of its key, unless it has its own. */
function named([key, value]: [string, unknown]): Candidate {
  return { label: key, value: isObject(value) ? { name: key, ...value } : value };
}

function labelOf(value: unknown, otherwise: string): string {
  return isObject(value) && typeof value['name'] === 'string' ? value['name'] : otherwise;
}

function candidatesOf(exports: Readonly<Record<string, unknown>>): Candidate[] {
  const { default: main, ...rest } = exports;
  const entries = main === undefined ? [] : entriesOf(main);
  const others = Object.entries(rest)
    // Next to a default export, a module may export anything; a function among it is not left out.
    .filter(([, value]) => main === undefined || isDefinition(value))
    .map(named);
  const known = new Set(entries.map(({ value }) => (isObject(value) ? value['execute'] : value)));
  return [...entries, ...others.filter(({ value }) => !isObject(value) || !known.has(value['execute']))];
}

/**
 * Loads the functions of a module: `.js`, `.mjs`, or `.ts` with types that can be removed. Its default export is a function, a list
 * of functions, or an object with functions by name; without one, its named exports are the functions.
 *
 * @param path relative to `directory`, such as that of the user
 * @throws {AgentError} `INVALID_FUNCTIONS` with everything that is wrong.
 */
export async function loadFunctions(path: string, directory: string): Promise<FunctionDefinition[]> {
  const file = resolve(directory, path);
  const fail = (what: string, hint: string, cause?: unknown): never => {
    const summary = `Cannot load functions from ${file}: ${what}`;
    throw new AgentError('INVALID_FUNCTIONS', [summary, hint], { path: file, cause });
  };
  const found = await stat(file).catch((error: unknown) =>
    fail(isMissing(error) ? 'there is no such file' : String(error), 'Check the path.', error),
  );
  if (!found.isFile()) fail('it is not a file', 'Pass the path of a module.');
  const loading = import(pathToFileURL(file).href) as Promise<Readonly<Record<string, unknown>>>;
  const exports = await loading.catch((error: unknown) => {
    const what = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
    return fail(what, 'Correct the module.', error);
  });
  const candidates = candidatesOf(exports);
  if (candidates.length === 0) fail('it exports nothing', 'Export functions, such as a list as the default export.');
  return checkFunctions(candidates, `in ${file}`, file);
}
