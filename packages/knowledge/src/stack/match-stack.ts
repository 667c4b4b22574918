import { wordsOf } from './stack.ts';
import type { Stack } from './stack.ts';

function hasAll(words: ReadonlySet<string>, all: readonly string[]): boolean {
  return all.length > 0 && all.every((word) => words.has(word));
}

/** A function for each stack that is in use: it remembers the product lines that it has decided. */
const matchers = new WeakMap<Stack, (productLine: string) => boolean>();

/**
 * Returns a function that decides whether a product line belongs to a stack. It does when one of its parts has all words of a
 * name of the stack (`frontend/react`, `go-services`), when the name of the project has all words of the line (`exchange/core`
 * for `@acme/exchange-core`), or the line all words of the name (`exchange/core` for `exchange`).
 */
export function stackMatcherOf(stack: Stack): (productLine: string) => boolean {
  let matcher = matchers.get(stack);
  if (matcher === undefined) matchers.set(stack, (matcher = newMatcher(stack)));
  return matcher;
}

function newMatcher({ projects, names }: Stack): (productLine: string) => boolean {
  const split = names.map(wordsOf);
  const matches = (productLine: string): boolean => {
    const line = wordsOf(productLine);
    const words = new Set(line);
    if (projects.some((project) => hasAll(words, project) || hasAll(new Set(project), line))) return true;
    const parts = productLine.split('/').map((part) => new Set(wordsOf(part)));
    return split.some((name) => parts.some((part) => hasAll(part, name)));
  };
  /** Many assets have the same product line. */
  const known = new Map<string, boolean>();
  return (productLine) => {
    let isMatch = known.get(productLine);
    if (isMatch === undefined) known.set(productLine, (isMatch = matches(productLine)));
    return isMatch;
  };
}
