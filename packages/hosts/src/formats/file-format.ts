import type { ConfigFormat } from './config-format.ts';

/** The key of the only value of a file that belongs to us as a whole. */
export const FILE_CONTENT = 'content';

/** A file that is one entry: its value is the text. */
export const fileFormat: ConfigFormat = {
  parse: (text) => (text === '' ? {} : { [FILE_CONTENT]: text }),
  change: (_, { value }) => (typeof value === 'string' ? value : ''),
  isBlank: (text) => text === '',
};
