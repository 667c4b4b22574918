/** What the manifests of a project name. */
export interface Stack {
  /**
   * The names of the project itself, each as its words: `@acme/exchange-core` is `['acme', 'exchange', 'core']`. In lower case,
   * sorted.
   */
  readonly projects: readonly (readonly string[])[];
  /** Its languages, frameworks, libraries and services in lower case, such as `typescript`, `react`, `redis`. Sorted. */
  readonly names: readonly string[];
  /** Manifests that cannot be read. Their names are missing above. */
  readonly unreadable: readonly { readonly path: string; readonly reason: string }[];
}

/** Splits a name into words in lower case: `exchange/core`, `exchange-core` and `ExchangeCore` have the same ones. */
export function wordsOf(name: string): string[] {
  return name
    .replaceAll(/(\p{Ll}|\p{N})(\p{Lu})/gu, '$1 $2')
    .toLowerCase()
    .split(/[^\p{L}\p{N}+#]+/u)
    .filter((word) => word !== '');
}

function hasAll(words: ReadonlySet<string>, all: readonly string[]): boolean {
  return all.length > 0 && all.every((word) => words.has(word));
}

/** Makes a function that decides each text once: product lines are few, and assets are many. */
export function deciding(decide: (text: string) => boolean): (text: string) => boolean {
  const known = new Map<string, boolean>();
  return (text) => {
    const isKnown = known.get(text) ?? decide(text);
    known.set(text, isKnown);
    return isKnown;
  };
}

/** A function for each stack that is in use. */
const matchers = new WeakMap<Stack, (productLine: string) => boolean>();

/**
 * Returns a function that decides whether a product line belongs to a stack. It does when one of its parts has all words of a
 * name of the stack (`frontend/react`, `go-services`), when the name of the project has all words of the line (`exchange/core`
 * for `@acme/exchange-core`), or the line all words of the name (`exchange/core` for `exchange`).
 */
export function stackMatcherOf(stack: Stack): (productLine: string) => boolean {
  const known = matchers.get(stack);
  if (known !== undefined) return known;
  const names = stack.names.map(wordsOf);
  const matcher = deciding((productLine) => {
    const line = wordsOf(productLine);
    const words = new Set(line);
    if (stack.projects.some((project) => hasAll(words, project) || hasAll(new Set(project), line))) return true;
    const parts = productLine.split('/').map((part) => new Set(wordsOf(part)));
    return names.some((name) => parts.some((part) => hasAll(part, name)));
  });
  matchers.set(stack, matcher);
  return matcher;
}
