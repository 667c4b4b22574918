/** Checks the arguments of public functions, which programs without types can get wrong, so that a mistake has a coded error. */
import { MemoryError } from '../errors.ts';

/** What a function takes in one place. `?` allows `undefined`. `any` is checked by the function itself. */
type ArgumentKind =
  | 'any'
  | 'text'
  | 'object'
  | 'object?'
  | 'object or text'
  | 'object or boolean?'
  | 'objects'
  | 'texts'
  | 'lines';

/** The arguments of the functions of an object, by their names. */
export type CallTable<Api> = { readonly [Name in keyof Api]?: readonly ArgumentKind[] };

function isObject(value: unknown): boolean {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isLines(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return Symbol.iterator in value || Symbol.asyncIterator in value;
}

const checks: Readonly<Record<ArgumentKind, readonly [expected: string, accepts: (value: unknown) => boolean]>> = {
  any: ['anything', () => true],
  text: ['a text', (value) => typeof value === 'string'],
  object: ['an object', isObject],
  'object?': ['an object', (value) => value === undefined || isObject(value)],
  'object or text': ['an object or a text', (value) => typeof value === 'string' || isObject(value)],
  'object or boolean?': [
    'an object or a boolean',
    (value) => value === undefined || typeof value === 'boolean' || isObject(value),
  ],
  objects: ['an array of objects', (value) => Array.isArray(value) && value.every(isObject)],
  texts: ['an array of texts', (value) => Array.isArray(value) && value.every((one) => typeof one === 'string')],
  lines: ['an array or an iterable of lines', isLines],
};

function checkArguments(name: string, kinds: readonly ArgumentKind[], given: readonly unknown[]): void {
  for (const [index, kind] of kinds.entries()) {
    const [expected, accepts] = checks[kind];
    if (accepts(given[index])) continue;
    const summary = `Argument ${index + 1} of ${name} is not ${expected}`;
    throw new MemoryError('INVALID_INPUT', [summary, `Pass ${expected}${kind.endsWith('?') ? ', or omit it' : ''}.`]);
  }
}

type Call = (...given: unknown[]) => unknown;

function wrapCalls<Api extends object>(api: Api, table: CallTable<Api>, wrap: (run: Call, check: Call) => Call): Api {
  const calls = api as Record<string, unknown>;
  for (const [name, kinds] of Object.entries(table) as [string, readonly ArgumentKind[]][]) {
    const run = calls[name] as Call;
    calls[name] = wrap(run, (...given) => checkArguments(name, kinds, given));
  }
  return api;
}

/** Lets functions that return a promise reject when an argument is of another kind than the table states. Changes the object. */
export function checkCalls<Api extends object>(api: Api, table: CallTable<Api>): Api {
  return wrapCalls(api, table, (run, check) => async (...given) => {
    check(...given);
    return run(...given);
  });
}

/** Like {@link checkCalls} for functions that throw. */
export function checkDirectCalls<Api extends object>(api: Api, table: CallTable<Api>): Api {
  return wrapCalls(api, table, (run, check) => (...given) => {
    check(...given);
    return run(...given);
  });
}
