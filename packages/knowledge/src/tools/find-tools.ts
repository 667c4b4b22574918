import { succeed } from '@cairn/tool';
import type { AssetHead } from '../assets/asset.ts';
import { checkType } from '../assets/fields.ts';
import { documentTexts } from '../index/document-texts.ts';
import { decide } from '../layers/decide.ts';
import { callOf, wrapLines, wrapResult } from './formatting.ts';
import { joined, type Answer, type AssetSelection, type RunCall, type ToolContext } from './tool-context.ts';

interface SearchKnowledgeInput extends AssetSelection {
  readonly query: string;
  readonly limit?: number | undefined;
}

interface ScanIndexInput extends AssetSelection {
  readonly query?: string | undefined;
  readonly offset?: number | undefined;
}

/** About 2,000 tokens. */
const MAX_LINES = 40;

export async function runSearch(
  { open, texts, reader, readOnly }: ToolContext,
  { query, product_line: productLine, type, limit }: SearchKnowledgeInput,
  { signal }: RunCall,
): Answer {
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
      ...(result.evidence && { evidence: result.evidence }),
      ...(result.isSimilar === true && { is_similar: true }),
    })),
    is_answered: isAnswered,
    searched,
    has_more: hasMore,
    notices: notices.map(({ code }) => code),
  });
}

export async function runScan(
  { open, language, texts, reader, stack }: ToolContext,
  { query = '', product_line: productLine, type, offset = 0 }: ScanIndexInput,
  { signal }: RunCall,
): Answer {
  const { index } = await open();
  const filters = { productLine, ...(type !== undefined && { type: checkType(type) }), stack: await stack() };
  const isList = query.trim() === '';
  const { exact, vague } = isList
    ? { exact: (await index.list({ ...filters, signal })).heads, vague: [] }
    : await index.scan(query, { ...filters, signal });
  const counts = { exact: exact.length, vague: vague.length };
  const total = exact.length + vague.length;
  const end = Math.min(total, offset + MAX_LINES);
  const shownExact = exact.slice(offset, end);
  const shownVague = vague.slice(Math.max(0, offset - exact.length), Math.max(0, end - exact.length));
  const shown = [...shownExact, ...shownVague].map(({ id }) => id);
  const more = end < total;
  const call = { query: isList ? undefined : query, product_line: productLine, type, offset: end };
  const wrap = (match: string, heads: readonly AssetHead[]): string =>
    heads.length === 0 ? '' : wrapLines(isList ? {} : { match }, heads);
  const listed = [
    wrap(texts.exact, shownExact),
    wrap(texts.vague, shownVague),
    more ? texts.more(total - end, callOf('scan_index', call)) : '',
  ];
  const next_offset = more ? { next_offset: end } : {};
  if (isList) {
    const header = shown.length === 0 ? texts.nothingListed : texts.listed(offset + 1, offset + shown.length, total);
    const { skills, inactive, unreadable } = index.overview().counts;
    const isWhole = type === undefined && productLine === undefined;
    const omitted = { skills, inactive, unreadable, otherLines: 0, more: 0 };
    const lines = [header, ...listed, isWhole ? documentTexts[language].omitted(omitted) : ''];
    return succeed(joined(lines), { ...counts, shown, ...next_offset });
  }
  reader.noteSearch(query, shown);
  const next = decide(counts);
  const search = callOf('search_knowledge', { query });
  const header = total === 0 ? texts.nothingScanned : texts.scanned(counts.exact, counts.vague);
  const advice = total === 0 ? texts.nextProbe(search) : next === 'L2' ? texts.nextRead : texts.nextSearch(search);
  return succeed(joined([header, ...listed, advice]), { ...counts, shown, next, ...next_offset });
}
