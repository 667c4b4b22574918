import { HOSTILE_CHARACTER } from '@cairn/tool/internal';
import { ASSET_TYPES, type AssetHead } from '../assets/asset.ts';

export const LINE_FORMAT: string = 'name|type|product_line|title|tags|promoted';

export type IndexLine = Pick<AssetHead, 'name' | 'type' | 'productLine' | 'title' | 'tags' | 'isPromoted'>;

/** Texts without a character to escape, for speed. */
const PLAIN = /^[^%,|<\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]*$/u;

/**
 * Separators of fields, tags and lines, the start of a Markdown comment, as in the marks of the index, and characters that hide
 * or turn text.
 */
const ESCAPED = new RegExp(String.raw`[%,|]|<(?=!--)|${HOSTILE_CHARACTER.source}`, 'gu');

function escapeField(text: string): string {
  return PLAIN.test(text) ? text : text.replace(ESCAPED, encodeURIComponent);
}

function unescapeField(text: string): string {
  return text.replace(/(?:%[0-9A-Fa-f]{2})+/gu, (escapes) =>
    Buffer.from(escapes.replaceAll('%', ''), 'hex').toString('utf8'),
  );
}

/** Formats the line of an asset. `|`, `,`, `%` and line breaks in fields are `%7C`, `%2C`, `%25` and `%0A`. */
export function formatLine({ name, type, productLine, title, tags, isPromoted }: IndexLine): string {
  const fields = [name, type, productLine, title].map(escapeField);
  return [...fields, tags.map(escapeField).join(','), isPromoted ? '1' : '0'].join('|');
}

export function withoutTags(line: string): string {
  return line.split('|').with(4, '').join('|');
}

/** Parses a line that {@link formatLine} wrote; `undefined` for another text. */
export function parseLine(line: string): IndexLine | undefined {
  const fields = line.split('|');
  const [name = '', type = '', productLine = '', title = '', tags = '', promoted = ''] = fields;
  const known = ASSET_TYPES.find((one) => one === type);
  if (fields.length !== 6 || name === '' || known === undefined || !/^[01]$/u.test(promoted)) return undefined;
  return {
    name: unescapeField(name),
    type: known,
    productLine: unescapeField(productLine),
    title: unescapeField(title),
    tags: tags === '' ? [] : tags.split(',').map(unescapeField),
    isPromoted: promoted === '1',
  };
}
