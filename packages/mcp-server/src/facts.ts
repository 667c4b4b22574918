/** A fact in words is at most so long; what is longer is content. */
const MOST_CHARACTERS = 200;

/** Facts of facts, such as what an empty search left out, are kept to this depth. */
const DEEPEST = 2;

/** What is known of an answer beside its text: numbers, flags and words. */
export interface Facts {
  readonly [name: string]: Fact;
}

export type Fact = string | number | boolean | Facts;

function factOf(value: unknown, text: string, depth: number): Fact | undefined {
  if (typeof value === 'number' || typeof value === 'boolean') return value;
  // What is listed is in the text; how much it is, is a fact.
  if (Array.isArray(value)) return value.length;
  if (typeof value === 'string') {
    const isProse = /\s/u.test(value) && text.includes(value);
    return isProse || value.length > MOST_CHARACTERS || value.includes('\n') ? undefined : value;
  }
  if (typeof value !== 'object' || value === null || depth === DEEPEST) return undefined;
  return factsIn(value, text, depth + 1);
}

function factsIn(value: object, text: string, depth: number): Facts {
  const entries = Object.entries(value).flatMap(([name, one]) => {
    const fact = factOf(one, text, depth);
    return fact === undefined ? [] : [[name, fact] as const];
  });
  return Object.fromEntries(entries);
}

/**
 * What a program wants of an answer: the numbers, flags and words of a tool's details, and how many there are of what it
 * lists. Lines, listings and sentences are in the text and not here.
 */
export function factsOf(details: unknown, text: string): Facts {
  if (typeof details !== 'object' || details === null || Array.isArray(details)) return {};
  return factsIn(details, text, 0);
}
