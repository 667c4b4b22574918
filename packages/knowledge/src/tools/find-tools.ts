import { succeed } from '@cairn/tool';
import type { ToolSuccess } from '@cairn/tool';
import type { Language } from '@cairn/tool/kernel';
import type { AssetHead, AssetType } from '../assets/asset.ts';
import { checkType } from '../assets/fields.ts';
import { documentTexts } from '../index/document-texts.ts';
import type { IndexCounts } from '../index/selection.ts';
import { decide } from '../layers/decide.ts';
import type { NextLayer } from '../layers/decide.ts';
import { callOf, wrapLines, wrapResult } from './formatting.ts';
import { joined } from './tool-context.ts';
import type { RunCall, ToolContext } from './tool-context.ts';

/** The parameters of `search_knowledge`. */
interface SearchKnowledgeInput {
  readonly query: string;
  readonly product_line?: string | undefined;
  readonly type?: string | undefined;
  readonly limit?: number | undefined;
}

/** A result of `search_knowledge`. */
interface KnowledgeResult {
  readonly name: string;
  readonly product_line: string;
  readonly type: AssetType;
  readonly title: string;
  /** 0 to 1, higher is better. */
  readonly score: number;
  readonly snippet: string;
  /** Present when the asset has too little of the query. */
  readonly is_similar?: true;
}

/** Clients of MCP get it as structured content. */
interface SearchKnowledgeDetails {
  readonly results: readonly KnowledgeResult[];
  readonly is_answered: boolean;
  readonly searched: number;
  readonly has_more: boolean;
  /** The notices of the answer, by their codes. */
  readonly notices: readonly string[];
}

/** The parameters of `scan_index`. */
interface ScanIndexInput {
  readonly query?: string | undefined;
  readonly product_line?: string | undefined;
  readonly type?: string | undefined;
  readonly offset?: number | undefined;
}

interface ScanIndexDetails {
  /** How many assets match in all, also those that the answer does not show. Without a query, all are exact. */
  readonly exact: number;
  readonly vague: number;
  /** The ids of the assets that the answer shows. */
  readonly shown: readonly string[];
  /** Absent without a query. */
  readonly next?: NextLayer;
  readonly next_offset?: number;
}

/** About 2,000 tokens. */
const MAX_LINES = 40;

/** Searches the texts of all assets. */
export async function runSearch(
  { open, texts, reader, readOnly }: ToolContext,
  { query, product_line: productLine, type, limit }: SearchKnowledgeInput,
  { signal }: RunCall,
): Promise<ToolSuccess<SearchKnowledgeDetails>> {
  const { layers } = await open();
  const filters = { productLine, ...(type !== undefined && { type: checkType(type) }) };
  const answer = await layers.search({ query, ...filters, limit, recordsGap: !readOnly, signal });
  const { results, isAnswered, searched, hasMore, notices, gap } = answer;
  reader.noteSearch(
    query,
    results.map(({ id }) => id),
  );
  const [first] = results;
  // A learned order may have one with too little evidence first.
  const { name, productLine: line } = results.find(({ isSimilar }) => isSimilar !== true) ?? {};
  const lines = [
    first === undefined ? texts.nothingFound(searched) : texts.found(results.length, searched),
    ...notices.map(({ message }) => message),
    ...results.map(wrapResult),
    hasMore ? texts.moreFound : '',
    isAnswered ? texts.call(callOf('get_asset', { name, product_line: line })) : texts.noAnswer,
    gap === undefined ? '' : texts.gap,
  ];
  return succeed(joined(lines), {
    results: results.map((result) => ({
      name: result.name,
      product_line: result.productLine,
      type: result.type,
      title: result.title,
      score: result.score,
      snippet: result.snippet,
      ...(result.isSimilar === true && { is_similar: true }),
    })),
    is_answered: isAnswered,
    searched,
    has_more: hasMore,
    notices: notices.map(({ code }) => code),
  });
}

/** States which assets a list leaves out, and how to find them. */
function notListed({ skills, inactive, unreadable }: IndexCounts, language: Language): string {
  return documentTexts[language].omitted({ skills, inactive, unreadable, otherLines: 0, more: 0 });
}

/** Finds assets by their names, titles and tags, or lists them. */
export async function runScan(
  { open, language, texts, reader, stack }: ToolContext,
  { query = '', product_line: productLine, type, offset = 0 }: ScanIndexInput,
  { signal }: RunCall,
): Promise<ToolSuccess<ScanIndexDetails>> {
  /** The first line of an answer, and what to do next. */
  const describe = (query: string, exact: number, vague: number): readonly [first: string, next: string] => {
    const search = callOf('search_knowledge', { query });
    if (exact + vague === 0) return [texts.nothingScanned, texts.nextProbe(search)];
    const next = decide({ exact, vague }) === 'L2' ? texts.nextRead : texts.nextSearch(search);
    return [texts.scanned(exact, vague), next];
  };
  const { index } = await open();
  const filters = { productLine, ...(type !== undefined && { type: checkType(type) }), stack: await stack() };
  const isList = query.trim() === '';
  const { exact, vague } = isList
    ? { exact: (await index.list({ ...filters, signal })).heads, vague: [] }
    : await index.scan(query, { ...filters, signal });
  const total = exact.length + vague.length;
  const end = Math.min(total, offset + MAX_LINES);
  const shownExact = exact.slice(offset, end);
  const shownVague = vague.slice(Math.max(0, offset - exact.length), Math.max(0, end - exact.length));
  const shown = [...shownExact, ...shownVague].map(({ id }) => id);
  if (!isList) reader.noteSearch(query, shown);
  const [first, next] = describe(query, exact.length, vague.length);
  const listHeader = shown.length === 0 ? texts.nothingListed : texts.listed(offset + 1, offset + shown.length, total);
  const wrap = (match: string, heads: readonly AssetHead[]): string =>
    heads.length === 0 ? '' : wrapLines(isList ? {} : { match }, heads);
  const again = { query: isList ? undefined : query, product_line: productLine, type, offset: end };
  const lines = [
    isList ? listHeader : first,
    wrap(texts.exact, shownExact),
    wrap(texts.vague, shownVague),
    end < total ? texts.more(total - end, callOf('scan_index', again)) : '',
    isList ? '' : next,
    isList && type === undefined && productLine === undefined ? notListed(index.overview().counts, language) : '',
  ];
  const counts = { exact: exact.length, vague: vague.length };
  return succeed(joined(lines), {
    ...counts,
    shown,
    ...(!isList && { next: decide(counts) }),
    ...(end < total && { next_offset: end }),
  });
}
