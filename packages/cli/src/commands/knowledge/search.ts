/** The commands that find assets. */
import type { Asset, SearchResult } from '@cairn/knowledge';
import { ExitCode } from '../../terminal/exit.ts';
import { wholeNumber } from '../../terminal/options.ts';
import { escapeLine } from '../../terminal/text.ts';
import type { CommandFactory } from '../command.ts';
import { limitOption, offsetOption } from '../memory/options.ts';
import { assetDocument, unreadableNotice } from './assets.ts';
import { knowledgeCommand } from './knowledge-command.ts';
import { areaOption, readType, typeOption } from './options.ts';

const MAX_LIMIT = 50;

function linesOf({ id, type, title, score, snippet, isSimilar, marks = [] }: SearchResult): string[] {
  const notes = [...(isSimilar === true ? ['similar'] : []), ...marks].map((mark) => `(${mark})`);
  const text = snippet.replaceAll(/\s+/gu, ' ').trim();
  return [
    [id, readType(type), score.toFixed(2), title, ...notes].join('  '),
    ...(text === '' ? [] : [`    ${text}`]),
  ].map(escapeLine);
}

export const knowledgeSearchCommand: CommandFactory = knowledgeCommand({
  description:
    'Find assets by words of name, title, tags and text, best match first. The query is plain text. Without filters, a question that no asset answers is recorded as a gap.',
  summary: 'find assets by words, best match first',
  args: [['<query...>', 'words in any language']],
  options: [
    typeOption('only assets of this type; skills are found only by it'),
    areaOption('only assets of this area, and those below it'),
    ['--limit <n>', 'at most N assets, up to 50 (default: 5)', wholeNumber({ minimum: 1, maximum: MAX_LIMIT })],
  ],
  // A question without an answer is recorded, as by the tool.
  writes: true,
  run: async ({ knowledge, signal, printMatches, notice }, flags, words) => {
    const { type, area: productLine, limit } = flags;
    const query = words.join(' ');
    const answer = await knowledge.layers.search({ query, type, productLine, limit, recordsGap: true, signal });
    const { results, isAnswered, hasMore, searched, gap } = answer;
    const hasWords = answer.notices.every(({ code }) => code !== 'NOTHING_TO_SEARCH');
    if (results.length === 0 && hasWords) notice(`none of ${searched} assets has a word of the query`);
    for (const { message } of answer.notices) {
      notice(message.replace('get_asset reads them', "'cairn knowledge show' reads them"));
    }
    if (hasMore) notice(`more assets match; use a larger --limit, up to ${MAX_LIMIT}`);
    if (gap !== undefined) {
      notice("the question was recorded as a gap; when you find the answer, 'cairn knowledge add' keeps it");
    }
    const documents = results.map(({ productLine: line, changedMs, isPromoted, isSimilar = false, ...rest }) => ({
      ...rest,
      product_line: line,
      similar: isSimilar,
      changed_at: new Date(changedMs).toISOString(),
      promoted: isPromoted,
    }));
    await printMatches(results.flatMap(linesOf), documents, { hasMore });
    return isAnswered ? ExitCode.Hit : ExitCode.None;
  },
});

/** The assets of a page of the list. */
const LIST_LIMIT = 50;

function lineOf({ id, type, title, tags, isUnshared }: Asset, marks: readonly string[]): string {
  const words = [
    id,
    readType(type),
    title,
    ...tags.map((tag) => `#${tag}`),
    ...marks.map((mark) => `(${mark})`),
    ...(isUnshared ? ['(not shared)'] : []),
  ];
  return escapeLine(words.join('  '));
}

/** Whether an asset is in an area or below it, in any case of its letters. */
function isIn({ productLine }: Asset, wanted: string | undefined): boolean {
  if (wanted === undefined) return true;
  const above = wanted
    .normalize('NFC')
    .replaceAll(/^\/+|\/+$/gu, '')
    .toLowerCase();
  return `${productLine.toLowerCase()}/`.startsWith(`${above}/`);
}

export const knowledgeListCommand: CommandFactory = knowledgeCommand({
  description: 'List assets, the last changed ones first, in pages. Skills and deprecated assets are listed too.',
  summary: 'list assets, newest first, in pages',
  options: [
    typeOption('only assets of this type'),
    areaOption('only assets of this area, and those below it'),
    limitOption('assets', String(LIST_LIMIT)),
    offsetOption,
  ],
  run: async ({ knowledge, signal, printMatches, notice }, flags) => {
    const { type, area, limit = LIST_LIMIT, offset = 0 } = flags;
    const { headOf, marksOf } = await import('@cairn/knowledge/internal');
    const { changed, unreadable } = await knowledge.store.changes(undefined, { signal });
    const all = changed
      .map(({ asset }) => asset)
      .filter((asset) => (type === undefined || asset.type === type) && isIn(asset, area))
      .toSorted((a, b) => b.changedMs - a.changedMs || (a.id < b.id ? -1 : 1));
    const shown = all.slice(offset, offset + limit);
    const next = offset + shown.length;
    if (all.length === 0) notice("no asset matches; 'cairn knowledge add' adds one");
    else if (shown.length === 0) notice(`there are only ${all.length} assets; use a smaller --offset`);
    if (next < all.length && shown.length > 0) {
      notice(`assets ${offset + 1} to ${next} of ${all.length}; for the next use --offset ${next}`);
    }
    for (const id of unreadable) notice(unreadableNotice(id));
    const nowMs = Date.now();
    const lines = shown.map((asset) => lineOf(asset, marksOf(headOf(asset), nowMs)));
    const page = { total: all.length, hasMore: shown.length < all.length };
    const exitCode = await printMatches(lines, await Promise.all(shown.map(assetDocument)), page);
    return unreadable.length > 0 ? ExitCode.Error : exitCode;
  },
});
