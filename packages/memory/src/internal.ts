/** What other packages of Cairn use. It may change with every version. */
export { DEFAULT_GROUP, DEFAULT_STREAM } from './defaults.ts';
export { sessionSources } from './conversations/messages.ts';
export { factSources } from './facts/recall-facts.ts';
export { notesKey } from './records/keys.ts';
export { findMessage } from './maintenance/find-message.ts';
export type { FoundMessage } from './maintenance/find-message.ts';
export { findTwins, moveCommand, twinNotice, unconfirmedLink } from './projects/twins.ts';
export { parseTime } from './records/time.ts';
export { DONE_COMPLETION, isPartlyDone } from './workflows/workflow-record.ts';
export { partOfHit } from './recall/hit-entry.ts';
export { memoryParts } from './recall/memory-parts.ts';
export type { PartOptions, PartResult, RecallHit, RecallKind, RecallNotice, RecallPart } from './recall/recall-part.ts';
export { recallParts } from './recall/recall-parts.ts';
export type { AskOptions, RecallAnswer } from './recall/recall-parts.ts';
