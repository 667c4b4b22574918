/** What other packages of Cairn use. It may change with every version. */
export { contentIndexPolicy } from './cache.ts';
