/** Checks the arguments of public functions, which programs without types can get wrong, so that a mistake has a coded error. */

import type { ErrorText } from './cairn-error.ts';
import { isObject, isStrings, LANGUAGES, type Language } from './values.ts';

/**
 * The names of the options in `T`, each with whether a call must give it. The compiler asks for every name, so that the list
 * cannot miss one.
 */
export type OptionNames<T> = {
  readonly [Name in keyof T]-?: Record<never, never> extends Pick<T, Name> ? 'optional' : 'required';
};

/** What a function takes in one place, when it has no list of option names. `?` allows `undefined`. `any` is checked by the function itself. */
type ArgumentKind = Kind | 'object?' | 'object or boolean?';

/** The arguments of a function: the kind of each, or the names of the options that it has. */
type Arguments<Given extends readonly unknown[]> = {
  readonly [Place in keyof Given]: ArgumentKind | OptionNames<NonNullable<Given[Place]>>;
};

/** The arguments of the functions of an object, by their names. Arguments at the end can be left out. */
export type CallTable<Api> = {
  readonly [Name in keyof Api]?: Api[Name] extends (...given: infer Given) => unknown
    ? Partial<Arguments<Required<Given>>>
    : never;
};

type InvalidArgument = (
  code: 'INVALID_INPUT' | 'INVALID_OPTION',
  text: ErrorText,
  facts?: { readonly option: string },
) => Error;

type Kind = 'any' | 'string' | 'object' | 'object or boolean' | 'objects' | 'strings' | 'lines';

const kinds: Readonly<Record<Kind, readonly [expected: string, accepts: (value: unknown) => boolean]>> = {
  any: ['anything', () => true],
  string: ['a string', (value) => typeof value === 'string'],
  object: ['an object', isObject],
  'object or boolean': ['an object or a boolean', (value) => typeof value === 'boolean' || isObject(value)],
  objects: ['an array of objects', (value) => Array.isArray(value) && value.every(isObject)],
  strings: ['an array of strings', isStrings],
  lines: [
    'an array or an iterable of lines',
    (value) =>
      typeof value === 'object' && value !== null && (Symbol.iterator in value || Symbol.asyncIterator in value),
  ],
};

type Names = Readonly<Record<string, 'optional' | 'required'>>;

function isRequired(names: Names): boolean {
  return Object.values(names).includes('required');
}

type Run = (...given: unknown[]) => unknown;

/** Checks the arguments of the functions of a package, and throws its error. */
export class ArgumentChecks {
  readonly #fail: InvalidArgument;

  constructor(fail: InvalidArgument) {
    this.#fail = fail;
  }

  /**
   * Checks that the options of a call are an object without unknown names. The values are checked by the call itself. Options
   * may be left out if none of them is required.
   *
   * @param call the name of the function, for the message
   * @throws `INVALID_OPTION`
   */
  options<Options>(call: string, options: Options | undefined, names: OptionNames<Options>): void {
    this.#names(call, options, names);
  }

  /** Returns a valid language. @throws `INVALID_OPTION` */
  language(language: Language): Language {
    if (LANGUAGES.includes(language)) return language;
    const summary = `Invalid language ${JSON.stringify(language)}`;
    throw this.#fail('INVALID_OPTION', [summary, `Use ${LANGUAGES.join(' or ')}.`], { option: 'language' });
  }

  /** Makes functions that return a promise reject when an argument is not what the table states. Changes the object. */
  calls<Api extends object>(api: Api, table: CallTable<Api>): Api {
    return this.#wrap(api, table, true);
  }

  /** Like {@link ArgumentChecks.calls}, for functions that throw. */
  directCalls<Api extends object>(api: Api, table: CallTable<Api>): Api {
    return this.#wrap(api, table, false);
  }

  #wrap<Api extends object>(api: Api, table: CallTable<Api>, rejects: boolean): Api {
    const calls = api as Record<string, Run>;
    for (const [name, expected] of Object.entries(table) as [string, readonly (ArgumentKind | Names)[]][]) {
      const run = (calls[name] as Run).bind(api);
      const call: Run = (...given) => {
        this.#arguments(name, expected, given);
        return run(...given);
      };
      calls[name] = rejects ? async (...given) => call(...given) : call;
    }
    return api;
  }

  #arguments(call: string, table: readonly (ArgumentKind | Names)[], given: readonly unknown[]): void {
    // The names first: an unknown option is reported whatever else is wrong.
    for (const [index, expected] of table.entries())
      if (typeof expected === 'object' && isObject(given[index])) this.#names(call, given[index], expected);
    for (const [index, expected] of table.entries()) {
      const kind = typeof expected === 'string' ? expected : isRequired(expected) ? 'object' : 'object?';
      const isOptional = kind.endsWith('?');
      const [noun, accepts] = kinds[kind.replace('?', '') as Kind];
      if (accepts(given[index]) || (isOptional && given[index] === undefined)) continue;
      const hint = `Pass ${noun}${isOptional ? ', or omit it' : ''}.`;
      throw this.#fail('INVALID_INPUT', [`Argument ${index + 1} of ${call} is not ${noun}`, hint]);
    }
  }

  #names(call: string, options: unknown, names: Names): void {
    if (options === undefined && !isRequired(names)) return;
    const hint = `Use ${Object.keys(names).join(', ')}.`;
    if (!isObject(options)) throw this.#fail('INVALID_OPTION', [`The options of ${call} are not an object`, hint]);
    const option = Object.keys(options).find((name) => !Object.hasOwn(names, name));
    if (option !== undefined)
      throw this.#fail('INVALID_OPTION', [`Unknown option ${option} of ${call}`, hint], { option });
  }
}
