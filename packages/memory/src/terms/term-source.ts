/** A table whose rows can be found. */
export interface TermSource {
  readonly key: string;
  /**
   * Returns what a row is found by, and its time, of which the latest of equally good rows comes first; `undefined` for a row that is
   * not found. Writers of the table pass `termsIn` of the same string.
   */
  readonly textOf: (text: string) => { readonly text: string; readonly timeMs: number } | undefined;
}
