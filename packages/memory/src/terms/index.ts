/** The search of tables by their terms, for a package that keeps its own rows in a store of memory. */
export { termsIn } from '../records/terms.ts';
export { createTermStore } from './term-store.ts';
export type { TermSource, TermHit, TermQuery, TermResult, TermStore } from './term-store.ts';
