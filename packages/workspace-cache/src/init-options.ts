import { checkArguments, isObject, type Fields } from '@cairn/tool/kernel';
import { ToolError } from '@cairn/tool';
import { describe } from './checks.ts';

export interface InitOptions {
  /** The object that all agents of the run share. Without it, every call makes a run of its own. */
  readonly userContext?: object | undefined;
}

/** The second argument of an AIGNE function, as far as `init` needs it. Its other fields are the framework's. */
export interface InvocationOptions {
  readonly context: { readonly userContext: object };
}

const FORMS = 'Use init({ userContext }), or init(input, { context: { userContext } }).';

function objectAt(place: string, value: unknown): Fields {
  if (isObject(value)) return value;
  throw new ToolError('INVALID_OPTION', [`invalid ${place} of init: ${describe(value)}`, FORMS]);
}

/** Returns the user context in the arguments of `init`: its options, or the source document's. @throws {ToolError} `INVALID_OPTION` */
export function userContextIn([first, second]: readonly unknown[]): Fields | undefined {
  if (second !== undefined) {
    const { context } = objectAt('options', second);
    return objectAt('options.context.userContext', objectAt('options.context', context)['userContext']);
  }
  if (first === undefined) return undefined;
  if (isObject(first) && 'context' in first) {
    throw new ToolError('INVALID_OPTION', ['context of init is in its first argument, which is the input', FORMS]);
  }
  checkArguments.options<object>('init', first as object, { userContext: 'optional' });
  const { userContext } = first as InitOptions;
  return userContext === undefined ? undefined : objectAt('userContext', userContext);
}
