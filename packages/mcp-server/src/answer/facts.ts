import { isObject } from '@cairn/tool/kernel';

/** Longer strings are content, not facts. Characters. */
const MAX_CHARACTERS = 200;

/** Nested facts, such as what an empty search skipped, are kept to this depth. */
const MAX_DEPTH = 2;

/** The facts of an answer besides its text: numbers, flags, short strings and nested facts. */
export interface Facts {
  readonly [name: string]: Fact;
}

export type Fact = string | number | boolean | Facts;

function factOf(value: unknown, text: string, depth: number): Fact | undefined {
  if (typeof value === 'number' || typeof value === 'boolean') return value;
  // The text holds the items of a list; their number is a fact.
  if (Array.isArray(value)) return value.length;
  if (typeof value === 'string') {
    const isProse = /\s/u.test(value) && text.includes(value);
    return isProse || value.length > MAX_CHARACTERS || value.includes('\n') ? undefined : value;
  }
  return isObject(value) && depth < MAX_DEPTH ? factsOf(value, text, depth + 1) : undefined;
}

/** Returns the facts in the details of a tool's result. Lines, listings and sentences are left to the text. */
export function factsOf(details: unknown, text: string, depth: number = 0): Facts {
  if (!isObject(details)) return {};
  const facts = Object.entries(details).map(([name, one]) => [name, factOf(one, text, depth)] as const);
  return Object.fromEntries(facts.filter((entry): entry is readonly [string, Fact] => entry[1] !== undefined));
}
