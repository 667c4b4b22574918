import { quoted, type Language } from '@cairn/tool/kernel';
import { refuse } from '../records/checks.ts';
import { checkArguments, MemoryError } from '../errors.ts';
import { checkName } from '../records/keys.ts';

/** What a caller passes to a function. A stream with a root adds it as `root`, unless the caller passes another one. */
export interface FunctionContext {
  readonly root?: string | undefined;
  readonly [name: string]: unknown;
}

/** A function of a stream. */
export interface StreamFunction {
  readonly description: string;
  /** The parameters for the prompt: each name with its description. */
  readonly parameters?: Readonly<Record<string, string>> | undefined;
  /** Omitted when other code calls the function. */
  readonly execute?:
    | ((params: Readonly<Record<string, unknown>>, context: FunctionContext | undefined) => unknown)
    | undefined;
}

export type StreamFunctions = Readonly<Record<string, StreamFunction>>;

/** Defines an agent with a separate memory. */
export interface StreamDefinition {
  readonly name: string;
  /** The start of the system prompt. */
  readonly persona?: string | undefined;
  readonly functions?: StreamFunctions | undefined;
  /**
   * Where its functions work, such as a directory. The prompt states it, and `execute` gets it in its context.
   * @default none
   */
  readonly root?: string | undefined;
  /** The language of its prompts. @default the memory's language */
  readonly language?: Language | undefined;
}

/** A function with the root of the stream that it comes from. */
interface RootedFunction extends StreamFunction {
  readonly root?: string | undefined;
}

/** A checked definition. */
export interface StreamShape {
  readonly name: string;
  readonly persona: string;
  readonly functions: ReadonlyMap<string, RootedFunction>;
  /** The names of the merged streams, the main one first; empty for a plain stream. */
  readonly parents: readonly string[];
  readonly language: Language;
}

/** Checks a definition. @throws {MemoryError} `INVALID_NAME`, `INVALID_INPUT`, `INVALID_OPTION`. */
export function shapeOf(definition: StreamDefinition, defaultLanguage: Language): StreamShape {
  const { name, persona = '', functions = {}, root, language = defaultLanguage } = definition;
  if (root !== undefined && (typeof root !== 'string' || root === '')) {
    throw new MemoryError('INVALID_INPUT', [
      `The root of the stream ${quoted(name)} is not a text with at least one character`,
      'Pass a directory, or omit it.',
    ]);
  }
  const rooted = (value: StreamFunction): RootedFunction => (root === undefined ? value : { ...value, root });
  const entries = Object.entries(functions).map(([key, value]) => [checkName(key, 'function'), rooted(value)] as const);
  return {
    name: checkName(name, 'stream'),
    persona,
    functions: new Map(entries),
    parents: [],
    language: checkArguments.language(language),
  };
}

/**
 * Merges the functions of streams. The persona and the language are those of the main stream, and its functions keep their
 * names; the functions of secondary streams are named `stream.function`. The parents are not changed.
 *
 * @throws {MemoryError} `INVALID_INPUT` without a secondary stream, with a stream twice, or when two functions have one name.
 */
export function mergeShapes(name: string, main: StreamShape, secondary: readonly StreamShape[]): StreamShape {
  const parents = [main, ...secondary].map((parent) => parent.name);
  if (secondary.length === 0) refuse('A merge needs a secondary stream', 'Pass at least one.');
  if (new Set(parents).size < parents.length) {
    refuse(`The merge ${parents.join(' + ')} has a stream twice`, 'Pass each stream once.');
  }
  const functions = new Map(main.functions);
  for (const parent of secondary) {
    for (const [key, value] of parent.functions) {
      const full = `${parent.name}.${key}`;
      if (functions.has(full)) {
        const summary = `Two functions of the merge ${parents.join(' + ')} have the name ${quoted(full)}`;
        throw new MemoryError('INVALID_INPUT', [summary, 'Rename one of them.']);
      }
      functions.set(full, value);
    }
  }
  return { name: checkName(name, 'stream'), persona: main.persona, functions, parents, language: main.language };
}
