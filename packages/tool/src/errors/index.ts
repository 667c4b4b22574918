export { CairnError, hasMark } from './cairn-error.ts';
export type { CairnErrorFacts } from './cairn-error.ts';
