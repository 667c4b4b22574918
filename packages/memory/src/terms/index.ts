/** The search of tables by their terms and vectors, for a package that keeps its own rows in a store of memory. */
export { termsIn } from '../records/terms.ts';
export { glossaryPaths } from '../store-path.ts';
export { glossaryFiles, readGlossaryFile } from './glossary-files.ts';
export type { GlossaryFile, GlossaryFileProblem, GlossaryFilesOptions } from './glossary-files.ts';
export { createTermStore } from './term-store.ts';
export type { TermStore } from './term-store.ts';
export type { TermHit, TermQuery, TermResult, TermSource } from './term-query.ts';
export type { VectorSource } from '../vectors/make-vectors.ts';
export { countVectors, Meaning } from '../vectors/meaning.ts';
export type { VectorCount } from '../vectors/meaning.ts';
export { removeAllVectors, withoutVectors } from '../vectors/vector-table.ts';
