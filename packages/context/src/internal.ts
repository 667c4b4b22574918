/** What other packages of Cairn use. It may change with every version. */
export { MAIN, SHOWN_PARTS } from './definitions/definition.ts';
export { definitionDirectories } from './definitions/load-definitions.ts';
export { withImagesAfter, withNewestImages, type NewestImagesOptions } from './messages/images.ts';
export { bytesOf } from './messages/media.ts';
export { storableMessage, type StorableMessage } from './histories/storable.ts';
export { copyMessage as checkMessage } from './histories/copy.ts';
export { labelOf, textOf, turnsOf, type MessageLabel } from './messages/message.ts';
export { IMAGE_TOKENS, tokensOf } from './messages/tokens.ts';
export { foldedCount } from './modes/budget.ts';
export { checkMode, DEFAULT_MODE, isContextMode, modeOf } from './modes/mode.ts';
export { DEFAULT_MAX_TOKENS, DEFAULT_SUMMARIZE_AFTER } from './modes/view.ts';
export { DEFAULT_WINDOW_TOKENS, RequestFold, type FoldedBatch, type FoldedRequest } from './modes/fold-request.ts';
