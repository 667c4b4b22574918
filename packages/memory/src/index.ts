export { MemoryError } from './errors.ts';
