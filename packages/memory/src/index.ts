export { MemoryError } from './errors.ts';
export * from './retrieve/index.ts';
