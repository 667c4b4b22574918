import { createTool, inputSchema, succeed } from '@cairn/tool';
import type { ToolDefinition } from '@cairn/tool';
import type { Language } from '@cairn/memory';
import { z } from 'zod';
import type { AssetHead, AssetType } from '../assets/asset.ts';
import { checkType } from '../assets/fields.ts';
import { documentTexts } from '../index/document-texts.ts';
import type { IndexCounts } from '../index/selection.ts';
import { decide } from '../layers/decide.ts';
import type { NextLayer } from '../layers/decide.ts';
import { callOf, wrapLines, wrapResult } from './formatting.ts';
import { joined, reading } from './tool-context.ts';
import type { ToolContext } from './tool-context.ts';
import { asToolErrors } from './tool-errors.ts';
import type { ToolTexts } from './texts.ts';

/** The parameters of `search_knowledge`. */
export interface SearchKnowledgeInput {
  readonly query: string;
  readonly product_line?: string | undefined;
  readonly type?: string | undefined;
  readonly limit?: number | undefined;
}

/** A result of `search_knowledge`. */
export interface KnowledgeResult {
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

export interface SearchKnowledgeDetails {
  readonly results: readonly KnowledgeResult[];
  readonly is_answered: boolean;
  readonly searched: number;
  readonly has_more: boolean;
  /** The notices of the answer, by their codes. */
  readonly notices: readonly string[];
}

/** The parameters of `scan_index`. */
export interface ScanIndexInput {
  readonly query?: string | undefined;
  readonly product_line?: string | undefined;
  readonly type?: string | undefined;
  readonly offset?: number | undefined;
}

export interface ScanIndexDetails {
  /** How many assets match in all, also those that the answer does not show. Without a query, all are exact. */
  readonly exact: number;
  readonly vague: number;
  /** The ids of the assets that the answer shows. */
  readonly shown: readonly string[];
  /** Absent without a query. */
  readonly next?: NextLayer;
  readonly next_offset?: number;
}

const MAX_RESULTS = 20;
/** About 2,000 tokens. */
const MAX_LINES = 40;

function searchShape(texts: ToolTexts) {
  return {
    query: z.string(),
    product_line: z.string().optional().describe(texts.parameters.productLine),
    type: z.string().optional(),
    limit: z.int().min(1).max(MAX_RESULTS).optional(),
  };
}

function scanShape(texts: ToolTexts) {
  return {
    query: z.string().optional(),
    product_line: z.string().optional(),
    type: z.string().optional().describe(texts.parameters.type),
    offset: z.int().min(0).optional().describe(texts.parameters.offset),
  };
}

export function createSearchTool({
  open,
  texts,
  reader,
  readOnly,
}: ToolContext): ToolDefinition<SearchKnowledgeInput, SearchKnowledgeDetails> {
  return createTool<SearchKnowledgeInput, SearchKnowledgeDetails>({
    name: 'search_knowledge',
    description: texts.descriptions.search_knowledge,
    inputSchema: inputSchema(searchShape(texts)),
    annotations: { title: 'Search knowledge', ...reading },
    run: ({ query, product_line: productLine, type, limit }, { signal }) =>
      asToolErrors(async () => {
        const { layers } = await open();
        const filters = { productLine, ...(type !== undefined && { type: checkType(type) }) };
        const answer = await layers.search({ query, ...filters, limit, recordsGap: !readOnly, signal });
        const { results, isAnswered, searched, hasMore, notices, gap } = answer;
        reader.noteSearch(
          query,
          results.map(({ id }) => id),
        );
        const [first] = results;
        const { name, productLine: line } = first ?? {};
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
      }),
  });
}

/** States which assets a list leaves out, and how to find them. */
function notListed({ skills, inactive, unreadable }: IndexCounts, language: Language): string {
  return documentTexts[language].omitted({ skills, inactive, unreadable, otherLines: 0, more: 0 });
}

export function createScanTool({
  open,
  language,
  texts,
  reader,
  stack,
}: ToolContext): ToolDefinition<ScanIndexInput, ScanIndexDetails> {
  /** The first line of an answer, and what to do next. */
  const describe = (query: string, exact: number, vague: number): readonly [first: string, next: string] => {
    const search = callOf('search_knowledge', { query });
    if (exact + vague === 0) return [texts.nothingScanned, texts.nextProbe(search)];
    const next = decide({ exact, vague }) === 'L2' ? texts.nextRead : texts.nextSearch(search);
    return [texts.scanned(exact, vague), next];
  };
  return createTool<ScanIndexInput, ScanIndexDetails>({
    name: 'scan_index',
    description: texts.descriptions.scan_index,
    inputSchema: inputSchema(scanShape(texts)),
    annotations: { title: 'Scan the index', ...reading },
    run: ({ query = '', product_line: productLine, type, offset = 0 }, { signal }) =>
      asToolErrors(async () => {
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
        const listHeader =
          shown.length === 0 ? texts.nothingListed : texts.listed(offset + 1, offset + shown.length, total);
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
      }),
  });
}
