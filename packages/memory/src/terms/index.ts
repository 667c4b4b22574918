/** The term index of a list or a table, for a package that keeps its own records in a store of memory. */
export type { SegmentSizes } from './segment-sizes.ts';
export type { TermSource } from './term-source.ts';
export { createTermStore } from './term-store.ts';
export type { TermHit, TermQuery, TermResult, TermStore, TermStoreOptions } from './term-store.ts';
