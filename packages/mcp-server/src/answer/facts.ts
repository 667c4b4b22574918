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
  if (typeof value !== 'object' || value === null || depth === MAX_DEPTH) return undefined;
  return factsIn(value, text, depth + 1);
}

function factsIn(value: object, text: string, depth: number): Facts {
  const entries = Object.entries(value).flatMap(([name, one]) => {
    const fact = factOf(one, text, depth);
    return fact === undefined ? [] : [[name, fact] as const];
  });
  return Object.fromEntries(entries);
}

/** Returns the facts in the details of a tool's result. Lines, listings and sentences are left to the text. */
export function factsOf(details: unknown, text: string): Facts {
  if (typeof details !== 'object' || details === null || Array.isArray(details)) return {};
  return factsIn(details, text, 0);
}
