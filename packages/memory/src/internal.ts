/** What other packages of Cairn use. It may change with every version. */
export { DEFAULT_GROUP, DEFAULT_STREAM } from './defaults.ts';
export { notesKey } from './records/keys.ts';
export { findMessage } from './maintenance/find-message.ts';
export type { FoundMessage } from './maintenance/find-message.ts';
export { parseTime } from './records/time.ts';
export { DONE_COMPLETION, isPartlyDone } from './workflows/workflow-record.ts';
