import { escapeControls } from '../paths/quote.ts';

/**
 * Returns a value in quotes for a message. Characters that could forge a line are escaped, and a long value is cut.
 *
 * @param maxCharacters in UTF-16 code units
 */
export function quoted(value: unknown, maxCharacters: number = 60): string {
  const text = String(value);
  return escapeControls(JSON.stringify(text.length > maxCharacters ? `${text.slice(0, maxCharacters)}…` : text));
}
