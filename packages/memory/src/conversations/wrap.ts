import type { Language } from '@cairn/tool/kernel';
import { estimateTokens, truncateLine } from '@cairn/tool/prompt';
import { checkArguments, MemoryError } from '../errors.ts';
import { fitEntries } from './fit-entries.ts';
import type { Entry } from './fit-entries.ts';
import type { RecalledContext } from './recall.ts';

/** How memories are formatted for a model. */
export interface WrapOptions {
  /** The maximum length, in estimated tokens. A whole number from 1,000. @default 2_500 */
  readonly maxTokens?: number | undefined;
  /** @default 'en' */
  readonly language?: Language | undefined;
  /** The query. A memory that is cut shows the parts round its words. @default the words that the memory matched */
  readonly query?: string | undefined;
  /** The offset of the recall, from which the text derives that of the next page. @default 0 */
  readonly offset?: number | undefined;
  /** Whether the recall has more results after these. @default false */
  readonly hasMore?: boolean | undefined;
}

const DEFAULT_TOKENS = 2500;
/** Enough for the attributes of one memory, whatever they have, and some of its text. */
const MIN_TOKENS = 1000;
/** In UTF-16 code units. A role of another program has any length. */
const MAX_NAME_CHARACTERS = 100;
const MAX_KEY_CHARACTERS = 200;

const remarks: Readonly<
  Record<Language, { readonly cut: string; readonly more: (left: number, offset: number) => string }>
> = {
  en: {
    cut: 'The texts with "cut" are parts; read a whole one by its id.',
    more: (left, offset) => `${left === 0 ? 'More' : left} memories are left; continue with offset ${offset}.`,
  },
  zh: {
    cut: '带有 "cut" 的内容只是部分文本；需要全文时请按 id 读取。',
    more: (left, offset) => `还有${left === 0 ? '更多' : `${left}条`}记忆未显示；请使用 offset ${offset} 继续。`,
  },
};

function matchOf({ isSimilar, isRecent }: RecalledContext): Readonly<Record<string, string>> {
  if (isRecent === true) return { match: 'recent' };
  return isSimilar === true ? { match: 'weak' } : {};
}

/** Returns a message or a note as an entry of an answer. Names of other programs, which have any length, are cut. */
export function entryOf(context: RecalledContext, query: string | undefined): Entry {
  const { origin, by, time, content } = context;
  const id = context.kind === 'message' ? context.id : undefined;
  const attributes = {
    ...(id !== undefined && { id: truncateLine(id, MAX_NAME_CHARACTERS) }),
    origin: truncateLine(origin, MAX_KEY_CHARACTERS),
    [context.kind === 'note' ? 'source' : 'role']: truncateLine(by, MAX_NAME_CHARACTERS),
    date: new Date(time).toISOString(),
    ...matchOf(context),
  };
  return { id: id ?? origin, attributes, text: content, found: query ?? context.matched };
}

/**
 * Formats memories for a model: each between marks with its id, origin and date, after a line that labels them as data. Marks
 * inside a memory are neutralized, so no memory can end its own wrapper or begin another one. The text stays within a budget:
 * long memories are cut to the parts round the words found, memories that have no room are left out, and the end of the text
 * states both. Returns an empty string for no memories.
 *
 * @throws {MemoryError} `INVALID_OPTION`.
 */
export async function wrapContexts(contexts: readonly RecalledContext[], options: WrapOptions = {}): Promise<string> {
  checkArguments.options('wrapContexts', options, {
    maxTokens: 'optional',
    language: 'optional',
    query: 'optional',
    offset: 'optional',
    hasMore: 'optional',
  });
  const { maxTokens = DEFAULT_TOKENS, language = 'en', query, offset = 0, hasMore = false } = options;
  if (!Number.isInteger(maxTokens) || maxTokens < MIN_TOKENS) {
    const summary = `Invalid maxTokens ${String(maxTokens)}`;
    const hint = `Use a whole number from ${MIN_TOKENS}, or omit it for ${DEFAULT_TOKENS}.`;
    throw new MemoryError('INVALID_OPTION', [summary, hint], { option: 'maxTokens' });
  }
  const { cut: cutRemark, more } = remarks[checkArguments.language(language)];
  const entries = contexts.map((context) => entryOf(context, query));
  const remarkTokens = estimateTokens(`\n${cutRemark}\n${more(contexts.length, offset + contexts.length)}`);
  const { text, shown, cut } = await fitEntries(entries, maxTokens - remarkTokens, language);
  if (shown === 0) return '';
  const left = contexts.length - shown;
  return [
    text,
    ...(cut.length > 0 ? [cutRemark] : []),
    // How many more the recall has is not known.
    ...(left > 0 || hasMore ? [more(hasMore ? 0 : left, offset + shown)] : []),
  ].join('\n');
}
