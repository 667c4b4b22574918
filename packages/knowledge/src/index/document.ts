import type { Language } from '@cairn/tool/kernel';
import { ASSET_TYPES } from '../assets/asset.ts';
import { documentTexts } from './document-texts.ts';
import { LINE_FORMAT, withoutTags } from './lines.ts';
import { omittedOf, type IndexOverview, type Omitted } from './selection.ts';

/** The size of `AGENTS-INDEX.md` above which tags are left out, from the last line up. A file that is larger without tags has a warning. */
export const MAX_DOCUMENT_BYTES: number = 20 * 1024;

export const INDEX_START = '<!-- INDEX_START -->';
export const INDEX_END = '<!-- INDEX_END -->';

export interface DocumentContent extends Pick<IndexOverview, 'counts' | 'lastUpdatedMs'> {
  readonly lines: readonly string[];
  readonly language: Language;
}

export interface IndexDocument {
  readonly text: string;
  readonly listed: number;
  /** All assets of the store. */
  readonly total: number;
  readonly omitted: Omitted;
  /** `LARGE_INDEX`: the file is larger than 20 KB without tags, and costs every session that reads it. */
  readonly warnings: readonly { readonly code: 'LARGE_INDEX'; readonly message: string }[];
}

/** Formats a time to the second, as `2026-01-28T13:45:00Z`. */
export function formatTime(timeMs: number): string {
  return new Date(timeMs).toISOString().replace(/\.\d+Z$/u, 'Z');
}

/** Leaves out the tags of as few lines as possible, from the last one up, to save a number of bytes. @returns the lines without. */
function dropTags(lines: string[], bytes: number): number {
  let saved = 0;
  let count = 0;
  for (let at = lines.length - 1; at >= 0 && saved < bytes; at--) {
    const line = lines[at] ?? '';
    const short = withoutTags(line);
    saved += Buffer.byteLength(line) - Buffer.byteLength(short);
    lines[at] = short;
    count += 1;
  }
  return count;
}

/** Formats `AGENTS-INDEX.md`. It has no time but that of the newest change, so that it is equal as long as the assets are. */
export function formatDocument({ lines: all, ...content }: DocumentContent): IndexDocument {
  const { counts, language } = content;
  const lines = [...all];
  let text = textOf(content, lines, 0);
  const excess = Buffer.byteLength(text) - MAX_DOCUMENT_BYTES;
  if (excess > 0) {
    // The line that reports it takes space too.
    const note = Buffer.byteLength(documentTexts[language].tagsOmitted(all.length)) + 2;
    const untagged = dropTags(lines, excess + note);
    text = textOf(content, lines, untagged);
  }
  const bytes = Buffer.byteLength(text);
  const message = `AGENTS-INDEX.md has ${bytes} bytes without tags, more than ${MAX_DOCUMENT_BYTES}; shorten titles, deprecate what is out of date, or list fewer assets`;
  const warnings = bytes > MAX_DOCUMENT_BYTES ? [{ code: 'LARGE_INDEX', message } as const] : [];
  return { text, listed: lines.length, total: counts.total, omitted: omittedOf(counts, lines.length), warnings };
}

function textOf(content: Omit<DocumentContent, 'lines'>, lines: readonly string[], untagged: number): string {
  const { counts, lastUpdatedMs, language } = content;
  const texts = documentTexts[language];
  const { total, promoted } = counts;
  const missing = texts.omitted(omittedOf(counts, lines.length));
  return [
    texts.title,
    '',
    `Last updated: ${lastUpdatedMs === undefined ? texts.never : formatTime(lastUpdatedMs)}`,
    `Total assets: ${total} (L1: ${total - promoted}, L2: ${promoted})`,
    '',
    texts.stores,
    '',
    texts.quickReference,
    '',
    texts.index,
    '',
    `Format: \`${LINE_FORMAT}\``,
    '',
    texts.escapes,
    '',
    INDEX_START,
    ...lines,
    INDEX_END,
    ...(untagged === 0 ? [] : ['', texts.tagsOmitted(untagged)]),
    '',
    texts.examples,
    '',
    texts.types,
    '',
    ...ASSET_TYPES.map((type) => `- **${type}**: ${texts.meanings[type]}`),
    ...(missing === '' ? [] : ['', texts.notListed, '', missing]),
    '',
  ].join('\n');
}
