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
  readonly unreadable: readonly UnreadableManifest[];
}

export interface UnreadableManifest {
  readonly path: string;
  readonly reason: string;
}

/** Splits a name into words in lower case: `exchange/core`, `exchange-core` and `ExchangeCore` have the same ones. */
export function wordsOf(name: string): string[] {
  return name
    .replaceAll(/(\p{Ll}|\p{N})(\p{Lu})/gu, '$1 $2')
    .toLowerCase()
    .split(/[^\p{L}\p{N}+#]+/u)
    .filter((word) => word !== '');
}
