import { isObject } from '@cairn/tool/kernel';
import { numberOf } from '../identity.ts';
import { copyPlain, textOfPlain } from './plain.ts';
import type { Extent } from './snapshots.ts';

/** The limit of the arguments of a call that may be kept. */
const MAX_ARGUMENT_BYTES = 32 * 1024;

const PATH_NAMES = ['path', 'directory', 'dir', 'file_path', 'filePath', 'file'];

/** Parameters that do not make a listing go into subdirectories, with the values that they may have. */
const flatParameters: Readonly<Record<string, (value: unknown) => boolean>> = {
  // The module of the workspace.
  name: (value) => typeof value === 'string',
  depth: (value) => value === 1,
  maxDepth: (value) => value === 1,
  recursive: (value) => value === false,
  limit: (value) => typeof value === 'number',
  offset: (value) => typeof value === 'number',
  skip: (value) => typeof value === 'number',
};

export interface WrapOptions<Args extends readonly unknown[]> {
  /**
   * Returns what the result of a call depends on, as plain data. Use it to leave out arguments that change with each call, such as a
   * signal or the context of a framework.
   * @default all arguments
   */
  readonly keyOf?: ((...args: Args) => unknown) | undefined;
  /** Returns the path of a call. @default the first argument, or its `path` */
  readonly pathOf?: ((...args: Args) => string | undefined) | undefined;
}

/** What a call depends on, from its arguments. */
export interface Call {
  readonly kind: 'list' | 'read';
  readonly key: string;
  readonly path: string;
  readonly extent: Extent;
}

/** How one function is wrapped, as far as its arguments matter. */
interface WrappedFunction<Args extends readonly unknown[]> {
  readonly kind: 'list' | 'read';
  readonly original: unknown;
  readonly options: WrapOptions<Args>;
}

function pathIn(...[first]: readonly unknown[]): string | undefined {
  if (typeof first === 'string') return first;
  if (!isObject(first)) return undefined;
  return PATH_NAMES.map((name) => first[name]).find((value) => typeof value === 'string');
}

/** Returns whether arguments ask for the entries of the directory alone, as far as they tell. */
function isFlat(args: readonly unknown[]): boolean {
  const isFlatParameter = ([name, value]: readonly [string, unknown]): boolean =>
    value === undefined || PATH_NAMES.includes(name) || flatParameters[name]?.(value) === true;
  return args.every((argument, index) => {
    if (argument === undefined || (index === 0 && typeof argument === 'string')) return true;
    return isObject(argument) && Object.entries(argument).every(isFlatParameter);
  });
}

/** Gets something from arguments. A getter, a proxy or a function of the caller may throw: the original call decides what that means. */
function attempt<Value>(get: () => Value): Value | undefined {
  try {
    return get();
  } catch {
    return undefined;
  }
}

/** Returns the path of a call; `undefined` when its arguments have none. */
export function pathOf<Args extends readonly unknown[]>(
  { pathOf: find = pathIn }: WrapOptions<Args>,
  args: Args,
): string | undefined {
  const path: unknown = attempt(() => find(...args));
  return typeof path === 'string' ? path : undefined;
}

/** Returns what a call depends on; `undefined` when its arguments are not plain data. */
export function callOf<Args extends readonly unknown[]>(
  { kind, original, options: { keyOf } }: WrappedFunction<Args>,
  { self, args, path }: { readonly self: unknown; readonly args: Args; readonly path: string },
): Call | undefined {
  const plain = attempt(() => copyPlain<unknown>(keyOf ? keyOf(...args) : [...args], MAX_ARGUMENT_BYTES));
  if (plain === undefined) return undefined;
  const key = `${kind} ${numberOf(original)} ${numberOf(self)} ${textOfPlain(plain.value)} ${JSON.stringify(path)}`;
  const isPlainList = isFlat([plain.value].flat());
  return { kind, key, path, extent: kind === 'read' ? 'file' : isPlainList ? 'names' : 'tree' };
}

/** Returns the signal in the arguments of a call, if there is one. */
export function signalIn(args: readonly unknown[]): AbortSignal | undefined {
  const objects = args.filter(isObject);
  return attempt(() =>
    objects.flatMap((one) => [one, one['signal'], one['abortSignal']]).find((value) => value instanceof AbortSignal),
  );
}
