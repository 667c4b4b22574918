import type { Language } from '@cairn/memory';
import { ASSET_TYPES } from '../assets/asset.ts';
import { documentTexts } from './document-texts.ts';
import { LINE_FORMAT } from './lines.ts';
import { omittedOf } from './selection.ts';
import type { IndexCounts, Omitted } from './selection.ts';

/** The size of `AGENTS-INDEX.md` above which it has a warning. */
export const MAX_DOCUMENT_BYTES: number = 20 * 1024;

export const INDEX_START = '<!-- INDEX_START -->';
export const INDEX_END = '<!-- INDEX_END -->';

export interface DocumentContent {
  /** The lines, in their order. */
  readonly lines: readonly string[];
  readonly counts: IndexCounts;
  /** The newest change time of all assets; `undefined` without assets. */
  readonly lastUpdatedMs: number | undefined;
  readonly language: Language;
}

/** `AGENTS-INDEX.md`. */
export interface IndexDocument {
  readonly text: string;
  /** The number of lines. */
  readonly listed: number;
  /** All assets of the store. */
  readonly total: number;
  readonly omitted: Omitted;
  readonly warnings: readonly IndexWarning[];
}

/** `LARGE_INDEX`: the file is larger than 20 KB, and costs every session that reads it. */
export interface IndexWarning {
  readonly code: 'LARGE_INDEX';
  readonly message: string;
}

/** Formats a time to the second, as `2026-01-28T13:45:00Z`. */
export function formatTime(timeMs: number): string {
  return new Date(timeMs).toISOString().replace(/\.\d+Z$/u, 'Z');
}

/** Formats `AGENTS-INDEX.md`. It has no time but that of the newest change, so that it is equal as long as the assets are. */
export function formatDocument({ lines, counts, lastUpdatedMs, language }: DocumentContent): IndexDocument {
  const texts = documentTexts[language];
  const { total, promoted } = counts;
  const omitted = omittedOf(counts, lines.length);
  const missing = texts.omitted(omitted);
  const text = [
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
    '',
    texts.examples,
    '',
    texts.types,
    '',
    ...ASSET_TYPES.map((type) => `- **${type}**: ${texts.meanings[type]}`),
    ...(missing === '' ? [] : ['', texts.notListed, '', missing]),
    '',
  ].join('\n');
  const bytes = Buffer.byteLength(text);
  const warnings: IndexWarning[] = [];
  if (bytes > MAX_DOCUMENT_BYTES) {
    const message = `AGENTS-INDEX.md has ${bytes} bytes, more than ${MAX_DOCUMENT_BYTES}; shorten titles and tags, deprecate what is out of date, or list fewer assets`;
    warnings.push({ code: 'LARGE_INDEX', message });
  }
  return { text, listed: lines.length, total, omitted, warnings };
}
